//! How the hosts are set up, as their own agents see it.

use super::Fleet;
use crate::{AgentAnswer, Question};
use model::OsdWish;
use model::facts::HostSetup;

impl Fleet {
    /// Of every host whose agent lives; and of which it could not be had, with the reason.
    pub fn setups(&mut self, osds: &[OsdWish]) -> (Vec<HostSetup>, Vec<String>) {
        let names: Vec<String> = self.here().map(|seen| seen.name.clone()).collect();
        let (mut found, mut wrong) = (Vec::new(), Vec::new());
        for name in names {
            match self.question(&name, Question::Setup { osds: osds.to_vec() }) {
                // As it stands in the list of hosts, which is what other findings name it by.
                Ok(AgentAnswer::Setup(setup)) => found.push(HostSetup { name, ..*setup }),
                Ok(other) => wrong.push(format!("{name}: it answered something else: {other:?}")),
                Err(why) => wrong.push(format!("{name}: how it is set up is not known: {why}")),
            }
        }
        (found, wrong)
    }
}
