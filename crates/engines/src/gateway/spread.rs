//! Which address of a gateway's name each operation goes to: all of them get as many, however few are in flight.

use model::Workload;

/// Of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Where the first connection of its first slot goes.
    first: usize,
    /// Connections of each slot, which its operations use in turns.
    pub each: usize,
}

impl Spread {
    /// Lanes go on where the one before has ended. Fewer slots than addresses would leave some addresses without load: then each slot has
    /// several connections. Where the numbers do not divide, the seed, which each slice has of its own, says who gets one more.
    pub fn of(addresses: usize, workload: &Workload, lane: u32) -> Spread {
        let addresses = addresses.max(1);
        let each = addresses.div_ceil(workload.depth.max(1) as usize);
        let before: usize = (0..lane).map(|lane| workload.lane_depth(lane).max(1) as usize).sum();
        let rotation = (workload.seed % addresses as u64) as usize;
        Spread { first: rotation + before * each, each }
    }

    /// Counted on and on: addresses repeat.
    pub fn number(&self, slot: usize, turn: usize) -> usize {
        self.first + slot * self.each + turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Pattern;
    use proptest::prelude::*;

    /// Operations of each address when each slot of all lanes has done this many.
    fn counted(addresses: usize, jobs: u32, depth: u32, seed: u64, operations: usize) -> Vec<usize> {
        let workload = Workload { jobs, depth, ..Workload::canonical(Pattern::ReadLatency, 1 << 20, seed) };
        let mut counts = vec![0; addresses];
        for lane in 0..jobs {
            let spread = Spread::of(addresses, &workload, lane);
            for slot in 0..workload.lane_depth(lane) as usize {
                for operation in 0..operations {
                    counts[spread.number(slot, operation % spread.each) % addresses] += 1;
                }
            }
        }
        counts
    }

    #[test]
    fn lanes_of_one_slot_share_the_addresses() {
        assert_eq!(counted(2, 8, 8, 1, 10), [40, 40]);
        assert_eq!(counted(2, 1, 1, 7, 10), [5, 5]);
        assert_eq!(counted(4, 1, 1, 7, 100), [25; 4]);
        // Three slots at two addresses: which of them has two is another one in another slice.
        assert_eq!((counted(2, 3, 3, 0, 10), counted(2, 3, 3, 1, 10)), (vec![20, 10], vec![10, 20]));
    }

    proptest! {
        #[test]
        fn every_address_is_asked(addresses in 1usize..20, jobs in 1u32..6, more in 0u32..10, seed: u64) {
            let counts = counted(addresses, jobs, jobs + more, seed, addresses * 2);
            prop_assert!(counts.iter().all(|count| *count > 0), "{:?}", counts);
        }
    }
}
