//! Which OSDs were down and came up again.

use super::{Probe, SliceDone, Sources};
use cluster::watch::Watch;
use model::{CameBack, Observation, Step};
use std::collections::BTreeMap;

struct OsdsThatCameBack<'a> {
    watch: &'a Watch,
    /// What was told already.
    told: BTreeMap<u32, u32>,
}

pub fn start<'a>(sources: &Sources<'a>) -> Option<Box<dyn Probe + 'a>> {
    let watch = sources.watch?;
    Some(Box::new(OsdsThatCameBack { watch, told: watch.seen().came_back }))
}

impl Probe for OsdsThatCameBack<'_> {
    fn begin(&mut self, _: &Step) {}

    /// Since the slice before it ended: what goes on between two slices goes on in them.
    fn end(&mut self, slice: &SliceDone) -> Vec<Observation> {
        let now = self.watch.seen().came_back;
        let more = |(osd, times): (&u32, &u32)| {
            let more = times - self.told.get(osd).copied().unwrap_or_default().min(*times);
            (more > 0).then_some((*osd, more))
        };
        let osds: BTreeMap<u32, u32> = now.iter().filter_map(more).collect();
        self.told = now;
        if osds.is_empty() {
            return Vec::new();
        }
        vec![Observation::CameBack(CameBack { step: slice.step, pass: slice.pass, osds })]
    }
}
