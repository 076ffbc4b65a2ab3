//! What an engine is: it opens sessions, which submit operations and reap completions.

use crate::disk::Holds;
use crate::verify::Verify;
use model::{Bytes, EmptyPages, Nanos, OpClass, Target, Workload};
use std::sync::Arc;
use std::time::Duration;

/// What engines need beside target and workload.
#[derive(Clone, Default)]
pub struct Context {
    /// The connection that carries the load. Not used for administration: it has no time-outs.
    pub rados: Option<Arc<ceph::Rados>>,
    /// The keyring that further connections of the library's own read, where it is no file of this host.
    pub keyring: Option<Arc<dyn std::any::Any + Send + Sync>>,
    /// One more of each further client: nothing is shared with the first but this process.
    pub more_clients: Vec<Arc<ceph::Rados>>,
    /// Devices that were proven to be free, and are nobody else's since.
    pub holds: Holds,
    /// What is known of the data of workloads that verify.
    pub verify: Arc<Verify>,
    /// For the gateway whose buckets are loaded.
    pub s3: s3::AccessByUrl,
    /// File systems of the cluster that were mounted by its library.
    pub mounts: Arc<crate::mounts::Mounts>,
    /// Where objects of single OSDs lie.
    pub placed: Arc<crate::osd::PoolsPlaced>,
}

/// Ends the step; the run goes on. The text says what, where and how to fix it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    /// It cannot be done with this target and workload.
    #[error("{0}")]
    Refused(String),
    /// It went wrong while it was done.
    #[error("{0}")]
    Broken(String),
}

impl From<EngineError> for model::Failure {
    fn from(error: EngineError) -> model::Failure {
        match error {
            EngineError::Refused(text) => model::Failure::Usage(text),
            EngineError::Broken(text) => model::Failure::Failed(text),
        }
    }
}

/// An operation's error: it is counted and the step goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpError {
    pub errno: i32,
    /// What happened, where that says more than the number.
    says: Option<&'static str>,
}

impl OpError {
    pub fn of(errno: i32) -> OpError {
        OpError { errno, says: None }
    }

    pub fn saying(errno: i32, says: &'static str) -> OpError {
        OpError { errno, says: Some(says) }
    }
}

/// The kernel says no more than `Disk quota exceeded`.
pub const QUOTA: &str = "a quota does not allow it, of the user, of the folder or of one above it (`getfattr -n ceph.quota.max_bytes FOLDER` \
                         and max_files on CephFS, `quota` elsewhere); load less, or raise it";

impl std::fmt::Display for OpError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.says {
            Some(says) => f.write_str(says),
            None if self.errno.abs() == libc::EDQUOT => f.write_str(QUOTA),
            None => std::io::Error::from_raw_os_error(self.errno.abs()).fmt(f),
        }
    }
}

/// One operation. `slot` < the lane's depth names its buffer; a slot is free again once its completion was reaped.
#[derive(Debug, Clone, Copy)]
pub struct Op {
    pub slot: u32,
    pub kind: OpClass,
    /// Within the lane's own part of the span: below [`Workload::lane_span`]. A session adds where its lane's part begins.
    pub offset: u64,
    pub len: u32,
    /// When it should start (open loop); in a closed loop the time of submission.
    pub due: Nanos,
}

/// A completion.
#[derive(Debug, Clone, Copy)]
pub struct Done {
    pub slot: u32,
    /// CLOCK_MONOTONIC in ns, where a callback knows it better than the worker; 0: when it was reaped.
    pub at: Nanos,
    /// Bytes moved. Fewer than asked for count as an error.
    pub result: Result<u32, OpError>,
    /// The engine was told by the other side how long how many operations took (an OSD's bench command);
    /// `None`: one operation, timed by the worker.
    pub told: Option<ReportedCounts>,
    /// When the first byte of what was read came, by the clock of `at`; `None`: the engine does not see it.
    pub first_byte: Option<Nanos>,
}

impl Done {
    /// An operation that ended when it was reaped.
    #[inline]
    pub fn now(slot: u32, result: Result<u32, OpError>) -> Done {
        Done { slot, at: 0, result, told: None, first_byte: None }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct ReportedCounts {
    pub ops: u64,
    pub bytes: Bytes,
    pub took: Nanos,
}

pub trait Engine: Sync {
    fn name(&self) -> &'static str;
    /// Why it cannot, before anything starts.
    fn refuse(&self, target: &Target, workload: &Workload) -> Option<String>;
    /// Makes what is read later: fills the span with incompressible bytes. `progress` gets bytes done so far and says
    /// whether to go on. Does nothing where nothing is kept, or something else fills it.
    fn prepare(
        &self,
        _context: &Context,
        _target: &Target,
        _workload: &Workload,
        _progress: &mut dyn FnMut(Bytes) -> bool,
    ) -> Result<(), EngineError> {
        Ok(())
    }
    fn open(
        &self,
        context: &Context,
        target: &Target,
        workload: &Workload,
        lane: u32,
    ) -> Result<Box<dyn Session>, EngineError>;
    /// Why nothing that it writes can be read back and checked.
    fn unverifiable(&self) -> Option<&'static str> {
        None
    }
    /// Do completions carry [`ReportedCounts`]? A window without one then counts for no time at all.
    fn times_itself(&self) -> bool {
        false
    }
    /// Do sessions move a simulated clock? All lanes then take turns in the caller's thread.
    fn simulated(&self) -> bool {
        false
    }
}

/// One thread's hold on a target. Dropping it cancels or waits for what is in flight, within seconds.
pub trait Session: Send {
    /// Takes as many of `ops` as it can now and says how many. Does not wait for completions.
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError>;
    /// Appends completions to `done`; waits for the first one no longer than `timeout`.
    fn reap(&mut self, timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError>;
    /// What was seen so far of the pages that were read.
    fn empty_pages(&self) -> EmptyPages {
        EmptyPages::default()
    }
}
