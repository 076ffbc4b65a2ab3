//! Runs in one SQLite file: events go in as they happen, records come out; nothing is interpreted.

mod body;
mod error;
mod files;
mod queries;
mod remove;
mod schema;
mod slices;
mod stream;
mod windows;
mod writer;

pub use error::ArchiveError;
pub use files::default_path;
pub use queries::RunSummary;
pub use writer::Writer;

use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// An open archive. Several programs may read and write one file at the same time.
#[derive(Debug)]
pub struct Archive {
    connection: Connection,
    path: PathBuf,
}

impl Archive {
    /// Opens the archive for writing, and makes the file and its folder if they are missing.
    pub fn open(path: &Path) -> Result<Archive, ArchiveError> {
        files::open(path, files::Access::Create)
    }

    /// Opens an archive that is there already, to read from it or to remove runs. A file or folder that cannot be
    /// written is opened for reading.
    pub fn open_existing(path: &Path) -> Result<Archive, ArchiveError> {
        files::open(path, files::Access::Existing)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The face that stores what happens. One run at a time; a second `RunStarted` begins the next.
    pub fn writer(self) -> Writer {
        Writer::new(self, None)
    }

    /// The same for a run that is there already and goes on. `name` as for [`Archive::find`].
    pub fn writer_of(self, name: &str) -> Result<Writer, ArchiveError> {
        let run = self.find(name)?;
        let id = self.connection.query_row("SELECT id FROM runs WHERE run = ?1", [&run], |row| row.get(0));
        let id = self.told(id)?;
        Ok(Writer::new(self, Some((id, run))))
    }

    fn told<T>(&self, result: rusqlite::Result<T>) -> Result<T, ArchiveError> {
        result.map_err(|source| ArchiveError::from_sqlite(&self.path, source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Event;
    use std::time::Duration;

    #[test]
    fn a_locked_archive_is_named_after_a_while() -> Result<(), ArchiveError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.sqlite");
        let holder = Archive::open(&path)?;
        let mut writer = Archive::open(&path)?.writer();
        writer.store(&Event::RunStarted { head: Default::default(), scope: Default::default() })?;
        writer.archive().connection.busy_timeout(Duration::ZERO).unwrap();
        holder.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        let locked = writer.store(&Event::Failed { text: "x".into() }).unwrap_err();
        assert!(matches!(locked, ArchiveError::Locked { .. }), "{locked:?}");
        // Readers are not kept waiting, and the writer goes on when it may.
        assert_eq!(writer.archive().runs()?.len(), 1);
        holder.connection.execute_batch("COMMIT").unwrap();
        writer.store(&Event::Failed { text: "x".into() })
    }
}
