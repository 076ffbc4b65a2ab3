//! What the lanes of a slice took of the CPU, and for how many operations.

use model::{Effort, OpClass, Sample};
use std::collections::BTreeMap;

/// A slice's account: of each target, and what an operation costs by itself.
pub struct Efforts {
    of_lanes: BTreeMap<u32, Effort>,
    operations: BTreeMap<Option<u32>, u64>,
    operation_ns: f64,
}

impl Efforts {
    /// `series`: by target (`None`: all together) and kind. Warm-up counts: its operations cost the same.
    pub fn new(
        of_lanes: BTreeMap<u32, Effort>,
        series: &BTreeMap<(Option<u32>, OpClass), Vec<Sample>>,
        operation_ns: f64,
    ) -> Efforts {
        let mut operations = BTreeMap::new();
        for ((target, _), samples) in series {
            *operations.entry(*target).or_default() += samples.iter().map(|sample| sample.ops).sum::<u64>();
        }
        Efforts { of_lanes, operations, operation_ns }
    }

    /// The effort for one target, or for all together; `None`: it was not counted.
    pub fn of(&self, target: Option<u32>) -> Option<Effort> {
        let own = self.of_lanes.iter().filter(|(of, _)| target.is_none_or(|target| target == **of));
        let mut sum = Effort::default();
        own.for_each(|(_, effort)| sum += *effort);
        let operations = self.operations.get(&target).copied().unwrap_or(0);
        (sum.seconds > 0.0).then_some(Effort { operations, operation_ns: self.operation_ns, ..sum })
    }
}
