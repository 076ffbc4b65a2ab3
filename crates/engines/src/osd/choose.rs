//! Finds names of objects that lie on one OSD, and has the cluster confirm it.

use super::placed::{PoolsPlaced, shown};
use crate::Context;
use crate::api::EngineError;
use crate::rados::{broken, c_name, connection};
use ceph::Rados;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ffi::CString;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The cluster is asked to confirm at most this many of the chosen objects.
const SAMPLE: usize = 8;

/// The manager hears of a change, as of a new pool's size, some seconds after the monitors; on a busy host, later.
const TIMEOUT: Duration = Duration::from_secs(15);
const LOOK_AGAIN: Duration = Duration::from_millis(300);

/// Names `<prefix><number>` of `count` objects of `pool` that lie on exactly these OSDs, the first of them as the primary.
pub fn names_on(
    context: &Context,
    pool: &str,
    osds: &[u32],
    prefix: &str,
    count: u64,
) -> Result<Vec<String>, EngineError> {
    let rados = connection(context)?;
    let deadline = Instant::now() + TIMEOUT;
    loop {
        match names_now(rados, &context.placed, pool, osds, prefix, count as usize) {
            Err(EngineError::Broken(_)) if Instant::now() < deadline => sleep(LOOK_AGAIN),
            answer => return answer,
        }
    }
}

fn names_now(
    rados: &Rados,
    placed: &PoolsPlaced,
    pool: &str,
    osds: &[u32],
    prefix: &str,
    count: usize,
) -> Result<Vec<String>, EngineError> {
    let (pg_num, groups) = groups_on(rados, pool, osds)?;
    let shown = shown(osds);
    if groups.is_empty() {
        return Err(EngineError::Refused(format!(
            "no placement group of pool {pool} lies on {shown}: it is out or down, has no weight in the CRUSH map, is kept from \
             leading (primary affinity 0), the pool's CRUSH rule leaves it out, or the pool's {pg_num} placement groups are too few; check `ceph osd tree`"
        )));
    }
    let numbers = placed.numbers(pool, osds, (pg_num, groups), prefix, count).map_err(EngineError::Broken)?;
    let names: Vec<String> = numbers.iter().map(|number| format!("{prefix}{number}")).collect();
    let every = names.len().div_ceil(SAMPLE).max(1);
    names.iter().step_by(every).try_for_each(|name| confirm(rados, pool, osds, name))?;
    Ok(names)
}

pub fn c_names(names: &[String]) -> Result<Vec<CString>, EngineError> {
    names.iter().map(|name| c_name(name.clone())).collect()
}

/// How many placement groups the pool has, and which of them lie on these OSDs. The table of the whole pool would be megabytes.
fn groups_on(rados: &Rados, pool: &str, osds: &[u32]) -> Result<(u32, BTreeSet<u32>), EngineError> {
    let unusable = |why: String| {
        EngineError::Broken(format!(
            "the placement groups of pool {pool} cannot be used: {why}; see `ceph pg ls-by-pool {pool}`"
        ))
    };
    let command = json!({"prefix": "osd pool get", "pool": pool, "var": "pg_num", "format": "json"});
    let answer = rados.mon_command(&command).and_then(|reply| reply.json()).map_err(broken)?;
    let number = |key: &str| answer[key].as_u64().ok_or_else(|| unusable(format!("{key} is not told")));
    let (pg_num, id) = (number("pg_num")? as u32, number("pool_id")?);
    let command = json!({"prefix": "pg ls-by-primary", "osd": osds.first(), "pool": id, "format": "json"});
    let rows = rados.mgr_command(&command).and_then(|reply| reply.json()).map_err(broken)?;
    Ok((pg_num, table(&rows, pg_num, osds).map_err(unusable)?))
}

/// Reads the answer of `pg ls-by-primary`: those that lie on these.
fn table(reply: &Value, pg_num: u32, osds: &[u32]) -> Result<BTreeSet<u32>, String> {
    let rows = match reply {
        Value::Array(rows) => rows.as_slice(),
        // Of none there is no list.
        Value::Object(_) => reply["pg_stats"].as_array().map_or(&[][..], Vec::as_slice),
        _ => return Err("the answer is no list".to_string()),
    };
    let group = |row: &Value| {
        let id = row["pgid"].as_str().unwrap_or_default();
        let number = id.split_once('.').and_then(|(_, number)| u32::from_str_radix(number, 16).ok());
        let number = number.filter(|number| *number < pg_num).ok_or(format!("{id:?} is not one of {pg_num} groups"))?;
        match row["acting"].as_array() {
            Some(acting) if acting.len() == osds.len() => Ok((row["acting"] == json!(osds)).then_some(number)),
            _ => {
                let copies = osds.len();
                Err(format!("{id} is not on exactly {copies} OSDs: the pool must keep {copies} copies (size {copies})"))
            }
        }
    };
    rows.iter().filter_map(|row| group(row).transpose()).collect()
}

/// The cluster's own answer for one object.
fn confirm(rados: &Rados, pool: &str, osds: &[u32], name: &str) -> Result<(), EngineError> {
    let command = json!({"prefix": "osd map", "pool": pool, "object": name, "format": "json"});
    let reply = rados.mon_command(&command).and_then(|reply| reply.json()).map_err(broken)?;
    if reply["acting"] == json!(osds) {
        return Ok(());
    }
    Err(EngineError::Broken(format!(
        "object {name} of pool {pool} should lie on {}, but the cluster says {} (placement group {}): placement \
         changes right now; wait until all placement groups are active+clean",
        shown(osds),
        reply["acting"],
        reply["pgid"]
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
        let rows = json!([row("3.1", json!([2])), row("3.1f", json!([2]))]);
        let expected = Ok(BTreeSet::from([1, 31]));
        assert_eq!(table(&rows, 32, &[2]), expected);
        assert_eq!(table(&json!({"pg_ready": true, "pg_stats": rows}), 32, &[2]), expected);
        assert_eq!(table(&json!([]), 32, &[2]), Ok(BTreeSet::new()));
        assert_eq!(table(&json!({"pg_ready": true}), 32, &[2]), Ok(BTreeSet::new()));
    }

    #[test]
    fn what_is_no_table_of_a_pool_of_size_1_is_refused() {
        assert!(table(&json!([row("3.0", json!([0, 1]))]), 4, &[0]).unwrap_err().contains("size 1"));
        assert!(table(&json!([row("3.f", json!([0]))]), 4, &[0]).is_err());
        assert!(table(&json!("x"), 4, &[0]).is_err());
    }

    #[test]
    fn of_a_primary_with_replicas_only_their_groups_count() {
        let rows = json!([row("3.1", json!([2, 4])), row("3.2", json!([2, 0])), row("3.3", json!([2, 4]))]);
        assert_eq!(table(&rows, 32, &[2, 4]), Ok(BTreeSet::from([1, 3])));
        assert!(table(&rows, 32, &[2]).unwrap_err().contains("size 1"));
    }
}
