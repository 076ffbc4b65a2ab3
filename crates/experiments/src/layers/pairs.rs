//! Pairs of OSDs for a diagnosis: a primary with one replica each, in a pool whose placement groups are bound to them.

use crate::planner::draft::Draft;
use crate::planner::groups;
use model::workload::KIB;
use model::{Bytes, Change, Kin, LeftOut, OsdScope, Pattern, Place, Scope, StepId, Target, Workload};
use std::collections::{BTreeMap, BTreeSet};

/// Partners of each OSD in each role, where the cluster is small.
const PARTNERS: usize = 6;
/// With two partners one slow OSD is told from the others, with three several are.
const PARTNERS_LEAST: usize = 2;
/// The most pairs that are written to, since each needs its turns.
const PAIRS_MOST: usize = 96;
/// Bytes written for each pair: eight objects.
const SPAN: Bytes = 512 * KIB;

/// Adds the pool and the step, if the cluster lets placement groups be bound to OSDs, and has enough of them; else why it is left out: the
/// survey stands without it.
pub fn add(draft: &mut Draft) -> Option<LeftOut> {
    let osds = usable(draft);
    let apart = draft.inventory.scope.new_pool_apart.as_deref();
    if let Some(left_out) = left_out(&osds, apart) {
        return Some(left_out);
    }
    let pairs = pairs(&osds, apart);
    let pool = draft.name("pairs");
    let pg_num = (pairs.len() as u32).next_power_of_two();
    if !groups::spreads(draft) {
        return because(
            "placement groups may not be bound to OSDs here",
            "ceph osd set-require-min-compat-client luminous, if no older client is left",
        );
    }
    if groups::asked(draft, &pool, pg_num, Some(2)).is_err() {
        return because(
            &format!("the monitors allow no pool with {pg_num} placement groups more (mon_max_pg_per_osd)"),
            "a higher mon_max_pg_per_osd, or fewer placement groups in other pools",
        );
    }
    let on = pairs.iter().map(|(primary, replica)| vec![*primary, *replica]).collect();
    draft.change(Change::Pool { name: pool.clone(), pg_num, size: Some(2), on, like: None });
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
    None
}

fn because(why: &str, needs: &str) -> Option<LeftOut> {
    Some(LeftOut { why: why.to_string(), needs: needs.to_string() })
}

/// Why there are no pairs of these that would tell them apart; `None`: there are.
fn left_out(osds: &[&OsdScope], apart: Option<&str>) -> Option<LeftOut> {
    let hosts = osds.iter().map(|osd| osd.host.as_str()).collect::<BTreeSet<&str>>().len();
    let most = PAIRS_MOST / (PARTNERS_LEAST + 1);
    match apart {
        Some("host") | Some("osd") if osds.len() > most => because(
            &format!(
                "{} OSDs are too many: each would have fewer than {} partners in {PAIRS_MOST} pairs",
                osds.len(),
                PARTNERS_LEAST + 1
            ),
            &format!("a cluster, or a kind of OSD in it, of at most {most} OSDs"),
        ),
        Some("host") if hosts < 2 => because(
            "replicas lie on different hosts, and all OSDs lie on one",
            "OSDs on another host, or a CRUSH rule for new pools whose failure domain is osd",
        ),
        Some("host") | Some("osd") if pairs(osds, apart).is_empty() => because(
            &format!("some OSD may be paired with fewer than {PARTNERS_LEAST} others of its kind"),
            &format!("at least {PARTNERS_LEAST} OSDs of its kind on other hosts, for each"),
        ),
        Some("host") | Some("osd") => None,
        Some(other) => because(
            &format!(
                "replicas of a new pool lie in different places of the kind {other}, and which OSD is in which is not known here"
            ),
            "a CRUSH rule for new pools whose failure domain is host or osd",
        ),
        None => because(
            "what keeps replicas of a new pool apart is not known",
            "a CRUSH rule for new pools whose failure domain is host or osd",
        ),
    }
}

fn usable<'a>(draft: &Draft<'a>) -> Vec<&'a OsdScope> {
    let on = &draft.inventory.scope.new_pool_osds;
    // One that is kept from leading can be no primary of a pair, and is compared with nobody.
    let usable = |osd: &&OsdScope| osd.takes_data() && osd.leads() && (on.is_empty() || on.contains(&osd.id));
    alike(draft.osds().into_iter().filter(usable).collect(), &draft.inventory.scope)
}

/// What a disk of another kind takes is no fault: only those of the most common kin are compared.
fn alike<'a>(osds: Vec<&'a OsdScope>, scope: &Scope) -> Vec<&'a OsdScope> {
    let known = Kin::of_scope(scope);
    let most = Kin::most_common(osds.iter().filter_map(|osd| known.get(&osd.id)));
    osds.into_iter().filter(|osd| known.get(&osd.id) == most).collect()
}

/// Primary and replica: each OSD with the same number of partners in both roles, as far as its failure domain allows. Empty: they are too
/// few, or too many, or it is not known which may be together.
fn pairs(osds: &[&OsdScope], apart: Option<&str>) -> Vec<(u32, u32)> {
    let may: fn(&OsdScope, &OsdScope) -> bool = match apart {
        Some("host") => |a, b| a.host != b.host,
        Some("osd") => |a, b| a.id != b.id,
        // What lies in which rack is not known here, and monitors take back what a rule forbids.
        _ => return Vec::new(),
    };
    let partners = PARTNERS.min(PAIRS_MOST / osds.len().max(1));
    // Large clusters are to be told apart by medians.
    if partners <= PARTNERS_LEAST {
        return Vec::new();
    }
    let mut used: BTreeMap<u32, usize> = BTreeMap::new();
    let mut pairs = Vec::new();
    for (at, primary) in osds.iter().enumerate() {
        // From the next one on, so that roles are spread evenly.
        let mut others: Vec<&&OsdScope> = (1..osds.len()).map(|on| &osds[(at + on) % osds.len()]).collect();
        others.retain(|other| may(primary, other));
        // Spread over hosts: what one of them does to all its OSDs must not look as if the primary did it.
        let mut on_host: BTreeMap<&str, usize> = BTreeMap::new();
        for _ in 0..partners.min(others.len()) {
            let key = |other: &&&OsdScope| {
                let seen = on_host.get(other.host.as_str()).copied().unwrap_or(0);
                (seen, used.get(&other.id).copied().unwrap_or(0))
            };
            let Some(next) = (0..others.len()).min_by_key(|at| key(&others[*at])) else { break };
            let replica = others.remove(next);
            *on_host.entry(&replica.host).or_default() += 1;
            *used.entry(replica.id).or_default() += 1;
            pairs.push((primary.id, replica.id));
        }
    }
    let enough = |osd: &&OsdScope| {
        let count = |of: fn(&(u32, u32)) -> u32| pairs.iter().filter(|pair| of(pair) == osd.id).count();
        count(|pair| pair.0) >= PARTNERS_LEAST && count(|pair| pair.1) >= PARTNERS_LEAST
    };
    if osds.iter().all(enough) { pairs } else { Vec::new() }
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

    /// Ceph has no class of its own for NVMe.
    #[test]
    fn nvme_is_not_paired_with_sata_flash_of_the_same_class() {
        let mut scope = Scope { osds: osds(12, 4), ..Scope::default() };
        for osd in &mut scope.osds {
            let disk = if osd.id % 4 == 3 { format!("sd{}", osd.id) } else { format!("nvme{}n1", osd.id) };
            (osd.class, osd.device) = (Some("ssd".into()), Some(disk));
        }
        let ids = |scope: &Scope| -> Vec<u32> {
            alike(scope.osds.iter().collect(), scope).into_iter().map(|osd| osd.id).collect()
        };
        assert_eq!(ids(&scope), [0, 1, 2, 4, 5, 6, 8, 9, 10]);
        scope.osds.iter_mut().for_each(|osd| osd.device = None);
        assert_eq!(ids(&scope).len(), 12, "of disks that are not known the class tells");
        scope.osds[11].class = Some("hdd".into());
        assert_eq!(ids(&scope).len(), 11);
    }

    #[test]
    fn small_clusters_have_all_pairs_that_may_be() {
        assert_eq!((of(3, 1, "host").len(), of(3, 3, "osd").len(), of(4, 4, "osd").len()), (6, 6, 12));
        assert_eq!(of(6, 2, "host").len(), 24);
        assert!(of(6, 2, "host").iter().all(|(a, b)| a / 2 != b / 2));
    }

    #[test]
    fn what_is_left_out_says_why_and_what_it_would_need() {
        let why =
            |number, each, apart| left_out(&osds(number, each).iter().collect::<Vec<_>>(), apart).map(|one| one.why);
        let says = |number, each, apart, words: &str| {
            let why = why(number, each, apart).unwrap_or_default();
            assert!(why.contains(words), "{why}");
        };
        says(4, 4, Some("host"), "all OSDs lie on one");
        says(34, 2, Some("host"), "34 OSDs are too many");
        says(2, 1, Some("host"), "fewer than 2 others");
        says(6, 2, Some("rack"), "of the kind rack");
        says(6, 2, None, "not known");
        let enough = [(6, 2, "host"), (4, 4, "osd"), (32, 2, "host"), (3, 1, "host"), (4, 2, "host")];
        assert!(enough.iter().all(|(number, each, apart)| why(*number, *each, Some(apart)).is_none()));
    }

    #[test]
    fn nobody_is_bound_where_it_is_not_known_who_may_be_together_or_they_are_too_few_to_tell_apart() {
        assert_eq!((of(6, 2, "rack"), of(2, 1, "osd"), of(3, 3, "host")), (vec![], vec![], vec![]));
        assert_eq!(pairs(&osds(6, 2).iter().collect::<Vec<_>>(), None), vec![]);
        assert_eq!((of(100, 4, "host"), of(34, 2, "host")), (vec![], vec![]));
        // Hosts of 11 and 1 OSDs: those of the first have one partner each.
        let mut uneven = osds(12, 1);
        uneven.iter_mut().take(11).for_each(|osd| osd.host = "h".into());
        assert_eq!(pairs(&uneven.iter().collect::<Vec<_>>(), Some("host")), vec![]);
    }

    /// Every OSD has partners enough in both roles to be told from the others, on as many hosts as there are.
    #[test]
    fn every_osd_has_both_roles_on_many_hosts() {
        for (hosts, each) in [(4, 1), (3, 2), (3, 4), (4, 6), (5, 5), (8, 3), (12, 2), (16, 2)] {
            let pairs = of(hosts * each, each, "host");
            assert!(!pairs.is_empty() && pairs.len() <= PAIRS_MOST, "{hosts} hosts of {each}");
            for osd in 0..hosts * each {
                let mut on: BTreeMap<u32, usize> = BTreeMap::new();
                pairs.iter().filter(|pair| pair.0 == osd).for_each(|pair| *on.entry(pair.1 / each).or_default() += 1);
                let (own, most) = (on.values().sum::<usize>(), on.values().max().copied().unwrap_or(0));
                let fair = own.div_ceil(hosts as usize - 1);
                assert!(own > PARTNERS_LEAST && most <= fair, "osd.{osd} of {hosts} hosts of {each}: {on:?}");
            }
        }
    }
}
