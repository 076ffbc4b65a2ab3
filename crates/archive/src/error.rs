//! What can go wrong with an archive: each text says in one line which file, why, and how to fix it.

use rusqlite::{Error as Sqlite, ErrorCode};
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("there is no archive at {}; `fathom run` makes one, --archive FILE names another", .path.display())]
    Missing { path: PathBuf },
    #[error("the archive {} is a directory; name a file in it with --archive FILE", .path.display())]
    Directory { path: PathBuf },
    #[error("{} is {what}, and what is on it would be overwritten; name a file with --archive FILE", .path.display())]
    NotAFile { path: PathBuf, what: &'static str },
    #[error("the folder of the archive {} cannot be made: {reason}; name another file with --archive FILE", .path.display())]
    Folder { path: PathBuf, reason: String },
    #[error("{} is not an archive of Fathom: {what}; name another file with --archive FILE", .path.display())]
    NotAnArchive { path: PathBuf, what: &'static str },
    #[error(
        "the archive {} was written by a newer Fathom (its schema is {found}, this program knows {known}); \
         install the newer version or name another file with --archive FILE",
        .path.display()
    )]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error(
        "the archive {} has the older schema {found} and cannot be written, so it cannot be brought to schema {known}; \
         copy it to where it can be written and name the copy with --archive FILE",
        .path.display()
    )]
    OlderReadOnly { path: PathBuf, found: i64, known: i64 },
    #[error("the archive {} cannot be written; make it and its folder writable or name another file with --archive FILE", .path.display())]
    ReadOnly { path: PathBuf },
    #[error("the archive {} cannot be opened ({reason}); check the rights of the file and its folder, or name another with --archive FILE", .path.display())]
    Closed { path: PathBuf, reason: String },
    #[error(
        "the archive {} cannot be written, and what is in its log {} cannot be read without that; \
         copy both files to where they can be written and name the copy of the archive with --archive FILE",
        .path.display(), .log.display()
    )]
    LogUnread { path: PathBuf, log: PathBuf },
    #[error("the disk of the archive {} is full; free some space or name a file on another disk with --archive FILE", .path.display())]
    Full { path: PathBuf },
    #[error("the archive {} stayed locked by another program for {} s; end that program or name another file with --archive FILE", .path.display(), crate::files::TIMEOUT.as_secs())]
    Locked { path: PathBuf },
    #[error("the archive {} is damaged ({what}); restore it from a copy, or move it away and begin a new one", .path.display())]
    Damaged { path: PathBuf, what: String },
    #[error("the archive {} holds no runs yet; `fathom run` makes one", .path.display())]
    Empty { path: PathBuf },
    #[error("nothing was measured in any run of the archive {}; `fathom runs` lists them, and each is shown by its name", .path.display())]
    NothingMeasured { path: PathBuf },
    #[error("there is no run {name} in the archive {}; {}; `fathom runs` lists all", .path.display(), nearest(.near))]
    UnknownRun { path: PathBuf, name: String, near: Vec<String> },
    #[error("{name} is the beginning of several runs in the archive {}: {}; write more of the name", .path.display(), .matches.join(", "))]
    Ambiguous { path: PathBuf, name: String, matches: Vec<String> },
    #[error("run {run} is already in the archive {}; `fathom rm {run}` removes it", .path.display())]
    RunExists { path: PathBuf, run: String },
    #[error("run {run} is no longer in the archive {}: it was removed while it went on; begin it again", .path.display())]
    Removed { path: PathBuf, run: String },
    #[error("an event came before the start of a run; nothing was stored in the archive {}", .path.display())]
    NoRun { path: PathBuf },
    #[error("{what} holds a number that is not finite and would not come back from the archive as it went in")]
    NotFinite { what: &'static str },
    #[error("no thread can be had to write the archive with: {reason}")]
    Thread { reason: String },
    #[error("the archive {}: {source}", .path.display())]
    Other { path: PathBuf, source: Sqlite },
}

fn nearest(near: &[String]) -> String {
    match near {
        [] => "it is empty".to_string(),
        [only] => format!("there is only {only}"),
        several => format!("the nearest are {}", several.join(", ")),
    }
}

impl ArchiveError {
    pub(crate) fn from_sqlite(path: &Path, source: Sqlite) -> ArchiveError {
        let path = path.to_path_buf();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => ArchiveError::NotAnArchive { path, what: "it is not an SQLite file" },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => ArchiveError::ReadOnly { path },
            Some(ErrorCode::CannotOpen) => ArchiveError::Closed { path, reason: source.to_string() },
            Some(ErrorCode::DiskFull) => ArchiveError::Full { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ArchiveError::Locked { path },
            Some(ErrorCode::DatabaseCorrupt) => ArchiveError::Damaged { path, what: source.to_string() },
            _ => ArchiveError::Other { path, source },
        }
    }

    /// Of rows of a run: they are refused when the run has been removed meanwhile.
    pub(crate) fn of_run(path: &Path, run: &str, source: Sqlite) -> ArchiveError {
        match source.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation) => {
                ArchiveError::Removed { path: path.to_path_buf(), run: run.to_string() }
            }
            _ => ArchiveError::from_sqlite(path, source),
        }
    }

    pub(crate) fn damaged(path: &Path, what: impl std::fmt::Display) -> ArchiveError {
        ArchiveError::Damaged { path: path.to_path_buf(), what: what.to_string() }
    }
}

impl From<ArchiveError> for model::Failure {
    fn from(error: ArchiveError) -> model::Failure {
        use ArchiveError::{Ambiguous, Directory, Empty, Missing, NotAFile, NotAnArchive, NothingMeasured, UnknownRun};
        match error {
            // Another file, or another run, has to be named.
            Missing { .. } | Directory { .. } | NotAFile { .. } | NotAnArchive { .. } => {
                model::Failure::Usage(error.to_string())
            }
            Empty { .. } | NothingMeasured { .. } | UnknownRun { .. } | Ambiguous { .. } => {
                model::Failure::Usage(error.to_string())
            }
            _ => model::Failure::Failed(error.to_string()),
        }
    }
}
