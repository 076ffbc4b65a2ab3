//! What goes on in a cluster: flags, health, states of placement groups, balancer, autoscaler, monitors.

use super::values::{count, flag, list, number, text};
use model::facts::{Balancer, HealthCheck, MonitorFacts};
use model::secrets;
use serde_json::Value;
use std::collections::BTreeMap;

/// Flags that every healthy map has.
const USUAL: [&str; 5] =
    ["sortbitwise", "recovery_deletes", "purged_snapdirs", "pglog_hardlimit", "require_jewel_osds"];

pub fn flags(map: &Value) -> Vec<String> {
    let all = text(map, "flags").unwrap_or_default();
    all.split(',').filter(|flag| !flag.is_empty() && !USUAL.contains(flag)).map(str::to_string).collect()
}

/// `noout` and the like of parts of the CRUSH map, of classes, and of OSDs.
pub fn part_flags(map: &Value) -> Vec<String> {
    let of_parts =
        ["crush_node_flags", "device_class_flags"].into_iter().filter_map(|key| map.get(key)?.as_object()).flatten();
    let parts = of_parts.filter_map(|(name, flags)| {
        let flags: Vec<&str> = flags.as_array()?.iter().filter_map(Value::as_str).collect();
        (!flags.is_empty()).then(|| format!("{name}: {}", flags.join(", ")))
    });
    let osds = list(map, "osds").iter().filter_map(|osd| {
        let own = list(osd, "state").iter().filter_map(Value::as_str);
        let flags: Vec<&str> = own.filter(|state| ["noup", "nodown", "noin", "noout"].contains(state)).collect();
        (!flags.is_empty()).then(|| format!("osd.{}: {}", count(osd, "osd").unwrap_or_default(), flags.join(", ")))
    });
    parts.chain(osds).collect()
}

pub fn health(answer: &Value) -> Vec<HealthCheck> {
    let checks = answer.get("checks").and_then(Value::as_object).into_iter().flatten();
    let one = |(id, check): (&String, &Value)| HealthCheck {
        id: id.clone(),
        severity: text(check, "severity").unwrap_or_default(),
        says: secrets::cleaned(&check.get("summary").and_then(|summary| text(summary, "message")).unwrap_or_default()),
        muted: flag(check, "muted").unwrap_or(false),
    };
    checks.map(one).collect()
}

pub fn groups(status: &Value) -> Option<BTreeMap<String, u32>> {
    let states = status.get("pgmap")?.get("pgs_by_state")?.as_array()?.iter();
    Some(states.filter_map(|state| Some((text(state, "state_name")?, count(state, "count")? as u32))).collect())
}

/// Of `pg stat`.
pub fn groups_of_manager(answer: &Value) -> Option<BTreeMap<String, u32>> {
    let states = answer.get("pg_summary")?.get("num_pg_by_state")?.as_array()?.iter();
    Some(states.filter_map(|state| Some((text(state, "name")?, count(state, "num")? as u32))).collect())
}

/// The summary names only what is not zero.
pub fn of_groups(status: &Value, key: &str) -> u64 {
    status.get("pgmap").and_then(|groups| count(groups, key)).unwrap_or(0)
}

pub fn progress(status: &Value) -> Vec<String> {
    let events = status.get("progress_events").and_then(Value::as_object).into_iter().flatten();
    events.filter_map(|(_, event)| text(event, "message")).map(|says| secrets::cleaned(&says)).collect()
}

pub fn balancer(answer: &Value) -> Balancer {
    Balancer { active: flag(answer, "active").unwrap_or(false), mode: text(answer, "mode").unwrap_or_default() }
}

/// Only of pools whose mode is `on`; of others it only says what it would do.
pub fn autoscaling(answer: &Value) -> Vec<(String, u32)> {
    let pools = answer.as_array().into_iter().flatten();
    let moved = pools.filter(|pool| {
        flag(pool, "would_adjust") == Some(true) && text(pool, "pg_autoscale_mode").as_deref() == Some("on")
    });
    moved.filter_map(|pool| Some((text(pool, "pool_name")?, count(pool, "pg_num_final")? as u32))).collect()
}

pub fn monitors(status: &Value, clocks: Option<&Value>, on_rotating: Option<Vec<String>>) -> MonitorFacts {
    let known = status.get("monmap").and_then(|map| count(map, "num_mons")).unwrap_or(0) as u32;
    let skews = clocks.and_then(|clocks| clocks.get("time_skew_status")).and_then(Value::as_object);
    let skews = skews.into_iter().flatten().filter_map(|(_, one)| number(one, "skew")).map(f64::abs);
    MonitorFacts {
        known,
        in_quorum: list(status, "quorum").len() as u32,
        clock_skew: skews.reduce(f64::max),
        on_rotating,
    }
}

/// Monitors of which the metadata say that their devices rotate. Older releases don't tell.
pub fn monitors_on_rotating(metadata: &Value) -> Vec<String> {
    let all = metadata.as_array().into_iter().flatten();
    let own = all.filter(|one| flag(one, "rotational") == Some(true));
    own.filter_map(|one| text(one, "name")).map(|name| format!("mon.{name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_flags_that_stop_something_are_told() {
        let map = json!({"flags": "noscrub,sortbitwise,recovery_deletes,purged_snapdirs,pglog_hardlimit",
            "osds": [{"osd": 1, "state": ["exists", "up", "noout"]}], "crush_node_flags": {"host1": ["noin"]}});
        assert_eq!(flags(&map), ["noscrub"]);
        assert_eq!(part_flags(&map), ["host1: noin", "osd.1: noout"]);
    }

    #[test]
    fn states_health_and_clocks_are_read() {
        let status = json!({"pgmap": {"pgs_by_state": [{"state_name": "active+clean", "count": 3}], "misplaced_objects": 7},
            "monmap": {"num_mons": 3}, "quorum": [0, 1], "progress_events": {"x": {"message": "Rebalancing"}}});
        assert_eq!(groups(&status), Some(BTreeMap::from([("active+clean".to_string(), 3)])));
        let told = json!({"pg_summary": {"num_pg_by_state": [{"name": "active+clean", "num": 3}]}});
        assert_eq!(groups_of_manager(&told), groups(&status));
        assert_eq!((of_groups(&status, "misplaced_objects"), of_groups(&status, "degraded_objects")), (7, 0));
        let clocks = json!({"time_skew_status": {"a": {"skew": 0}, "b": {"skew": -0.2}}});
        let told = monitors(&status, Some(&clocks), None);
        assert_eq!((told.known, told.in_quorum, told.clock_skew), (3, 2, Some(0.2)));
        assert_eq!(monitors(&status, Some(&json!({})), None).clock_skew, None);
        let checks =
            health(&json!({"checks": {"X": {"severity": "HEALTH_WARN", "summary": {"message": "m"}, "muted": true}}}));
        assert_eq!((checks[0].id.as_str(), checks[0].muted), ("X", true));
    }

    #[test]
    fn the_autoscaler_is_at_work_only_where_it_may() {
        let pool = |name: &str, mode: &str| json!({"pool_name": name, "would_adjust": true, "pg_autoscale_mode": mode, "pg_num_final": 64});
        assert_eq!(autoscaling(&json!([pool("a", "on"), pool("b", "warn")])), [("a".to_string(), 64)]);
    }
}
