//! `stutter`: an OSD stops again and again for a moment, as under a host that has no time for it.

use super::access::LabAccess;
use super::changes::{Change, Continue, Worker};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;
use crate::job::Job;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::thread;
use std::time::Duration;

pub static FAULT: Fault = Fault {
    name: "stutter",
    what: "Once a second the OSD is stopped (SIGSTOP) for this time.",
    target: TargetKind::Osd,
    value: Some(Value { default: "200", unit: "ms" }),
    plan,
};

const PERIOD: Duration = Duration::from_secs(1);

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let stop_ms = asked.number(1.0..=999.0)?.round() as u64;
    let daemon = asked.daemon();
    let job = Job::Stutter { daemon: daemon.clone(), stop_ms };
    let worker = Worker::new(FAULT.name, &daemon, job);
    Ok(vec![Change::Continue(Continue { daemon }), Change::Worker(worker)])
}

pub(super) fn work(access: &LabAccess, daemon: &str, stop: Duration) -> Result<(), LabError> {
    loop {
        // It may have been started again meanwhile.
        if let Some(pid) = access.pid(daemon).map(Pid::from_raw) {
            let _ = kill(pid, Signal::SIGSTOP);
            thread::sleep(stop);
            let _ = kill(pid, Signal::SIGCONT);
        }
        thread::sleep(PERIOD.saturating_sub(stop));
    }
}
