//! Which step has the next turn in a pass, and when: pairs beside each other, slices of one step apart.

use judge::Length;
use model::plan::SPREAD_BY_LOT;
use model::{Plan, Record, Slice, Step, StepId};
use rand::{RngExt, SeedableRng};

/// A long slice among short ones counts as three looks: its step has its turn in every third pass.
const REST_PASSES: u32 = 3;

/// Has this step no turn in this pass?
pub fn rests(plan: &Plan, id: StepId, pass: u32, record: &Record) -> bool {
    let long = |step: &Step| {
        let slices = super::wanted::slices_before(id, pass, record);
        matches!(Length::next(&plan.goal, step, &slices), Length::Long { .. })
    };
    let turn = plan.goal.short.is_none() || pass % REST_PASSES == 1;
    !turn && plan.steps.iter().find(|step| step.id == id).is_some_and(long)
}

/// The first of these that need not wait, or else the one that waits least.
pub fn first_due(plan: &Plan, todo: &[StepId], pass: u32, record: &Record, now: f64) -> usize {
    if plan.goal.short.is_none() {
        return 0;
    }
    let waits = todo.iter().map(|id| due_in(plan, *id, pass, record, now)).enumerate();
    waits.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(place, _)| place)
}

/// Seconds until the step may have its next slice: slices that follow each other at once would see one moment. How much later is
/// drawn by lot, so that no rhythm of the cluster's keeps time with it.
pub fn due_in(plan: &Plan, id: StepId, pass: u32, record: &Record, now: f64) -> f64 {
    let (Some(short), Some(step)) = (plan.goal.short, plan.steps.iter().find(|step| step.id == id)) else {
        return 0.0;
    };
    let own = record.slices.iter().filter(|slice| slice.step == id);
    let Some(ended) = own.map(Slice::ended_seconds).max_by(f64::total_cmp) else { return 0.0 };
    let mut lot = rand::rngs::StdRng::seed_from_u64(plan.load_seed(step, pass));
    let apart = short.apart_seconds * (1.0 + SPREAD_BY_LOT * lot.random::<f64>());
    (ended + apart - now).max(0.0)
}

/// Two passes are a block: A B, B A or B A, A B, so that what drifts strikes both sides; which of the two is drawn by lot, so that what comes
/// and goes with the rhythm of slices favours neither. In turns without a lot, the changes of twenty runs in which nothing differed
/// varied by 1.6 times what their intervals said.
pub fn b_first(seed: u64, pass: u32) -> bool {
    let block = u64::from(pass.div_ceil(2));
    let lot: bool = rand::rngs::StdRng::seed_from_u64(seed ^ (block << 40)).random();
    lot == pass.is_multiple_of(2)
}

/// All steps of one side, then all of the other, in the same order: A B, B A, A B, B A, … change sides once in a pass, which costs restarts.
pub fn side_after_side(wanted: &mut [StepId], pairs: &[(StepId, StepId)], b_first: bool) {
    side_by_side(wanted, pairs, b_first);
    let is_b = |id: &StepId| pairs.iter().any(|(_, b)| b == id);
    wanted.sort_by_key(|id| is_b(id) != b_first);
}

/// Of drives that are judged with their cache as it is and switched: each switched step, and the same load of the same drive as it is.
pub fn switched(plan: &Plan) -> Vec<(StepId, StepId)> {
    if plan.experiment.judged_drives().is_empty() {
        return Vec::new();
    }
    let twin = |b: &Step| {
        let same = |a: &&Step| {
            let (one, other) = (&a.workload, &b.workload);
            let alike = (one.block, one.depth, one.durability) == (other.block, other.depth, other.durability)
                && (one.access, &one.mix) == (other.access, &other.mix);
            alike && one.settings.is_empty() && a.targets.iter().any(|target| b.targets.contains(target))
        };
        Some((plan.steps.iter().find(same)?.id, b.id))
    };
    plan.steps.iter().filter(|step| !step.workload.settings.is_empty()).filter_map(twin).collect()
}

/// Steps of a pair stand beside each other, where the first of them stood; others stay where they are among them.
pub fn side_by_side(wanted: &mut [StepId], pairs: &[(StepId, StepId)], b_first: bool) {
    let pair = |id: &StepId| pairs.iter().position(|(a, b)| a == id || b == id);
    let shuffled: Vec<(Option<usize>, StepId)> = wanted.iter().map(|id| (pair(id), *id)).collect();
    let is_b = |id: &StepId| pairs.iter().any(|(_, b)| b == id);
    let key = |(pair, id): &(Option<usize>, StepId)| {
        let first = shuffled.iter().position(|(other, own)| own == id || (pair.is_some() && other == pair));
        (first, is_b(id) != b_first, *id)
    };
    let mut keyed: Vec<_> = shuffled.iter().map(key).collect();
    keyed.sort();
    wanted.iter_mut().zip(keyed).for_each(|(place, (.., id))| *place = id);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_has_its_turn_with_its_cache_switched_beside_the_one_as_it_is() {
        let place = model::Place::Path { path: "/dev/sdb".into(), writable: true };
        let target = model::Target::new(crate::planner::testing::disks(), "/dev/sdb", place);
        let step = |id: u32, depth: u32, value: Option<&str>| {
            let settings = value.map(|value| ("host:a/drive-cache.sdb".to_string(), value.to_string()));
            let usual = model::Workload::canonical(model::Pattern::WriteParallel, 1 << 30, 1);
            let workload = model::Workload { depth, settings: settings.into_iter().collect(), ..usual };
            Step::new(
                id,
                crate::planner::testing::disks(),
                model::Pattern::WriteParallel,
                vec![target.clone()],
                workload,
            )
        };
        let steps = vec![step(0, 1, None), step(1, 32, None), step(2, 1, Some("off")), step(3, 32, Some("off"))];
        let judged = model::JudgedDrive {
            target: "/dev/sdb".into(),
            device: None,
            through_file: false,
            cache: None,
            about: None,
            beside: Vec::new(),
        };
        let experiment = model::PlannedExperiment::Fitness { drives: vec![judged], sustained: Vec::new() };
        let plan = Plan { steps, experiment, ..Plan::default() };
        let pairs = [(0, 2), (1, 3)].map(|(a, b)| (StepId(a), StepId(b)));
        assert_eq!(switched(&plan), pairs);
        assert_eq!(switched(&Plan { experiment: model::PlannedExperiment::Survey, ..plan }), []);
    }

    #[test]
    fn sides_that_cost_a_restart_change_once_in_a_pass_and_meet_it_alike() {
        let ids = |all: [u32; 6]| all.map(StepId);
        let pairs = [(0, 3), (1, 4), (2, 5)].map(|(a, b)| (StepId(a), StepId(b)));
        let order = |b_first: bool| {
            let mut wanted = ids([4, 2, 0, 3, 5, 1]);
            side_after_side(&mut wanted, &pairs, b_first);
            wanted
        };
        assert_eq!(order(false), ids([1, 2, 0, 4, 5, 3]));
        assert_eq!(order(true), ids([4, 5, 3, 1, 2, 0]));
        let mut beside = ids([4, 2, 0, 3, 5, 1]);
        side_by_side(&mut beside, &pairs, true);
        assert_eq!(beside, ids([4, 1, 5, 2, 3, 0]));
        side_by_side(&mut beside, &[(StepId(0), StepId(1))], false);
        assert_eq!(beside, ids([4, 0, 1, 5, 2, 3]), "what is of no pair keeps its place");
    }
}
