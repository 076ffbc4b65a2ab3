//! What OSDs do while they are loaded: RocksDB's tables once a second, and at both ends of a slice from where reads came, and where
//! operations spent their time.

use crate::admin::Cluster;
use crate::{databases, timers};
use model::{Bytes, DatabaseLook, OsdLooks, Spent, StoreActivity, StoreReads, Timer, TimesOfOsd};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long the end of a slice waits for the last look.
const LAST_LOOK: Duration = Duration::from_secs(2);
/// At most this many OSDs are looked at: a look is a command to each, and takes about a millisecond of the OSD's time.
pub const OSDS_MOST: usize = 16;
/// Where each OSD is to be told from the others by its own timers; writes between pairs of more are not measured.
pub const OSDS_MOST_APART: usize = 32;

/// The counter (Ceph 14 and later): bytes of tables that BlueFS wrote for RocksDB. All of them come from compactions and from
/// the flushes that feed them. `rocksdb.compact` of Ceph 16 counts only those that somebody asked for.
fn counters(cluster: &Cluster, osd: u32, logger: Option<&str>) -> Option<Value> {
    let mut command = json!({"prefix": "perf dump", "format": "json"});
    if let (Some(logger), Some(fields)) = (logger, command.as_object_mut()) {
        fields.insert("logger".to_string(), json!(logger));
    }
    cluster.rados.osd_command(osd, &command).ok()?.json().ok()
}

fn written(dump: &Value) -> Option<Bytes> {
    dump.get("bluefs")?.get("bytes_written_sst")?.as_u64()
}

/// What a store has read since it started. Releases name the counters with `bluestore_` before them or without, 16.2 some of each.
fn read_so_far(dump: &Value) -> Option<StoreReads> {
    let of = |name: &str| {
        let section = dump.get("bluestore")?;
        section.get(name).or_else(|| section.get(format!("bluestore_{name}")))?.as_u64()
    };
    Some(StoreReads {
        memory: of("buffer_hit_bytes")?,
        device: of("buffer_miss_bytes")?,
        onode_hits: of("onode_hits"),
        onode_misses: of("onode_misses"),
        rocksdb: dump.get("bluefs").and_then(|bluefs| bluefs.get("read_random_disk_bytes")?.as_u64()),
    })
}

/// Between two looks; `None`: the OSD started anew.
fn read_between(before: &StoreReads, after: &StoreReads) -> Option<StoreReads> {
    let both = |before: Option<u64>, after: Option<u64>| after?.checked_sub(before?);
    Some(StoreReads {
        memory: after.memory.checked_sub(before.memory)?,
        device: after.device.checked_sub(before.device)?,
        onode_hits: both(before.onode_hits, after.onode_hits),
        onode_misses: both(before.onode_misses, after.onode_misses),
        rocksdb: both(before.rocksdb, after.rocksdb),
    })
}

/// Spread over all of them.
fn sample(osds: &[u32], most: usize) -> impl Iterator<Item = u32> {
    osds.iter().step_by(osds.len().div_ceil(most).max(1)).copied()
}

/// One slice, from its beginning to its end.
struct Task {
    began: Instant,
    osds: BTreeMap<u32, Seen>,
    /// Its operations read: from where is asked at both of its ends.
    reads: bool,
    /// The slice is over; after one more look so is this.
    ending: bool,
    over: bool,
}

#[derive(Default)]
struct Seen {
    last: Option<(f64, Bytes)>,
    looks: Vec<StoreActivity>,
    /// At the slice's beginning, and at its end.
    first: Option<StoreReads>,
    last_read: Option<StoreReads>,
    database_first: Option<DatabaseLook>,
    database_last: Option<DatabaseLook>,
    times_first: BTreeMap<Timer, Spent>,
    times_last: BTreeMap<Timer, Spent>,
}

/// What was seen of one OSD in one slice.
pub struct OsdSeen {
    pub looks: OsdLooks,
    /// `None`: it was not asked at both ends, or started anew.
    pub times: Option<TimesOfOsd>,
}

impl Seen {
    fn reads(&self) -> Option<StoreReads> {
        read_between(self.first.as_ref()?, self.last_read.as_ref()?)
    }

    fn database(&self) -> Option<DatabaseLook> {
        databases::between(self.database_first.as_ref()?, self.database_last.as_ref()?)
    }

    fn take_reads(&mut self, reads: Option<StoreReads>, first: bool) {
        if first {
            self.first = reads;
        } else {
            self.last_read = reads;
        }
    }

    fn take(&mut self, at: f64, bytes: Option<Bytes>) {
        // An OSD that restarts begins at zero: that stretch is not known.
        if let (Some((from, before)), Some(now)) = (self.last, bytes)
            && now >= before
        {
            self.looks.push(StoreActivity { from, to: at, bytes: now - before });
        }
        self.last = bytes.map(|now| (at, now));
    }
}

#[derive(Default)]
struct Shared {
    task: Mutex<Option<Task>>,
    changed: Condvar,
    stop: AtomicBool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Option<Task>> {
        // Whoever panicked while holding it left a list of looks, which is whole at any time.
        self.task.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Looks only between [`Looking::begin`] and [`Looking::end`].
pub struct Looking {
    shared: Arc<Shared>,
}

impl Looking {
    pub fn start(cluster: &Cluster) -> Looking {
        let shared = Arc::new(Shared::default());
        let (cluster, own) = (cluster.clone(), shared.clone());
        std::thread::spawn(move || watch(&cluster, &own));
        Looking { shared }
    }

    /// A slice begins that these OSDs serve, of which at most `most` are looked at.
    pub fn begin(&self, osds: &[u32], most: usize, reads: bool) {
        let osds = sample(osds, most).map(|osd| (osd, Seen::default())).collect();
        *self.shared.lock() = Some(Task { began: Instant::now(), osds, reads, ending: false, over: false });
        self.shared.changed.notify_all();
    }

    /// It is over: what was seen, in seconds since [`Looking::begin`]. OSDs without such counters are left out.
    pub fn end(&self) -> Vec<OsdSeen> {
        let mut task = self.shared.lock();
        if let Some(task) = task.as_mut() {
            task.ending = true;
        }
        self.shared.changed.notify_all();
        let waits = |task: &mut Option<Task>| task.as_ref().is_some_and(|task| !task.over);
        let waited = self.shared.changed.wait_timeout_while(task, LAST_LOOK, waits);
        let (mut task, _) = waited.unwrap_or_else(|poisoned| poisoned.into_inner());
        let osds = task.take().map(|task| task.osds).unwrap_or_default();
        let seen = osds.into_iter().map(|(osd, seen)| OsdSeen {
            times: timers::between(osd, &seen.times_first, &seen.times_last),
            looks: OsdLooks { osd, reads: seen.reads(), database: seen.database(), looks: seen.looks },
        });
        seen.collect()
    }
}

impl Drop for Looking {
    fn drop(&mut self) {
        // Nobody waits for the thread: an OSD that hangs answers it only after the time-out of commands, and the run has things to
        // undo.
        self.shared.stop.store(true, Relaxed);
        self.shared.changed.notify_all();
    }
}

fn watch(cluster: &Cluster, shared: &Shared) {
    let mut looked_at: Option<Instant> = None;
    while !shared.stop.load(Relaxed) {
        let task = shared.lock();
        let Some(todo) = task.as_ref().filter(|task| !task.over).map(|task| Todo::of(task, looked_at)) else {
            // The time-out only bounds how long a notice that came between two looks is missed.
            let _ = shared.changed.wait_timeout(task, LOOK_EVERY);
            continue;
        };
        drop(task);
        let (began, started) = (todo.began, Instant::now());
        for osd in todo.osds.iter().take_while(|_| !shared.stop.load(Relaxed)) {
            look(cluster, shared, &todo, *osd);
        }
        looked_at = Some(began);
        let mut task = shared.lock();
        if let Some(task) = task.as_mut().filter(|task| todo.last && task.began == began) {
            task.over = true;
            shared.changed.notify_all();
            continue;
        }
        let rest = LOOK_EVERY.saturating_sub(started.elapsed());
        let goes_on = |task: &mut Option<Task>| task.as_ref().is_some_and(|task| task.began == began && !task.ending);
        let _ = shared.changed.wait_timeout_while(task, rest, goes_on);
    }
}

/// One look at all OSDs of a slice.
struct Todo {
    began: Instant,
    osds: Vec<u32>,
    /// From where reads came is asked as well.
    reads: bool,
    first: bool,
    last: bool,
}

impl Todo {
    fn of(task: &Task, looked_at: Option<Instant>) -> Todo {
        let (first, last) = (looked_at != Some(task.began), task.ending);
        let osds = task.osds.keys().copied().collect();
        Todo { began: task.began, osds, reads: task.reads && (first || last), first, last }
    }
}

fn look(cluster: &Cluster, shared: &Shared, todo: &Todo, osd: u32) {
    let end = todo.first || todo.last;
    let dump = counters(cluster, osd, (!end).then_some("bluefs"));
    let at = todo.began.elapsed().as_secs_f64();
    let reads = dump.as_ref().filter(|_| todo.reads).and_then(read_so_far);
    let mut task = shared.lock();
    let seen = task.as_mut().filter(|task| task.began == todo.began).and_then(|task| task.osds.get_mut(&osd));
    let Some(seen) = seen else { return };
    seen.take(at, dump.as_ref().and_then(written));
    if todo.reads {
        seen.take_reads(reads, todo.first);
    }
    if end {
        let times = dump.as_ref().map(timers::so_far).unwrap_or_default();
        *(if todo.first { &mut seen.times_first } else { &mut seen.times_last }) = times;
        let database = dump.as_ref().and_then(databases::so_far);
        *(if todo.first { &mut seen.database_first } else { &mut seen.database_last }) = database;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_begins_again_tells_of_nothing_until_it_is_seen_twice() {
        let mut seen = Seen::default();
        for (at, bytes) in [
            (0.0, Some(100)),
            (1.0, Some(100)),
            (2.0, Some(150)),
            (3.0, Some(10)),
            (4.0, None),
            (5.0, Some(20)),
            (6.0, Some(25)),
        ] {
            seen.take(at, bytes);
        }
        let told: Vec<(f64, f64, u64)> = seen.looks.iter().map(|look| (look.from, look.to, look.bytes)).collect();
        assert_eq!(told, [(0.0, 1.0, 0), (1.0, 2.0, 50), (5.0, 6.0, 5)]);
    }

    #[test]
    fn of_many_osds_some_are_looked_at_and_of_those_in_turns_all() {
        let osds: Vec<u32> = (0..32).collect();
        let asked = |most| sample(&osds, most).collect::<Vec<_>>();
        assert_eq!(asked(OSDS_MOST), (0..16).map(|n| 2 * n).collect::<Vec<_>>());
        assert_eq!(asked(OSDS_MOST_APART), osds);
        assert_eq!(sample(&[], OSDS_MOST).count(), 0);
    }

    #[test]
    fn an_answer_without_the_counter_is_none() {
        assert_eq!(written(&json!({"bluefs": {"bytes_written_sst": 8192}})), Some(8192));
        for wrong in [json!({}), json!({"bluefs": {}}), json!({"bluefs": {"bytes_written_sst": "x"}}), json!([])] {
            assert_eq!(written(&wrong), None);
        }
    }

    #[test]
    fn counters_of_reads_are_found_by_either_of_their_names() {
        let bluefs = json!({"read_random_disk_bytes": 7});
        for names in [
            json!({"bluefs": bluefs, "bluestore": {"bluestore_buffer_hit_bytes": 5, "bluestore_buffer_miss_bytes": 6, "onode_hits": 1,
                "bluestore_onode_misses": 2}}),
            json!({"bluefs": bluefs, "bluestore": {"buffer_hit_bytes": 5, "buffer_miss_bytes": 6, "bluestore_onode_hits": 1, "onode_misses": 2}}),
        ] {
            let wanted =
                StoreReads { memory: 5, device: 6, onode_hits: Some(1), onode_misses: Some(2), rocksdb: Some(7) };
            assert_eq!(read_so_far(&names), Some(wanted));
        }
        let least = json!({"bluestore": {"buffer_hit_bytes": 5, "buffer_miss_bytes": 6}});
        let wanted = StoreReads { memory: 5, device: 6, ..StoreReads::default() };
        assert_eq!(read_so_far(&least), Some(wanted));
        // A memstore has none, and an unknown release neither: not known, and not zero.
        for none in [json!({}), json!({"bluestore": {}}), json!({"bluestore": {"buffer_hit_bytes": 5}})] {
            assert_eq!(read_so_far(&none), None);
        }
    }

    #[test]
    fn what_was_read_lies_between_both_ends_of_a_slice_of_one_process() {
        let at = |memory, device| StoreReads { memory, device, onode_hits: Some(memory), ..StoreReads::default() };
        let mut seen = Seen::default();
        seen.take_reads(Some(at(10, 100)), true);
        assert_eq!(seen.reads(), None, "the end is missing");
        seen.take_reads(Some(at(15, 160)), false);
        assert_eq!(
            seen.reads(),
            Some(StoreReads { memory: 5, device: 60, onode_hits: Some(5), ..StoreReads::default() })
        );
        seen.take_reads(Some(at(3, 170)), false);
        assert_eq!(seen.reads(), None, "it started anew");
    }
}
