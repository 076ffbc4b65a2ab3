//! `flapping`: an OSD is marked down again and again, and comes back by itself.

use super::access::LabAccess;
use super::changes::{Change, Settings, StartAgain, Worker};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;
use crate::job::Job;
use serde_json::json;
use std::thread;
use std::time::Duration;

pub static FAULT: Fault = Fault {
    name: "flapping",
    what: "The OSD is marked down at this interval, and comes back by itself.",
    target: TargetKind::Osd,
    value: Some(Value { default: "10", unit: "s" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let every_ms = (asked.number(1.0..=3600.0)? * 1000.0) as u64;
    let daemon = asked.daemon();
    asked.need_running()?;
    // An OSD that is marked down more than five times in ten minutes ends itself.
    let options = [("osd_max_markdown_count", "1000000".to_owned())];
    Ok(vec![
        Change::Settings(Settings::new(asked.access, &daemon, &options, Vec::new())?),
        // It counts for ten minutes how often it was marked down: with the option as it was it would end itself the next time.
        Change::StartAgain(StartAgain { daemon: daemon.clone() }),
        Change::Worker(Worker::new(FAULT.name, &daemon, Job::Flapping { osd: asked.osd(), every_ms })),
    ])
}

pub(super) fn work(access: &LabAccess, osd: u32, every: Duration) -> Result<(), LabError> {
    loop {
        access.tell(&json!({"prefix": "osd down", "ids": [osd.to_string()]}))?;
        thread::sleep(every);
    }
}
