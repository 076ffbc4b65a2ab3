//! Operations that an OSD has in flight (`dump_ops_in_flight`), and what each of the old ones waits for.

use crate::admin::Cluster;
use model::HeldByOsd;
use model::held_operations::HELD_SECONDS;
use serde_json::{Value, json};

/// Those in flight for longer than [`HELD_SECONDS`]. `None`: the OSD does not tell.
pub fn held(cluster: &Cluster, osd: u32) -> Option<HeldByOsd> {
    let command = json!({"prefix": "dump_ops_in_flight", "format": "json"});
    held_of(&cluster.rados.osd_command(osd, &command).ok()?.json().ok()?, osd)
}

fn held_of(dump: &Value, osd: u32) -> Option<HeldByOsd> {
    let mut found = HeldByOsd { osd, ..HeldByOsd::default() };
    for op in dump.get("ops")?.as_array()? {
        let age = op.get("age").and_then(Value::as_f64).unwrap_or(0.0);
        let what = op.get("description").and_then(Value::as_str).unwrap_or_default();
        let for_primary = REPLICATED.iter().any(|kind| what.starts_with(kind));
        if age < HELD_SECONDS || !(for_primary || what.starts_with("osd_op(")) {
            continue;
        }
        found.oldest = found.oldest.max(age);
        match waits(op) {
            _ if for_primary => found.as_replica += 1,
            Waits::ItsOwn => found.own += 1,
            Waits::Unknown => found.unknown += 1,
            Waits::Replicas(replicas) => {
                replicas.into_iter().for_each(|replica| *found.waits_for.entry(replica).or_default() += 1);
            }
        }
    }
    Some(found)
}

/// What a primary sends to the others: copies, and shards of erasure-coded pools.
const REPLICATED: [&str; 2] = ["osd_repop(", "MOSDECSubOp"];

/// Until then an operation waits in the OSD's own queue.
const QUEUED: [&str; 7] =
    ["initiated", "header_read", "throttled", "all_read", "dispatched", "queued_for_pg", "reached_pg"];

enum Waits {
    /// In its queue, or for its own store.
    ItsOwn,
    /// For these OSDs, its own part being done: `waiting for subops from 1,2`, later `op_commit`.
    Replicas(Vec<u32>),
    Unknown,
}

fn waits(op: &Value) -> Waits {
    let events = op.pointer("/type_data/events").and_then(Value::as_array);
    let events = events.into_iter().flatten().filter_map(|event| event.get("event")?.as_str());
    let names: Vec<&str> = events.collect();
    let of = names.iter().find_map(|name| name.strip_prefix("waiting for subops from "));
    match of {
        Some(all) if names.contains(&"op_commit") => {
            Waits::Replicas(all.split(',').filter_map(|osd| osd.trim().parse().ok()).collect())
        }
        Some(_) => Waits::ItsOwn,
        None if names.last().is_some_and(|last| QUEUED.contains(last)) => Waits::ItsOwn,
        None => Waits::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn op(what: &str, age: f64, events: &[&str]) -> Value {
        let events: Vec<Value> = events.iter().map(|event| json!({"time": "x", "event": event})).collect();
        json!({"description": what, "age": age, "type_data": {"events": events}})
    }

    /// As 16.2 tells them.
    #[test]
    fn each_old_operation_is_told_by_what_it_waits_for() {
        let waits = "waiting for subops from 1,2";
        let dump = json!({"ops": [
            op("osd_op(client.1.0:1 2.40 2:02d8:::a:head [write 0~4096])", 31.0, &["initiated", "started", waits, "op_commit", "sub_op_commit_rec"]),
            op("osd_op(client.1.0:2 2.40 2:02d8:::b:head [write 0~4096])", 30.0, &["initiated", "started", waits]),
            op("osd_op(client.1.0:3 2.40 2:02d8:::c:head [write 0~4096])", 9.0, &["initiated", "queued_for_pg"]),
            op("osd_repop(client.1.0:4 2.41 e10/9)", 33.5, &["initiated", "started", "commit_queued_for_journal_write"]),
            op("osd_op(client.1.0:5 2.40 2:02d8:::d:head [write 0~4096])", 0.2, &["initiated"]),
            op("osd_pg_create(e10)", 60.0, &["initiated"]),
            op("MOSDECSubOpWrite(3.0s1 10/9 ECSubWrite(tid=1))", 12.0, &["initiated", "started"]),
            op("osd_op(client.1.0:6 3.0 3:02d8:::e:head [write 0~4096])", 12.0, &["initiated", "reached_pg", "started"]),
            op("osd_op(client.1.0:7 2.40 2:02d8:::f:head [read 0~4096])", 12.0, &["reached_pg", "waiting for missing object"]),
        ]});
        let found = held_of(&dump, 0).unwrap();
        assert_eq!((found.own, found.as_replica, found.unknown, found.oldest), (2, 2, 2, 33.5));
        assert_eq!(found.waits_for.into_iter().collect::<Vec<_>>(), [(1, 1), (2, 1)]);
        assert_eq!(held_of(&json!({}), 0), None);
    }

    proptest! {
        #[test]
        fn no_answer_breaks_it(what in ".*", event in ".*", age in any::<f64>()) {
            let odd = json!({"ops": [op(&what, age, &[&event]), 3, {"description": "osd_op(", "age": age, "type_data": event}]});
            let _ = held_of(&odd, 0);
        }
    }
}
