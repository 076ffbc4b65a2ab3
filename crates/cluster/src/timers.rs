//! Where OSDs say that time went: the averages of their `perf dump` as sums and counts, whatever their release calls them.

use model::{Spent, Timer, TimesOfOsd};
use serde_json::Value;
use std::collections::BTreeMap;

/// Section and names of each, the first that is there counts. Ceph 16 to 20: 18 renamed some of BlueStore's
/// (`commit_lat` is `txc_commit_lat` there, and so on), others never changed.
const NAMES: [(Timer, &str, &[&str]); 18] = [
    (Timer::Write, "osd", &["op_w_latency"]),
    (Timer::WritePrepared, "osd", &["op_w_prepare_latency"]),
    (Timer::Read, "osd", &["op_r_latency"]),
    (Timer::ReadWrite, "osd", &["op_rw_latency"]),
    (Timer::Received, "osd", &["op_before_queue_op_lat"]),
    (Timer::Dequeued, "osd", &["op_before_dequeue_op_lat"]),
    (Timer::ReplicaWrite, "osd", &["subop_w_latency"]),
    (Timer::Commit, "bluestore", &["commit_lat", "txc_commit_lat"]),
    (Timer::CommitThrottled, "bluestore", &["throttle_lat", "txc_throttle_lat"]),
    (Timer::CommitPrepared, "bluestore", &["state_prepare_lat"]),
    (Timer::CommitData, "bluestore", &["state_aio_wait_lat"]),
    (Timer::CommitQueued, "bluestore", &["state_kv_queued_lat"]),
    (Timer::CommitLog, "bluestore", &["state_kv_commiting_lat", "state_kv_committing_lat"]),
    (Timer::DataFlushed, "bluestore", &["kv_flush_lat"]),
    (Timer::LogWritten, "bluestore", &["kv_commit_lat"]),
    (Timer::StoreRead, "bluestore", &["read_lat"]),
    (Timer::StoreReadMetadata, "bluestore", &["read_onode_meta_lat"]),
    (Timer::StoreReadData, "bluestore", &["read_wait_aio_lat"]),
];

/// Since the OSD started. What it does not count is not there.
pub fn so_far(dump: &Value) -> BTreeMap<Timer, Spent> {
    let known = |(timer, section, names): &(Timer, &str, &[&str])| {
        let section = dump.get(section)?;
        let counter = names.iter().find_map(|name| section.get(name))?;
        let (times, seconds) = (counter.get("avgcount")?.as_u64()?, counter.get("sum")?.as_f64()?);
        Some((*timer, Spent { times, seconds }))
    };
    NAMES.iter().filter_map(known).collect()
}

/// Between two looks; `None`: the OSD started anew, or counts nothing.
pub fn between(osd: u32, before: &BTreeMap<Timer, Spent>, after: &BTreeMap<Timer, Spent>) -> Option<TimesOfOsd> {
    let since = |(timer, now): (&Timer, &Spent)| {
        let Some(was) = before.get(timer) else { return Some(None) };
        let times = now.times.checked_sub(was.times)?;
        // The sum is of whole nanoseconds, written with nine digits.
        let seconds = now.seconds - was.seconds;
        (seconds > -1e-9).then(|| Some((*timer, Spent { times, seconds: seconds.max(0.0) })))
    };
    let all: Option<Vec<Option<(Timer, Spent)>>> = after.iter().map(since).collect();
    let spent: BTreeMap<Timer, Spent> = all?.into_iter().flatten().collect();
    (!spent.is_empty()).then_some(TimesOfOsd { osd, spent })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn dump(commit: &str, times: u64, seconds: f64) -> Value {
        let average = json!({"avgcount": times, "sum": seconds, "avgtime": 0.0});
        json!({"osd": {"op_w_latency": average, "numpg": 3}, "bluestore": {commit: average}})
    }

    #[test]
    fn counters_are_found_by_the_name_of_either_release() {
        for name in ["commit_lat", "txc_commit_lat"] {
            let found = so_far(&dump(name, 5, 0.25));
            assert_eq!(found.get(&Timer::Commit), Some(&Spent { times: 5, seconds: 0.25 }), "{name}");
            assert_eq!(found.len(), 2);
        }
        for without in [json!({}), json!({"osd": {"op_w_latency": 7}}), json!([])] {
            assert!(so_far(&without).is_empty());
        }
    }

    #[test]
    fn what_lies_between_two_looks_is_of_one_process() {
        let (before, after) = (so_far(&dump("commit_lat", 5, 0.25)), so_far(&dump("commit_lat", 9, 0.75)));
        let found = between(3, &before, &after).unwrap();
        assert_eq!((found.osd, found.spent[&Timer::Write]), (3, Spent { times: 4, seconds: 0.5 }));
        assert_eq!(between(3, &after, &before), None, "it started anew");
        assert_eq!(between(3, &before, &BTreeMap::new()), None);
    }
}
