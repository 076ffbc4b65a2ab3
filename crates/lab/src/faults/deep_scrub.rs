//! `deep-scrub`: all placement groups are scrubbed deeply, again and again; a pool of its own gives them something to read.

use super::access::LabAccess;
use super::changes::{Change, OwnPool, Worker};
use super::noisy_neighbour::write_objects;
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;
use crate::job::Job;
use serde_json::json;
use std::thread;
use std::time::Duration;

pub static FAULT: Fault = Fault {
    name: "deep-scrub",
    what: "A pool of its own gets 16,384 small objects; then a deep scrub of all placement groups is asked for at this interval.",
    target: TargetKind::Nothing,
    value: Some(Value { default: "5", unit: "s" }),
    plan,
};

/// A placement group is scrubbed a few objects at a time, so that many small ones keep it at work longer than few large ones.
const OBJECTS: u32 = 16_384;
const OBJECT: usize = 8 << 10;
const IN_FLIGHT: u32 = 64;

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let every_ms = (asked.number(0.1..=3600.0)? * 1000.0) as u64;
    let pool = OwnPool::new(asked.fault.name, 32);
    let worker = Worker::new(FAULT.name, "", Job::DeepScrub { pool: pool.name.clone(), every_ms });
    Ok(vec![Change::OwnPool(pool), Change::Worker(worker)])
}

pub(super) fn work(access: &LabAccess, pool: &str, every: Duration) -> Result<(), LabError> {
    write_objects(access, pool, (IN_FLIGHT, OBJECT), 0..OBJECTS)?;
    loop {
        access.rados()?.mgr_command(&json!({"prefix": "osd deep-scrub", "who": "all"}))?;
        thread::sleep(every);
    }
}
