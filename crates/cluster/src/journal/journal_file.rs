//! The journal on disk: one file a run, a line an entry, each line on the disk before the change is made.

use super::keys;
use super::life::Process;
use crate::entry::{JournalEntry, MadeThing};
use crate::errors::ClusterError;
use crate::text_file::read_up_to;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Whose journal it is, and how its cluster is reached again. No secrets: paths of keyrings, never keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    pub run: String,
    pub host: String,
    pub pid: u32,
    pub started: String,
    /// `None`: the journal of a release that did not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
    /// It is the journal of an agent, which changes its own host only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_of: Option<AgentOf>,
    /// `None`: nothing of a cluster is changed.
    pub fsid: Option<String>,
    pub conf: Option<PathBuf>,
    pub keyring: Option<PathBuf>,
    pub id: Option<String>,
    pub cluster: Option<String>,
}

/// For whom an agent works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentOf {
    pub run: String,
    /// On which that run was started, as it calls itself.
    pub host: String,
}

impl Head {
    /// Of this process, and of no cluster.
    pub fn of_this_process(run: String, started: String) -> Head {
        Head {
            run,
            host: crate::here::host_name(),
            pid: std::process::id(),
            started,
            process: Some(Process::this()),
            agent_of: None,
            fsid: None,
            conf: None,
            keyring: None,
            id: None,
            cluster: None,
        }
    }

    /// Of this process, on this cluster.
    pub fn on_cluster(run: String, started: String, fsid: Option<String>, access: ceph::ClusterAccess) -> Head {
        let ceph::ClusterAccess { conf, keyring, id, cluster, .. } = access;
        // It may be undone from another folder.
        let [conf, keyring] = [conf, keyring].map(|path| path.map(|path| std::path::absolute(&path).unwrap_or(path)));
        Head { fsid, conf, keyring, id, cluster, ..Head::of_this_process(run, started) }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Head(Head),
    Change(JournalEntry),
    /// Index of the change, from 0, and how the thing is known again.
    Made(usize, MadeThing),
    Undone(usize),
}

/// What a journal says.
#[derive(Clone, Debug)]
pub struct Told {
    pub head: Head,
    pub entries: Vec<JournalEntry>,
}

impl Told {
    /// The next change.
    fn push(&mut self, entry: JournalEntry) {
        let part = keys::part_of(&self.entries, &entry);
        self.entries.push(JournalEntry { part, ..entry });
    }

    pub fn left(&self) -> impl Iterator<Item = &JournalEntry> {
        self.entries.iter().filter(|entry| !entry.undone)
    }
}

/// An open journal. Its file is locked: as long as the lock is held its run is alive.
pub struct JournalFile {
    told: Told,
    /// `None`: only the cluster holds it.
    file: Option<(PathBuf, Flock<File>)>,
}

/// The longest journal in bytes: a change takes less than a KiB, so that it holds the changes of a run of days.
const LARGEST: u64 = 256 << 20;
/// At this length no more changes are made, so that those that were made can still be undone and confirmed.
const FULL: u64 = LARGEST / 2;

/// How often, and how far apart, a lock is tried: a program that only looks holds a journal's lock for a moment.
const LOOKS: u32 = 10;
const LOOK: Duration = Duration::from_millis(20);
/// Whoever can write a journal says what is undone.
const OWN: u32 = 0o600;

impl JournalFile {
    pub fn create(folder: &Path, head: Head) -> Result<JournalFile, ClusterError> {
        let path = folder.join(format!("{}.journal", head.run));
        std::fs::create_dir_all(folder).map_err(|error| failed(&path, &error))?;
        let file = locked(&path, || OpenOptions::new().append(true).create_new(true).mode(OWN).open(&path))?;
        // Somebody who took it for one of a killed run may have removed it before it was locked.
        if file.metadata().is_ok_and(|told| told.nlink() == 0) {
            return Err(failed(&path, &"was removed while it was made; start the run again"));
        }
        let told = Told { head: head.clone(), entries: Vec::new() };
        let mut journal_file = JournalFile { told, file: Some((path.clone(), file)) };
        journal_file.append(&Line::Head(head))?;
        // The file's name must be on the disk as well.
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| failed(&path, &error))?;
        Ok(journal_file)
    }

    /// What the cluster alone holds. Nothing is written to this host.
    pub fn in_cluster(told: Told) -> JournalFile {
        JournalFile { told, file: None }
    }

    /// Opens what a run left. An error if the run is still alive.
    pub fn open(path: &Path) -> Result<JournalFile, ClusterError> {
        let mut file = locked(path, || OpenOptions::new().read(true).append(true).open(path))?;
        let text = text_of(path)?;
        let (told, whole) = parse(&text).map_err(|what| failed(path, &what))?;
        // What follows the last whole line is torn: its change was never made, and the next line must not hang on it.
        let mended = file
            .set_len(whole as u64)
            .and_then(|()| if text[..whole].ends_with('\n') { Ok(()) } else { file.write_all(b"\n") });
        mended.map_err(|error| failed(path, &error))?;
        Ok(JournalFile { told, file: Some((path.to_path_buf(), file)) })
    }

    pub fn head(&self) -> &Head {
        &self.told.head
    }

    pub fn entries(&self) -> &[JournalEntry] {
        &self.told.entries
    }

    pub fn told(&self) -> &Told {
        &self.told
    }

    /// Only the cluster holds it.
    pub fn without_file(&self) -> bool {
        self.file.is_none()
    }

    pub fn add(&mut self, entry: JournalEntry) -> Result<usize, ClusterError> {
        if let Some((path, file)) = &self.file
            && file.metadata().map_err(|error| failed(path, &error))?.len() > FULL
        {
            return Err(failed(path, &"is full; end the run and start another one for what is left"));
        }
        self.append(&Line::Change(entry.clone()))?;
        self.told.push(entry);
        Ok(self.told.entries.len() - 1)
    }

    pub fn mark_made(&mut self, index: usize, made: MadeThing) -> Result<(), ClusterError> {
        self.append(&Line::Made(index, made.clone()))?;
        self.told.entries[index].made = Some(made);
        Ok(())
    }

    pub fn mark_undone(&mut self, index: usize) -> Result<(), ClusterError> {
        self.append(&Line::Undone(index))?;
        self.told.entries[index].undone = true;
        Ok(())
    }

    pub fn remove(&self) -> Result<(), ClusterError> {
        match &self.file {
            Some((path, _)) => std::fs::remove_file(path).map_err(|error| failed(path, &error)),
            None => Ok(()),
        }
    }

    fn append(&mut self, line: &Line) -> Result<(), ClusterError> {
        let Some((path, file)) = &mut self.file else { return Ok(()) };
        let mut text = serde_json::to_string(line).map_err(|error| failed(path, &error))?;
        text.push('\n');
        let before = file.metadata().map_err(|error| failed(path, &error))?.len();
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
        written.map_err(|error| {
            // Of a full disk half a line may stay, and nobody could read what comes behind it.
            let cut = file.set_len(before).err().map_or(String::new(), |left| format!(", nor cut again: {left}"));
            failed(path, &format!("{error}{cut}"))
        })
    }
}

/// Removes the journal of a run that was killed before it wrote a line.
pub fn remove_blank(path: &Path) -> Result<(), ClusterError> {
    let _locked = locked(path, || OpenOptions::new().read(true).append(true).open(path))?;
    let text = text_of(path)?;
    if text.contains('\n') { Ok(()) } else { std::fs::remove_file(path).map_err(|error| failed(path, &error)) }
}

pub struct JournalLook {
    /// `None`: its run was killed before the head was written, so before it changed anything.
    pub told: Option<Told>,
    /// The run holds the lock.
    pub alive: bool,
}

/// Reads a journal without touching it.
pub fn look(path: &Path) -> Result<JournalLook, ClusterError> {
    // A pipe would be waited for.
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(failed(path, &"is no file, and so no journal; delete it"));
    }
    let file = File::open(path).map_err(|error| failed(path, &error))?;
    let alive = Flock::lock(file, FlockArg::LockSharedNonblock).is_err();
    let text = text_of(path)?;
    let told = match text.contains('\n') {
        true => Some(parse(&text).map_err(|what| failed(path, &what))?.0),
        false => None,
    };
    Ok(JournalLook { told, alive })
}

fn text_of(path: &Path) -> Result<String, ClusterError> {
    read_up_to(path, LARGEST).map_err(|error| failed(path, &error))
}

/// Tries again if the lock is held: a program that only looks holds it for a moment.
fn locked(path: &Path, open: impl FnOnce() -> std::io::Result<File>) -> Result<Flock<File>, ClusterError> {
    let mut file = open().map_err(|error| failed(path, &error))?;
    for _ in 0..LOOKS {
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(locked) => return Ok(locked),
            Err((same, _)) => file = same,
        }
        std::thread::sleep(LOOK);
    }
    Err(failed(path, &"its run is still going on"))
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> ClusterError {
    ClusterError::Journal { path: path.to_path_buf(), what: error.to_string() }
}

/// What it says, and how many bytes of the text are whole lines. Only the last line may be torn, and has no end then.
fn parse(text: &str) -> Result<(Told, usize), String> {
    let mut lines = text.split_inclusive('\n').enumerate();
    let first = lines.next().map_or("", |(_, line)| line);
    let Ok(Line::Head(head)) = serde_json::from_str(first) else {
        let mend = "undo it with the release that wrote it, or by hand, and delete the file";
        return Err(format!("has no head that this release reads; {mend}"));
    };
    let (mut whole, mut told) = (first.len(), Told { head, entries: Vec::new() });
    for (number, line) in lines {
        match serde_json::from_str(line).map_err(|error| error.to_string()).and_then(|line| apply(&mut told, line)) {
            Ok(()) => whole += line.len(),
            Err(_) if !line.ends_with('\n') => break,
            Err(error) => {
                let mend = "undo it with the release that wrote it, or by hand, and delete the file";
                return Err(format!("line {} is not understood ({error}); {mend}", number + 1));
            }
        }
    }
    Ok((told, whole))
}

fn apply(told: &mut Told, line: Line) -> Result<(), String> {
    let entry = |index: usize| format!("there is no change {index}");
    match line {
        Line::Head(_) => return Err("a second head".to_string()),
        Line::Change(change) => told.push(change),
        Line::Made(index, made) => told.entries.get_mut(index).ok_or_else(|| entry(index))?.made = Some(made),
        Line::Undone(index) => told.entries.get_mut(index).ok_or_else(|| entry(index))?.undone = true,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::testing::head;
    use model::Change;

    fn path_of(journal_file: &JournalFile) -> PathBuf {
        journal_file.file.as_ref().unwrap().0.clone()
    }

    fn entry(n: u32) -> JournalEntry {
        JournalEntry::of(Change::Flag { name: format!("flag{n}") })
    }

    /// Power may fail at any byte: what can be read back is a beginning of what was written, and can be gone on with.
    #[test]
    fn power_loss_at_every_byte_loses_at_most_the_line_being_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal_file = JournalFile::create(folder.path(), head()).unwrap();
        for n in 0..3 {
            journal_file.add(entry(n)).unwrap();
        }
        journal_file.mark_made(1, MadeThing::Set).unwrap();
        journal_file.mark_undone(2).unwrap();
        let path = path_of(&journal_file);
        drop(journal_file);
        let whole = std::fs::read(&path).unwrap();
        let head_ends = whole.iter().position(|byte| *byte == b'\n').unwrap();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let Ok(mut journal_file) = JournalFile::open(&path) else {
                assert!(cut < head_ends, "unreadable at {cut}");
                continue;
            };
            let lines = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
            // A cut just before a newline leaves a whole line that was not ended yet.
            assert!(journal_file.entries().len() + 1 >= lines.min(4), "lost a written line at {cut}");
            let known = journal_file.entries().len();
            journal_file.add(entry(9)).unwrap();
            drop(journal_file);
            let again = JournalFile::open(&path).unwrap();
            assert!(again.entries().len() > known || cut < whole.len(), "the line after a torn one is lost at {cut}");
        }
    }

    #[test]
    fn a_live_run_keeps_its_journal() {
        let folder = tempfile::tempdir().unwrap();
        let journal_file = JournalFile::create(folder.path(), head()).unwrap();
        let told = JournalFile::open(&path_of(&journal_file)).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(told.contains("still going on"), "{told}");
    }

    #[test]
    fn what_is_no_journal_is_not_read_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink("/dev/zero", path("zero.journal")).unwrap();
        nix::unistd::mkfifo(&path("pipe.journal"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        File::create(path("huge.journal")).unwrap().set_len(LARGEST + 1).unwrap();
        let said = |name: &str| look(&path(name)).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(said("zero.journal").contains("no file") && said("pipe.journal").contains("no file"));
        assert!(said("huge.journal").contains("larger than 256 MiB"), "{}", said("huge.journal"));
    }

    #[test]
    fn a_full_journal_takes_no_more_changes_and_forgets_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal_file = JournalFile::create(folder.path(), head()).unwrap();
        let first = journal_file.add(entry(0)).unwrap();
        journal_file.file.as_ref().unwrap().1.set_len(FULL + 1).unwrap();
        assert!(journal_file.add(entry(1)).unwrap_err().to_string().contains("is full"));
        journal_file.mark_undone(first).unwrap();
    }

    /// The line is of a newer release, or damaged: what follows it must not be forgotten.
    #[test]
    fn a_line_that_is_not_understood_makes_the_whole_journal_unreadable() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal_file = JournalFile::create(folder.path(), head()).unwrap();
        journal_file.add(entry(0)).unwrap();
        let path = path_of(&journal_file);
        drop(journal_file);
        let whole = std::fs::read_to_string(&path).unwrap();
        for wrong in ["{\"change\":{\"change\":{\"change\":\"moon\"}}}\n", "\n", "{\"undone\":7}\n"] {
            std::fs::write(&path, format!("{whole}{wrong}")).unwrap();
            let told = JournalFile::open(&path).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(told.contains("line 3 is not understood") && told.contains("delete the file"), "{told}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{whole}{wrong}"), "it was changed");
        }
    }

    #[test]
    fn who_looks_sees_a_live_run_and_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let journal_file = JournalFile::create(folder.path(), head()).unwrap();
        let path = path_of(&journal_file);
        assert!(look(&path).unwrap().alive);
        drop(journal_file);
        let torn = std::fs::read_to_string(&path).unwrap() + "{\"change";
        std::fs::write(&path, &torn).unwrap();
        assert!(!look(&path).unwrap().alive);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), torn);
    }
}
