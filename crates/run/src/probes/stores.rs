//! What the OSDs' stores do: RocksDB's tables, and from where reads come.

use super::{Probe, SliceDone, Sources};
use crate::guard::osd_of;
use cluster::compaction::Looking;
use model::{Compaction, Observation, Step};

struct Stores {
    looking: Looking,
    /// OSDs that are up, of which a pool may use each.
    osds: Vec<u32>,
    /// How many serve the slice that goes on.
    serve: u32,
}

pub fn start<'a>(sources: &Sources<'a>) -> Option<Box<dyn Probe + 'a>> {
    let osds = sources.scope.osds.iter().filter(|osd| osd.up).map(|osd| osd.id).collect();
    Some(Box::new(Stores { looking: Looking::start(sources.cluster), osds, serve: 0 }))
}

impl Probe for Stores {
    fn begin(&mut self, step: &Step) {
        if !step.layer.of_ceph() {
            return;
        }
        let own: Vec<u32> = step.targets.iter().filter_map(osd_of).collect();
        let serving = if step.layer.of_pools() { &self.osds } else { &own };
        self.serve = serving.len() as u32;
        self.looking.begin(serving, step.workload.reads());
    }

    fn end(&mut self, slice: &SliceDone) -> Vec<Observation> {
        let (mut osds, of) = (self.looking.end(), std::mem::take(&mut self.serve));
        for look in osds.iter_mut().flat_map(|osd| &mut osd.looks) {
            (look.from, look.to) = (look.from - slice.lead, look.to - slice.lead);
        }
        let (step, pass) = (slice.step, slice.pass);
        if osds.is_empty() { Vec::new() } else { vec![Observation::Compaction(Compaction { step, pass, osds, of })] }
    }
}
