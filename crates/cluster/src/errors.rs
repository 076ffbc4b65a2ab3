//! What can go wrong while a cluster is looked at or changed; each text says what, where and how to fix it.

use ceph::CephError;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error(transparent)]
    Ceph(#[from] CephError),
    #[error("{command}: the answer is not what this release of Fathom knows ({what})")]
    Answer { command: String, what: String },
    #[error("{0}")]
    NotPermitted(String),
    #[error("the cluster has no file system {name:?} (there: {there}); see `ceph fs ls`")]
    NoFileSystem { name: String, there: String },
    #[error("{export}: {why}; {mend}")]
    NoExport { export: String, why: String, mend: &'static str },
    #[error("{} can't be read: {why}", path.display())]
    Unreadable { path: PathBuf, why: String },
    #[error(
        "the cluster of {} is not reached ({why}), so that nothing of it was looked at or undone; restore again when it answers, or name another one with --conf",
        conf.display()
    )]
    Unreached { conf: PathBuf, why: String },
    #[error("journal {path}: {what}")]
    Journal { path: PathBuf, what: String },
    #[error("{what} could not be made: {why}")]
    Make { what: String, why: String },
    /// It was refused: there is nothing to undo.
    #[error("{what} could not be made: {why}")]
    NotMade { what: String, why: String },
    /// In the words of a service that is no part of the cluster.
    #[error("{what} could not be {done}: {why}")]
    Gateway { what: String, done: &'static str, why: String },
    #[error("{what} could not be undone: {why}")]
    Undo { what: String, why: String },
    /// A journal in the cluster that is not believed.
    #[error(
        "the cluster's config-key {key} is not used: {why}; look at it with `ceph config-key get {key}`, and remove it with `ceph config-key rm {key}`"
    )]
    Copy { key: String, why: String },
    #[error("run {run} is not undone: {why}: fathom restore --run {run}")]
    NotProven { run: String, why: String },
    #[error("run {run} is still going on: its lease in the cluster moves; it ends with Ctrl-C where it runs")]
    Lives { run: String },
    #[error("run {run} ends: it was cut off from the monitors for long, and what it made is gone ({by})")]
    LeaseLost { run: String, by: String },
    #[error(
        "no monitor has answered for {minutes} min (mon_host = {monitors}): the cluster is down, or this host is cut off from it, and the \
         run ends here. What it had measured is in the archive (fathom show); what it made in the cluster stays until the cluster is back: \
         then fathom restore undoes it"
    )]
    Silent { minutes: u64, monitors: String },
    #[error(
        "for {minutes} min it was not seen which OSDs are up and how full the pools are ({why}): what the load does to the cluster is not known, \
         and the run ends here"
    )]
    Unseen { minutes: u64, why: String },
    #[error(
        "{osds} are down at the same time, and were up when the run began: the run ends here, so that its load does no further harm; see \
         `ceph health detail`"
    )]
    OsdsLost { osds: String },
    #[error("no monitor answers: {} not tried to be undone", changes_were(*changes))]
    NotTried { changes: usize },
    #[error("{what} was not undone: {why}")]
    NotOurs { what: String, why: String },
    #[error("option {option} is not set: {why}")]
    Held { option: String, why: String },
    /// A pool would be made that can't be deleted.
    #[error("no pool is made, since it could not be deleted: {0}")]
    Undeletable(String),
    #[error("osd.{osd} is not restarted: {why}")]
    NoRestart { osd: u32, why: String },
    #[error("{what} did not happen within {seconds} s; see `ceph health detail`")]
    TooSlow { what: String, seconds: u64 },
}

fn changes_were(changes: usize) -> String {
    model::units::counted(changes as u64, "change of the cluster was", "changes of the cluster were")
}

impl ClusterError {
    /// Did the cluster understand, and say no? Then it will the next time as well.
    pub fn refused(&self) -> bool {
        match self {
            ClusterError::Make { .. } => true,
            ClusterError::Ceph(CephError::Refused { .. } | CephError::NotFound { .. }) => true,
            ClusterError::Ceph(CephError::Errno { errno, .. }) => *errno == libc::EINVAL,
            _ => false,
        }
    }

    /// Was there no answer in time, from a monitor or an OSD?
    pub fn timed_out(&self) -> bool {
        matches!(self, ClusterError::Ceph(CephError::TimedOut { .. } | CephError::Unreachable { .. }))
    }

    /// Was it left alone so that no harm is done?
    pub fn for_safety(&self) -> bool {
        use ClusterError::{Held, Lives, NoRestart, NotOurs, NotProven, Undeletable};
        matches!(
            self,
            NotProven { .. } | Lives { .. } | NotOurs { .. } | Held { .. } | Undeletable(_) | NoRestart { .. }
        )
    }

    pub fn answer(command: &str, what: impl Into<String>) -> ClusterError {
        ClusterError::Answer { command: command.to_string(), what: what.into() }
    }
}

impl From<ClusterError> for model::Failure {
    fn from(error: ClusterError) -> model::Failure {
        match error {
            ClusterError::Ceph(error) => error.into(),
            ClusterError::NoFileSystem { .. } | ClusterError::NoExport { .. } => {
                model::Failure::Usage(error.to_string())
            }
            _ if error.for_safety() => model::Failure::Refused(error.to_string()),
            _ => model::Failure::Failed(error.to_string()),
        }
    }
}
