//! What gateways and metadata servers count, as the hosts on which they run tell it.

use super::Fleet;
use crate::{AgentAnswer, Question};
use model::ServiceLook;

impl Fleet {
    /// Of every host whose agent lives; a process that two of them see comes twice. Whoever does not tell is left out.
    pub fn services(&mut self, fsid: &str) -> Vec<ServiceLook> {
        let names: Vec<String> = self.here().map(|seen| seen.name.clone()).collect();
        let told = |name: String| match self.question(&name, Question::Services { fsid: fsid.to_string() }) {
            Ok(AgentAnswer::Services(looks)) => looks,
            _ => Vec::new(),
        };
        names.into_iter().flat_map(told).collect()
    }
}
