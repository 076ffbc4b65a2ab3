//! `deep-scrub`: all placement groups are scrubbed deeply, again and again.

use super::access::LabAccess;
use super::changes::{Change, Worker};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;
use crate::job::Job;
use serde_json::json;
use std::thread;
use std::time::Duration;

pub static FAULT: Fault = Fault {
    name: "deep-scrub",
    what: "A deep scrub of all placement groups is asked for at this interval.",
    target: TargetKind::Nothing,
    value: Some(Value { default: "5", unit: "s" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let every_ms = (asked.number(0.1..=3600.0)? * 1000.0) as u64;
    Ok(vec![Change::Worker(Worker::new(FAULT.name, "", Job::DeepScrub { every_ms }))])
}

pub(super) fn work(access: &LabAccess, every: Duration) -> Result<(), LabError> {
    loop {
        access.rados()?.mgr_command(&json!({"prefix": "osd deep-scrub", "who": "all"}))?;
        thread::sleep(every);
    }
}
