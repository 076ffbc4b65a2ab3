//! Seeds of loads: of the run's seed each step, pass and target gets one of its own, so that no slice repeats another one's places or
//! arrivals. All that they are made of is recorded.

use crate::plan::{Plan, Step};
use crate::workload::Workload;

/// One seed from several numbers: each changes about half of its bits (the finalizer of SplitMix64, Steele and others 2014).
pub fn mixed(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().fold(0, |seed, number| {
        let mut bits = (seed ^ number).wrapping_add(0x9E37_79B9_7F4A_7C15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    })
}

impl Plan {
    /// The seed of a step's load in one pass; its workload has the run's. The two steps of a pair of A and B have different ones as well: the
    /// second of them would else read from caches what the first has just read.
    pub fn load_seed(&self, step: &Step, pass: u32) -> u64 {
        mixed([step.workload.seed, u64::from(step.id.0), u64::from(pass)])
    }
}

impl Workload {
    /// As one target has it, of several that are loaded at once.
    pub fn of_target(&self, name: &str) -> Workload {
        let bytes = name.bytes().map(u64::from);
        Workload { seed: mixed(std::iter::once(self.seed).chain(bytes)), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ab::Ab;
    use crate::experiment::PlannedExperiment;
    use crate::pattern::Pattern;
    use crate::step_id::StepId;
    use crate::testing;
    use std::collections::BTreeSet;

    fn seeds(seed: u64, pairs: Vec<(StepId, StepId)>) -> Vec<u64> {
        let ab = Ab { what: "x".into(), a: "1".into(), b: "2".into(), pairs, ..Ab::default() };
        let plan = &Plan { experiment: PlannedExperiment::PairedComparison(ab), ..Plan::default() };
        let pattern = Pattern::ReadParallel;
        let workload = Workload::canonical(pattern, 1 << 30, seed);
        let step = |id| Step::new(id, testing::osds(), pattern, Vec::new(), workload.clone());
        let of = |id: u32| {
            let step = &step;
            (1..=20).flat_map(move |pass| {
                let own = step(id);
                let workload = Workload { seed: plan.load_seed(&own, pass), ..own.workload };
                ["osd.1", "osd.2", "osd.12"].map(|name| workload.of_target(name).seed)
            })
        };
        (0..10).flat_map(|id| of(id).collect::<Vec<u64>>()).collect()
    }

    #[test]
    fn every_run_step_pass_and_target_has_a_seed_of_its_own_and_always_the_same() {
        let all: BTreeSet<u64> = [seeds(1, vec![]), seeds(2, vec![])].concat().into_iter().collect();
        assert_eq!(all.len(), 2 * 10 * 20 * 3);
        assert_eq!(seeds(7, vec![]), seeds(7, vec![]));
    }

    #[test]
    fn a_and_b_of_a_pair_read_other_places() {
        let all: BTreeSet<u64> = seeds(1, vec![(StepId(3), StepId(8))]).into_iter().collect();
        assert_eq!(all.len(), 10 * 20 * 3);
    }
}
