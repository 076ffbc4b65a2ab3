//! Where the archive lies, and how the file is opened so that several programs and a crash can do it no harm.

use crate::Archive;
use crate::error::ArchiveError;
use crate::schema::{self, State};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::DirBuilder;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long to wait for another writer: its transactions last milliseconds, a slow disk makes seconds of it.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Access {
    Create,
    Existing,
}

/// `$XDG_DATA_HOME/fathom/archive.sqlite`, where `XDG_DATA_HOME` is `~/.local/share` unless set to an absolute path.
pub fn default_path() -> PathBuf {
    let named = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let data = named.unwrap_or_else(|| std::env::home_dir().unwrap_or_default().join(".local/share"));
    data.join("fathom").join("archive.sqlite")
}

pub(crate) fn open(path: &Path, access: Access) -> Result<Archive, ArchiveError> {
    if path.is_dir() {
        return Err(ArchiveError::Directory { path: path.to_path_buf() });
    }
    prove_file(path)?;
    match access {
        Access::Create => make_folder(path)?,
        Access::Existing if !path.exists() => return Err(ArchiveError::Missing { path: path.to_path_buf() }),
        Access::Existing => {}
    }
    let connection = match (writable(path, access), access) {
        (Err(ArchiveError::ReadOnly { .. } | ArchiveError::Closed { .. }), Access::Existing) => readable(path)?,
        (opened, _) => opened?,
    };
    Ok(Archive { connection, path: path.to_path_buf() })
}

/// SQLite takes a device for a new file, since its length is told as 0, and begins at its first byte.
fn prove_file(path: &Path) -> Result<(), ArchiveError> {
    let Ok(metadata) = std::fs::metadata(path) else { return Ok(()) };
    let kind = metadata.file_type();
    let what = match () {
        () if kind.is_file() => return Ok(()),
        () if kind.is_block_device() => "a block device",
        () if kind.is_char_device() => "a character device",
        () => "a pipe or a socket",
    };
    Err(ArchiveError::NotAFile { path: path.to_path_buf(), what })
}

fn make_folder(path: &Path) -> Result<(), ArchiveError> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    // Private, as the XDG base directory specification asks for folders that are made on the way.
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|source| ArchiveError::Folder { path: path.to_path_buf(), reason: source.to_string() })
}

fn writable(path: &Path, access: Access) -> Result<Connection, ArchiveError> {
    let sqlite = |source| ArchiveError::from_sqlite(path, source);
    let create = if access == Access::Create { OpenFlags::SQLITE_OPEN_CREATE } else { OpenFlags::empty() };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | create;
    let mut connection = Connection::open_with_flags(path, flags).map_err(sqlite)?;
    connection.busy_timeout(TIMEOUT).map_err(sqlite)?;
    let state = schema::look(&connection, path)?;
    if connection.is_readonly(rusqlite::MAIN_DB).map_err(sqlite)? {
        return Err(ArchiveError::ReadOnly { path: path.to_path_buf() });
    }
    match state {
        State::Blank if access == Access::Existing => {
            return Err(ArchiveError::NotAnArchive { path: path.to_path_buf(), what: "it is empty" });
        }
        // Takes effect only before the first table: then removing runs gives the space back.
        State::Blank => connection.pragma_update(None, "auto_vacuum", "INCREMENTAL").map_err(sqlite)?,
        State::Ours(_) => {}
    }
    write_ahead(&connection).map_err(sqlite)?;
    // With a write-ahead log, NORMAL loses nothing when the program is killed, and at most the last seconds, never
    // the file, when the power fails. FULL would sync after every event: load on a disk that may be under test.
    connection.pragma_update(None, "synchronous", "NORMAL").map_err(sqlite)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(sqlite)?;
    if !matches!(state, State::Ours(version) if version == schema::NEWEST) {
        schema::migrate(&mut connection, path)?;
    }
    Ok(connection)
}

/// SQLite does not wait for its lock here as it does elsewhere when two programs open a new file at once.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let began = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && began.elapsed() < TIMEOUT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            answer => return answer,
        }
    }
}

/// For files that cannot be written. In a folder that cannot be written SQLite needs to be told that nobody else writes; then it does not
/// read the log either.
fn readable(path: &Path) -> Result<Connection, ArchiveError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let plain = Connection::open_with_flags(uri(path, ""), flags)
        .map_err(|source| ArchiveError::from_sqlite(path, source))
        .and_then(|connection| schema::look(&connection, path).map(|state| (connection, state)));
    let (connection, state) = match plain {
        Err(ArchiveError::Closed { .. } | ArchiveError::ReadOnly { .. }) => {
            prove_no_log(path)?;
            let connection = Connection::open_with_flags(uri(path, "?immutable=1"), flags)
                .map_err(|source| ArchiveError::from_sqlite(path, source))?;
            let state = schema::look(&connection, path)?;
            (connection, state)
        }
        other => other?,
    };
    let path = path.to_path_buf();
    match state {
        State::Ours(schema::NEWEST) => Ok(connection),
        State::Ours(found) => Err(ArchiveError::OlderReadOnly { path, found, known: schema::NEWEST }),
        State::Blank => Err(ArchiveError::NotAnArchive { path, what: "it is empty" }),
    }
}

/// What is only in the log would be missing without a word: of a run that goes on, or was killed, all of it.
fn prove_no_log(path: &Path) -> Result<(), ArchiveError> {
    // SQLite has it beside the file itself, whatever link leads to that.
    let mut log = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()).into_os_string();
    log.push("-wal");
    let log = PathBuf::from(log);
    match std::fs::metadata(&log) {
        Ok(metadata) if metadata.len() > 0 => Err(ArchiveError::LogUnread { path: path.to_path_buf(), log }),
        _ => Ok(()),
    }
}

/// A `file:` URI; every byte that is not plainly part of a path is escaped.
fn uri(path: &Path, query: &str) -> String {
    let mut text = String::from("file:");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => text.push(char::from(*byte)),
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text + query
}
