//! Paths of other hosts: what they are, and what their agents change there.

use super::Fleet;
use crate::{Answer, Question};
use cluster::journal::AgentOf;
use model::{HostChange, NotFree, SiteSeen, SiteWish};

impl Fleet {
    /// What the path is on that host, and whether it may be loaded.
    pub fn look(&mut self, host: &str, wish: &SiteWish) -> Result<SiteSeen, NotFree> {
        match self.question(host, Question::Look(wish.clone())) {
            Ok(Answer::Looked { seen, unseen }) => {
                self.unseen.extend(unseen.iter().map(|what| format!("{host}: {what}")));
                seen.map(|seen| *seen)
            }
            Ok(other) => Err(NotFree { says: format!("it answered something else: {other:?}"), holds: false }),
            Err(says) => Err(NotFree { says, holds: false }),
        }
    }

    /// # Errors
    /// It can't be made, or the host is gone.
    pub fn make(&mut self, host: &str, of: AgentOf, change: &HostChange) -> Result<(), String> {
        match self.question(host, Question::Make { of, change: change.clone() })? {
            Answer::Made(made) => made,
            other => Err(format!("it answered something else: {other:?}")),
        }
    }

    /// Undoes all that was made on that host. What could not be undone, and why.
    ///
    /// # Errors
    /// The host is gone. Its agent undoes it by itself when it is not heard of any more.
    pub fn roll_back(&mut self, host: &str) -> Result<Vec<String>, String> {
        match self.question(host, Question::RollBack)? {
            Answer::RolledBack(left) => Ok(left),
            other => Err(format!("it answered something else: {other:?}")),
        }
    }
}
