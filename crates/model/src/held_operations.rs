//! Operations that were in flight for seconds when OSDs complained of slow ones, and which OSD each of them waited for.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// At one moment, as all OSDs that answered have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOperations {
    pub osds: Vec<HeldByOsd>,
    /// OSDs that were asked and did not answer.
    pub silent: Vec<u32>,
}

/// What one OSD has in flight for longer than [`HELD_SECONDS`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeldByOsd {
    pub osd: u32,
    /// It has yet to do its own part: of operations of clients, and of writes of which it keeps a copy.
    pub own: u32,
    pub as_replica: u32,
    /// Of clients, and what they wait for is not told: for shards of other OSDs, for the group, for another operation.
    pub unknown: u32,
    /// It has done its part, and waits for some of these: by OSD the number of such operations.
    pub waits_for: BTreeMap<u32, u32>,
    /// The age of the oldest of all these, in seconds.
    pub oldest: f64,
}

/// No operation of a healthy cluster takes as long.
pub const HELD_SECONDS: f64 = 5.0;

impl HeldOperations {
    /// The OSD that holds them up, how many of them, and of how many: by its own words, or, where it does not answer, by those of the
    /// others. `None`: several do.
    pub fn holder(&self) -> Option<(u32, u32, u32)> {
        let mut held: BTreeMap<u32, u32> = BTreeMap::new();
        for one in &self.osds {
            *held.entry(one.osd).or_default() += one.own + one.as_replica;
            let silent = one.waits_for.iter().filter(|(osd, _)| self.silent.contains(osd));
            silent.for_each(|(osd, count)| *held.entry(*osd).or_default() += count);
        }
        let unknown: u32 = self.osds.iter().map(|one| one.unknown).sum();
        let all: u32 = held.values().sum::<u32>() + unknown;
        let (osd, most) = held.into_iter().max_by_key(|(_, count)| *count)?;
        (most >= FEWEST && f64::from(most) >= SHARE * f64::from(all)).then_some((osd, most, all))
    }
}

/// Fewer operations may have met by chance.
const FEWEST: u32 = 3;
/// One that holds them up has nearly all of them.
const SHARE: f64 = 0.8;

#[cfg(test)]
mod tests {
    use super::*;

    /// An OSD, what it has yet to do itself, as a replica, and for whom it waits.
    type Told<'a> = (u32, u32, u32, &'a [(u32, u32)]);

    fn of(osds: &[Told], silent: &[u32]) -> Option<(u32, u32, u32)> {
        let one = |(osd, own, as_replica, waits): &Told| HeldByOsd {
            osd: *osd,
            own: *own,
            as_replica: *as_replica,
            unknown: 0,
            waits_for: waits.iter().copied().collect(),
            oldest: 31.0,
        };
        let (osds, silent) = (osds.iter().map(one).collect(), silent.to_vec());
        HeldOperations { osds, silent }.holder()
    }

    #[test]
    fn the_one_that_the_others_wait_for_is_found_by_its_own_words() {
        assert_eq!(of(&[(0, 0, 0, &[(2, 9), (1, 9)]), (1, 0, 0, &[(2, 4)]), (2, 3, 13, &[])], &[]), Some((2, 16, 16)));
        // A few are on their way elsewhere.
        assert_eq!(of(&[(0, 2, 0, &[]), (2, 3, 13, &[])], &[]), Some((2, 16, 18)));
    }

    #[test]
    fn one_that_does_not_answer_is_found_by_what_the_others_say() {
        assert_eq!(of(&[(0, 0, 0, &[(2, 9), (1, 9)]), (1, 0, 0, &[(2, 4)])], &[2]), Some((2, 13, 13)));
    }

    #[test]
    fn what_waits_for_something_that_is_not_told_is_nobodys() {
        let one = |osd, own, unknown| HeldByOsd { osd, own, unknown, ..HeldByOsd::default() };
        let seen = |unknown| HeldOperations { osds: vec![one(0, 9, unknown), one(1, 0, 0)], silent: vec![] };
        assert_eq!((seen(1).holder(), seen(9).holder()), (Some((0, 9, 10)), None));
    }

    #[test]
    fn several_or_a_few_are_nobody() {
        assert_eq!(of(&[(0, 8, 0, &[]), (2, 3, 5, &[])], &[]), None);
        assert_eq!(of(&[(0, 2, 0, &[])], &[]), None);
        assert_eq!(of(&[], &[]), None);
    }
}
