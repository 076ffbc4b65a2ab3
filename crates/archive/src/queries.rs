//! What the archive gives back: the list of runs, one run's record, a run by part of its name.

use crate::error::ArchiveError;
use crate::windows::Windows;
use crate::{Archive, body};
use model::{Ending, Record, RunPlace};
use rusqlite::{OptionalExtension, params};
use serde::Serialize;
use std::path::Path;

/// One line of the list of runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunSummary {
    pub run: String,
    /// RFC 3339, UTC.
    pub started: String,
    /// Until the last thing that was recorded.
    pub seconds: f64,
    pub version: String,
    pub command: String,
    pub cluster: Option<String>,
    /// Steps of the plan.
    pub steps: u32,
    /// Slices measured so far, without those of which nothing may be used.
    pub slices: u32,
    pub finished: bool,
    /// `None`: it goes on, or it was killed.
    pub ending: Option<Ending>,
    /// Was anything measured at all?
    pub measured: bool,
}

/// How many names an error about an unknown run lists.
const NEAR: usize = 3;

impl Archive {
    /// All runs, the newest first.
    pub fn runs(&self) -> Result<Vec<RunSummary>, ArchiveError> {
        // From each run's end backwards, so that listing reads no slices. What is being removed is none of them.
        let sql = "SELECT run, started, seconds, version, command, cluster, steps, slices, finished,
                   CASE WHEN finished THEN (SELECT body FROM events WHERE run = runs.id AND kind = 'finished'
                                            ORDER BY id DESC LIMIT 1) END,
                   slices > 0 OR EXISTS (SELECT 1 FROM events WHERE run = runs.id AND kind IN ('sustained', 'image-state'))
                   FROM runs WHERE run NOT LIKE 'removed:%' ORDER BY started DESC, id DESC";
        let summary = |row: &rusqlite::Row<'_>| {
            let (end, measured): (Option<String>, bool) = (row.get(9)?, row.get(10)?);
            Ok(RunSummary {
                run: row.get(0)?,
                started: row.get(1)?,
                seconds: row.get(2)?,
                version: row.get(3)?,
                command: row.get(4)?,
                cluster: row.get(5)?,
                steps: row.get(6)?,
                slices: row.get(7)?,
                finished: row.get(8)?,
                ending: end.map(|body| body::ending(&body).unwrap_or(untold(measured))),
                measured,
            })
        };
        let mut statement = self.told(self.connection.prepare(sql))?;
        let rows = self.told(statement.query_map([], summary))?;
        self.told(rows.collect())
    }

    /// Where a run took place; `run` is its full name. It is not in the list of runs: telling takes as long as the run's scope is large.
    pub fn place(&self, run: &str) -> Result<RunPlace, ArchiveError> {
        let sql = "SELECT body FROM events WHERE run = (SELECT id FROM runs WHERE run = ?1) AND kind = 'started' ORDER BY id LIMIT 1";
        let body = self.connection.query_row(sql, [run], |row| row.get::<_, String>(0)).optional();
        let damaged = |error| ArchiveError::damaged(&self.path, format!("run {run}, {error}"));
        self.told(body)?.map_or(Ok(RunPlace::Untold), |body| body::place(&body).map_err(damaged))
    }

    /// The full name of a run: itself, the only one that begins so, or `last` for the newest in which something was measured.
    pub fn find(&self, name: &str) -> Result<String, ArchiveError> {
        let path = self.path.clone();
        let all = self.runs()?;
        let measured = all.iter().find(|summary| summary.measured);
        match (name, all.is_empty(), measured) {
            (_, true, _) => return Err(ArchiveError::Empty { path }),
            ("last", _, Some(summary)) => return Ok(summary.run.clone()),
            ("last", _, None) => return Err(ArchiveError::NothingMeasured { path }),
            _ => {}
        }
        let all: Vec<String> = all.into_iter().map(|summary| summary.run).collect();
        if all.iter().any(|run| run == name) {
            return Ok(name.to_string());
        }
        let matches: Vec<String> =
            all.iter().filter(|run| !name.is_empty() && run.starts_with(name)).cloned().collect();
        match matches.as_slice() {
            [only] => Ok(only.clone()),
            [] => Err(ArchiveError::UnknownRun { path, name: name.to_string(), near: nearest(all, name) }),
            _ => Err(ArchiveError::Ambiguous { path, name: name.to_string(), matches }),
        }
    }

    /// As [`Archive::find`], but that `last` is the newest run, whatever there is of it.
    pub fn find_any(&self, name: &str) -> Result<String, ArchiveError> {
        match self.runs()?.into_iter().next() {
            Some(newest) if name == "last" => Ok(newest.run),
            _ => self.find(name),
        }
    }

    /// Runs that are newer than `last` and in which nothing was measured.
    pub fn newer_than_last(&self) -> Result<Vec<RunSummary>, ArchiveError> {
        Ok(self.runs()?.into_iter().take_while(|summary| !summary.measured).collect())
    }

    /// Everything that is known of a run; `name` as for [`Archive::find`].
    pub fn load(&self, name: &str) -> Result<Record, ArchiveError> {
        let run = self.find(name)?;
        let sql = "SELECT kind, body FROM events WHERE run = (SELECT id FROM runs WHERE run = ?1) ORDER BY id";
        let mut statement = self.told(self.connection.prepare(sql))?;
        let mut rows = self.told(statement.query([&run]))?;
        let (mut record, mut windows) = (Record::default(), Windows::default());
        while let Some(row) = self.told(rows.next())? {
            let kind: String = self.told(row.get(0))?;
            let event = body::event(&kind, self.told(row.get_ref(1))?, &mut windows);
            let damaged = |what| ArchiveError::damaged(&self.path, format!("run {run}, {what}"));
            if let Some(event) = event.map_err(damaged)? {
                record.take(event);
            }
        }
        if record.head.run.is_empty() {
            return Err(ArchiveError::damaged(&self.path, format!("run {run} has no beginning")));
        }
        Ok(record)
    }

    /// The pictures that were shown after the passes, as JSON of the report of that time (its shape is that of the
    /// version that wrote it).
    pub fn pictures(&self, name: &str) -> Result<Vec<serde_json::Value>, ArchiveError> {
        let run = self.find(name)?;
        let sql = "SELECT body FROM events WHERE kind = 'picture'
                   AND run = (SELECT id FROM runs WHERE run = ?1) ORDER BY id";
        let mut statement = self.told(self.connection.prepare(sql))?;
        let rows = self.told(statement.query_map([&run], |row| row.get::<_, String>(0)))?;
        let texts: Vec<String> = self.told(rows.collect())?;
        let parsed = texts.iter().map(|text| serde_json::from_str(text));
        parsed.collect::<Result<_, _>>().map_err(|error| ArchiveError::damaged(&self.path, error))
    }

    /// Copies a run into another archive, which is made if it is missing. Returns the run's full name.
    pub fn export(&self, name: &str, to: &Path) -> Result<String, ArchiveError> {
        let run = self.find(name)?;
        let other = Archive::open(to)?;
        if other.runs()?.iter().any(|known| known.run == run) {
            return Err(ArchiveError::RunExists { path: to.to_path_buf(), run });
        }
        drop(other);
        let failed = |source| ArchiveError::from_sqlite(to, source);
        let attached = to.as_os_str().to_string_lossy().into_owned();
        self.connection.execute("ATTACH ?1 AS other", [attached]).map_err(failed)?;
        let copied = self.copy_to_attached(&run).map_err(failed);
        self.connection.execute_batch("DETACH other").map_err(failed)?;
        copied.map(|()| run)
    }

    fn copy_to_attached(&self, run: &str) -> rusqlite::Result<()> {
        let transaction = self.connection.unchecked_transaction()?;
        let columns = "run, started, version, command, cluster, seconds, steps, slices, finished";
        let runs = format!("INSERT INTO other.runs ({columns}) SELECT {columns} FROM main.runs WHERE run = ?1");
        transaction.execute(&runs, params![run])?;
        let id = transaction.last_insert_rowid();
        let events = "INSERT INTO other.events (run, kind, body) SELECT ?2, kind, body FROM main.events
                      WHERE run = (SELECT id FROM main.runs WHERE run = ?1) ORDER BY id";
        transaction.execute(events, params![run, id])?;
        transaction.commit()
    }
}

/// How a run of an older release ended, which did not tell it.
fn untold(measured: bool) -> Ending {
    if measured { Ending::Done } else { Ending::Failed }
}

/// Those that share the longest beginning with `name`, the newest first among equals.
fn nearest(mut all: Vec<String>, name: &str) -> Vec<String> {
    let common = |run: &str| run.chars().zip(name.chars()).take_while(|(a, b)| a == b).count();
    all.sort_by_key(|run| std::cmp::Reverse(common(run)));
    all.truncate(NEAR);
    all
}
