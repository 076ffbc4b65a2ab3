//! Pairs of OSDs for a diagnosis: a primary with one replica each, in a pool whose placement groups are bound to them.

use crate::planner::draft::Draft;
use crate::planner::groups;
use model::workload::KIB;
use model::{Bytes, Change, OsdScope, Pattern, Place, StepId, Target, Workload};
use std::collections::BTreeMap;

/// Each OSD with so many partners in each role, where the cluster is small.
const PARTNERS: usize = 6;
/// Fewer than two partners tell nobody apart; so many pairs at most are written to, since each needs its turns.
const PAIRS_MOST: usize = 96;
/// Eight objects of each pair.
const SPAN: Bytes = 512 * KIB;

/// Adds the pool and the step, if the cluster lets placement groups be bound to OSDs, and has enough of them. What the monitors have no
/// room for is left out: the survey stands without it.
pub fn add(draft: &mut Draft) {
    let osds = usable(draft);
    let pairs = pairs(&osds, draft.inventory.scope.new_pool_apart.as_deref());
    let pool = draft.name("pairs");
    let pg_num = (pairs.len() as u32).next_power_of_two();
    if pairs.is_empty() || !groups::spreads(draft) || groups::asked(draft, &pool, pg_num, Some(2)).is_err() {
        return;
    }
    let on = pairs.iter().map(|(primary, replica)| vec![*primary, *replica]).collect();
    draft.change(Change::Pool { name: pool.clone(), pg_num, size: Some(2), on });
    let target = |(primary, replica): (u32, u32)| {
        let place = Place::Osd { osd: primary, pool: pool.clone(), replicas: vec![replica] };
        Target::new(super::osd::LAYER, format!("osd.{primary} and osd.{replica}"), place)
    };
    let targets: Vec<Target> = pairs.into_iter().map(target).collect();
    let workload = Workload {
        object: Some(64 * KIB),
        seed: draft.options.seed,
        ..Workload::canonical(Pattern::WriteLatency, SPAN, 1)
    };
    draft.step(Pattern::WriteLatency, targets, workload, false);
    let id = StepId(draft.steps.len() as u32 - 1);
    draft.steps.iter_mut().filter(|step| step.id == id).for_each(|step| step.in_turns = true);
}

fn usable<'a>(draft: &Draft<'a>) -> Vec<&'a OsdScope> {
    let on = &draft.inventory.scope.new_pool_osds;
    let usable = |osd: &&OsdScope| osd.takes_data() && (on.is_empty() || on.contains(&osd.id));
    draft.osds().into_iter().filter(usable).collect()
}

/// Primary and replica: each OSD with the same number of partners in both roles, as far as its failure domain allows. Empty: they are too
/// few, or too many, or nobody knows which may be together.
fn pairs(osds: &[&OsdScope], apart: Option<&str>) -> Vec<(u32, u32)> {
    let may: fn(&OsdScope, &OsdScope) -> bool = match apart {
        Some("host") => |a, b| a.host != b.host,
        Some("osd") => |a, b| a.id != b.id,
        // What lies in which rack is not known here, and monitors take back what a rule forbids.
        _ => return Vec::new(),
    };
    let partners = PARTNERS.min(PAIRS_MOST / osds.len().max(1));
    if osds.len() < 3 || partners < 2 {
        return Vec::new();
    }
    let mut used: BTreeMap<u32, usize> = BTreeMap::new();
    let mut pairs = Vec::new();
    for (at, primary) in osds.iter().enumerate() {
        // From the next one on, so that roles are spread evenly.
        let mut others: Vec<&&OsdScope> = (1..osds.len()).map(|on| &osds[(at + on) % osds.len()]).collect();
        others.retain(|other| may(primary, other));
        others.sort_by_key(|other| used.get(&other.id).copied().unwrap_or(0));
        for replica in others.into_iter().take(partners) {
            *used.entry(replica.id).or_default() += 1;
            pairs.push((primary.id, replica.id));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn osds(number: u32, each: u32) -> Vec<OsdScope> {
        let osd = |id| OsdScope { id, host: format!("h{}", id / each), up: true, inside: true, ..OsdScope::default() };
        (0..number).map(osd).collect()
    }

    fn of(number: u32, each: u32, apart: &str) -> Vec<(u32, u32)> {
        pairs(&osds(number, each).iter().collect::<Vec<_>>(), Some(apart))
    }

    #[test]
    fn small_clusters_have_all_pairs_that_may_be() {
        assert_eq!(of(3, 3, "osd"), [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]);
        assert_eq!(of(6, 2, "host").len(), 24);
        assert!(of(6, 2, "host").iter().all(|(a, b)| a / 2 != b / 2));
    }

    #[test]
    fn nobody_is_bound_where_it_is_not_known_who_may_be_together() {
        assert_eq!((of(6, 2, "rack"), of(2, 1, "osd"), of(3, 3, "host")), (vec![], vec![], vec![]));
        assert_eq!(pairs(&osds(6, 2).iter().collect::<Vec<_>>(), None), vec![]);
        assert_eq!(of(100, 4, "host"), vec![], "too many");
    }

    /// Every OSD has partners enough in both roles to be told from the others.
    #[test]
    fn every_osd_has_both_roles() {
        for (hosts, each) in
            (3..24).flat_map(|hosts| [(hosts, 1), (hosts, 2)]).filter(|(hosts, each)| hosts * each <= 48)
        {
            let pairs = of(hosts * each, each, "host");
            assert!(pairs.len() <= PAIRS_MOST);
            for osd in 0..hosts * each {
                let as_one = |of: fn(&(u32, u32)) -> u32| pairs.iter().filter(|pair| of(pair) == osd).count();
                assert!(
                    as_one(|pair| pair.0) >= 2 && as_one(|pair| pair.1) >= 2,
                    "osd.{osd} of {hosts} hosts: {pairs:?}"
                );
            }
        }
    }
}
