//! What each OSD adds to a write, from the times of pairs: median polish (Tukey 1977), a few slow OSDs move no median of the others.

use super::{Cells, Pair, of_one};
use crate::series::median;
use std::collections::{BTreeMap, BTreeSet};

/// Partners of an OSD in each role: of fewer two slow ones are half, and a median falls between them and the others.
const PARTNERS_LEAST: usize = 4;
/// Sweeps of the polish after which nothing moves any more, as a rule after two or three.
const SWEEPS: u32 = 20;

/// What is usual, and what each OSD adds in each role.
pub(super) struct Solved {
    pub usual: f64,
    pub primary: BTreeMap<u32, f64>,
    pub replica: BTreeMap<u32, f64>,
    /// The cell, and what is left of it.
    pub beyond: BTreeMap<Pair, (f64, f64)>,
}

/// How OSDs are told apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    /// By medians over partners.
    Polish,
    /// It can only be one OSD, or nobody.
    OfOne(Option<u32>),
}

impl Way {
    /// `tables`: the times of pairs in several quantiles. What one of them shows counts for all; `None`: nobody can be told from the others.
    pub fn of<'c>(tables: impl IntoIterator<Item = &'c Cells>) -> Option<Way> {
        let way = |cells: &Cells| match is_identified(cells) {
            true => Some(Way::Polish),
            false => of_one::who(cells).map(Way::OfOne),
        };
        let ways: Vec<Option<Way>> = tables.into_iter().map(way).collect();
        let shown = ways.iter().flatten().find(|way| **way != Way::OfOne(None));
        shown.or_else(|| ways.iter().flatten().next().filter(|_| ways.iter().all(Option::is_some))).copied()
    }

    pub fn solve(self, cells: &Cells) -> Option<Solved> {
        match self {
            Way::Polish => is_identified(cells).then(|| Solved::polished(cells)),
            Way::OfOne(who) => of_one::solve(cells, who),
        }
    }
}

impl Solved {
    fn polished(cells: &Cells) -> Solved {
        let mut left = cells.clone();
        let [mut primary, mut replica] = [BTreeMap::new(), BTreeMap::new()];
        for _ in 0..SWEEPS {
            let moved = sweep(&mut left, &mut primary, |pair| pair.0) + sweep(&mut left, &mut replica, |pair| pair.1);
            if moved < 1e-9 {
                break;
            }
        }
        let usual = centre(&mut primary) + centre(&mut replica);
        let beyond = left.into_iter().map(|(pair, rest)| (pair, (cells[&pair], rest))).collect();
        Solved { usual, primary, replica, beyond }
    }

    /// The mean of what each OSD takes in either role.
    pub fn all(&self) -> f64 {
        let mean = |adds: &BTreeMap<u32, f64>| adds.values().sum::<f64>() / adds.len().max(1) as f64;
        self.usual + mean(&self.primary) + mean(&self.replica)
    }
}

/// Has each OSD four partners in each role, and are there no groups without a pair between them? Else a slow one can't be told from its
/// partners.
fn is_identified(cells: &Cells) -> bool {
    let osds: BTreeSet<u32> = cells.keys().flat_map(|pair| [pair.0, pair.1]).collect();
    let partners = |osd: &u32, of: fn(&Pair) -> u32| cells.keys().filter(|pair| of(pair) == *osd).count();
    let enough =
        |osd: &u32| [|pair: &Pair| pair.0, |pair: &Pair| pair.1].iter().all(|of| partners(osd, *of) >= PARTNERS_LEAST);
    let Some(first) = cells.keys().next() else { return false };
    // From a primary to its replicas, from a replica to its primaries, and on.
    let (mut primaries, mut replicas) = (BTreeSet::from([first.0]), BTreeSet::new());
    loop {
        let before = primaries.len() + replicas.len();
        for (primary, replica) in cells.keys() {
            if primaries.contains(primary) || replicas.contains(replica) {
                primaries.insert(*primary);
                replicas.insert(*replica);
            }
        }
        if primaries.len() + replicas.len() == before {
            break;
        }
    }
    osds.iter().all(enough) && primaries.len() == osds.len() && replicas.len() == osds.len()
}

/// Moves the median of each OSD's cells into what it adds; the largest move.
fn sweep(left: &mut Cells, adds: &mut BTreeMap<u32, f64>, of: fn(&Pair) -> u32) -> f64 {
    let mut own: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    left.iter().for_each(|(pair, value)| own.entry(of(pair)).or_default().push(*value));
    let moves: BTreeMap<u32, f64> = own.into_iter().map(|(osd, values)| (osd, median(&values))).collect();
    left.iter_mut().for_each(|(pair, value)| *value -= moves[&of(pair)]);
    moves.iter().for_each(|(osd, by)| *adds.entry(*osd).or_default() += by);
    moves.values().fold(0.0, |most, by| most.max(by.abs()))
}

/// Makes their median nothing, and says what it was.
fn centre(adds: &mut BTreeMap<u32, f64>) -> f64 {
    let middle = median(&adds.values().copied().collect::<Vec<_>>());
    adds.values_mut().for_each(|adds| *adds -= middle);
    middle
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every ordered pair of OSDs that do not lie on one host, two OSDs a host.
    fn pairs(osds: u32) -> Vec<Pair> {
        (0..osds).flat_map(|a| (0..osds).map(move |b| (a, b))).filter(|(a, b)| a / 2 != b / 2).collect()
    }

    fn solved(osds: u32, time: impl Fn(u32, u32) -> f64) -> Solved {
        Solved::polished(&pairs(osds).into_iter().map(|(a, b)| ((a, b), time(a, b))).collect())
    }

    #[test]
    fn an_osd_that_is_slow_as_primary_alone_is_told_from_one_that_is_slow_as_replica() {
        let found = solved(6, |primary, replica| 1.3 + f64::from(primary == 1) * 0.4 + f64::from(replica == 4) * 2.0);
        assert!((found.usual - 1.3).abs() < 1e-6);
        for osd in 0..6 {
            let wanted = (f64::from(osd == 1) * 0.4, f64::from(osd == 4) * 2.0);
            assert!((found.primary[&osd] - wanted.0).abs() < 1e-6, "{osd} {:?}", found.primary);
            assert!((found.replica[&osd] - wanted.1).abs() < 1e-6, "{osd} {:?}", found.replica);
        }
    }

    #[test]
    fn a_slow_pair_is_nobodys_fault() {
        let found = solved(8, |primary, replica| 1.0 + f64::from((primary, replica) == (0, 3)) * 5.0);
        assert!(found.primary.values().chain(found.replica.values()).all(|adds| adds.abs() < 1e-6));
        assert!((found.beyond[&(0, 3)].1 - 5.0).abs() < 1e-6);
    }

    #[test]
    fn who_can_t_be_told_from_its_partners_is_not_judged() {
        let all = |osds: u32| {
            let pairs = (0..osds).flat_map(move |a| (0..osds).map(move |b| ((a, b), 1.0)));
            pairs.filter(|((a, b), _)| a != b)
        };
        assert!(!is_identified(&all(3).collect()), "six pairs and five unknowns: one slow pair is anybody's");
        assert!(!is_identified(&all(4).collect()), "two slow ones of four are half of everybody's partners");
        assert!(is_identified(&all(5).collect()));
        // Two hosts: each side's primaries meet the other's replicas alone, and what one side adds the other may.
        let sides: Cells = all(8).filter(|((a, b), _)| a / 4 != b / 4).collect();
        assert!(!is_identified(&sides));
    }

    #[test]
    fn of_few_osds_what_one_quantile_shows_counts_for_all() {
        let three = |slow: f64| -> Cells {
            let pairs = (0..3).flat_map(|a| (0..3).map(move |b| (a, b))).filter(|(a, b)| a != b);
            pairs.map(|pair: Pair| (pair, 1.0 + f64::from(pair.0 == 1) * slow)).collect()
        };
        assert_eq!(Way::of([&three(0.0), &three(4.0)]), Some(Way::OfOne(Some(1))));
        assert_eq!(Way::of([&three(0.0), &three(0.0)]), Some(Way::OfOne(None)));
        let mut a_slow_pair = three(0.0);
        a_slow_pair.insert((0, 1), 9.0);
        assert_eq!(Way::of([&three(4.0), &a_slow_pair]), Some(Way::OfOne(Some(1))));
        assert_eq!(Way::of([&three(0.0), &a_slow_pair]), None);
    }

    proptest! {
        /// Whatever one OSD adds in either role, it is found, and nobody else is charged.
        #[test]
        fn what_one_osd_adds_is_found(osds in 4u32..12, who in 0u32..12, primary in 0.0..9.0f64, replica in 0.0..9.0f64, usual in 0.1..20.0f64) {
            let (osds, who) = (osds * 2, who % (osds * 2));
            let found = solved(osds, |a, b| usual + f64::from(a == who) * primary + f64::from(b == who) * replica);
            for osd in 0..osds {
                let own = f64::from(osd == who);
                prop_assert!((found.primary[&osd] - own * primary).abs() < 1e-6);
                prop_assert!((found.replica[&osd] - own * replica).abs() < 1e-6);
            }
        }
    }
}
