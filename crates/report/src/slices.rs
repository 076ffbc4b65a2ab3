//! Which slices a figure was made of.

use model::{Figure, OpClass, Record, Slice, StepId};
use std::collections::HashMap;

/// The slices of a record by the figures that were made of them: sorted once, since a large run has tens of thousands of either.
pub struct Slices<'a>(HashMap<(StepId, OpClass, String), Vec<&'a Slice>>);

impl<'a> Slices<'a> {
    pub fn of(record: &'a Record) -> Slices<'a> {
        let steps: HashMap<StepId, _> = record.plan.steps.iter().map(|step| (step.id, step)).collect();
        let mut all: HashMap<_, Vec<&Slice>> = HashMap::new();
        for slice in &record.slices {
            let Some(step) = steps.get(&slice.step) else { continue };
            let one = slice.target.and_then(|index| step.targets.get(index as usize));
            let target = one.map_or_else(|| step.together(), |target| target.name.clone());
            all.entry((slice.step, slice.kind, target)).or_default().push(slice);
        }
        for own in all.values_mut() {
            own.sort_by(|a, b| a.pass.cmp(&b.pass).then(a.started_seconds.total_cmp(&b.started_seconds)));
        }
        Slices(all)
    }

    /// By pass.
    pub fn of_figure(&self, figure: &Figure) -> Vec<&'a Slice> {
        self.0.get(&(figure.step, figure.kind, figure.target.clone())).cloned().unwrap_or_default()
    }
}
