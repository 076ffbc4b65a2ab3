//! The journal on disk: one file a run, a line an entry, each line on the disk before the change is made.

use crate::errors::ClusterError;
use model::Undo;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Whose journal it is, and how its cluster is reached again. No secrets: paths of keyrings, never keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    pub run: String,
    pub host: String,
    pub pid: u32,
    pub started: String,
    /// `None`: nothing of a cluster is changed.
    pub fsid: Option<String>,
    pub conf: Option<PathBuf>,
    pub keyring: Option<PathBuf>,
    pub id: Option<String>,
    pub cluster: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Head(Head),
    Change(Undo),
    /// Index of the change, from 0.
    Undone(usize),
}

/// An open journal file, locked: as long as the lock is held its run is alive.
pub struct Book {
    path: PathBuf,
    file: Flock<File>,
    head: Head,
    entries: Vec<Undo>,
}

impl Book {
    pub fn create(folder: &Path, head: Head) -> Result<Book, ClusterError> {
        let path = folder.join(format!("{}.journal", head.run));
        std::fs::create_dir_all(folder).map_err(|error| failed(&path, &error))?;
        let file = OpenOptions::new().append(true).create_new(true).open(&path);
        let file = lock(&path, file.map_err(|error| failed(&path, &error))?)?;
        let mut book = Book { path, file, head: head.clone(), entries: Vec::new() };
        book.append(&Line::Head(head))?;
        // The file's name must be on the disk as well.
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| failed(&book.path, &error))?;
        Ok(book)
    }

    /// Opens what a run left. An error if the run is still alive.
    pub fn open(path: &Path) -> Result<Book, ClusterError> {
        let file = OpenOptions::new().read(true).append(true).open(path).map_err(|error| failed(path, &error))?;
        let file = lock(path, file)?;
        let text = std::fs::read_to_string(path).map_err(|error| failed(path, &error))?;
        let (head, entries, whole) = parse(&text).ok_or_else(|| ClusterError::Journal {
            path: path.to_path_buf(),
            what: "has no readable head; nothing was changed by this run, the file may be deleted".to_string(),
        })?;
        let mut book = Book { path: path.to_path_buf(), file, head, entries };
        // What follows the last whole line is torn: its change was never made, and the next line must not hang on it.
        let mended = book
            .file
            .set_len(whole as u64)
            .and_then(|()| if text[..whole].ends_with('\n') { Ok(()) } else { book.file.write_all(b"\n") });
        mended.map_err(|error| failed(path, &error))?;
        Ok(book)
    }

    /// A book for entries that came from the cluster's copy.
    pub fn copy_of(folder: &Path, head: Head, entries: Vec<Undo>) -> Result<Book, ClusterError> {
        let mut book = Book::create(folder, head)?;
        for entry in entries {
            book.add(entry)?;
        }
        Ok(book)
    }

    pub fn head(&self) -> &Head {
        &self.head
    }

    pub fn entries(&self) -> &[Undo] {
        &self.entries
    }

    pub fn add(&mut self, entry: Undo) -> Result<usize, ClusterError> {
        self.append(&Line::Change(entry.clone()))?;
        self.entries.push(entry);
        Ok(self.entries.len() - 1)
    }

    pub fn mark_undone(&mut self, index: usize) -> Result<(), ClusterError> {
        self.append(&Line::Undone(index))?;
        self.entries[index].undone = true;
        Ok(())
    }

    pub fn remove(&self) -> Result<(), ClusterError> {
        std::fs::remove_file(&self.path).map_err(|error| failed(&self.path, &error))
    }

    fn append(&mut self, line: &Line) -> Result<(), ClusterError> {
        let mut text = serde_json::to_string(line).map_err(|error| failed(&self.path, &error))?;
        text.push('\n');
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| failed(&self.path, &error))
    }
}

fn lock(path: &Path, file: File) -> Result<Flock<File>, ClusterError> {
    Flock::lock(file, FlockArg::LockExclusiveNonblock)
        .map_err(|_| ClusterError::Journal { path: path.to_path_buf(), what: "its run is still going on".to_string() })
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> ClusterError {
    ClusterError::Journal { path: path.to_path_buf(), what: error.to_string() }
}

/// Head, entries, and how many bytes of the text are whole lines; `None`: not even the head is.
fn parse(text: &str) -> Option<(Head, Vec<Undo>, usize)> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next()?;
    let Ok(Line::Head(head)) = serde_json::from_str(first) else { return None };
    let mut whole = first.len();
    let mut entries: Vec<Undo> = Vec::new();
    for line in lines {
        match serde_json::from_str(line) {
            Ok(Line::Change(undo)) => entries.push(undo),
            Ok(Line::Undone(index)) => entries.get_mut(index)?.undone = true,
            Ok(Line::Head(_)) => return None,
            Err(_) => break,
        }
        whole += line.len();
    }
    Some((head, entries, whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Change;

    fn head() -> Head {
        Head {
            run: "r1".into(),
            host: "h".into(),
            pid: 1,
            started: String::new(),
            fsid: None,
            conf: None,
            keyring: None,
            id: None,
            cluster: None,
        }
    }

    fn entry(n: u32) -> Undo {
        Undo { change: Change::Flag { name: format!("flag{n}") }, before: None, undone: false }
    }

    /// Power may fail at any byte: what can be read back is a beginning of what was written, and can be gone on with.
    #[test]
    fn power_loss_at_every_byte_loses_at_most_the_line_being_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut book = Book::create(folder.path(), head()).unwrap();
        for n in 0..3 {
            book.add(entry(n)).unwrap();
        }
        book.mark_undone(2).unwrap();
        let path = book.path.clone();
        drop(book);
        let whole = std::fs::read(&path).unwrap();
        let head_ends = whole.iter().position(|byte| *byte == b'\n').unwrap();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let Ok(mut book) = Book::open(&path) else {
                assert!(cut < head_ends, "unreadable at {cut}");
                continue;
            };
            let lines = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
            // A cut just before a newline leaves a whole line that was not ended yet.
            assert!(book.entries().len() + 1 >= lines.min(4), "lost a written line at {cut}");
            let known = book.entries().len();
            book.add(entry(9)).unwrap();
            drop(book);
            let again = Book::open(&path).unwrap();
            assert!(again.entries().len() > known || cut < whole.len(), "the line after a torn one is lost at {cut}");
        }
    }

    #[test]
    fn a_live_run_keeps_its_journal() {
        let folder = tempfile::tempdir().unwrap();
        let book = Book::create(folder.path(), head()).unwrap();
        let told = Book::open(&book.path).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(told.contains("still going on"), "{told}");
    }
}
