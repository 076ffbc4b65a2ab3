//! The slowest operations that an OSD remembers (`dump_historic_ops`: the slowest 20 of the last 10 minutes, unless it is told otherwise).

use crate::admin::Cluster;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use model::SlowOperation;
use serde_json::{Value, json};

/// The slowest operation of clients on one of these pools that began within the last `seconds`. `None`: the OSD remembers none of them, or
/// does not tell.
pub fn slowest(cluster: &Cluster, osd: u32, pools: &[i64], seconds: f64) -> Option<SlowOperation> {
    let command = json!({"prefix": "dump_historic_ops", "format": "json"});
    let dump = cluster.rados.osd_command(osd, &command).ok()?.json().ok()?;
    slowest_of(&dump, osd, pools, seconds)
}

/// Ages and durations are of the OSD's own clock.
fn slowest_of(dump: &Value, osd: u32, pools: &[i64], seconds: f64) -> Option<SlowOperation> {
    let of_client = |op: &&Value| text(op, "description").and_then(pool).is_some_and(|pool| pools.contains(&pool));
    let recent = |op: &&Value| number(op, "age").is_some_and(|age| age <= seconds);
    let ops = dump.get("ops")?.as_array()?.iter().filter(of_client).filter(recent);
    let slowest = ops.filter_map(|op| Some((number(op, "duration")?, op))).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let (longest, after, until) = longest(slowest.1)?;
    Some(SlowOperation { osd, ms: 1e3 * slowest.0, longest_ms: 1e3 * longest, after, until })
}

/// Of a client's operation: `osd_op(client.4137.0:9940 2.40 2:02d805ab:::name:head [write 0~4096] …)` is one on pool 2.
fn pool(description: &str) -> Option<i64> {
    let group = description.strip_prefix("osd_op(")?.split(' ').nth(1)?;
    group.split_once('.')?.0.parse().ok()
}

fn text<'v>(of: &'v Value, key: &str) -> Option<&'v str> {
    of.get(key)?.as_str()
}

fn number(of: &Value, key: &str) -> Option<f64> {
    of.get(key)?.as_f64().filter(|number| number.is_finite() && *number >= 0.0)
}

/// Seconds, and the events at both ends.
fn longest(op: &Value) -> Option<(f64, String, String)> {
    let events = op.get("type_data")?.get("events")?.as_array()?;
    let event = |one: &Value| Some((time(text(one, "time")?)?, text(one, "event")?.to_string()));
    let mut events: Vec<(f64, String)> = events.iter().filter_map(event).collect();
    // Replicas' answers may be noted out of order.
    events.sort_by(|a, b| a.0.total_cmp(&b.0));
    let stretches = events.windows(2).map(|pair| (pair[1].0 - pair[0].0, pair[0].1.clone(), pair[1].1.clone()));
    stretches.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// `2026-11-26T13:59:55.123456+0000`, in seconds; Ceph 14 and older write `2026-11-26 13:59:55.123456`. Only differences count.
fn time(written: &str) -> Option<f64> {
    let without_zone = || Some(written.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp());
    let time = written.parse::<Timestamp>().ok().or_else(without_zone)?;
    Some(time.as_nanosecond() as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn op(description: &str, age: f64, duration: f64, events: &[(&str, &str)]) -> Value {
        let events: Vec<Value> = events
            .iter()
            .map(|(second, event)| json!({"time": format!("2026-11-26T13:59:{second}+0000"), "event": event}))
            .collect();
        json!({"description": description, "age": age, "duration": duration, "type_data": {"events": events}})
    }

    #[test]
    fn the_slowest_of_the_slice_and_its_longest_stretch_are_found() {
        let waited = [
            ("10.000000", "initiated"),
            ("10.001000", "waiting for subops from 1,2"),
            ("10.121000", "sub_op_commit_rec"),
            ("10.003000", "op_commit"),
            ("10.121500", "done"),
        ];
        let dump = json!({"ops": [
            op("osd_op(client.4.0:1 2.3 ...)", 3.0, 0.1215, &waited),
            op("osd_op(client.4.0:2 2.3 ...)", 2.0, 0.001, &waited[..2]),
            op("osd_op(client.4.0:3 2.3 ...)", 90.0, 7.0, &waited),
            op("osd_repop(client.4.0:1 2.3 ...)", 1.0, 9.0, &waited),
        ]});
        let found = slowest_of(&dump, 3, &[2, 7], 5.0).unwrap();
        assert_eq!((found.osd, found.after.as_str(), found.until.as_str()), (3, "op_commit", "sub_op_commit_rec"));
        assert!((found.ms - 121.5).abs() < 1e-6 && (found.longest_ms - 118.0).abs() < 1e-3, "{found:?}");
        assert_eq!(slowest_of(&dump, 3, &[2], 0.5), None);
        assert_eq!(slowest_of(&dump, 3, &[7], 5.0), None, "another pool's");
    }

    #[test]
    fn times_of_old_releases_are_read() {
        let [old, new] = ["2026-11-26 13:59:55.5", "2026-11-26T13:59:56.0+0000"].map(|written| time(written).unwrap());
        assert!((new - old - 0.5).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn any_answer_is_survived(
            time in "[0-9T:.+-]{0,32}", age in any::<f64>(), duration in any::<f64>(), key in "ops|type_data|events|x",
        ) {
            let event = json!({"time": time, "event": "x"});
            let op = json!({"description": "osd_op(client.4.0:1 2.3 ", "age": age, "duration": duration, "type_data": {"events": [event, event]}});
            let _ = slowest_of(&json!({ key.as_str(): [op] }), 0, &[2], 5.0);
            let _ = slowest_of(&json!({ "ops": [op] }), 0, &[2], 5.0);
        }
    }
}
