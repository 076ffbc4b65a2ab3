//! The journal of an agent: of what it changes on its own host, begun with the first change that needs it.

use super::journal_file::{AgentOf, Head};
use super::{Journal, Life, pending};
use crate::errors::ClusterError;
use crate::own_files;
use model::Undo;
use std::path::{Path, PathBuf};

/// In a file of its own beside those of this host's runs: several agents may share the folder. What stands in it is undone when the agent
/// leaves; of one that is killed, `fathom restore` on its host does that.
pub struct AgentJournal {
    folder: PathBuf,
    journal: Option<Journal>,
}

impl AgentJournal {
    /// `folder`: where this host's journals are. Nothing is written there yet.
    pub fn in_folder(folder: PathBuf) -> AgentJournal {
        AgentJournal { folder, journal: None }
    }

    /// `of`: the run for which the agent works.
    ///
    /// # Errors
    /// It can't be written.
    pub fn begun(&mut self, of: &AgentOf) -> Result<&mut Journal, ClusterError> {
        let journal = match self.journal.take() {
            Some(journal) => journal,
            None => Journal::begin(&self.folder, head(of), None)?,
        };
        Ok(self.journal.insert(journal))
    }

    /// The journal, if anything was changed.
    pub fn standing(&mut self) -> Option<&mut Journal> {
        self.journal.as_mut()
    }

    /// Undoes all that stands in it; what can't be undone stays for `fathom restore`, and the errors tell.
    pub fn roll_back(&mut self) -> Vec<ClusterError> {
        self.journal.take().map_or(Vec::new(), |mut journal| journal.roll_back().1)
    }
}

impl Drop for AgentJournal {
    fn drop(&mut self) {
        self.roll_back();
    }
}

/// Undoes what killed agents left on this host: what was undone or is left as it is, and what can't be undone.
pub fn restore(folder: &Path) -> (Vec<Undo>, Vec<ClusterError>) {
    let found = pending::find(folder, None);
    let (mut undone, mut errors) = (Vec::new(), Vec::new());
    let dead = found.left.iter().filter(|left| left.head.agent_of.is_some() && left.life == Life::Dead && left.here());
    for left in dead {
        match left.open(None, false, &mut |_| ()) {
            Ok((journal_file, trust)) => {
                let (done, wrong) = Journal::resume(folder, journal_file, None, trust).roll_back();
                undone.extend(done);
                errors.extend(wrong);
            }
            Err(error) => errors.push(error),
        }
    }
    (undone, errors)
}

/// Its name begins as a run's does and is longer: no run has it, and no other agent of this host.
fn head(of: &AgentOf) -> Head {
    let now = jiff::Timestamp::now();
    let run = format!("{}-{:016x}", now.strftime("%Y%m%d-%H%M%S"), own_files::random());
    let started = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    Head { agent_of: Some(of.clone()), ..Head::of_this_process(run, started) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Life;
    use crate::journal::pending::find;
    use model::Change;
    use std::fs;

    fn of() -> AgentOf {
        AgentOf { run: crate::journal::testing::RUN.into(), host: "elsewhere".into() }
    }

    #[test]
    fn two_agents_and_a_run_share_a_folder_and_none_is_taken_for_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let [mut one, mut other] = [0; 2].map(|_| AgentJournal::in_folder(folder.path().to_path_buf()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "begun without need");
        one.begun(&of()).unwrap();
        other.begun(&of()).unwrap();
        let run = Journal::begin(folder.path(), crate::journal::testing::head(), None).unwrap();
        let found = find(folder.path(), None);
        assert_eq!((found.live.len(), found.left.len()), (3, 0));
        assert_eq!(found.live.iter().filter(|told| told.head.run == run.run()).count(), 1);
        assert_eq!(found.live.iter().filter(|told| told.head.agent_of == Some(of())).count(), 2);
        drop(one);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "an agent that leaves takes its own journal along");
        assert!(other.roll_back().is_empty());
    }

    /// As one is that was killed while the file had a name.
    #[test]
    fn what_a_killed_agent_wrote_down_is_left_to_restore() {
        let (folder, loaded) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut agent = AgentJournal::in_folder(folder.path().to_path_buf());
        let path = loaded.path().join("own");
        let change = Change::file(None, path.clone(), 0);
        let journal = agent.begun(&of()).unwrap();
        let run = journal.run().to_string();
        journal.make_with(change, |_| Ok(crate::entry::MadeThing::Set)).unwrap();
        let text = fs::read_to_string(folder.path().join(format!("{run}.journal"))).unwrap();
        drop(agent);
        // Of a process that is gone.
        let text = text.replace("\"began\":", "\"began\":1");
        fs::write(folder.path().join(format!("{run}.journal")), text).unwrap();
        let found = find(folder.path(), None);
        assert_eq!((found.live.len(), found.left.len()), (0, 1));
        let left = &found.left[0];
        assert_eq!((left.life, left.here(), left.head.agent_of.clone()), (Life::Dead, true, Some(of())));
        let (journal_file, trust) = left.open(None, false, &mut |_| ()).unwrap();
        let mut journal = Journal::resume(folder.path(), journal_file, None, trust);
        assert!(journal.roll_back().1.is_empty());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
