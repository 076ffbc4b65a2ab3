//! Finds names of objects that lie on one OSD, and has the cluster confirm it.

use super::mapping::{hash, placement_group};
use crate::Context;
use crate::api::EngineError;
use crate::rados::{broken, c_name, connection};
use ceph::Rados;
use serde_json::{Value, json};
use std::ffi::CString;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// So many of the chosen objects are shown to the cluster.
const SAMPLE: usize = 8;

/// The manager hears of a change, as of a new pool's size, some seconds after the monitors; on a busy host, later.
const PATIENCE: Duration = Duration::from_secs(15);
const LOOK_AGAIN: Duration = Duration::from_millis(300);

/// Names `<prefix><number>` of `count` objects of `pool` that lie on `osd`, in a pool that keeps one copy.
pub fn names_on(context: &Context, pool: &str, osd: u32, prefix: &str, count: u64) -> Result<Vec<String>, EngineError> {
    let rados = connection(context)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        match names_now(rados, pool, osd, prefix, count) {
            Err(EngineError::Broken(_)) if Instant::now() < deadline => sleep(LOOK_AGAIN),
            answer => return answer,
        }
    }
}

fn names_now(rados: &Rados, pool: &str, osd: u32, prefix: &str, count: u64) -> Result<Vec<String>, EngineError> {
    let groups = groups(rados, pool)?;
    if !groups.contains(&Some(osd)) {
        return Err(EngineError::Refused(format!(
            "no placement group of pool {pool} lies on osd.{osd}: it is out or down, or the pool's {} placement groups \
             are too few; check `ceph osd tree` or take a pool with more of them",
            groups.len()
        )));
    }
    let pg_num = groups.len() as u32;
    let lies_there = |name: &String| groups[placement_group(hash(name.as_bytes()), pg_num) as usize] == Some(osd);
    let names: Vec<String> = (0u64..).map(|n| format!("{prefix}{n}")).filter(lies_there).take(count as usize).collect();
    let every = names.len().div_ceil(SAMPLE).max(1);
    names.iter().step_by(every).try_for_each(|name| confirm(rados, pool, osd, name))?;
    Ok(names)
}

pub fn c_names(names: &[String]) -> Result<Vec<CString>, EngineError> {
    names.iter().map(|name| c_name(name.clone())).collect()
}

/// By placement group: the OSD that holds it; `None` while it is on no OSD.
fn groups(rados: &Rados, pool: &str) -> Result<Vec<Option<u32>>, EngineError> {
    let command = json!({"prefix": "pg ls-by-pool", "poolstr": pool, "format": "json"});
    let reply = rados.mgr_command(&command).and_then(|reply| reply.json()).map_err(broken)?;
    table(&reply).map_err(|why| {
        EngineError::Broken(format!(
            "the placement groups of pool {pool} cannot be used: {why}; see `ceph pg ls-by-pool {pool}`"
        ))
    })
}

/// Reads the answer of `pg ls-by-pool`.
fn table(reply: &Value) -> Result<Vec<Option<u32>>, String> {
    let rows = reply["pg_stats"].as_array().or(reply.as_array()).ok_or("the answer is no list")?;
    let mut groups = vec![None; rows.len()];
    for row in rows {
        let id = row["pgid"].as_str().unwrap_or_default();
        let number = id.split_once('.').and_then(|(_, number)| u32::from_str_radix(number, 16).ok());
        let Some(group) = number.and_then(|number| groups.get_mut(number as usize)) else {
            return Err(format!("{id:?} is not one of {} groups", rows.len()));
        };
        match row["acting"].as_array().map(Vec::as_slice) {
            Some([only]) => *group = only.as_u64().and_then(|osd| u32::try_from(osd).ok()),
            Some([]) => {}
            _ => return Err(format!("{id} is not on exactly one OSD: the pool must keep one copy (size 1)")),
        }
    }
    if groups.is_empty() { Err("there are none".into()) } else { Ok(groups) }
}

/// The cluster's own answer for one object.
fn confirm(rados: &Rados, pool: &str, osd: u32, name: &str) -> Result<(), EngineError> {
    let command = json!({"prefix": "osd map", "pool": pool, "object": name, "format": "json"});
    let reply = rados.mon_command(&command).and_then(|reply| reply.json()).map_err(broken)?;
    if reply["acting_primary"].as_u64() == Some(osd.into()) {
        return Ok(());
    }
    Err(EngineError::Broken(format!(
        "object {name} of pool {pool} should lie on osd.{osd}, but the cluster says {} (placement group {}): placement \
         changes right now; wait until all placement groups are active+clean",
        reply["acting"], reply["pgid"]
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pgid: &str, acting: Value) -> Value {
        json!({"pgid": pgid, "acting": acting})
    }

    #[test]
    fn groups_are_read_from_both_forms_of_the_answer() {
        let rows = json!([row("3.1", json!([2])), row("3.0", json!([0])), row("3.2", json!([]))]);
        let expected = Ok(vec![Some(0), Some(2), None]);
        assert_eq!(table(&rows), expected);
        assert_eq!(table(&json!({"pg_ready": true, "pg_stats": rows})), expected);
    }

    #[test]
    fn what_is_no_table_of_a_pool_of_size_1_is_refused() {
        assert!(table(&json!([row("3.0", json!([0, 1]))])).unwrap_err().contains("size 1"));
        assert!(table(&json!([row("3.f", json!([0]))])).is_err());
        assert!(table(&json!([])).is_err());
        assert!(table(&json!("x")).is_err());
    }
}
