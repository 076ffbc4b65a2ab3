//! `caps-held`: a client writes to a file and then hangs, so that whoever looks at the file waits until it gives back what it holds.

use super::access::LabAccess;
use super::changes::{Change, FILE, OwnFolder, Worker};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::cephfs::FILE_SYSTEM;
use crate::errors::LabError;
use crate::job::Job;
use crate::services::Service;
use ceph::FileSystem;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

pub static FAULT: Fault = Fault {
    name: "caps-held",
    what: "A client writes to a file and hangs (SIGSTOP) for this long, again and again; another one asks for the file's size, and waits for what the first one holds.",
    target: TargetKind::Nothing,
    // A client that says nothing for 60 s (session_timeout) is taken for dead, and others get what it held.
    value: Some(Value { default: "20", unit: "s" }),
    plan,
};

/// Between two times in which it hangs: enough to give back, to write, and to say that it lives.
const GOES_ON: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_millis(20);
const BYTES: usize = 4 << 10;

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    asked.access.need_service(asked.fault.name, Service::Cephfs)?;
    let seconds = asked.number(1.0..=30.0)?.round() as u64;
    let folder = OwnFolder::new(asked.fault.name);
    let holder = Worker::new(FAULT.name, "", Job::HoldCaps { folder: folder.path.clone() });
    let job = Job::AskForHeld { folder: folder.path.clone(), holder: holder.name.clone(), seconds };
    let others = Worker::new(FAULT.name, "others", job);
    Ok(vec![Change::OwnFolder(folder), Change::Worker(holder), Change::Worker(others)])
}

fn mount(access: &LabAccess, folder: &str) -> Result<Arc<FileSystem>, LabError> {
    Ok(Arc::new(FileSystem::mount_in(access.rados()?, FILE_SYSTEM, folder)?))
}

/// Has the file open, and writes to it.
pub(super) fn hold(access: &LabAccess, folder: &str) -> Result<(), LabError> {
    let file = mount(access, folder)?.open(FILE)?;
    loop {
        file.write_at(&[1; BYTES], 0)?;
        thread::sleep(EVERY);
    }
}

pub(super) fn ask_for_held(access: &LabAccess, folder: &str, holder: &str, hangs: Duration) -> Result<(), LabError> {
    let mounted = mount(access, folder)?;
    // One that hangs before it has begun holds nothing.
    access.wait("the file of the fault", || Ok(mounted.size(FILE).is_ok_and(|bytes| bytes > 0)))?;
    // It waits within the library: somebody else lets the holder go on.
    thread::spawn(move || {
        loop {
            let _there_or_not_yet = mounted.size(FILE);
            thread::sleep(EVERY);
        }
    });
    loop {
        if let Some(pid) = access.pid(holder).map(Pid::from_raw) {
            let _ = kill(pid, Signal::SIGSTOP);
            thread::sleep(hangs);
            let _ = kill(pid, Signal::SIGCONT);
        }
        thread::sleep(GOES_ON);
    }
}
