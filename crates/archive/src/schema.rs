//! How an archive's tables came to be: one step per version, never changed once released.

use crate::error::ArchiveError;
use rusqlite::Connection;
use std::path::Path;

/// "FTHM": tells an archive of ours from any other SQLite file.
const APPLICATION: i64 = 0x4654_484d;

/// Step n brings schema n to schema n + 1.
const STEPS: &[&str] = &["
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY,
        run TEXT NOT NULL UNIQUE,
        started TEXT NOT NULL,
        version TEXT NOT NULL,
        command TEXT NOT NULL,
        cluster TEXT,
        seconds REAL NOT NULL DEFAULT 0,
        steps INTEGER NOT NULL DEFAULT 0,
        slices INTEGER NOT NULL DEFAULT 0,
        finished INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
        kind TEXT NOT NULL,
        body ANY NOT NULL
    ) STRICT;
    CREATE INDEX events_of_run ON events (run, id);
"];

pub(crate) const NEWEST: i64 = STEPS.len() as i64;

/// What a file holds before anything is done to it.
pub(crate) enum State {
    /// Nothing at all: a new file.
    Blank,
    /// An archive of this schema, at most [`NEWEST`].
    Ours(i64),
}

/// One look, in one transaction: another program may make the tables meanwhile. Errors: `NotAnArchive`, `Newer`, and
/// what SQLite says.
pub(crate) fn look(connection: &Connection, path: &Path) -> Result<State, ArchiveError> {
    let transaction = connection.unchecked_transaction().map_err(|source| ArchiveError::from_sqlite(path, source))?;
    state(&transaction, path)
}

fn state(connection: &Connection, path: &Path) -> Result<State, ArchiveError> {
    let number = |sql: &str| {
        let answer = connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        answer.map_err(|source| ArchiveError::from_sqlite(path, source))
    };
    let version = number("PRAGMA user_version")?;
    let path = path.to_path_buf();
    match number("PRAGMA application_id")? {
        APPLICATION if version > NEWEST => Err(ArchiveError::Newer { path, found: version, known: NEWEST }),
        APPLICATION => Ok(State::Ours(version)),
        0 if version == 0 && number("SELECT count(*) FROM sqlite_schema")? == 0 => Ok(State::Blank),
        _ => Err(ArchiveError::NotAnArchive { path, what: "it is an SQLite file of another program" }),
    }
}

/// Brings a blank file or an older archive to the newest schema. Two programs may try at once: the second finds it done.
pub(crate) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), ArchiveError> {
    let sqlite = |source| ArchiveError::from_sqlite(path, source);
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(sqlite)?;
    let from = match state(&transaction, path)? {
        State::Blank => 0,
        State::Ours(version) => version,
    };
    for step in STEPS.iter().skip(from as usize) {
        transaction.execute_batch(step).map_err(sqlite)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION).map_err(sqlite)?;
    transaction.pragma_update(None, "user_version", NEWEST).map_err(sqlite)?;
    transaction.commit().map_err(sqlite)
}
