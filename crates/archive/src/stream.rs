//! Windows go into the file while their slice goes on, by a thread of their own: the load does not wait for the disk, nor the
//! end of a slice for what came before it.

use crate::error::ArchiveError;
use crate::files::{self, Access};
use crate::{windows, writer};
use model::{Slice, WindowSet};
use rusqlite::{Connection, TransactionBehavior};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// At most this many windows wait for the disk, 10 s of them; then the load waits as well.
const WAITING: usize = 100;

/// Pages of the log before they are put in their places (64 MiB): at the usual 1,000 a thousand hosts would have the disk
/// synced twice a second.
const LOG_PAGES: i64 = 16_384;

/// The windows of one slice on their way.
#[derive(Debug)]
pub(crate) struct Stream {
    started_seconds: f64,
    /// Samples by target and the code of their class.
    sent: BTreeMap<(u32, u8), u32>,
    rows: SyncSender<Vec<u8>>,
    thread: JoinHandle<Result<(), ArchiveError>>,
}

impl Stream {
    pub(crate) fn open(path: &Path, run: &(i64, String), started_seconds: f64) -> Result<Stream, ArchiveError> {
        let archive = files::open(path, Access::Existing)?;
        let wide = archive.connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES);
        archive.told(wide)?;
        let (rows, waiting) = sync_channel(WAITING);
        let (path, run) = (path.to_path_buf(), run.clone());
        let thread = std::thread::Builder::new().name("fathom-archive".into());
        let thread = thread
            .spawn(move || store(archive.connection, &path, &run, &waiting))
            .map_err(|error| ArchiveError::Thread { reason: error.to_string() })?;
        Ok(Stream { started_seconds, sent: BTreeMap::new(), rows, thread })
    }

    pub(crate) fn is_of(&self, started_seconds: f64) -> bool {
        self.started_seconds == started_seconds
    }

    /// False: the thread has ended, and [`Stream::end`] says why.
    pub(crate) fn send(&mut self, set: &WindowSet) -> Result<bool, ArchiveError> {
        let row = windows::encode(self.started_seconds, set);
        let row = row.map_err(|_| ArchiveError::NotFinite { what: "a window" })?;
        for (target, kind, _) in &set.samples {
            *self.sent.entry((*target, kind.spec().code)).or_default() += 1;
        }
        Ok(self.rows.send(row).is_ok())
    }

    /// Waits until all that was sent is stored.
    pub(crate) fn end(self) -> Result<Sent, ArchiveError> {
        drop(self.rows);
        let stored = self.thread.join().unwrap_or_else(|_| {
            Err(ArchiveError::Thread { reason: "it ended in the middle; please report that".to_string() })
        });
        stored.map(|()| Sent { started_seconds: self.started_seconds, samples: self.sent })
    }
}

/// What is in the file of a slice that has ended.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    started_seconds: f64,
    samples: BTreeMap<(u32, u8), u32>,
}

impl Sent {
    /// Are the slice's samples all there already?
    pub(crate) fn holds(&self, slice: &Slice) -> bool {
        let sent = windows::key(slice).and_then(|key| self.samples.get(&key)).copied().unwrap_or(0);
        sent > 0 && sent as usize == slice.samples.len() && slice.started_seconds == self.started_seconds
    }
}

/// Whatever has come meanwhile goes in at once: a slow disk has fewer and larger transactions.
fn store(
    mut connection: Connection,
    path: &Path,
    run: &(i64, String),
    waiting: &Receiver<Vec<u8>>,
) -> Result<(), ArchiveError> {
    while let Ok(row) = waiting.recv() {
        let rows = std::iter::once(row).chain(waiting.try_iter());
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let stored = transaction.and_then(|transaction| {
            for row in rows {
                transaction.execute(writer::INSERT, (run.0, "windows", row))?;
            }
            transaction.commit()
        });
        stored.map_err(|source| ArchiveError::of_run(path, &run.1, source))?;
    }
    Ok(())
}
