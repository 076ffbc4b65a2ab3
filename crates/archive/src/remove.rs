//! A run is removed piece by piece, so that whoever stores another one into the same file never waits long.

use crate::Archive;
use crate::error::ArchiveError;
use rusqlite::params;
use std::time::{Duration, Instant};

/// Bytes of events in one transaction: so many are deleted within a second on a slow disk.
const BYTES: i64 = 4 << 20;
/// And events, however small they are.
const EVENTS: i64 = 1024;
/// Pages that are given back in one transaction.
const PAGES: i64 = 1000;

/// Called between two transactions, with the time that the last one took. Others find the lock free only meanwhile.
type Pause<'a> = &'a mut dyn FnMut(Duration);

impl Archive {
    /// Removes a run; `name` as for [`Archive::find`]. Returns its full name. From the beginning no list has it; if this is interrupted, what is
    /// left of it goes with the next run that is removed.
    pub fn remove(&self, name: &str) -> Result<String, ArchiveError> {
        self.remove_with(name, &mut std::thread::sleep)
    }

    fn remove_with(&self, name: &str, pause: Pause<'_>) -> Result<String, ArchiveError> {
        let run = self.find(name);
        if let Ok(run) = &run {
            self.hide(run)?;
        }
        // Also what an interrupted removal left of another run.
        for id in self.hidden()? {
            self.delete(id, pause)?;
        }
        self.give_back(pause)?;
        run
    }

    /// Under a name that no run has, so that its own is free.
    fn hide(&self, run: &str) -> Result<(), ArchiveError> {
        let hidden = self.connection.execute("UPDATE runs SET run = 'removed:' || id WHERE run = ?1", [run]);
        self.told(hidden.map(drop))
    }

    fn hidden(&self) -> Result<Vec<i64>, ArchiveError> {
        let mut statement = self.told(self.connection.prepare("SELECT id FROM runs WHERE run LIKE 'removed:%'"))?;
        let rows = self.told(statement.query_map([], |row| row.get(0)))?;
        self.told(rows.collect())
    }

    /// Its events, and then its row: without that their number could be another run's.
    fn delete(&self, id: i64, pause: Pause<'_>) -> Result<(), ArchiveError> {
        while let Some(last) = self.piece(id)? {
            let began = Instant::now();
            let delete = "DELETE FROM events WHERE run = ?1 AND id <= ?2";
            self.told(self.connection.execute(delete, params![id, last]))?;
            pause(began.elapsed());
        }
        // With what was stored meanwhile.
        self.told(self.connection.execute("DELETE FROM runs WHERE id = ?1", [id]))?;
        Ok(())
    }

    /// The last event of its next piece; `None`: it has no events any more.
    fn piece(&self, id: i64) -> Result<Option<i64>, ArchiveError> {
        let sql = "SELECT id, octet_length(body) FROM events WHERE run = ?1 ORDER BY id LIMIT ?2";
        let mut statement = self.told(self.connection.prepare(sql))?;
        let mut rows = self.told(statement.query([id, EVENTS]))?;
        let (mut last, mut bytes) = (None, 0);
        while bytes < BYTES
            && let Some(row) = self.told(rows.next())?
        {
            last = Some(self.told(row.get(0))?);
            bytes += self.told(row.get::<_, i64>(1))?;
        }
        Ok(last)
    }

    /// Makes the file shorter by what is free in it; one that was made without `auto_vacuum` keeps its length.
    fn give_back(&self, pause: Pause<'_>) -> Result<(), ArchiveError> {
        let free = || self.told(self.connection.query_row("PRAGMA freelist_count", [], |row| row.get::<_, i64>(0)));
        let mut left = free()?;
        while left > 0 {
            let began = Instant::now();
            let mut vacuum = self.told(self.connection.prepare(&format!("PRAGMA incremental_vacuum({PAGES})")))?;
            let mut pages = self.told(vacuum.query([]))?;
            // Every step of this statement gives one page back.
            while self.told(pages.next())?.is_some() {}
            drop(pages);
            pause(began.elapsed());
            let now = free()?;
            if now >= left {
                break;
            }
            left = now;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use model::{Event, RunHead};
    use std::path::Path;

    const RUNS: [&str; 2] = ["20261121-093012-aaaa", "20261121-093012-bbbb"];

    fn begin(path: &Path, run: &str) -> Writer {
        let mut writer = Archive::open(path).unwrap().writer();
        let head = RunHead { run: run.into(), ..RunHead::default() };
        writer.store(&Event::RunStarted { head, scope: Default::default() }).unwrap();
        writer
    }

    fn number(archive: &Archive, sql: &str) -> i64 {
        archive.connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn whoever_stores_a_run_gets_its_turn_while_another_one_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.sqlite");
        let mut large = begin(&path, RUNS[0]);
        for _ in 0..20 {
            large.store(&Event::Warned { text: "x".repeat(1 << 20) }).unwrap();
        }
        for _ in 0..EVENTS {
            large.store(&Event::Warned { text: String::new() }).unwrap();
        }
        let mut other = begin(&path, RUNS[1]);
        // It does not wait at all.
        other.archive().connection.busy_timeout(Duration::ZERO).unwrap();
        let archive = Archive::open(&path).unwrap();
        let (mut turns, mut seen) = (0usize, Vec::new());
        let removed = archive.remove_with(RUNS[0], &mut |_| {
            other.store(&Event::Warned { text: "y".into() }).unwrap();
            turns += 1;
            seen.extend(other.archive().runs().unwrap().into_iter().map(|summary| summary.run));
        });
        assert_eq!(removed.unwrap(), RUNS[0]);
        // 20 MiB in pieces of 4 MiB, a thousand events, 5,000 pages.
        assert!((10..30).contains(&turns), "{turns}");
        assert!(seen.iter().all(|run| run == RUNS[1]), "{seen:?}");
        assert_eq!(other.archive().load(RUNS[1]).unwrap().warnings.len(), turns);
        assert!(number(&archive, "PRAGMA page_count") < 100);
        // Who still stores into it learns it.
        assert!(matches!(large.store(&Event::Warned { text: "x".into() }), Err(ArchiveError::Removed { .. })));
    }

    #[test]
    fn a_removal_that_was_interrupted_is_finished_by_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.sqlite");
        let archive = Archive::open(&path).unwrap();
        drop(begin(&path, RUNS[0]));
        archive.hide(RUNS[0]).unwrap();
        assert!(matches!(archive.find(RUNS[0]), Err(ArchiveError::Empty { .. })));
        // The same run again, from a copy.
        drop(begin(&path, RUNS[0]));
        assert_eq!(archive.runs().unwrap().len(), 1);
        assert_eq!(archive.remove(RUNS[0]).unwrap(), RUNS[0]);
        for table in ["runs", "events"] {
            assert_eq!(number(&archive, &format!("SELECT count(*) FROM {table}")), 0, "{table}");
        }
    }
}
