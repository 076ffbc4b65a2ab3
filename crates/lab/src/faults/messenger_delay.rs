//! `messenger-delay`: an OSD takes up what others send to it with a delay.

use super::changes::{Change, Settings};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "messenger-delay",
    what: "The OSD takes up each message of OSDs and clients late, by a time from zero to this one; it starts again for that.",
    target: TargetKind::Osd,
    value: Some(Value { default: "5", unit: "ms" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let seconds = asked.number(0.01..=10_000.0)? / 1000.0;
    asked.need_running()?;
    // The type is read when a connection is made, hence the start.
    let options = [
        ("ms_inject_delay_type", "osd client".to_owned()),
        ("ms_inject_delay_max", seconds.to_string()),
        ("ms_inject_delay_probability", "1".to_owned()),
    ];
    let daemon = asked.daemon();
    Ok(vec![Change::Settings(Settings::new(asked.access, &daemon, &options, vec![daemon.clone()])?)])
}
