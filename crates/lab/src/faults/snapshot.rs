//! `snapshot`: an image gets a new snapshot again and again, so that writes copy what they replace.

use super::access::LabAccess;
use super::changes::{Change, SNAPSHOT, Snapshots, Worker};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;
use crate::job::Job;
use std::thread;
use std::time::Duration;

pub static FAULT: Fault = Fault {
    name: "snapshot",
    what: "The image gets a snapshot at this interval, and the one before is removed; without POOL/IMAGE an image is made.",
    target: TargetKind::Image,
    value: Some(Value { default: "5", unit: "s" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let every_ms = (asked.number(0.1..=3600.0)? * 1000.0) as u64;
    asked.need_rbd()?;
    let (mut changes, pool, image) = asked.image()?;
    let name = asked.target.to_string();
    changes.push(Change::Snapshots(Snapshots { pool: pool.clone(), image: image.clone() }));
    changes.push(Change::Worker(Worker::new(FAULT.name, &name, Job::Snapshot { pool, image, every_ms })));
    Ok(changes)
}

pub(super) fn work(access: &LabAccess, pool: &str, image: &str, every: Duration) -> Result<(), LabError> {
    let snapshot = |number: u64| format!("{pool}/{image}@{SNAPSHOT}{number}");
    // One that was started again goes on with a clean image.
    Snapshots { pool: pool.to_owned(), image: image.to_owned() }.undo(access)?;
    for number in 0.. {
        access.rbd(&["snap", "create", "--no-progress", &snapshot(number)])?;
        if let Some(before) = u64::checked_sub(number, 1) {
            access.rbd(&["snap", "rm", "--no-progress", &snapshot(before)])?;
        }
        thread::sleep(every);
    }
    Ok(())
}
