//! The lab: a throwaway Ceph cluster on this host, of the distribution's own packages.
//!
//! ```no_run
//! let spec = lab::Spec { osds: 3, ..lab::Spec::default() };
//! let made = lab::up(&spec, &mut |line| eprintln!("{line}"))?;
//! println!("CEPH_CONF={}", made.conf.display());
//! lab::down(&made.name)?;
//! # Ok::<(), lab::LabError>(())
//! ```
//!
//! On the command line: `fathom lab up`, `fathom lab status`, `fathom lab down`; what can be made wrong
//! with one, and undone: [`faults`]. A lab lives in
//! `$XDG_DATA_HOME/fathom/labs/NAME` (`~/.local/share` if that is not set) and, with data in memory, in `/dev/shm`.
//!
//! A process of its own, the [`supervisor`], holds each lab. It is the program named in [`Spec::program`] (this one, if not told
//! otherwise), started as `PROGRAM lab supervisor SPEC`; that program must call [`supervisor`] then, and [`faults::worker`] for
//! `PROGRAM lab worker LAB JOB`. A test of another crate names the `fathom` binary there.

mod active_fault;
mod build;
mod cephfs;
mod cgroups;
mod commands;
mod conf;
mod cpio;
mod daemons;
mod db;
mod dirs;
mod down;
mod errors;
pub mod faults;
mod guest;
mod guest_boot;
mod guest_modules;
mod job;
mod lab;
mod leftovers;
mod look;
mod loopdev;
mod modules;
mod monitor;
mod net;
mod nfs;
mod preflight;
mod process_group;
mod registry;
mod rgw;
mod room;
mod secrets;
mod services;
mod spec;
mod ssh;
mod status;
mod subnets;
mod supervisor;
mod swift;
mod up;
mod wire;

pub use active_fault::ActiveFault;
pub use cephfs::FILE_SYSTEM;
pub use down::{daemon, down};
pub use errors::LabError;
pub use guest::GUEST;
pub use lab::{Daemon, Host, LabCluster, LabDaemon, State};
pub use rgw::SWIFT_PROFILE;
pub use room::Room;
pub use services::{LabService, Service};
pub use spec::{Backing, GIB, OSDS_MAX, Spec};
pub use status::{list, status};
pub use supervisor::supervisor;
pub use up::up;
pub use wire::Act;
