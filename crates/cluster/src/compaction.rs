//! What RocksDB does in OSDs while they are loaded: a counter of each, read once a second, in a thread of its own.

use crate::admin::Cluster;
use model::{Bytes, Look, OsdLooks};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long the end of a slice waits for the last look.
const LAST_LOOK: Duration = Duration::from_secs(2);
/// More OSDs are not looked at: a look is a command to each, and takes about a millisecond of the OSD's time.
pub const OSDS_MOST: usize = 16;

/// The counter (Ceph 14 and later): bytes of tables that BlueFS wrote for RocksDB. All of them come from compactions and from
/// the flushes that feed them. `rocksdb.compact` of Ceph 16 counts only those that somebody asked for.
fn table_bytes(cluster: &Cluster, osd: u32) -> Option<Bytes> {
    let command = json!({"prefix": "perf dump", "logger": "bluefs", "format": "json"});
    let reply = cluster.rados.osd_command(osd, &command).ok()?;
    written(&reply.json().ok()?)
}

fn written(dump: &Value) -> Option<Bytes> {
    dump.get("bluefs")?.get("bytes_written_sst")?.as_u64()
}

/// One slice, from its beginning to its end.
struct Task {
    began: Instant,
    osds: BTreeMap<u32, Seen>,
    /// The slice is over; after one more look so is this.
    ending: bool,
    over: bool,
}

#[derive(Default)]
struct Seen {
    last: Option<(f64, Bytes)>,
    looks: Vec<Look>,
}

impl Seen {
    fn take(&mut self, at: f64, bytes: Option<Bytes>) {
        // An OSD that restarts begins at zero: that stretch is not known.
        if let (Some((from, before)), Some(now)) = (self.last, bytes)
            && now >= before
        {
            self.looks.push(Look { from, to: at, bytes: now - before });
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

    /// A slice begins that these OSDs serve, of which at most [`OSDS_MOST`] are looked at.
    pub fn begin(&self, osds: &[u32]) {
        let every = osds.len().div_ceil(OSDS_MOST).max(1);
        let osds = osds.iter().step_by(every).map(|osd| (*osd, Seen::default())).collect();
        *self.shared.lock() = Some(Task { began: Instant::now(), osds, ending: false, over: false });
        self.shared.changed.notify_all();
    }

    /// It is over: what was seen, in seconds since [`Looking::begin`]. OSDs without such counters are left out.
    pub fn end(&self) -> Vec<OsdLooks> {
        let mut task = self.shared.lock();
        if let Some(task) = task.as_mut() {
            task.ending = true;
        }
        self.shared.changed.notify_all();
        let waits = |task: &mut Option<Task>| task.as_ref().is_some_and(|task| !task.over);
        let waited = self.shared.changed.wait_timeout_while(task, LAST_LOOK, waits);
        let (mut task, _) = waited.unwrap_or_else(|poisoned| poisoned.into_inner());
        let osds = task.take().map(|task| task.osds).unwrap_or_default();
        let seen = osds.into_iter().map(|(osd, seen)| OsdLooks { osd, looks: seen.looks });
        seen.filter(|one| !one.looks.is_empty()).collect()
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
    while !shared.stop.load(Relaxed) {
        let task = shared.lock();
        let Some((began, osds)) = task.as_ref().filter(|task| !task.over).map(todo) else {
            // The time-out only bounds how long a notice that came between two looks is missed.
            let _ = shared.changed.wait_timeout(task, LOOK_EVERY);
            continue;
        };
        let last = task.as_ref().is_some_and(|task| task.ending);
        drop(task);
        let started = Instant::now();
        for osd in osds.into_iter().take_while(|_| !shared.stop.load(Relaxed)) {
            let bytes = table_bytes(cluster, osd);
            let at = began.elapsed().as_secs_f64();
            if let Some(seen) =
                shared.lock().as_mut().filter(|task| task.began == began).and_then(|t| t.osds.get_mut(&osd))
            {
                seen.take(at, bytes);
            }
        }
        let mut task = shared.lock();
        if let Some(task) = task.as_mut().filter(|task| last && task.began == began) {
            task.over = true;
            shared.changed.notify_all();
            continue;
        }
        let rest = LOOK_EVERY.saturating_sub(started.elapsed());
        let goes_on = |task: &mut Option<Task>| task.as_ref().is_some_and(|task| task.began == began && !task.ending);
        let _ = shared.changed.wait_timeout_while(task, rest, goes_on);
    }
}

fn todo(task: &Task) -> (Instant, Vec<u32>) {
    (task.began, task.osds.keys().copied().collect())
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
    fn an_answer_without_the_counter_is_none() {
        assert_eq!(written(&json!({"bluefs": {"bytes_written_sst": 8192}})), Some(8192));
        for wrong in [json!({}), json!({"bluefs": {}}), json!({"bluefs": {"bytes_written_sst": "x"}}), json!([])] {
            assert_eq!(written(&wrong), None);
        }
    }
}
