//! In which states but `active+clean` placement groups are: of each state the most at once.

use super::{Probe, SliceDone, Sources};
use cluster::watch::Watch;
use model::{Observation, PgStates, PgsSeen, Step};

struct PlacementGroups<'a> {
    watch: &'a Watch,
    most: PgStates,
}

pub fn start<'a>(sources: &Sources<'a>) -> Option<Box<dyn Probe + 'a>> {
    let watch = sources.watch?;
    Some(Box::new(PlacementGroups { watch, most: PgStates::new() }))
}

impl Probe for PlacementGroups<'_> {
    fn begin(&mut self, _: &Step) {
        self.most.clear();
        self.look();
    }

    fn look(&mut self) {
        for (state, number) in self.watch.seen().pgs {
            let known = self.most.entry(state).or_default();
            *known = (*known).max(number);
        }
    }

    fn end(&mut self, slice: &SliceDone) -> Vec<Observation> {
        self.look();
        let (step, pass, states) = (slice.step, slice.pass, std::mem::take(&mut self.most));
        if states.is_empty() { Vec::new() } else { vec![Observation::PgsSeen(PgsSeen { step, pass, states })] }
    }
}
