//! Where the data of a pool come to lie: how many of an object's copies, or chunks, each OSD holds.

use model::{Inventory, OsdScope, PoolScope, Scope};
use std::collections::BTreeMap;

/// By OSD: copies or chunks of an object, on the mean. A rule that takes several times places each part of them on its own OSDs.
pub fn copies_on(inventory: &Inventory, pool: Option<&PoolScope>, copies: u32) -> BTreeMap<u32, f64> {
    let scope = &inventory.scope;
    let (osds, apart, takes) = match pool {
        Some(pool) => (&pool.osds, &pool.apart, &pool.takes),
        None => (&scope.new_pool_osds, &scope.new_pool_apart, &scope.new_pool_takes),
    };
    if takes.is_empty() {
        return placed(scope, osds, apart.as_deref(), copies);
    }
    let (mut held, mut open) = (BTreeMap::new(), copies);
    for take in takes {
        let part = take.places(copies, open);
        open -= part;
        for (osd, share) in placed(scope, &take.osds, take.apart.as_deref(), part) {
            *held.entry(osd).or_default() += share;
        }
    }
    held
}

/// On the OSDs that are allowed; none are named: all. By weight, as CRUSH places them, but no host (or rack, or OSD: whatever keeps them
/// apart) has two: of three copies one of each object lies on a small third host, whatever it weighs.
fn placed(scope: &Scope, allowed: &[u32], apart: Option<&str>, copies: u32) -> BTreeMap<u32, f64> {
    let may = |osd: &&OsdScope| osd.up && osd.takes_data() && (allowed.is_empty() || allowed.contains(&osd.id));
    let osds: Vec<&OsdScope> = scope.osds.iter().filter(may).collect();
    let kind = apart.filter(|kind| osds.iter().all(|osd| osd.within.contains_key(*kind)));
    let bucket = |osd: &OsdScope| kind.and_then(|kind| osd.within.get(kind)).unwrap_or(&osd.host).clone();
    let mut hosts: BTreeMap<String, Vec<&OsdScope>> = BTreeMap::new();
    osds.iter().for_each(|osd| hosts.entry(bucket(osd)).or_default().push(osd));
    let alone = || osds.iter().map(|osd| vec![*osd]).collect();
    // Where there are too few hosts, another rule must have placed them.
    let by_host = apart != Some("osd") && hosts.len() >= copies as usize;
    let groups: Vec<Vec<&OsdScope>> = if by_host { hosts.into_values().collect() } else { alone() };
    let weighed = osds.iter().all(|osd| osd.crush_weight.is_some_and(|weight| weight > 0.0));
    let weight = |osd: &OsdScope| osd.crush_weight.filter(|_| weighed).unwrap_or(1.0);
    let weights: Vec<f64> = groups.iter().map(|group| group.iter().map(|osd| weight(osd)).sum()).collect();
    let of_groups = at_most_one_each(f64::from(copies), &weights);
    let of_osds = groups.iter().zip(weights.iter().zip(of_groups)).flat_map(|(group, (whole, held))| {
        group.iter().map(move |osd| (osd.id, (held * weight(osd) / whole).min(1.0)))
    });
    of_osds.collect()
}

/// So many copies over groups by their weights, none of which takes more than one: what a full one can't take goes to the others.
fn at_most_one_each(copies: f64, weights: &[f64]) -> Vec<f64> {
    let mut held = vec![0.0; weights.len()];
    loop {
        let full = held.iter().filter(|held| **held >= 1.0).count() as f64;
        let open: f64 = held.iter().zip(weights).filter(|(held, _)| **held < 1.0).map(|(_, weight)| weight).sum();
        if open <= 0.0 || copies <= full {
            return held;
        }
        let mut more_full = false;
        for (held, weight) in held.iter_mut().zip(weights).filter(|(held, _)| **held < 1.0) {
            *held = ((copies - full) * weight / open).min(1.0);
            more_full |= *held >= 1.0;
        }
        if !more_full {
            return held;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::testing;
    use model::RuleTake;
    use proptest::prelude::*;

    /// So many OSDs on each host, each of its weight.
    fn cluster(hosts: &[&[f64]]) -> Inventory {
        let mut inventory = testing::inventory(hosts.iter().map(|osds| osds.len() as u32).sum());
        let places = hosts.iter().enumerate().flat_map(|(host, osds)| osds.iter().map(move |weight| (host, *weight)));
        for (osd, (host, weight)) in inventory.scope.osds.iter_mut().zip(places) {
            (osd.host, osd.crush_weight) = (format!("host{host}"), Some(weight));
        }
        inventory
    }

    fn held(inventory: &Inventory, pool: Option<&PoolScope>, copies: u32) -> Vec<(u32, f64)> {
        let all = copies_on(inventory, pool, copies);
        all.into_iter().map(|(osd, held)| (osd, (held * 1000.0).round() / 1000.0)).collect()
    }

    #[test]
    fn a_rules_osds_have_it_all() {
        let mut inventory = cluster(&[&[1.0, 0.1], &[1.0, 0.1], &[1.0, 0.1]]);
        let fast = PoolScope { osds: vec![1, 3, 5], ..PoolScope::default() };
        assert_eq!(held(&inventory, Some(&fast), 3), [(1, 1.0), (3, 1.0), (5, 1.0)]);
        inventory.scope.new_pool_osds = vec![0, 2];
        assert_eq!(held(&inventory, None, 3), [(0, 1.0), (2, 1.0)]);
        inventory.scope.osds[0].up = false;
        assert_eq!(held(&inventory, None, 3), [(2, 1.0)]);
    }

    #[test]
    fn a_rule_that_takes_twice_has_the_first_copy_on_the_faster_disks() {
        // Of each host one small fast disk and a large slow one.
        let inventory = cluster(&[&[1.0, 9.0], &[1.0, 9.0], &[1.0, 9.0], &[1.0, 9.0]]);
        let take = |osds: &[u32], copies| RuleTake { osds: osds.into(), copies, apart: Some("host".into()) };
        let takes = vec![take(&[0, 2, 4, 6], 1), take(&[1, 3, 5, 7], -1)];
        let hybrid = PoolScope { takes, ..PoolScope::default() };
        let of = |osd: usize| held(&inventory, Some(&hybrid), 3)[osd].1;
        assert_eq!((of(0), of(1)), (0.25, 0.5));
    }

    #[test]
    fn a_small_host_has_a_whole_copy_where_there_are_no_more_hosts_than_copies() {
        let inventory = cluster(&[&[1.0, 1.0, 1.0, 1.0], &[1.0, 1.0, 1.0, 1.0], &[1.0]]);
        assert_eq!(held(&inventory, None, 3)[8], (8, 1.0));
        assert_eq!(held(&inventory, None, 3)[0], (0, 0.25));
        let by_osd = PoolScope { apart: Some("osd".to_string()), ..PoolScope::default() };
        assert_eq!(held(&inventory, Some(&by_osd), 3)[8], (8, 0.333));
        // The third rack has that host alone.
        let mut racks = cluster(&[&[1.0], &[1.0], &[1.0], &[1.0], &[1.0]]);
        for (osd, rack) in racks.scope.osds.iter_mut().zip(["a", "a", "b", "b", "c"]) {
            osd.within.insert("rack".to_string(), rack.to_string());
        }
        let by_rack = PoolScope { apart: Some("rack".to_string()), ..PoolScope::default() };
        assert_eq!(
            held(&racks, Some(&by_rack), 3).iter().map(|one| one.1).collect::<Vec<_>>(),
            [0.5, 0.5, 0.5, 0.5, 1.0]
        );
        // An OSD without weight has nothing, one that is heavier has more.
        let uneven = cluster(&[&[3.0, 1.0, 0.0]]);
        assert_eq!(held(&uneven, None, 1), [(0, 0.75), (1, 0.25)]);
    }

    proptest! {
        #[test]
        fn all_copies_are_somewhere_and_none_is_there_twice(
            weights in proptest::collection::vec(0.01f64..10.0, 1..20), copies in 1u32..8
        ) {
            let held = at_most_one_each(f64::from(copies), &weights);
            let all: f64 = held.iter().sum();
            prop_assert!((all - f64::from(copies).min(weights.len() as f64)).abs() < 1e-9, "{held:?}");
            prop_assert!(held.iter().all(|held| (0.0..=1.0).contains(held)));
        }
    }
}
