//! Which data a plan's steps need, each once; and smaller ones, where those would take too long.

use super::Job;
use crate::unfilled::client_of;
use model::units;
use model::{Access, Bytes, Layer, Place, Plan, Step, Target, Tree, Workload};

/// Steps that use the same data of their targets. A working set is made smaller for all of them and on every target, so that
/// they stay comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    layer: Layer,
    /// Size of its objects, and their family; `None`: it has no objects of ours.
    objects: Option<(Bytes, &'static str)>,
    /// Spread over a device: is it sequential, the block, the bytes. Each has places of its own; `None`: it lies together.
    spread: Option<(bool, Bytes, Bytes)>,
    /// Files by their names: how large each is, their tree, and how many jobs share it. Each has files of its own.
    tree: Option<(Bytes, Tree, u32)>,
    /// Each job has a file of its own for its blocks: how many jobs; 0: they share one.
    files_of_jobs: u32,
}

impl Set {
    pub fn of(step: &Step) -> Set {
        let objects = model::ObjectsNeeded::of(step.layer, &step.workload);
        let Workload { access, block, span, spread, .. } = &step.workload;
        let spread = spread.map(|_| (*access == Access::Sequential, *block, *span));
        let jobs = step.workload.jobs;
        let tree = step.workload.tree.map(|tree| (*block, tree, if tree.shared { jobs } else { 0 }));
        let of_library = step.layer.of_folders() && step.loads_ceph() && tree.is_none();
        let objects = objects.map(|needed| (needed.size, needed.family));
        Set { layer: step.layer, objects, spread, tree, files_of_jobs: if of_library { jobs } else { 0 } }
    }
}

/// How much of its data a step needs, always from the beginning on: the lanes of some shapes need a little more than the span, and things of
/// different sizes less, which is as if all were the largest.
pub fn needed(step: &Step) -> Bytes {
    let workload = &step.workload;
    match model::ObjectsNeeded::of(step.layer, workload) {
        Some(objects) => objects.bytes,
        None if step.layer.can().images => workload.lane_span() * Bytes::from(workload.jobs.max(1)),
        None => workload.bytes(),
    }
}

/// The same data serve several patterns: each (target, set) once, for the step that needs most of it.
pub fn jobs(plan: &Plan) -> Vec<Job<'_>> {
    let mut jobs: Vec<Job> = Vec::new();
    for step in &plan.steps {
        for target in step.targets.iter().filter(|target| ours(target)) {
            match jobs.iter_mut().find(|(other, known)| same((other, known), (step, target))) {
                Some(known) if needed(known.0) < needed(step) => *known = (step, target),
                Some(_) => {}
                None => jobs.push((step, target)),
            }
        }
    }
    jobs
}

fn same((a, of_a): Job, (b, of_b): Job) -> bool {
    let objects = Set::of(a).objects;
    of_a.place == of_b.place
        && of_a.client == of_b.client
        && Set::of(a) == Set::of(b)
        && (objects.is_some() || a.pattern.family() == b.pattern.family())
}

/// What is filled already.
#[derive(Default)]
pub struct FilledSets(Vec<(Set, Place, Option<String>, Bytes)>);

impl FilledSets {
    pub fn add(&mut self, step: &Step, target: &Target) {
        self.0.push((Set::of(step), target.place.clone(), client_of(target), needed(step)));
    }

    /// Those that are not, or not in this size: the lanes of a smaller set begin elsewhere.
    pub fn lacking<'a>(&self, jobs: Vec<Job<'a>>) -> Vec<Job<'a>> {
        let known = |(step, target): &Job| {
            let now = (Set::of(step), &target.place, client_of(target), needed(step));
            self.0.iter().any(|(set, place, client, span)| (*set, place, client.clone(), *span) == now)
        };
        jobs.into_iter().filter(|job| !known(job)).collect()
    }
}

/// Fewer objects, or blocks, of a lane measure nothing but themselves.
const PIECES_LEAST: Bytes = 16;
/// What RBD cuts an image into.
const IMAGE_OBJECT: Bytes = 4 << 20;

/// What is larger than the cache of any drive that turns.
const JUDGED_LEAST: Bytes = 1 << 30;

/// The largest half, quarter, … of the span that is no more than this share of it, but enough to measure, and to judge a drive by.
pub fn smaller(workload: &Workload, share: f64, judged: bool) -> Bytes {
    let piece = workload.object.unwrap_or(IMAGE_OBJECT).max(workload.block);
    let pieces = PIECES_LEAST.max(Bytes::from(workload.depth));
    let least = Bytes::from(workload.jobs.max(1)).saturating_mul(piece).saturating_mul(PIECES_LEAST);
    let least = least.max(workload.block.saturating_mul(pieces)).max(if judged { JUDGED_LEAST } else { 0 });
    let wanted = workload.span as f64 * share;
    let mut span = workload.span;
    while span as f64 > wanted && span.is_multiple_of(2) && span / 2 >= least {
        span /= 2;
    }
    span
}

/// Cuts the spans of all steps of these sets to the least share that is named; says what became of each set.
pub fn shrink(plan: &mut Plan, slow: &[(Set, f64)]) -> Vec<String> {
    let judged = !plan.experiment.judged_drives().is_empty();
    let mut sets: Vec<Set> = Vec::new();
    for (set, _) in slow {
        if !sets.contains(set) {
            sets.push(*set);
        }
    }
    let cut = |set: Set| {
        let share = slow.iter().filter(|(other, _)| *other == set).map(|(_, share)| *share).fold(1.0, f64::min);
        let mut largest = (0, 0);
        for step in plan.steps.iter_mut().filter(|step| Set::of(step) == set) {
            let before = step.workload.span;
            // Its objects stay those that are there.
            step.workload.object = step.workload.object.or(set.objects.map(|(size, _)| size));
            step.workload.span = smaller(&step.workload, share, judged);
            if step.workload.span < before && !plan.cut.contains(&step.id) {
                plan.cut.push(step.id);
            }
            largest = largest.max((before, step.workload.span));
        }
        let objects = set.objects.map(|(object, _)| format!(" in objects of {}", units::bytes(object)));
        let access = set.spread.map(|(sequential, ..)| match sequential {
            true => " for sequential work".to_string(),
            false => " for random work".to_string(),
        });
        let objects = objects.or(access).unwrap_or_default();
        format!(
            "writing the working set of the {} layer{objects} full takes long: it was cut from {} to {} (--working-set SIZE decides)",
            set.layer.name(),
            units::bytes(largest.0),
            units::bytes(largest.1)
        )
    };
    sets.into_iter().map(cut).collect()
}

/// Only what Fathom made, or what was proven empty, is ever filled.
fn ours(target: &Target) -> bool {
    match &target.place {
        Place::Path { writable, .. } => *writable,
        Place::Osd { .. } => true,
        Place::Pool { prefix, .. } => prefix.starts_with("fathom."),
        Place::Bucket { prefix, .. } => prefix.starts_with("fathom."),
        Place::Tree { .. } | Place::Cephfs { .. } | Place::Nfs { .. } => true,
        Place::Images { images, .. } => images.iter().all(|image| image.starts_with("fathom.")),
        Place::Pair { .. } | Place::Replicas { .. } | Place::Store { .. } | Place::Null => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use experiments::planner;
    use model::testing;
    use model::{Pattern, StepId};
    use proptest::prelude::*;

    fn step(id: u32, pattern: Pattern, osds: std::ops::Range<u32>, span: Bytes) -> Step {
        let place = |osd| Place::Osd { osd, pool: "fathom.x".into(), replicas: Vec::new() };
        let object = Some(if pattern == Pattern::WriteLinear { 4 << 20 } else { 64 << 10 });
        Step::new(
            id,
            testing::osds(),
            pattern,
            osds.map(|osd| Target::new(testing::osds(), format!("osd.{osd}"), place(osd))).collect(),
            Workload { object, ..Workload::canonical(pattern, span, 1) },
        )
    }

    #[test]
    fn a_set_is_cut_on_every_target_and_filled_again_where_it_was() {
        let steps = vec![
            step(0, Pattern::WriteLatency, 0..1, 1 << 28),
            step(1, Pattern::ReadLatency, 1..2, 1 << 28),
            step(2, Pattern::WriteLinear, 0..2, 1 << 28),
        ];
        let mut plan = Plan { steps, ..Plan::default() };
        let mut done = FilledSets::default();
        assert_eq!(done.lacking(jobs(&plan)).len(), 4);
        let all = plan.steps.clone();
        done.add(&all[0], &all[0].targets[0]);
        done.add(&all[2], &all[2].targets[0]);
        done.add(&all[2], &all[2].targets[1]);
        assert_eq!(done.lacking(jobs(&plan)).len(), 1);
        let slow = [(Set::of(&all[1]), 0.3), (Set::of(&all[1]), 0.13)];
        let told = shrink(&mut plan, &slow);
        assert_eq!(plan.steps.iter().map(|step| step.workload.span).collect::<Vec<_>>(), [1 << 25, 1 << 25, 1 << 28]);
        assert_eq!(plan.cut, [StepId(0), StepId(1)]);
        assert_eq!(told.len(), 1);
        assert!(
            told[0].contains("osd layer in objects of 64 KiB") && told[0].contains("256 MiB to 32 MiB"),
            "{told:?}"
        );
        assert_eq!(done.lacking(jobs(&plan)).len(), 2);
    }

    /// Every object that a step loads is among those that are filled, whatever else is swept.
    fn all_are_filled(plan: &Plan) {
        let filled: Vec<_> = jobs(plan).iter().map(|(step, target)| (&target.place, needed_objects(step))).collect();
        for step in &plan.steps {
            let wanted = needed_objects(step);
            for target in &step.targets {
                let same = |(place, there): &&(&Place, model::ObjectsNeeded)| {
                    **place == target.place && (there.size, there.family) == (wanted.size, wanted.family)
                };
                let there: Vec<_> = filled.iter().filter(same).collect();
                assert_eq!(there.len(), 1, "each set is filled once: {} {wanted:?}", target.name);
                assert!(there[0].1.count >= wanted.count, "{} needs {wanted:?} of {:?}", target.name, there[0].1);
            }
        }
    }

    fn needed_objects(step: &Step) -> model::ObjectsNeeded {
        model::ObjectsNeeded::of(step.layer, &step.workload).unwrap()
    }

    #[test]
    fn every_point_of_a_sweep_reads_what_was_written_for_it() {
        let sweeps: [&[&str]; 8] = [
            &["block-size=4k,64k,1M,4M"],
            &["working-set=64M,256M,1G,4G"],
            &["block-size=4k,1M,4M", "working-set=64M,4G"],
            // 3 and 7 do not divide the span.
            &["jobs=1,3,7", "depth=16"],
            &["jobs=1,3,7", "block-size=4k,1M", "depth=16"],
            &["object-size=64k,1M", "block-size=4k,4M"],
            &["read-share=0,50,100", "block-size=4k,256k"],
            &["clients=1,2,3", "block-size=4k,2M", "depth=8"],
        ];
        for (layer, axes) in
            [testing::osds(), testing::pools()].into_iter().flat_map(|layer| sweeps.map(|axes| (layer, axes)))
        {
            let mut request = planner::testing::request(&[layer]);
            let axes: Vec<_> = axes.iter().map(|axis| planner::testing::axis(axis)).collect();
            request.experiment = experiments::Experiment::Sweep { axes: axes.clone() };
            let plan = planner::plan(&planner::testing::inventory(3), &request).unwrap();
            assert_eq!(
                plan.steps.len(),
                request.experiment.axes().iter().map(|axis| axis.values.len()).product::<usize>(),
                "{axes:?}"
            );
            all_are_filled(&plan);
        }
    }

    #[test]
    fn large_blocks_one_after_the_other_are_read_where_nothing_else_writes() {
        for layer in [testing::osds(), testing::pools(), testing::images()] {
            let mut request = planner::testing::request(&[layer]);
            if layer != testing::images() {
                request.workload.object_size = Some(4 << 20);
            }
            let plan = planner::plan(&planner::testing::inventory(3), &request).unwrap();
            let (linear, random): (Vec<_>, Vec<_>) =
                plan.steps.iter().partition(|step| step.workload.access == model::Access::Sequential);
            assert!(!linear.is_empty() && !random.is_empty());
            for (one, other) in linear.iter().flat_map(|one| random.iter().map(move |other| (one, other))) {
                let shares = |target: &&Target| other.targets.iter().any(|there| shared(&target.place, &there.place));
                let apart = Set::of(one) != Set::of(other);
                assert!(
                    apart || !one.targets.iter().any(|target| shares(&target)),
                    "{} {}",
                    one.together(),
                    other.together()
                );
            }
            if layer != testing::images() {
                all_are_filled(&plan);
            }
        }
    }

    fn shared(one: &Place, other: &Place) -> bool {
        match (one, other) {
            (Place::Images { images: one, .. }, Place::Images { images: other, .. }) => {
                one.iter().any(|image| other.contains(image))
            }
            _ => one == other,
        }
    }

    #[test]
    fn what_lies_spread_over_a_device_is_filled_for_each_kind_of_work_that_has_places_of_its_own() {
        let place = || Place::Path { path: "/dev/vdx".into(), writable: true };
        let disk = |id: u32, pattern, block, spread| {
            Step::new(
                id,
                testing::disks(),
                pattern,
                vec![Target::new(testing::disks(), "/dev/vdx", place())],
                Workload { block, spread, ..Workload::canonical(pattern, 1 << 32, 1) },
            )
        };
        let plan = |spread| {
            let loads =
                [(Pattern::ReadParallel, 4096), (Pattern::ReadParallel, 1 << 20), (Pattern::WriteParallel, 4096)];
            let linear = (Pattern::ReadLinear, 1 << 22);
            let steps = (0..).zip(loads.into_iter().chain([linear]));
            let steps = steps.map(|(id, (pattern, block))| disk(id, pattern, block, spread)).collect();
            Plan { steps, ..Plan::default() }
        };
        let filled = |plan: &Plan| jobs(plan).iter().map(|(step, _)| step.id.0).collect::<Vec<_>>();
        assert_eq!(filled(&plan(Some(1 << 40))), [0, 1, 3]);
        assert_eq!(filled(&plan(None)), [0, 3]);
        // One that is cut is filled anew, since its pieces lie elsewhere; the others stay.
        let mut plan = plan(Some(1 << 40));
        let mut done = FilledSets::default();
        let steps = plan.steps.clone();
        steps.iter().for_each(|step| done.add(step, &step.targets[0]));
        let told = shrink(&mut plan, &[(Set::of(&steps[3]), 0.5)]);
        assert!(told[0].contains("device layer for sequential work full takes long"), "{told:?}");
        assert_eq!(done.lacking(jobs(&plan)).iter().map(|(step, _)| step.id.0).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn of_things_of_different_sizes_what_they_really_have_is_written() {
        let sizes = model::Sizes::between(4096, 1 << 20).unwrap();
        let tree = Tree { levels: 1, folders: 8, files: 128, shared: false };
        let span = tree.bytes(16, 1 << 20);
        let load = Workload { jobs: 16, depth: 16, block: 1 << 20, ..Workload::canonical(Pattern::Stat, span, 1) };
        let load = Workload { sizes: Some(sizes), tree: Some(tree), ..load };
        let step = |layer, workload: Workload| Step::new(0, layer, Pattern::Stat, Vec::new(), workload);
        let files = step(testing::folders(), load.clone());
        assert!(needed(&files) == load.bytes() && needed(&files) < span / 2, "{} of {span}", needed(&files));
        let objects = step(testing::buckets(), Workload { tree: None, object: Some(1 << 20), ..load });
        assert!(needed(&objects) < span / 2, "{} of {span}", needed(&objects));
    }

    #[test]
    fn a_drive_is_judged_by_more_than_its_own_cache_holds() {
        let load = Workload::canonical(Pattern::ReadLatency, 4 << 30, 1);
        assert_eq!([0.6, 0.3, 0.001].map(|share| smaller(&load, share, true) >> 20), [2048, 1024, 1024]);
        assert!(smaller(&load, 0.001, false) < 1 << 30);
        // One that somebody wants smaller is as he wants it.
        assert_eq!(smaller(&Workload { span: 1 << 28, ..load }, 0.001, true), 1 << 28);
    }

    proptest! {
        #[test]
        fn a_smaller_set_has_room_for_what_is_in_flight(
            span in 0u64..1 << 40, share in -1.0..2.0, depth in 1u32..5000, jobs in 1u32..100, block in 1u64..1 << 26,
        ) {
            let workload =
                Workload { span, depth, jobs, block, ..Workload::canonical(Pattern::ReadParallel, span, 1) };
            let cut = smaller(&workload, share, false);
            prop_assert!(cut <= span);
            prop_assert!(cut == span || (cut >= block * u64::from(depth) && cut >= PIECES_LEAST * u64::from(jobs) * block));
        }
    }
}
