//! The slowest operations that the OSDs remember, after each slice: for what one waited is what its OSD can tell.

use super::{Probe, SliceDone, Sources};
use crate::guard::osd_of;
use cluster::Cluster;
use cluster::historic_ops::slowest;
use model::{Observation, SlowOperation, SlowOperations, Step};
use std::collections::BTreeSet;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

/// An answer holds twenty operations with all their events, which an OSD writes in a few milliseconds: this many are asked.
const OSDS_MOST: usize = 6;
/// The next slice waits no longer for the answers.
const LONGEST: Duration = Duration::from_secs(2);

struct Slowest<'a> {
    cluster: &'a Cluster,
    up: Vec<u32>,
    /// Those that are asked after this slice, and when it began.
    asked: Vec<u32>,
    began: Instant,
    /// They did not answer in time, and are asked no more.
    silent: BTreeSet<u32>,
}

pub fn start<'a>(sources: &Sources<'a>) -> Option<Box<dyn Probe + 'a>> {
    let up = sources.scope.osds.iter().filter(|osd| osd.up).map(|osd| osd.id).collect();
    let (asked, began, silent) = (Vec::new(), Instant::now(), BTreeSet::new());
    Some(Box::new(Slowest { cluster: sources.cluster, up, asked, began, silent }))
}

impl Probe for Slowest<'_> {
    fn begin(&mut self, step: &Step) {
        self.asked.clear();
        self.began = Instant::now();
        if step.layer.of_ceph() {
            let own: Vec<u32> = step.targets.iter().filter_map(osd_of).collect();
            self.asked = if own.is_empty() { self.up.clone() } else { own };
            self.asked.retain(|osd| !self.silent.contains(osd));
            self.asked.truncate(OSDS_MOST);
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
    /// Each is asked in a thread of its own, which lasts as long as the command: an OSD that hangs holds up nobody.
    fn answers(&mut self, seconds: f64) -> Vec<SlowOperation> {
        let (send, answers) = channel();
        for osd in self.asked.iter().copied() {
            let (cluster, send) = (self.cluster.clone(), send.clone());
            thread::spawn(move || drop(send.send((osd, slowest(&cluster, osd, seconds)))));
        }
        drop(send);
        let mut waited: BTreeSet<u32> = self.asked.drain(..).collect();
        let (deadline, mut found) = (Instant::now() + LONGEST, Vec::new());
        while let Ok((osd, operation)) = answers.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            waited.remove(&osd);
            found.extend(operation);
        }
        self.silent.append(&mut waited);
        found
    }
}
