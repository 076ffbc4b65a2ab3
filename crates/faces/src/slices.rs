//! Which slices a figure was made of.

use model::{Figure, Record, Slice, Step};

/// The slices that a figure was made of, by pass.
pub fn slices_of<'a>(figure: &Figure, record: &'a Record) -> Vec<&'a Slice> {
    let Some(step) = record.plan.steps.iter().find(|step| step.id == figure.step) else { return Vec::new() };
    let mut found: Vec<&Slice> =
        record.slices.iter().filter(|slice| slice.step == step.id && slice.kind == figure.kind).collect();
    found.retain(|slice| is_of(slice, step, &figure.target));
    found.sort_by(|a, b| a.pass.cmp(&b.pass).then(a.started_seconds.total_cmp(&b.started_seconds)));
    found
}

fn is_of(slice: &Slice, step: &Step, target: &str) -> bool {
    match slice.target.and_then(|index| step.targets.get(index as usize)) {
        Some(one) => one.name == target,
        None => target == step.together(),
    }
}
