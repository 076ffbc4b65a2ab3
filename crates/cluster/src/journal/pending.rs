//! What runs left that did not end: their journals, on this host and in the cluster.

use super::journal_file::{Head, JournalFile, JournalLook, Told, look};
use super::life::{Life, life, of_this_host};
use super::{journal_file, keys, lease};
use crate::admin::Cluster;
use crate::apply::Trust;
use crate::entry::JournalEntry;
use crate::errors::ClusterError;
use crate::restart::NOOUT;
use model::{Change, HostChange};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A journal whose run is dead, or can't be seen from here.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    pub head: Head,
    pub left: Vec<JournalEntry>,
    /// The file on this host; `None`: only the cluster has it.
    pub path: Option<PathBuf>,
    pub life: Life,
}

impl Pending {
    /// Was it written on this host by this user, so that no other can have put anything into it?
    pub fn here(&self) -> bool {
        self.path.as_deref().is_some_and(is_own) && of_this_host(&self.head)
    }

    /// The open journal. `named`: the user named its run. Of a run that can't be seen it is first made sure that it is dead; `tell` gets
    /// how many seconds that takes.
    ///
    /// # Errors
    /// The run lives, or it is not known whether it does.
    pub fn open(
        &self,
        cluster: Option<&Cluster>,
        named: bool,
        tell: &mut dyn FnMut(u64),
    ) -> Result<(JournalFile, Trust), ClusterError> {
        let journal_file = match &self.path {
            Some(path) => JournalFile::open(path)?,
            None => JournalFile::in_cluster(Told { head: self.head.clone(), entries: self.left.clone() }),
        };
        match (self.life, cluster) {
            (Life::Unknown, Some(cluster)) => lease::take(cluster, &self.head.run, named, tell)?,
            (Life::Alive, _) => return Err(ClusterError::Lives { run: self.head.run.clone() }),
            _ => {}
        }
        Ok((journal_file, Trust { here: self.here(), named }))
    }
}

#[derive(Default)]
pub struct FoundJournals {
    /// The newest first: what a run changed was there for the runs before it.
    pub left: Vec<Pending>,
    pub live: Vec<Told>,
    /// Journals that can't be read, or are not believed. They hide no other.
    pub errors: Vec<ClusterError>,
    /// Files of runs that were killed before they changed anything.
    pub blank: Vec<PathBuf>,
}

/// All journals in `folder`, and those that the cluster holds and this host does not: those of other hosts, or of another data home.
pub fn find(folder: &Path, cluster: Option<&Cluster>) -> FoundJournals {
    let mut found = FoundJournals::default();
    for path in journal_files(folder) {
        match look(&path) {
            Ok(JournalLook { told: Some(told), alive }) => found.add(told, Some(path), alive),
            Ok(JournalLook { told: None, alive: false }) => found.blank.push(path),
            Ok(JournalLook { told: None, alive: true }) => {}
            // Its run has just ended.
            Err(_) if !path.exists() => {}
            Err(error) => found.errors.push(error),
        }
    }
    let (copies, errors) =
        cluster.map_or_else(|| Ok(Default::default()), keys::all).unwrap_or_else(|error| (Vec::new(), vec![error]));
    found.errors.extend(errors);
    let here: Vec<String> = found.runs().map(str::to_string).collect();
    copies.into_iter().filter(|copy| !here.contains(&copy.head.run)).for_each(|copy| found.add(copy, None, false));
    found.left.sort_by(|a, b| (&b.head.started, &b.head.run).cmp(&(&a.head.started, &a.head.run)));
    found
}

impl FoundJournals {
    fn add(&mut self, told: Told, path: Option<PathBuf>, locked: bool) {
        // A free lock proves the end of a run of this host; another one may have the folder by a network whose locks are its own.
        let life = match life(&told.head) {
            Life::Unknown if path.is_some() && of_this_host(&told.head) => Life::Dead,
            life => life,
        };
        if locked || life == Life::Alive {
            return self.live.push(told);
        }
        let left = told.left().cloned().collect();
        self.left.push(Pending { head: told.head, left, path, life });
    }

    fn runs(&self) -> impl Iterator<Item = &str> {
        self.left
            .iter()
            .map(|pending| &pending.head)
            .chain(self.live.iter().map(|told| &told.head))
            .map(|head| head.run.as_str())
    }

    /// Another run that holds the option; of several, one that is alive.
    fn holder(&self, fsid: Option<&str>, run: &str, option: &str) -> Option<Holder> {
        let sets = |entries: &[JournalEntry]| {
            entries.iter().filter(|entry| !entry.undone).any(|entry| match &entry.change {
                Change::Option { who, name, .. } => format!("{who}/{name}") == option,
                _ => false,
            })
        };
        self.holder_of(fsid, run, sets)
    }

    /// The same of whose journal is so.
    fn holder_of(&self, fsid: Option<&str>, run: &str, sets: impl Fn(&[JournalEntry]) -> bool) -> Option<Holder> {
        let live = self.live.iter().map(|told| (&told.head, told.entries.as_slice(), Life::Alive));
        let left = self.left.iter().map(|pending| (&pending.head, pending.left.as_slice(), pending.life));
        let other = |head: &Head| head.run != run && head.fsid.as_deref() == fsid;
        let mut holders = live.chain(left).filter(|(head, entries, _)| other(head) && sets(entries));
        holders.next().map(|(head, _, life)| Holder { head: head.clone(), life })
    }
}

/// A run in whose journal an option stands.
pub struct Holder {
    pub head: Head,
    pub life: Life,
}

/// The run, other than this one, that holds an option (`WHO/NAME`).
///
/// # Errors
/// The cluster does not answer.
pub fn holder(
    folder: &Path,
    cluster: Option<&Cluster>,
    run: &str,
    option: &str,
) -> Result<Option<Holder>, ClusterError> {
    let fsid = cluster.map(|cluster| cluster.rados.fsid()).transpose()?;
    Ok(find(folder, cluster).holder(fsid.as_deref(), run, option))
}

/// Journals of runs that were killed before they wrote anything: nothing was changed.
pub fn remove_blank(found: &mut FoundJournals) {
    for path in found.blank.drain(..) {
        found.errors.extend(journal_file::remove_blank(&path).err());
    }
}

/// May a run set this option (`WHO/NAME`)? Not while a journal holds it: each run would put back what the other one set.
///
/// # Errors
/// Which run holds it, and what to do.
pub fn refuse_held(folder: &Path, cluster: Option<&Cluster>, run: &str, option: &str) -> Result<(), ClusterError> {
    let Some(Holder { head, life }) = holder(folder, cluster, run, option)? else { return Ok(()) };
    let why = format!("run {} of host {} holds it, {}", head.run, head.host, what_to_do(&head, life));
    Err(ClusterError::Held { option: option.to_string(), why })
}

/// The same for a setting of this host, whichever cluster it was changed for.
///
/// # Errors
/// Which run holds it, and what to do.
pub fn refuse_held_here(folder: &Path, run: &str, setting: &str) -> Result<(), ClusterError> {
    let sets = |entries: &[JournalEntry]| {
        let of = |entry: &JournalEntry| matches!(&entry.change, Change::OnHost { what: HostChange::Setting { name, .. }, .. } if name == setting);
        entries.iter().any(|entry| !entry.undone && of(entry))
    };
    let found = find(folder, None);
    let live = found.live.iter().map(|told| (&told.head, told.entries.as_slice(), Life::Alive));
    let left = found.left.iter().map(|pending| (&pending.head, pending.left.as_slice(), pending.life));
    let other = live.chain(left).find(|(head, entries, _)| head.run != run && sets(entries));
    let Some((head, _, life)) = other else { return Ok(()) };
    let why = format!("run {} of host {} holds it, {}", head.run, head.host, what_to_do(head, life));
    Err(ClusterError::Held { option: setting.to_string(), why })
}

/// May a run restart OSDs? Not while another one does: both would think that all others are up.
///
/// # Errors
/// Which run does, and what to do.
pub fn refuse_restarts(folder: &Path, cluster: Option<&Cluster>, run: &str) -> Result<(), ClusterError> {
    let restarts = |entries: &[JournalEntry]| {
        let of = |entry: &JournalEntry| matches!(&entry.change, Change::Flag { name } if name == NOOUT);
        entries.iter().any(|entry| !entry.undone && of(entry))
    };
    let fsid = cluster.map(|cluster| cluster.rados.fsid()).transpose()?;
    let Some(Holder { head, life }) = find(folder, cluster).holder_of(fsid.as_deref(), run, restarts) else {
        return Ok(());
    };
    let why = format!("run {} of host {} restarts OSDs, {}", head.run, head.host, what_to_do(&head, life));
    Err(ClusterError::Held { option: "noout".to_string(), why })
}

/// Nobody else can have written it.
fn is_own(path: &Path) -> bool {
    let owned = |metadata: std::fs::Metadata| {
        metadata.uid() == nix::unistd::geteuid().as_raw() && metadata.mode() & OTHERS_WRITE == 0
    };
    std::fs::metadata(path).is_ok_and(owned)
}

/// Of a file's mode.
const OTHERS_WRITE: u32 = 0o002;

fn what_to_do(head: &Head, life: Life) -> String {
    match life {
        Life::Alive => format!("which is still going on (process {}); wait until it ends", head.pid),
        _ => format!("which ended without putting it back; undo that first: fathom restore --run {}", head.run),
    }
}

fn journal_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "journal"))
        .collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::testing::head;

    fn run(number: u32) -> String {
        format!("20260102-03040{number}-a1b2")
    }

    fn told(number: u32) -> Head {
        Head { run: run(number), started: format!("2026-01-02T03:04:0{number}Z"), ..head() }
    }

    fn of_dead_process(head: Head) -> Head {
        let mut head = head;
        head.process.as_mut().unwrap().began += 1;
        head
    }

    #[test]
    fn the_newest_comes_first_and_what_is_unreadable_hides_no_other() {
        let folder = tempfile::tempdir().unwrap();
        for number in [2, 1, 3] {
            drop(JournalFile::create(folder.path(), of_dead_process(told(number))).unwrap());
        }
        std::fs::write(folder.path().join("broken.journal"), "{}\n{}\n").unwrap();
        std::fs::write(folder.path().join("blank.journal"), "{\"he").unwrap();
        let live = JournalFile::create(folder.path(), told(4)).unwrap();
        let found = find(folder.path(), None);
        let runs: Vec<&str> = found.left.iter().map(|pending| pending.head.run.as_str()).collect();
        assert_eq!(runs, [run(3), run(2), run(1)]);
        assert!(found.left.iter().all(|pending| pending.life == Life::Dead && pending.here()));
        assert_eq!((found.live.len(), found.errors.len(), found.blank.len()), (1, 1, 1));
        drop(live);
    }

    /// From another data home its lock is not seen, but its process is.
    #[test]
    fn a_live_process_of_another_data_home_is_live() {
        let mut found = FoundJournals::default();
        found.add(Told { head: told(1), entries: Vec::new() }, None, false);
        assert_eq!((found.left.len(), found.live.len()), (0, 1));
        let mut elsewhere = told(2);
        elsewhere.process.as_mut().unwrap().boot = "another".into();
        found.add(Told { head: elsewhere, entries: Vec::new() }, None, false);
        assert_eq!((found.left.len(), found.left[0].life, found.left[0].here()), (1, Life::Unknown, false));
    }

    #[test]
    fn an_option_is_set_by_one_run_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let mut dead = JournalFile::create(folder.path(), of_dead_process(told(1))).unwrap();
        let index = dead.add(JournalEntry::of(Change::option("osd/osd_max_backfills", "3"))).unwrap();
        drop(dead);
        let refused = |option: &str| refuse_held(folder.path(), None, &run(2), option);
        let said = refused("osd/osd_max_backfills").unwrap_err();
        assert!(said.for_safety() && said.to_string().contains("fathom restore --run 20260102-030401-a1b2"), "{said}");
        assert!(refused("osd/osd_recovery_max_active").is_ok());
        assert!(refuse_held(folder.path(), None, &run(1), "osd/osd_max_backfills").is_ok(), "its own");
        let path = folder.path().join(format!("{}.journal", run(1)));
        JournalFile::open(&path).unwrap().mark_undone(index).unwrap();
        assert!(refused("osd/osd_max_backfills").is_ok());
        let mut live = JournalFile::create(folder.path(), told(3)).unwrap();
        live.add(JournalEntry::of(Change::option("osd/osd_max_backfills", "5"))).unwrap();
        assert!(refused("osd/osd_max_backfills").unwrap_err().to_string().contains("wait until it ends"));
    }
}
