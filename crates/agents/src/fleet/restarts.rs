//! Restarting OSDs on the hosts where they are.

use super::Fleet;
use crate::{AgentAnswer, Question};

impl Fleet {
    /// The host of the list that calls itself so.
    pub fn calls_itself(&self, name: &str) -> Option<String> {
        let bare = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
        let same: Vec<_> = self.here().filter(|seen| bare(&seen.facts.scope.name) == bare(name)).collect();
        match same.as_slice() {
            [only] => Some(only.name.clone()),
            // Hosts of two domains.
            several => several.iter().find(|seen| seen.facts.scope.name == name).map(|seen| seen.name.clone()),
        }
    }

    /// # Errors
    /// Its systemd has no such OSD, or refuses; or the host is gone.
    pub fn restart_osd(&mut self, host: &str, osd: u32) -> Result<(), String> {
        match self.question(host, Question::Restart { osd })? {
            AgentAnswer::Made(done) => done,
            other => Err(format!("it answered something else: {other:?}")),
        }
    }
}
