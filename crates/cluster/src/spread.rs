//! A pool of one copy on every OSD: where CRUSH gives an OSD none of its placement groups, or few, some are bound to it.

use crate::admin::Cluster;
use crate::errors::ClusterError;
use crate::pools::{groups, pause, upmap};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BinaryHeap};
use std::time::{Duration, Instant};

/// How long placement groups may take to move: those of an empty pool take seconds.
const MOVED_WITHIN: Duration = Duration::from_secs(60);

/// Every OSD that is up and in, as far as the pool has enough placement groups. One that its CRUSH rule leaves out gets none:
/// monitors take such a binding back.
pub(crate) fn make(cluster: &Cluster, pool: &str) -> Result<(), ClusterError> {
    let osds = usable(&cluster.ask(json!({"prefix": "osd dump"}))?);
    let held = groups(cluster, pool)?.into_iter().map(|group| (group.number, group.acting.first().copied()));
    let moves = moves(&held.filter_map(|(group, osd)| Some((group, osd?))).collect(), &osds);
    if moves.is_empty() {
        return Ok(());
    }
    cluster.rados.refresh()?;
    let id = cluster.rados.pool_id(pool)?;
    upmap(cluster, id, moves.iter().map(|(group, osd)| (*group, vec![*osd])))?;
    let bound = bound(&cluster.ask(json!({"prefix": "osd dump"}))?, id);
    let deadline = Instant::now() + MOVED_WITHIN;
    loop {
        let asked = Instant::now();
        let there = groups(cluster, pool)?.into_iter().filter(|group| group.clean);
        let there: BTreeMap<u32, Vec<u32>> = there.map(|group| (group.number, group.acting)).collect();
        if bound.iter().all(|(group, osd)| there.get(group) == Some(&vec![*osd])) {
            return Ok(());
        }
        if Instant::now() > deadline {
            let what = format!("pool {pool} with placement groups on every OSD");
            return Err(ClusterError::TooSlow { what, seconds: MOVED_WITHIN.as_secs() });
        }
        pause(asked);
    }
}

fn usable(dump: &Value) -> Vec<u32> {
    let osds = dump.get("osds").and_then(Value::as_array).into_iter().flatten();
    let serves = |osd: &&Value| ["up", "in"].iter().all(|key| osd.get(*key) == Some(&json!(1)));
    osds.filter(serves).filter_map(|osd| osd.get("osd")?.as_u64()).map(|osd| osd as u32).collect()
}

/// Which placement groups of the pool are bound, and to which OSD.
fn bound(dump: &Value, pool: i64) -> BTreeMap<u32, u32> {
    let all = dump.get("pg_upmap").and_then(Value::as_array).into_iter().flatten();
    let own = |one: &Value| {
        let (of, group) = one.get("pgid")?.as_str()?.split_once('.')?;
        let osd = one.get("osds")?.as_array()?.first()?.as_u64()?;
        Some((u32::from_str_radix(group, 16).ok().filter(|_| of.parse() == Ok(pool))?, osd as u32))
    };
    all.filter_map(own).collect()
}

/// Which placement groups go to which OSD, so that each of `osds` has at least half of its fair share, and one before any has two.
/// Those with the most give. `held`: by placement group, the OSD that has it.
fn moves(held: &BTreeMap<u32, u32>, osds: &[u32]) -> Vec<(u32, u32)> {
    let least = (held.len() / osds.len().max(1) / 2).max(1);
    let mut own: BTreeMap<u32, Vec<u32>> = osds.iter().map(|osd| (*osd, Vec::new())).collect();
    held.iter().for_each(|(group, osd)| own.entry(*osd).or_default().push(*group));
    let mut rich: BinaryHeap<(usize, u32)> = own.iter().map(|(osd, groups)| (groups.len(), *osd)).collect();
    let mut moves = Vec::new();
    for wanted in 1..=least {
        for osd in osds {
            if own[osd].len() >= wanted {
                continue;
            }
            let Some((number, from)) = rich.pop().filter(|(number, _)| *number > wanted) else { return moves };
            let Some(group) = own.get_mut(&from).and_then(Vec::pop) else { return moves };
            rich.push((number - 1, from));
            own.entry(*osd).or_default().push(group);
            moves.push((group, *osd));
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(held: &BTreeMap<u32, u32>, moves: &[(u32, u32)], osds: &[u32]) -> Vec<usize> {
        let mut held = held.clone();
        held.extend(moves.iter().copied());
        osds.iter().map(|osd| held.values().filter(|own| *own == osd).count()).collect()
    }

    #[test]
    fn skewed_weights_leave_no_osd_without() {
        // All placement groups on one of four OSDs; the fifth is none of ours.
        let held: BTreeMap<u32, u32> = (0..16).map(|group| (group, if group == 15 { 9 } else { 0 })).collect();
        let osds = [0, 1, 2, 3];
        let moves = moves(&held, &osds);
        assert_eq!(counts(&held, &moves, &osds), [9, 2, 2, 2]);
        assert_eq!(moves.len(), 6, "no more than needed");
    }

    proptest! {
        /// At any size, any distribution: every OSD has some if there are enough, nobody gives what it needs itself.
        #[test]
        fn everyone_has_some(
            groups in prop_oneof![Just(1u32), Just(16), Just(256), Just(8192)], osds in prop_oneof![Just(1u32), Just(3), Just(150), Just(630)],
            skew in 0u32..4, seed in any::<u64>(),
        ) {
            let place = |group: u32| {
                let random = (u64::from(group).wrapping_add(seed)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
                (random as u32 % osds) >> skew
            };
            let held: BTreeMap<u32, u32> = (0..groups).map(|group| (group, place(group))).collect();
            let all: Vec<u32> = (0..osds).collect();
            let before = counts(&held, &[], &all);
            let moves = moves(&held, &all);
            let after = counts(&held, &moves, &all);
            let least = ((groups / osds) as usize / 2).max(1);
            let served = after.iter().filter(|count| **count > 0).count();
            prop_assert_eq!(served, groups.min(osds) as usize);
            if groups >= osds {
                prop_assert!(after.iter().all(|count| *count >= least), "{:?}", after);
            }
            prop_assert!(moves.len() <= before.iter().map(|count| least.saturating_sub(*count)).sum::<usize>());
        }
    }
}
