//! What can go wrong with a lab, each with how to fix it.

use crate::lab::State;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// Wrong usage or input.
    #[error("{0}")]
    Usage(String),

    #[error(
        "there is no lab called {name}; `fathom lab list` shows which there are, `fathom lab up --name {name}` makes it"
    )]
    NoSuchLab { name: String },

    #[error("lab {name} does not run; start it: `fathom lab up --name {name}`")]
    NotRunning { name: String },

    #[error(
        "a lab called {name} is there already; take it down (`fathom lab down --name {name}`) or choose another --name"
    )]
    NameTaken { name: String },

    #[error("{what} needs root; run as root, or {instead}")]
    NeedsRoot { what: &'static str, instead: &'static str },

    #[error("{need_mb} MB of memory are needed, {free_mb} MB are available; free some, or take fewer --osds")]
    MemoryShort { need_mb: u64, free_mb: u64 },

    #[error(
        "the lab's OSDs need {need} requests of asynchronous I/O, of which the kernel has {free} left (fs.aio-max-nr); `sysctl fs.aio-max-nr=1048576` gives \
         as many as hosts of Ceph have, or take other labs down, or fewer --osds"
    )]
    AsyncIoShort { need: u64, free: u64 },

    #[error("{} has {free_mb} MB free, the lab needs {need_mb} MB to start; free some, take fewer --osds, or set XDG_DATA_HOME to another disk", .path.display())]
    DiskShort { path: PathBuf, need_mb: u64, free_mb: u64 },

    #[error("the disk is full: {} has {free_mb} MB free; free some, or set XDG_DATA_HOME to another disk", .path.display())]
    DiskFull { path: PathBuf, free_mb: u64 },

    #[error("{} is too long a path for the lab's sockets ({length} of at most 107 bytes); set XDG_DATA_HOME to a shorter one (links are followed), or take a shorter --name", .path.display())]
    PathTooLong { path: PathBuf, length: usize },

    #[error("{program} is not on this host (looked in {searched}); install the package {package}")]
    PackageMissing { program: &'static str, package: &'static str, searched: String },

    #[error("the guest boots Debian's kernel (package linux-image-amd64), which can't be had here: {why}")]
    NoGuestKernel { why: String },

    #[error("port {port} is taken ({why}); choose another --port, or leave it out and a free one is found")]
    PortTaken { port: u16, why: io::Error },

    #[error("no free {what} found; take down some labs (`fathom lab list`)")]
    NoneFree { what: &'static str },

    #[error(
        "no subnet of {range} is free for the lab's hosts: this host has addresses in or routes to {taken} (`ip -4 route show table all`); remove what is not needed of them, take down some labs, or leave --hosts out to have all daemons on the loopback address"
    )]
    NoSubnet { range: String, taken: String },

    #[error("{}: the file system takes no direct I/O ({why}); {mend}", .path.display())]
    NoDirectIo { path: PathBuf, why: io::Error, mend: &'static str },

    #[error("{daemon} ended ({status}); the end of its log:\n{log}")]
    DaemonEnded { daemon: String, status: String, log: String },

    #[error("{what} did not happen within {seconds} s; last seen: {seen}")]
    TooSlow { what: &'static str, seconds: u64, seen: String },

    #[error("`{command}` failed: {why}")]
    Tool { command: String, why: String },

    #[error("{what} {}: {why}", .path.display())]
    Io { what: &'static str, path: PathBuf, why: io::Error },

    #[error("no daemon called {daemon} in the lab {name}; its daemons are {daemons}")]
    NoSuchDaemon { daemon: String, name: String, daemons: String },

    #[error(
        "the lab {name} is {state}: faults are turned on and off in labs that are ready; `fathom lab down --name {name}` undoes them too"
    )]
    NotReady { name: String, state: State },

    #[error("there is no fault called {fault}; nearest: {near}; all of them: `fathom lab fault list`")]
    NoSuchFault { fault: String, near: String },

    #[error("{}; it takes: {targets}", target_words(.fault, .target))]
    NoSuchTarget { fault: String, target: String, targets: String },

    #[error("{fault} is on already; turn it off first: `fathom lab fault off {fault} --name {name}`")]
    FaultOn { fault: String, name: String },

    #[error(
        "{fault} and {other}, which is on, change the same thing; turn that off first: `fathom lab fault off {other} --name {name}`"
    )]
    FaultInTheWay { fault: String, other: String, name: String },

    #[error(
        "{error}; what was changed by then could not all be undone ({why}); to undo it: `fathom lab fault off {fault} --name {name}`"
    )]
    FaultStays { error: String, why: String, fault: String, name: String },

    #[error("{fault} is not on in the lab {name}; on: {}", if .on.is_empty() { "none" } else { .on })]
    FaultNotOn { fault: String, name: String, on: String },

    #[error("{fault} can't be had here: {why}; {mend}")]
    FaultNotHere { fault: String, why: String, mend: &'static str },

    #[error("{daemon} is {state}; {mend}")]
    WrongState { daemon: String, state: &'static str, mend: &'static str },

    #[error("the supervisor of the lab {name} (process {pid}) does not end; kill it and try again")]
    SupervisorStuck { name: String, pid: i32 },

    #[error("the lab's supervisor has ended: it was killed, or somebody took the lab down")]
    SupervisorLost,

    /// Told by the supervisor.
    #[error("{text}")]
    Told { text: String, exit_code: u8 },

    #[error("the lab is being taken down")]
    Cancelled,

    #[error(transparent)]
    Ceph(#[from] ceph::CephError),
}

fn target_words(fault: &str, target: &str) -> String {
    if target.is_empty() { format!("{fault} needs a target") } else { format!("{fault} can't be on {target:?}") }
}

impl LabError {
    /// 1: it failed; 2: wrong usage or input; 3: refused.
    pub fn exit_code(&self) -> u8 {
        match self {
            LabError::Usage(_)
            | LabError::NoSuchLab { .. }
            | LabError::NotRunning { .. }
            | LabError::NoSuchDaemon { .. } => 2,
            LabError::NoSuchFault { .. } | LabError::NoSuchTarget { .. } => 2,
            LabError::NameTaken { .. }
            | LabError::NeedsRoot { .. }
            | LabError::MemoryShort { .. }
            | LabError::AsyncIoShort { .. }
            | LabError::DiskShort { .. }
            | LabError::NotReady { .. }
            | LabError::FaultOn { .. }
            | LabError::FaultInTheWay { .. }
            | LabError::FaultNotOn { .. }
            | LabError::FaultNotHere { .. }
            | LabError::WrongState { .. } => 3,
            LabError::Told { exit_code, .. } => *exit_code,
            _ => 1,
        }
    }

    /// For `map_err`: `fs::write(&path, text).map_err(LabError::io("cannot write", &path))`.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> LabError {
        let path = path.to_owned();
        move |why| LabError::Io { what, path, why }
    }
}

impl From<LabError> for model::Failure {
    fn from(error: LabError) -> model::Failure {
        let text = error.to_string();
        match error.exit_code() {
            2 => model::Failure::Usage(text),
            3 => model::Failure::Refused(text),
            _ => model::Failure::Failed(text),
        }
    }
}
