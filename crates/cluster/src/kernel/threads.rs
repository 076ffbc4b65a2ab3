//! What the threads of an OSD used of the processors: by kind of thread, and the busiest single one of each kind.

use model::OsdSecond;
use procfs::process::Process;
use std::collections::BTreeMap;

/// Clock ticks per second as the kernel shows them to programs, whatever it counts internally (USER_HZ).
const TICKS_A_SECOND: f64 = 100.0;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    kind: String,
    /// Clock ticks so far.
    ticks: u64,
}

/// By the thread's number.
pub type Threads = BTreeMap<i32, Thread>;

pub fn of(process: &Process) -> Threads {
    let tasks = process.tasks().into_iter().flatten().flatten();
    let stats = tasks.filter_map(|task| Some((task.tid, task.stat().ok()?)));
    let thread = |(tid, stat): (i32, procfs::process::Stat)| {
        (tid, Thread { kind: kind(&stat.comm), ticks: stat.utime.saturating_add(stat.stime) })
    };
    stats.map(thread).collect()
}

/// `msgr-worker` of `msgr-worker-2`, `rocksdb:low` of `rocksdb:low0`.
fn kind(name: &str) -> String {
    name.trim_end_matches(|end: char| end.is_ascii_digit()).trim_end_matches('-').to_string()
}

/// Of each OSD that was there before and now; kinds of threads that did nothing are left out.
pub fn between(before: &BTreeMap<u32, Threads>, now: &BTreeMap<u32, Threads>, seconds: f64) -> Vec<OsdSecond> {
    let both = now.iter().filter_map(|(osd, own)| Some((*osd, before.get(osd)?, own)));
    let there = both.filter(|(_, before, now)| !before.is_empty() && !now.is_empty());
    there.map(|(osd, before, now)| second(osd, before, now, seconds)).collect()
}

fn second(osd: u32, before: &Threads, now: &Threads, seconds: f64) -> OsdSecond {
    let mut second = OsdSecond { osd, ..OsdSecond::default() };
    for (tid, thread) in now {
        // A thread that was not there before began meanwhile.
        let earlier = before.get(tid).map_or(0, |thread| thread.ticks);
        // No thread uses more than one processor; ticks may be a little late.
        let used = (thread.ticks.saturating_sub(earlier) as f64 / TICKS_A_SECOND / seconds).min(1.0);
        if used > 0.0 {
            *second.threads.entry(thread.kind.clone()).or_default() += used;
            let busiest = second.busiest.entry(thread.kind.clone()).or_default();
            *busiest = used.max(*busiest);
        }
    }
    second
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_threads_have_no_number() {
        assert_eq!(
            ["msgr-worker-2", "rocksdb:low0", "tp_osd_tp"].map(kind),
            ["msgr-worker", "rocksdb:low", "tp_osd_tp"]
        );
    }

    fn threads(all: &[(i32, &str, u64)]) -> BTreeMap<u32, Threads> {
        let thread = |(tid, name, ticks): &(i32, &str, u64)| (*tid, Thread { kind: kind(name), ticks: *ticks });
        [(3, all.iter().map(thread).collect())].into()
    }

    #[test]
    fn the_busiest_of_each_kind_is_told_beside_their_sum() {
        let before = threads(&[(1, "msgr-worker-0", 1000), (2, "msgr-worker-1", 50), (3, "log", 7), (5, "gone", 9)]);
        let now = threads(&[
            (1, "msgr-worker-0", 1190),
            (2, "msgr-worker-1", 70),
            (3, "log", 7),
            (4, "tp_osd_tp", 30),
            (6, "late", 300),
        ]);
        let all = between(&before, &now, 2.0);
        let [second] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!(second.osd, 3);
        let of = |kind: &str| (second.threads.get(kind).copied(), second.busiest.get(kind).copied());
        assert_eq!(of("msgr-worker"), (Some(1.05), Some(0.95)));
        assert_eq!(of("tp_osd_tp"), (Some(0.15), Some(0.15)));
        assert_eq!(of("late"), (Some(1.0), Some(1.0)));
        assert_eq!(of("log"), (None, None));
        assert_eq!(second.busiest_thread(), Some(("late", 1.0)));
    }

    #[test]
    fn an_osd_that_was_not_there_is_not_told() {
        let (some, none) = (threads(&[(1, "log", 7)]), threads(&[]));
        for (before, now) in [(&some, &none), (&none, &some), (&BTreeMap::new(), &some)] {
            assert_eq!(between(before, now, 1.0), []);
        }
    }
}
