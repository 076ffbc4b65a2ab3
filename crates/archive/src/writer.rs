//! Writing: one transaction for each event, so that all events before a crash are kept.

use crate::error::ArchiveError;
use crate::stream::{Sent, Stream};
use crate::{Archive, body};
use model::{Event, Report, RunHead, Scope, Slice, Subscriber, WindowSet};
use rusqlite::{Transaction, TransactionBehavior, params};
use std::io;

pub(crate) const INSERT: &str = "INSERT INTO events (run, kind, body) VALUES (?1, ?2, ?3)";

#[derive(Debug)]
pub struct Writer {
    archive: Archive,
    /// Row of the run that goes on, and its name.
    run: Option<(i64, String)>,
    /// Windows of the slice that goes on, if it has many targets.
    stream: Option<Stream>,
}

impl Writer {
    pub(crate) fn new(archive: Archive, run: Option<(i64, String)>) -> Writer {
        Writer { archive, run, stream: None }
    }

    /// The same file, to read from.
    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// Stores the event. Errors: `NoRun`, `RunExists`, `NotFinite`, and what the file system says.
    pub fn store(&mut self, event: &Event) -> Result<(), ArchiveError> {
        let sent = match event {
            Event::Window { started_seconds, set } => return self.pass_on(*started_seconds, set),
            Event::StepFinished { .. } | Event::RunFinished { .. } => self.end_stream()?,
            _ => Sent::default(),
        };
        let mut rows = body::rows(event, &sent).peekable();
        if rows.peek().is_none() {
            return Ok(());
        }
        let path = self.archive.path.clone();
        let sqlite = |source| ArchiveError::from_sqlite(&path, source);
        let immediate = TransactionBehavior::Immediate;
        let transaction = self.archive.connection.transaction_with_behavior(immediate).map_err(sqlite)?;
        let run = match (event, &self.run) {
            (Event::RunStarted { head, scope }, _) => (add_run(&transaction, head, scope, &path)?, head.run.clone()),
            (_, Some(run)) => run.clone(),
            (_, None) => return Err(ArchiveError::NoRun { path }),
        };
        let mut added = Ok(0);
        for row in rows {
            let (kind, body) = row?;
            added = transaction.execute(INSERT, params![run.0, kind.as_ref(), body]);
            if added.is_err() {
                break;
            }
        }
        let added = added.and_then(|_| sum_up(&transaction, run.0, event)).and_then(|()| transaction.commit());
        added.map_err(|source| ArchiveError::of_run(&path, &run.1, source))?;
        self.run = Some(run);
        Ok(())
    }

    fn pass_on(&mut self, started_seconds: f64, set: &WindowSet) -> Result<(), ArchiveError> {
        if self.stream.as_ref().is_some_and(|stream| !stream.is_of(started_seconds)) {
            self.end_stream()?;
        }
        let path = &self.archive.path;
        let run = self.run.as_ref().ok_or_else(|| ArchiveError::NoRun { path: path.clone() })?;
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => Stream::open(path, run, started_seconds)?,
        };
        match stream.send(set)? {
            true => self.stream = Some(stream),
            false => drop(stream.end()?),
        }
        Ok(())
    }

    /// What the file holds of the slice that has ended.
    fn end_stream(&mut self) -> Result<Sent, ArchiveError> {
        self.stream.take().map_or_else(|| Ok(Sent::default()), Stream::end)
    }
}

fn add_run(
    transaction: &Transaction<'_>,
    head: &RunHead,
    scope: &Scope,
    path: &std::path::Path,
) -> Result<i64, ArchiveError> {
    let row = params![head.run, head.started, head.version, head.command, scope.cluster];
    let insert = "INSERT INTO runs (run, started, version, command, cluster) VALUES (?1, ?2, ?3, ?4, ?5)
                  ON CONFLICT (run) DO NOTHING";
    match transaction.execute(insert, row) {
        Ok(0) => Err(ArchiveError::RunExists { path: path.to_path_buf(), run: head.run.clone() }),
        Ok(_) => Ok(transaction.last_insert_rowid()),
        Err(source) => Err(ArchiveError::from_sqlite(path, source)),
    }
}

/// Keeps the run's line in the list of runs up to date, so that listing reads no slices.
fn sum_up(transaction: &Transaction<'_>, run: i64, event: &Event) -> rusqlite::Result<()> {
    match event {
        Event::Planned { plan } => {
            transaction.execute("UPDATE runs SET steps = ?2 WHERE id = ?1", params![run, plan.steps.len() as i64])?;
        }
        Event::StepFinished { slices, .. } => {
            let measured = slices.iter().filter(|slice| slice.measured()).count();
            let ended = slices.iter().map(Slice::ended_seconds).fold(0.0, f64::max);
            transaction.execute(
                "UPDATE runs SET slices = slices + ?2, seconds = max(seconds, ?3), finished = 0 WHERE id = ?1",
                params![run, measured as i64, ended],
            )?;
        }
        Event::RunFinished { seconds, .. } => {
            transaction.execute("UPDATE runs SET finished = 1, seconds = ?2 WHERE id = ?1", params![run, seconds])?;
        }
        _ => {}
    }
    Ok(())
}

impl Subscriber for Writer {
    fn take(&mut self, event: &Event) -> io::Result<()> {
        self.store(event).map_err(io::Error::other)
    }

    /// The report is a function of what is stored already; only the log is folded into the file.
    fn finish(&mut self, _report: &Report) -> io::Result<()> {
        let folded = self.archive.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        self.archive.told(folded).map_err(io::Error::other)
    }
}
