//! `debug-logging`: an OSD writes a long log.

use super::changes::{Change, Settings};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "debug-logging",
    what: "The OSD logs at this level (debug_osd, debug_ms, debug_bluestore); the log grows by megabytes a second.",
    target: TargetKind::Osd,
    value: Some(Value { default: "20", unit: "" }),
    plan,
};

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let level = asked.number(0.0..=99.0)?.round();
    let options = ["debug_osd", "debug_ms", "debug_bluestore"].map(|name| (name, format!("{level}/{level}")));
    Ok(vec![Change::Settings(Settings::new(asked.access, &asked.daemon(), &options, Vec::new())?)])
}
