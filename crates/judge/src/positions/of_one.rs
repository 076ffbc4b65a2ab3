//! One slow OSD among so few that no median tells it from its partners: then all pairs with it are slow, and no others are alike.

use super::solved::Solved;
use super::{Cells, Pair};
use std::collections::{BTreeMap, BTreeSet};

/// Of the squared differences between pairs at most this share is left once the OSD's own time is taken out. A single slow pair leaves half
/// of them, whichever of its two OSDs is blamed.
const LEFT_MOST: f64 = 0.25;
/// Pairs that differ by less than this share of their mean are alike, as the least effect that is told.
const ALIKE: f64 = 0.15;
const OSDS_LEAST: usize = 3;
const PARTNERS_LEAST: usize = 2;

/// Who adds time, if it is one OSD or nobody; the outer `None`: neither explains these pairs.
pub(super) fn who(cells: &Cells) -> Option<Option<u32>> {
    let osds: BTreeSet<u32> = cells.keys().flat_map(|pair| [pair.0, pair.1]).collect();
    let partners = |osd: u32, of: fn(&Pair) -> u32| cells.keys().filter(|pair| of(pair) == osd).count();
    let enough = |osd: &u32| partners(*osd, |pair| pair.0).min(partners(*osd, |pair| pair.1)) >= PARTNERS_LEAST;
    if osds.len() < OSDS_LEAST || !osds.iter().all(enough) {
        return None;
    }
    let (mean, all) = spread(cells.values().copied());
    if cells.values().all(|value| (value - mean).abs() < ALIKE * mean) {
        return Some(None);
    }
    let left = |osd: u32| Role::ALL.map(|role| spread(role.of(cells, osd)).1).iter().sum::<f64>();
    let best = osds.into_iter().min_by(|a, b| left(*a).total_cmp(&left(*b)))?;
    let [primary, replica, others] = Role::ALL.map(|role| spread(role.of(cells, best)).0);
    let slower = primary + replica > 2.0 * others;
    (slower && left(best) <= LEFT_MOST * all).then_some(Some(best))
}

/// What each adds to what the pairs with neither it nor the slow one take, of its pairs without the slow one.
pub(super) fn solve(cells: &Cells, who: Option<u32>) -> Option<Solved> {
    let without = |osd: u32| match who {
        Some(slow) if slow != osd => cells.iter().filter(|(pair, _)| pair.0 != slow && pair.1 != slow).collect(),
        _ => cells.iter().collect::<Vec<_>>(),
    };
    let all = without(u32::MAX).into_iter().map(|(_, value)| *value);
    let usual = mean(all)?;
    let mut roles = [BTreeMap::new(), BTreeMap::new()];
    for osd in cells.keys().flat_map(|pair| [pair.0, pair.1]).collect::<BTreeSet<u32>>() {
        let own: Cells = without(osd).into_iter().map(|(pair, value)| (*pair, *value)).collect();
        let others = mean(Role::Neither.of(&own, osd)).unwrap_or(usual);
        for (role, adds) in [Role::Primary, Role::Replica].into_iter().zip(&mut roles) {
            adds.insert(osd, mean(role.of(&own, osd))? - others);
        }
    }
    let of = |adds: &BTreeMap<u32, f64>, osd: u32| if Some(osd) == who { adds[&osd] } else { 0.0 };
    let [primary, replica] = roles;
    let left =
        |(pair, value): (&Pair, &f64)| (*pair, (*value, value - usual - of(&primary, pair.0) - of(&replica, pair.1)));
    let beyond = cells.iter().map(left).collect();
    Some(Solved { usual, primary, replica, beyond })
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    Some(spread(values).0).filter(|mean| mean.is_finite())
}

/// What an OSD is to a pair.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Primary,
    Replica,
    Neither,
}

impl Role {
    const ALL: [Role; 3] = [Role::Primary, Role::Replica, Role::Neither];

    fn of(self, cells: &Cells, osd: u32) -> impl Iterator<Item = f64> + Clone {
        let role = move |pair: &Pair| match *pair {
            (primary, _) if primary == osd => Role::Primary,
            (_, replica) if replica == osd => Role::Replica,
            _ => Role::Neither,
        };
        cells.iter().filter(move |(pair, _)| role(pair) == self).map(|(_, value)| *value)
    }
}

/// Their mean, and the sum of their squared distances from it.
fn spread(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let mean = values.clone().sum::<f64>() / values.clone().count() as f64;
    (mean, values.map(|value| (value - mean).powi(2)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cells(osds: u32, time: impl Fn(u32, u32) -> f64) -> Cells {
        let pairs = (0..osds).flat_map(|a| (0..osds).map(move |b| (a, b))).filter(|(a, b)| a != b);
        pairs.map(|(a, b)| ((a, b), time(a, b))).collect()
    }

    #[test]
    fn a_slow_pair_two_slow_osds_and_a_fast_one_are_nobodys() {
        let when = |slow: fn(u32, u32) -> bool| who(&cells(3, |a, b| 1.0 + f64::from(slow(a, b))));
        assert_eq!(when(|a, b| (a, b) == (0, 1)), None, "a way");
        // Both ways between two of them: the third looks fast.
        assert_eq!(when(|a, b| a != 2 && b != 2), None);
        assert_eq!(when(|a, b| a != 0 || b == 2), None);
        assert_eq!(when(|_, _| false), Some(None));
        assert_eq!(who(&cells(2, |a, _| 1.0 + f64::from(a))), None, "with two anybody may be slow");
        assert_eq!(who(&Cells::new()), None);
    }

    proptest! {
        /// In either role or in both, beside noise of a few percent.
        #[test]
        fn one_slow_osd_of_three_is_found(osd in 0u32..3, primary in 0.6..9.0f64, replica in 0.0..9.0f64, noise in prop::array::uniform6(-0.05..0.05f64)) {
            let mut noise = noise.iter().cycle();
            let time = |a, b| 1.0 + f64::from(a == osd) * primary + f64::from(b == osd) * replica;
            let mut made = cells(3, time);
            made.values_mut().for_each(|value| *value += noise.next().unwrap());
            prop_assert_eq!(who(&made), Some(Some(osd)));
            let found = solve(&made, Some(osd)).unwrap();
            prop_assert!((found.primary[&osd] - primary).abs() < 0.11 && (found.replica[&osd] - replica).abs() < 0.11);
            prop_assert!(found.primary.iter().all(|(other, adds)| *other == osd || adds.abs() < 0.11));
        }
    }
}
