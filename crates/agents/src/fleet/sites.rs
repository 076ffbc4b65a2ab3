//! Paths of other hosts: what they are, and files that their agents make there.

use super::Fleet;
use crate::{AgentAnswer, Question};
use model::{HostFile, NotFree, SiteSeen, SiteWish};

impl Fleet {
    /// What the path is on that host, and whether it may be loaded.
    pub fn look(&mut self, host: &str, wish: &SiteWish) -> Result<SiteSeen, NotFree> {
        match self.question(host, Question::Look(wish.clone())) {
            Ok(AgentAnswer::Looked { seen, unseen }) => {
                self.unseen.extend(unseen.iter().map(|what| format!("{host}: {what}")));
                seen.map(|seen| *seen)
            }
            Ok(other) => Err(NotFree { says: format!("it answered something else: {other:?}"), holds: false }),
            Err(says) => Err(NotFree { says, holds: false }),
        }
    }

    /// # Errors
    /// There is no room, or the host is gone.
    pub fn make(&mut self, file: &HostFile) -> Result<(), String> {
        match self.question(&file.host, Question::Make(file.clone()))? {
            AgentAnswer::Made(made) => made,
            other => Err(format!("it answered something else: {other:?}")),
        }
    }
}
