//! `recovery`: an OSD was away while objects were written, and gets them now.

use super::changes::{Change, Missed, OwnPool, Settings};
use super::target::TargetKind;
use super::{Asked, Fault, Value};
use crate::errors::LabError;
use serde_json::json;

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
    let answer = asked.access.ask_osd(asked.osd(), &json!({"prefix": "config get", "var": "osd_op_queue"}))?;
    check_queue(&asked.daemon(), &answer)?;
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

/// Under mClock, the default since 17.2, an OSD sets all its sleeps to 0 (Ceph's documentation, "mClock Config Reference").
fn check_queue(daemon: &str, answer: &serde_json::Value) -> Result<(), LabError> {
    if answer["osd_op_queue"] != "mclock_scheduler" {
        return Ok(());
    }
    let why =
        format!("{daemon} has osd_op_queue=mclock_scheduler, under which no option makes recovery take a given time");
    let mend = "set osd_op_queue=wpq for all OSDs (`ceph config set osd osd_op_queue wpq`) and start each of them again (`fathom lab daemon kill osd.N`, then `start`)";
    Err(LabError::FaultNotHere { fault: FAULT.name.to_owned(), why, mend })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn under_mclock_it_is_refused_with_what_to_do() {
        let check = |queue: &str| check_queue("osd.1", &json!({"osd_op_queue": queue}));
        assert!(check("wpq").is_ok());
        let error = check("mclock_scheduler").map_err(|error| (error.exit_code(), error.to_string()));
        assert!(error.is_err_and(|(code, text)| code == 3 && text.contains("osd.1") && text.contains("wpq")));
    }
}
