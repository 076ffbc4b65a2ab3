//! The slowest operations that the OSDs remember, after each slice: for what one waited is what its OSD can tell.

use super::{Probe, SliceDone, Sources};
use crate::guard::osd_of;
use cluster::Cluster;
use cluster::historic_ops::slowest;
use model::{Observation, SlowOperations, Step};
use std::time::Instant;

/// An answer holds twenty operations with all their events, which an OSD writes in a few milliseconds: this many are asked.
const OSDS_MOST: usize = 6;

struct Slowest<'a> {
    cluster: &'a Cluster,
    up: Vec<u32>,
    /// Those that are asked after this slice, and when it began.
    asked: Vec<u32>,
    began: Instant,
}

pub fn start<'a>(sources: &Sources<'a>) -> Option<Box<dyn Probe + 'a>> {
    let up = sources.scope.osds.iter().filter(|osd| osd.up).map(|osd| osd.id).collect();
    Some(Box::new(Slowest { cluster: sources.cluster, up, asked: Vec::new(), began: Instant::now() }))
}

impl Probe for Slowest<'_> {
    fn begin(&mut self, step: &Step) {
        self.asked.clear();
        self.began = Instant::now();
        if step.layer.of_ceph() {
            let own: Vec<u32> = step.targets.iter().filter_map(osd_of).collect();
            self.asked = if own.is_empty() { self.up.clone() } else { own };
            self.asked.truncate(OSDS_MOST);
        }
    }

    fn end(&mut self, slice: &SliceDone) -> Vec<Observation> {
        let seconds = self.began.elapsed().as_secs_f64();
        let operations: Vec<_> = self.asked.drain(..).filter_map(|osd| slowest(self.cluster, osd, seconds)).collect();
        if operations.is_empty() {
            return Vec::new();
        }
        let (step, pass) = (slice.step, slice.pass);
        vec![Observation::SlowOperations(SlowOperations { step, pass, operations })]
    }
}
