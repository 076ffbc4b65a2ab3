//! `recovery`: an OSD was away while objects were written, and gets them now.

use super::changes::{Change, Missed, OwnPool, Settings};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;

pub static FAULT: Fault = Fault {
    name: "recovery",
    what: "The OSD is killed, misses writes to a pool of the fault's own, and is started again: recovery takes about this time.",
    target: TargetKind::Osd,
    value: Some(Value { default: "120", unit: "s" }),
    plan,
};

const OBJECTS: u32 = 256;

fn plan(asked: &Asked) -> Result<Vec<Change>, LabError> {
    let seconds = asked.number(1.0..=36_000.0)?;
    asked.need_running()?;
    let osds = asked.access.lab.osds.len() as f64;
    if osds < 2.0 {
        let why = format!("the lab {} has one OSD, and nothing to recover from", asked.access.lab.name);
        let fault = FAULT.name.to_owned();
        return Err(LabError::FaultNotHere { fault, why, mend: "start a lab with --osds 3" });
    }
    // An OSD lets one placement group recover to it at a time (osd_max_backfills), and after each object comes a sleep.
    let missed = f64::from(OBJECTS) * osds.min(3.0) / osds;
    let sleep = seconds / missed;
    let options = [("osd_recovery_sleep", format!("{sleep:.4}")), ("osd_recovery_max_active", "1".to_owned())];
    let pool = OwnPool::new(asked.fault.name, 32);
    let missed = Missed { osd: asked.osd(), pool: pool.name.clone(), objects: OBJECTS };
    Ok(vec![
        Change::OwnPool(pool),
        Change::Settings(Settings::new(asked.access, "osd", &options, Vec::new())?),
        Change::Missed(missed),
    ])
}
