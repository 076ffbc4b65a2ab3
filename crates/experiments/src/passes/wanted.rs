//! Which steps still want a slice, by what is recorded: the same for a run that goes on and for one that is taken up again.

use judge::{Asked, Next};
use model::{OpClass, Plan, Record, Slice, Step, StepId};
use std::collections::BTreeSet;

/// Had this step its turn in this pass?
pub fn done(id: StepId, pass: u32, record: &Record) -> bool {
    record.slices.iter().any(|slice| slice.step == id && slice.pass == pass)
}

/// Its slices of the passes before this one, in order of time.
pub fn slices_before(id: StepId, pass: u32, record: &Record) -> Vec<&Slice> {
    record.slices.iter().filter(|slice| slice.step == id && slice.pass < pass).collect()
}

/// After this pass: does the step need a slice in the next one? What a run that is taken up again has of later passes does not count,
/// so that it decides as it did.
pub fn another(plan: &Plan, asked: &Asked, id: StepId, pass: u32, record: &Record) -> bool {
    if plan.experiment.pair().is_some() {
        return !either_broken(plan, id, pass, record) && another_pair(plan, id, pass, record);
    }
    // What broke stays void, with its reason: a later slice would measure another state of the cluster.
    !broken(plan, id, pass, record)
        && figures(plan, asked, id, pass, record).iter().any(|(next, _)| *next == Next::Another)
}

/// A side alone tells nothing.
fn either_broken(plan: &Plan, id: StepId, pass: u32, record: &Record) -> bool {
    let pairs = plan.experiment.pair().map_or(&[][..], |ab| &ab.pairs);
    let pair = pairs.iter().find(|(a, b)| *a == id || *b == id);
    pair.map_or(vec![id], |(a, b)| vec![*a, *b]).into_iter().any(|id| broken(plan, id, pass, record))
}

/// One setting against another: is the change still not known well enough? Asked when each side was first equally often.
fn another_pair(plan: &Plan, id: StepId, pass: u32, record: &Record) -> bool {
    let goal = &plan.goal;
    let wide = || judge::ab_half_width(record, id).is_some_and(|width| width.exp_m1() > goal.settle);
    pass < goal.passes_min || (pass < goal.passes_max && (pass % 2 == 1 || wide()))
}

/// Is there anything left to measure?
pub fn anything(plan: &Plan, record: &Record) -> bool {
    let (first, asked) = (1..=plan.goal.passes_min, &Asked::with_what_others_met(plan, record));
    let open =
        |id: StepId| first.clone().any(|pass| !done(id, pass, record)) || another(plan, asked, id, u32::MAX, record);
    plan.steps.iter().any(|step| !broken(plan, step.id, u32::MAX, record) && open(step.id))
}

/// Of targets that share nothing: are all of them?
fn broken(plan: &Plan, id: StepId, pass: u32, record: &Record) -> bool {
    let void = |slice: &Slice| slice.step == id && slice.pass <= pass && slice.void.is_some();
    match plan.steps.iter().find(|step| step.id == id && separable(step)) {
        Some(step) => void_targets(step, record, pass).len() == step.targets.len(),
        None => record.slices.iter().any(void),
    }
}

/// For each figure of a step after this pass: what it needs, and the relative half-width of its interval.
pub fn figures(plan: &Plan, asked: &Asked, id: StepId, pass: u32, record: &Record) -> Vec<(Next, f64)> {
    let Some(step) = plan.steps.iter().find(|step| step.id == id) else { return Vec::new() };
    let slices: Vec<&Slice> = record.slices.iter().filter(|slice| slice.step == id && slice.pass <= pass).collect();
    let gone = void_targets(step, record, pass);
    let passes = slices.iter().map(|slice| slice.pass).max().unwrap_or(0);
    let mut keys: Vec<(Option<u32>, OpClass)> = slices.iter().map(|slice| (slice.target, slice.kind)).collect();
    keys.sort();
    keys.dedup();
    keys.retain(|(target, _)| target.is_none_or(|target| !gone.contains(&target)));
    let figure = |(target, kind): (Option<u32>, OpClass)| {
        let own: Vec<&Slice> =
            slices.iter().copied().filter(|slice| (slice.target, slice.kind) == (target, kind)).collect();
        let (figure, next) = judge::figure(step, target, kind, &own, asked, passes);
        (next, figure.estimate.map_or(0.0, |estimate| estimate.relative()))
    };
    keys.into_iter().map(figure).collect()
}

/// Do the step's targets share nothing, so that one can be left out?
pub fn separable(step: &Step) -> bool {
    step.apart && step.targets.len() > 1
}

/// Those that were void up to this pass, if each stands for itself.
pub fn void_targets(step: &Step, record: &Record, pass: u32) -> BTreeSet<u32> {
    if !separable(step) {
        return BTreeSet::new();
    }
    let void = |slice: &&Slice| slice.step == step.id && slice.pass <= pass && slice.void.is_some();
    record.slices.iter().filter(void).filter_map(|slice| slice.target).collect()
}
