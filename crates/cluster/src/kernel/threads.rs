//! What the threads of an OSD, or of a metadata server, used of the processors: by kind of thread, and the busiest single one of each kind.

use model::{MdsSecond, OsdSecond};
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
    let of = |(osd, before, now)| {
        let Used { threads, busiest } = used(before, now, seconds);
        OsdSecond { osd, threads, busiest, connections: None }
    };
    there(before, now).map(of).collect()
}

/// The same of metadata servers, by their names.
pub fn of_metadata_servers(
    before: &BTreeMap<String, Threads>,
    now: &BTreeMap<String, Threads>,
    seconds: f64,
) -> Vec<MdsSecond> {
    let of = |(name, before, now)| MdsSecond { name, threads: used(before, now, seconds).threads };
    there(before, now).map(of).collect()
}

fn there<'t, Id: Ord + Clone>(
    before: &'t BTreeMap<Id, Threads>,
    now: &'t BTreeMap<Id, Threads>,
) -> impl Iterator<Item = (Id, &'t Threads, &'t Threads)> {
    let both = now.iter().filter_map(|(id, own)| Some((id.clone(), before.get(id)?, own)));
    both.filter(|(_, before, now)| !before.is_empty() && !now.is_empty())
}

/// Processors, by kind of thread: of all of a kind, and of the busiest one.
#[derive(Default)]
struct Used {
    threads: BTreeMap<String, f64>,
    busiest: BTreeMap<String, f64>,
}

fn used(before: &Threads, now: &Threads, seconds: f64) -> Used {
    let mut all = Used::default();
    for (tid, thread) in now {
        // A thread that was not there before began meanwhile.
        let earlier = before.get(tid).map_or(0, |thread| thread.ticks);
        // No thread uses more than one processor; ticks may be a little late.
        let used = (thread.ticks.saturating_sub(earlier) as f64 / TICKS_A_SECOND / seconds).min(1.0);
        if used > 0.0 {
            *all.threads.entry(thread.kind.clone()).or_default() += used;
            let busiest = all.busiest.entry(thread.kind.clone()).or_default();
            *busiest = used.max(*busiest);
        }
    }
    all
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
    fn of_a_metadata_server_all_threads_are_told() {
        let of = |ticks: [u64; 2]| {
            let own = threads(&[(1, "ms_dispatch", ticks[0]), (2, "msgr-worker-0", ticks[1])]).remove(&3).unwrap();
            BTreeMap::from([("mds.a".to_string(), own)])
        };
        let all = of_metadata_servers(&of([100, 100]), &of([180, 120]), 1.0);
        let [mds] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((mds.name.as_str(), mds.busiest_kind()), ("mds.a", Some(("ms_dispatch", 0.8))));
        assert!((mds.processors() - 1.0).abs() < 1e-9, "{mds:?}");
    }

    #[test]
    fn an_osd_that_was_not_there_is_not_told() {
        let (some, none) = (threads(&[(1, "log", 7)]), threads(&[]));
        for (before, now) in [(&some, &none), (&none, &some), (&BTreeMap::new(), &some)] {
            assert_eq!(between(before, now, 1.0), []);
        }
    }
}
