//! Which OSDs scrub, recover, move or trim placement groups beside the load.

use super::{Probe, SliceDone, Sources};
use cluster::watch::Watch;
use model::{Observation, OsdsAtWork, Step};
use std::collections::{BTreeMap, BTreeSet};

struct AtWork<'a> {
    watch: &'a Watch,
    osds: BTreeMap<u32, BTreeSet<String>>,
}

pub fn start<'a>(sources: &Sources<'a>) -> Option<Box<dyn Probe + 'a>> {
    Some(Box::new(AtWork { watch: sources.watch?, osds: BTreeMap::new() }))
}

impl Probe for AtWork<'_> {
    fn begin(&mut self, _: &Step) {
        self.osds.clear();
        self.look();
    }

    fn look(&mut self) {
        for (osd, words) in self.watch.seen().at_work {
            self.osds.entry(osd).or_default().extend(words);
        }
    }

    fn end(&mut self, slice: &SliceDone) -> Vec<Observation> {
        self.look();
        let (step, pass, osds) = (slice.step, slice.pass, std::mem::take(&mut self.osds));
        if osds.is_empty() { Vec::new() } else { vec![Observation::OsdsAtWork(OsdsAtWork { step, pass, osds })] }
    }
}
