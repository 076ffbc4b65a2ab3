//! A session with an OSD's bench: one command after the other, on a thread of its own, since a command blocks.

use super::bench::{self, Batch};
use crate::api::{Done, EngineError, Op, ReportedCounts, Session};
use crate::clock::RealClock;
use ceph::{CephError, Rados};
use model::{Bytes, Clock, Workload};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// What one operation came to.
struct Answer {
    slot: u32,
    at: u64,
    told: Result<ReportedCounts, EngineError>,
}

pub struct StoreSession {
    /// Slots to run a command for. Dropping it ends the thread, after its command; nobody waits for that: an OSD that is
    /// gone may never answer.
    wanted: SyncSender<u32>,
    answers: Receiver<Answer>,
    busy: bool,
}

impl StoreSession {
    pub fn open(rados: Arc<Rados>, osd: u32, workload: &Workload) -> Result<StoreSession, EngineError> {
        let (wanted, requests) = sync_channel::<u32>(1);
        let (answer, answers) = sync_channel(1);
        let mut runner =
            Runner { rados, osd, block: workload.block, batch: Batch::new(workload.depth, workload.block) };
        let run = move || {
            for slot in requests {
                let told = runner.run();
                if answer.send(Answer { slot, at: RealClock.now(), told }).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new()
            .name("osd-bench".into())
            .spawn(run)
            .map_err(|error| EngineError::Broken(format!("a thread for osd.{osd} cannot be started: {error}")))?;
        Ok(StoreSession { wanted, answers, busy: false })
    }
}

impl Session for StoreSession {
    /// Takes one operation at a time: a command holds as many writes as the depth asks for.
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        let Some(op) = ops.first().filter(|_| !self.busy) else { return Ok(0) };
        self.wanted.try_send(op.slot).map_err(|_| ended())?;
        self.busy = true;
        Ok(1)
    }

    fn reap(&mut self, timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        if !self.busy {
            return Ok(());
        }
        match self.answers.recv_timeout(timeout) {
            Ok(Answer { slot, at, told }) => {
                self.busy = false;
                let told = told?;
                let bytes = u32::try_from(told.bytes).unwrap_or(u32::MAX);
                done.push(Done { slot, at, result: Ok(bytes), told: Some(told), first_byte: None });
                Ok(())
            }
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => Err(ended()),
        }
    }
}

fn ended() -> EngineError {
    EngineError::Broken("the thread that talks to the OSD has ended".into())
}

struct Runner {
    rados: Arc<Rados>,
    osd: u32,
    block: Bytes,
    batch: Batch,
}

impl Runner {
    /// One command; with fewer operations where the OSD finds them too many.
    fn run(&mut self) -> Result<ReportedCounts, EngineError> {
        loop {
            let command = bench::command(self.block, self.batch.ops());
            match self.rados.osd_command(self.osd, &command) {
                Err(error) if error.errno() == libc::EINVAL && self.batch.refused() => {}
                Err(error) => return Err(self.broken(&error)),
                Ok(reply) => {
                    let reply = reply.json().map_err(|error| self.broken(&error))?;
                    let told = bench::told(&reply, self.block)
                        .map_err(|why| EngineError::Broken(format!("osd.{} bench answers {why}", self.osd)))?;
                    self.batch.learn(&told);
                    return Ok(told);
                }
            }
        }
    }

    fn broken(&self, error: &CephError) -> EngineError {
        let mend = match error.errno() {
            libc::EACCES | libc::EPERM => {
                let (user, caps) = (self.rados.entity(), ceph::CAPS_LEAST);
                format!("; the bench command needs osd 'allow *'. All that Fathom needs: ceph auth caps {user} {caps}")
            }
            libc::ENXIO | libc::ENOENT | libc::ETIMEDOUT => {
                format!("; osd.{} is down or gone, see `ceph osd tree`", self.osd)
            }
            _ => String::new(),
        };
        EngineError::Broken(format!("{error}{mend}"))
    }
}
