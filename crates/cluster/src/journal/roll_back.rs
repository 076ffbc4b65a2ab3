//! Undoing all that stands in a journal.

use super::lease::Lease;
use super::{Journal, keys};
use crate::admin::Cluster;
use crate::errors::ClusterError;
use crate::restart;
use model::{Change, Undo};
use serde_json::json;

impl Journal {
    /// Undoes everything, the newest first. What can't be undone stays in the journal; the errors tell. Where the cluster does not answer, what
    /// needs none of it is undone all the same.
    pub fn roll_back(&mut self) -> (Vec<Undo>, Vec<ClusterError>) {
        let (mut undone, mut errors) = (Vec::new(), Vec::new());
        let taken = self.taken();
        let mut not_tried = 0;
        // A daemon that is restarted before its option is back would begin with what the run set.
        let (mut unset, mut down) = (false, Vec::new());
        for index in (0..self.journal_file.entries().len()).rev() {
            let entry = self.journal_file.entries()[index].clone();
            if self.silent && entry.needs_cluster() {
                not_tried += usize::from(!entry.undone);
                continue;
            }
            if let (Change::Restart { osd }, true) = (&entry.change, unset && !entry.undone) {
                errors.push(restart::too_early(*osd));
                continue;
            }
            if let (Change::Flag { name }, Some(osd), false) = (&entry.change, down.first(), entry.undone)
                && name == restart::NOOUT
            {
                errors.push(restart::kept_in(*osd));
                continue;
            }
            let nameless = entry.change.is_nameless() && !entry.undone;
            let done = match taken.as_ref().filter(|(_, standing)| nameless && !standing.contains(&entry.change)) {
                Some((by, _)) => self.left_to(by, index).map(Some),
                None => self.undo(index),
            };
            match done {
                Ok(Some(undo)) => undone.push(undo),
                Ok(None) => {}
                Err(error) => {
                    unset |= matches!(entry.change, Change::Option { .. });
                    if let Change::Restart { osd } = &entry.change {
                        down.extend(self.is_down(*osd).then_some(*osd));
                    }
                    self.silent = self.silent || error.timed_out() && !self.monitors_answer();
                    errors.push(error);
                }
            }
        }
        errors.extend((not_tried > 0).then_some(ClusterError::NotTried { changes: not_tried }));
        // The cluster has a copy of the journal.
        if errors.is_empty() && !self.silent {
            errors.extend(self.close().err());
        }
        (undone, errors)
    }

    /// Who has taken the lease, and which changes that one has left standing, by the cluster's copy. What it has undone and bears no run's name
    /// may be somebody else's by now. `None`: nobody has, or that is not known.
    fn taken(&self) -> Option<(String, Vec<Change>)> {
        let by = self.lease.as_ref().and_then(Lease::taken)?;
        let (copies, _) = keys::all(self.cluster.as_ref()?).ok()?;
        let own = copies.into_iter().filter(|told| told.head.run == self.run()).flat_map(|told| told.entries);
        Some((by, own.filter(|entry| !entry.undone).map(|entry| entry.change).collect()))
    }

    /// It is undone, as far as this run may say.
    fn left_to(&mut self, other: &str, index: usize) -> Result<Undo, ClusterError> {
        self.journal_file.mark_undone(index)?;
        let left = Some(format!("{other} has undone this run meanwhile, and what is there now is not the run's"));
        Ok(Undo { undone: true, left, ..self.journal_file.entries()[index].undo() })
    }

    /// Where that is not known, it may be.
    fn is_down(&self, osd: u32) -> bool {
        let up = self.cluster.as_ref().map(|cluster| restart::process(cluster, osd));
        !matches!(up, Some(Ok(Some(_))))
    }

    /// Without them every change of the cluster would wait for its own time-out.
    fn monitors_answer(&self) -> bool {
        let ask = |cluster: &Cluster| cluster.ask(json!({"prefix": "health"})).err();
        self.cluster.as_ref().and_then(ask).is_none_or(|error| !error.timed_out())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply::Trust;
    use crate::entry::JournalEntry;
    use crate::journal::testing::{RUN, head};
    use crate::journal::{Head, JournalFile};

    /// Older and newer than what needs the cluster.
    #[test]
    fn where_the_cluster_is_not_reached_what_is_of_this_host_alone_is_undone() {
        let (folder, loaded) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let head = Head { fsid: Some("20b7637f-1c98-4b98-9a6c-f33d93263fa5".to_string()), ..head() };
        let mut journal_file = JournalFile::create(folder.path(), head).unwrap();
        let own = ["a", "b"].map(|name| loaded.path().join(format!("fathom.{RUN}.{name}")));
        own.iter().for_each(|path| std::fs::create_dir(path).unwrap());
        let flag = Change::Flag { name: "noscrub".to_string() };
        let [older, newer] = own.clone().map(|path| Change::folder(None, path));
        for change in [older, flag.clone(), newer] {
            journal_file.add(JournalEntry::of(change)).unwrap();
        }
        let mut journal = Journal::resume(folder.path(), journal_file, None, Trust { here: true, named: false });
        let (undone, errors) = journal.roll_back();
        assert!(undone.len() == 2 && !own[0].exists() && !own[1].exists(), "{undone:?}");
        assert!(matches!(errors.as_slice(), [ClusterError::NotTried { changes: 1 }]), "{errors:?}");
        assert_eq!(journal.left().map(|entry| entry.change.clone()).collect::<Vec<_>>(), [flag]);
        assert!(folder.path().join(format!("{RUN}.journal")).exists());
    }
}
