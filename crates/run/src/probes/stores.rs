//! What the OSDs do: RocksDB's tables, from where reads come, and where operations spend their time.

use super::{Probe, SliceDone, Sources};
use crate::guard::osd_of;
use cluster::compaction::{Looking, OSDS_MOST, OSDS_MOST_APART};
use model::{Compaction, Observation, OsdLooks, OsdTimes, Place, Scope, Step, TimesOfOsd};
use std::collections::BTreeSet;

struct Stores<'a> {
    looking: Looking,
    scope: &'a Scope,
    /// How many serve the slice that goes on.
    serve: u32,
    /// It goes through a gateway or a file system, whose figures know nothing of stores: only the time in OSDs is of interest.
    times_only: bool,
}

pub fn start<'a>(sources: &Sources<'a>) -> Option<Box<dyn Probe + 'a>> {
    let looking = Looking::start(sources.cluster);
    Some(Box::new(Stores { looking, scope: sources.scope, serve: 0, times_only: false }))
}

/// The step's own OSDs; of pools those that are up and on which they may lie: timers of others would say nothing of it.
fn serving(step: &Step, scope: &Scope) -> Vec<u32> {
    if !step.may_ask_services() && !step.layer.of_pools() {
        let own: BTreeSet<u32> = step.targets.iter().filter_map(osd_of).collect();
        return own.into_iter().collect();
    }
    // Behind a gateway or a metadata server lie several pools.
    let targets = || step.targets.iter().filter(|_| !step.may_ask_services());
    let reached: Option<Vec<&[u32]>> = targets().map(|target| reached(&target.place, scope)).collect();
    let reached = reached.map(|all| all.concat()).filter(|reached| !reached.is_empty());
    let serves = |osd: &u32| reached.as_ref().is_none_or(|reached| reached.contains(osd));
    scope.osds.iter().filter(|osd| osd.up).map(|osd| osd.id).filter(serves).collect()
}

/// By the rule of the pool with its data, as placement in the judge has it; `None`: all, or not known. Pools of the run's own are made by
/// the rule of new ones.
fn reached<'s>(place: &Place, scope: &'s Scope) -> Option<&'s [u32]> {
    let pool = place.data_pool()?;
    let found = scope.pools.iter().find(|found| found.name == pool).map(|found| found.osds.as_slice());
    Some(found.unwrap_or(&scope.new_pool_osds)).filter(|osds| !osds.is_empty())
}

impl Probe for Stores<'_> {
    fn begin(&mut self, step: &Step) {
        let door = step.may_ask_services();
        if !step.layer.of_ceph() && !door {
            return;
        }
        self.times_only = door;
        let serving = serving(step, self.scope);
        self.serve = serving.len() as u32;
        let most = if step.in_turns { OSDS_MOST_APART } else { OSDS_MOST };
        self.looking.begin(&serving, most, step.workload.reads());
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::{OsdScope, Pattern, PoolScope, Target, Workload};

    #[test]
    fn of_a_pool_those_osds_are_asked_that_its_rule_reaches() {
        let osd = |id: u32| OsdScope { id, up: id != 3, ..OsdScope::default() };
        let on =
            |name: &str, osds: &[u32]| PoolScope { name: name.into(), osds: osds.to_vec(), ..PoolScope::default() };
        let scope = Scope {
            osds: (0..8).map(osd).collect(),
            pools: vec![on("flash", &[1, 3, 5]), on("unknown", &[])],
            new_pool_osds: vec![6, 7],
            ..Scope::default()
        };
        let of = |pool: &str| {
            let layer = model::testing::pools();
            let place = Place::Pool { pool: pool.into(), prefix: String::new() };
            let targets = vec![Target::new(layer, pool, place)];
            let workload = Workload::canonical(Pattern::WriteLatency, 1, 1);
            serving(&Step::new(0, layer, Pattern::WriteLatency, targets, workload), &scope)
        };
        assert_eq!(of("flash"), [1, 5]);
        assert_eq!(of("fathom.rados"), [6, 7]);
        assert_eq!(of("unknown"), [0, 1, 2, 4, 5, 6, 7]);
    }
}
