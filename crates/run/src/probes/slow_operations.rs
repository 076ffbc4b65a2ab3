//! The slowest operations that the OSDs remember, after each slice: for what one waited is what its OSD can tell.

use super::{Probe, SliceDone, Sources};
use crate::guard::osd_of;
use cluster::Cluster;
use cluster::historic_ops::slowest;
use model::{Observation, SlowOperation, SlowOperations, Step};
use std::collections::BTreeSet;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// An answer holds twenty operations with all their events, which an OSD writes in a few milliseconds: this many are asked.
const OSDS_MOST: usize = 6;
/// The next slice waits no longer for the answers.
const LONGEST: Duration = Duration::from_secs(2);

struct Slowest<'a> {
    cluster: &'a Cluster,
    up: Vec<u32>,
    /// Those that are asked after this slice about these pools, and when it began.
    asked: Vec<u32>,
    pools: Vec<i64>,
    began: Instant,
    /// Other OSDs come first each time.
    turn: usize,
    /// They have not answered yet.
    hanging: Arc<Mutex<BTreeSet<u32>>>,
}

pub fn start<'a>(sources: &Sources<'a>) -> Option<Box<dyn Probe + 'a>> {
    let up = sources.scope.osds.iter().filter(|osd| osd.up).map(|osd| osd.id).collect();
    let (asked, pools, began, hanging) = (Vec::new(), Vec::new(), Instant::now(), Arc::default());
    Some(Box::new(Slowest { cluster: sources.cluster, up, asked, pools, began, turn: 0, hanging }))
}

impl Probe for Slowest<'_> {
    fn begin(&mut self, step: &Step) {
        self.began = Instant::now();
        let names: BTreeSet<&str> = step.targets.iter().flat_map(|target| target.place.pools()).collect();
        self.pools = names.into_iter().filter_map(|name| self.cluster.rados.pool_id(name).ok()).collect();
        let own: Vec<u32> = step.targets.iter().filter_map(osd_of).collect();
        self.asked = if own.is_empty() { self.up.clone() } else { own };
        let first = self.turn % self.asked.len().max(1);
        self.asked.rotate_left(first);
        self.asked.truncate(OSDS_MOST);
        self.turn += self.asked.len();
        if self.pools.is_empty() {
            self.asked.clear();
        }
    }

    fn end(&mut self, slice: &SliceDone) -> Vec<Observation> {
        let operations = self.answers(self.began.elapsed().as_secs_f64());
        if operations.is_empty() {
            return Vec::new();
        }
        let (step, pass) = (slice.step, slice.pass);
        vec![Observation::SlowOperations(SlowOperations { step, pass, operations })]
    }
}

impl Slowest<'_> {
    /// Each is asked in a thread of its own, which lasts as long as the command: an OSD that hangs holds up nobody, and is asked again when
    /// it has answered.
    fn answers(&mut self, seconds: f64) -> Vec<SlowOperation> {
        let still = self.hanging.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (send, answers) = channel();
        for osd in self.asked.drain(..).filter(|osd| !still.contains(osd)) {
            let (cluster, pools, send, hanging) =
                (self.cluster.clone(), self.pools.clone(), send.clone(), self.hanging.clone());
            put(&hanging, osd, true);
            thread::spawn(move || {
                let found = slowest(&cluster, osd, &pools, seconds);
                put(&hanging, osd, false);
                drop(send.send(found));
            });
        }
        drop(send);
        let (deadline, mut found) = (Instant::now() + LONGEST, Vec::new());
        while let Ok(operation) = answers.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            found.extend(operation);
        }
        found
    }
}

fn put(hanging: &Mutex<BTreeSet<u32>>, osd: u32, hangs: bool) {
    let mut all = hanging.lock().unwrap_or_else(PoisonError::into_inner);
    if hangs {
        all.insert(osd)
    } else {
        all.remove(&osd)
    };
}
