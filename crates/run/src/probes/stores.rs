//! What the OSDs do: RocksDB's tables, from where reads come, and where operations spend their time.

use super::{Probe, SliceDone, Sources};
use crate::guard::osd_of;
use cluster::compaction::Looking;
use model::{Compaction, Observation, OsdLooks, OsdTimes, Step, TimesOfOsd};
use std::collections::BTreeSet;

struct Stores {
    looking: Looking,
    /// OSDs that are up, of which a pool may use each.
    osds: Vec<u32>,
    /// How many serve the slice that goes on.
    serve: u32,
    /// It goes through a gateway or a file system, whose figures know nothing of stores: only the time in OSDs is of interest.
    times_only: bool,
}

pub fn start<'a>(sources: &Sources<'a>) -> Option<Box<dyn Probe + 'a>> {
    let osds = sources.scope.osds.iter().filter(|osd| osd.up).map(|osd| osd.id).collect();
    Some(Box::new(Stores { looking: Looking::start(sources.cluster), osds, serve: 0, times_only: false }))
}

impl Probe for Stores {
    fn begin(&mut self, step: &Step) {
        let door = step.may_ask_services();
        if !step.layer.of_ceph() && !door {
            return;
        }
        self.times_only = door;
        let own: BTreeSet<u32> = step.targets.iter().filter_map(osd_of).collect();
        let own: Vec<u32> = own.into_iter().collect();
        let serving = if door || step.layer.of_pools() { &self.osds } else { &own };
        self.serve = serving.len() as u32;
        self.looking.begin(serving, step.workload.reads());
    }

    fn end(&mut self, slice: &SliceDone) -> Vec<Observation> {
        let (seen, of) = (self.looking.end(), std::mem::take(&mut self.serve));
        let (mut osds, times): (Vec<OsdLooks>, Vec<Option<TimesOfOsd>>) =
            seen.into_iter().map(|osd| (osd.looks, osd.times)).unzip();
        osds.retain(|_| !self.times_only);
        osds.retain(|osd| !osd.looks.is_empty() || osd.reads.is_some() || osd.database.is_some());
        for look in osds.iter_mut().flat_map(|osd| &mut osd.looks) {
            (look.from, look.to) = (look.from - slice.lead, look.to - slice.lead);
        }
        let (step, pass) = (slice.step, slice.pass);
        let times: Vec<TimesOfOsd> = times.into_iter().flatten().collect();
        let times = (!times.is_empty()).then_some(Observation::OsdTimes(OsdTimes { step, pass, osds: times, of }));
        let compaction = (!osds.is_empty()).then_some(Observation::Compaction(Compaction { step, pass, osds, of }));
        compaction.into_iter().chain(times).collect()
    }
}
