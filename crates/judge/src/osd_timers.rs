//! OSDs' own timers over several slices, and on which device a commit spends its time.

use model::{CommitParts, OsdTimes, Spent, Timer};
use std::collections::BTreeMap;

/// How often and how long, by what was timed.
pub type Timers = BTreeMap<Timer, Spent>;

/// Of each OSD all of it together.
pub fn summed<'t>(times: impl IntoIterator<Item = &'t OsdTimes>) -> BTreeMap<u32, Timers> {
    let mut sums: BTreeMap<u32, Timers> = BTreeMap::new();
    for one in times.into_iter().flat_map(|times| &times.osds) {
        let own = sums.entry(one.osd).or_default();
        for (timer, spent) in &one.spent {
            let sum = own.entry(*timer).or_default();
            *sum = *sum + *spent;
        }
    }
    sums
}

/// Of a mean commit, ms. A transaction waits until its data is written (`state_aio_wait_lat`), then for the thread that commits, twice at
/// most: until that thread begins (`state_kv_queued_lat`), and until it is done (`state_kv_commiting_lat`). In each round that thread
/// flushes the data's device (`kv_flush_lat`) and then writes the log of RocksDB (`kv_commit_lat`), so that what a transaction waits for it
/// is shared between both devices as the thread's own time is (BlueStore.cc, `_kv_sync_thread`). `None`: the OSD does not count one of them.
pub fn commit_parts(timers: &Timers) -> Option<CommitParts> {
    let seconds = |timer| Some(timers.get(&timer)?.seconds);
    let commits = timers.get(&Timer::Commit).map(|spent| spent.times).filter(|times| *times > 0)?;
    let (flush, log) = (seconds(Timer::DataFlushed)?, seconds(Timer::LogWritten)?);
    let thread = seconds(Timer::CommitQueued)? + seconds(Timer::CommitLog)?;
    let in_log = if flush + log > 0.0 { thread * log / (flush + log) } else { 0.0 };
    let data = seconds(Timer::CommitData)? + thread - in_log;
    let ms = |seconds: f64| 1e3 * seconds / commits as f64;
    Some(CommitParts { data: ms(data), log: ms(in_log) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{StepId, TimesOfOsd};

    fn timers(all: &[(Timer, u64, f64)]) -> Timers {
        all.iter().map(|(timer, times, seconds)| (*timer, Spent { times: *times, seconds: *seconds })).collect()
    }

    const ALL: [(Timer, u64, f64); 6] = [
        (Timer::Commit, 100, 0.5),
        (Timer::CommitData, 100, 0.05),
        (Timer::CommitQueued, 100, 0.1),
        (Timer::CommitLog, 100, 0.3),
        (Timer::DataFlushed, 80, 0.06),
        (Timer::LogWritten, 80, 0.18),
    ];

    #[test]
    fn the_wait_for_the_thread_is_shared_between_both_devices() {
        let parts = commit_parts(&timers(&ALL)).unwrap();
        let rounded = |ms: f64| (ms * 1e6).round() / 1e6;
        assert_eq!((rounded(parts.data), rounded(parts.log)), (1.5, 3.0));
        for missing in ALL.map(|(timer, _, _)| timer) {
            let mut some = timers(&ALL);
            some.remove(&missing);
            assert_eq!(commit_parts(&some), None, "{missing:?}");
        }
        let idle = timers(&ALL.map(|(timer, _, _)| (timer, 0, 0.0)));
        assert_eq!(commit_parts(&idle), None);
    }

    #[test]
    fn slices_add_up_by_osd() {
        let of = |osd: u32| TimesOfOsd { osd, spent: timers(&ALL) };
        let slice = |pass, osds| OsdTimes { step: StepId(0), pass, osds, of: 2 };
        let sums = summed(&[slice(1, vec![of(0), of(1)]), slice(2, vec![of(1)])]);
        let commits = |osd: u32| sums[&osd][&Timer::Commit];
        assert_eq!((commits(0).times, commits(1)), (100, Spent { times: 200, seconds: 1.0 }));
    }
}
