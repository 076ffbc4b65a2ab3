//! Is a drive fit? Six of one model, of which one is slow, and what a drive says of itself.

use crate::made::{Made, chance, disk};
use judge::without_findings;
use model::facts::BlockQueue;
use model::{
    DeviceScope, DriveAbout, DriveFound, DriveHealth, Durability, Effort, Fitness, FitnessReason, JudgedDrive, Label,
    Pattern, PlannedExperiment,
};

const PASSES: usize = 4;

fn drive(id: u32, about: Option<DriveAbout>) -> JudgedDrive {
    let device = DeviceScope { model: Some("M".to_string()), rotational: Some(false), ..DeviceScope::default() };
    let (target, device) = (format!("/dev/vd{id}"), Some(device));
    JudgedDrive { target, device, through_file: false, cache: None, about, beside: Vec::new() }
}

/// A durable write takes 0.08 ms and a read 0.1 ms, of the odd one longer by its factor; each pass is off by up to 5 %.
fn found(drives: u32, odd: Option<(u32, f64)>, seed: u64, about: Option<DriveAbout>) -> Vec<DriveFound> {
    without_findings(&made(drives, odd, seed, about, PASSES).record).answer.drives().to_vec()
}

fn made(drives: u32, odd: Option<(u32, f64)>, seed: u64, about: Option<DriveAbout>, passes: usize) -> Made {
    let (mut made, mut seed) = (Made::cluster(), seed);
    for id in 0..drives {
        let mut by = |factor: f64| (0..passes).map(|_| factor * (0.95 + 0.1 * chance(&mut seed))).collect::<Vec<_>>();
        for way in [Durability::Dsync, Durability::Fsync, Durability::Fdatasync, Durability::None] {
            made.drifting(Pattern::WriteLatency, disk(id), 0.08, &by(1.0));
            made.record.plan.steps.last_mut().unwrap().workload.durability = way;
        }
        made.drifting(Pattern::ReadLatency, disk(id), 0.1, &by(odd.filter(|odd| odd.0 == id).map_or(1.0, |odd| odd.1)));
    }
    let judged = (0..drives).map(|id| drive(id, about.clone().filter(|_| id == 0))).collect();
    made.record.plan.experiment = PlannedExperiment::Fitness { drives: judged, sustained: Vec::new() };
    made
}

fn odd_ones(drives: &[DriveFound]) -> Vec<(&str, &str)> {
    let odd = |reason: &FitnessReason| matches!(reason, FitnessReason::SlowerThanTwins { .. });
    let what = |drive: &'_ DriveFound| match drive.reasons.iter().find(|reason| odd(reason)) {
        Some(FitnessReason::SlowerThanTwins { what, slower_by, others }) => {
            assert!((0.2..0.5).contains(slower_by) && *others == drives.len() as u64 - 1, "{slower_by} {others}");
            Some(what.clone())
        }
        _ => None,
    };
    { drives.iter() }.filter_map(|drive| Some((drive.target.as_str(), what(drive)?.leak() as &str))).collect()
}

#[test]
fn what_has_no_name_of_a_model_or_another_size_has_no_twins() {
    let with = |change: fn(&mut DeviceScope, u32)| {
        let mut made = made(6, Some((4, 1.5)), 1, None, PASSES);
        let PlannedExperiment::Fitness { drives, .. } = &mut made.record.plan.experiment else { unreachable!() };
        { drives.iter_mut().zip(0..) }.for_each(|(drive, id)| change(drive.device.as_mut().unwrap(), id));
        odd_ones(without_findings(&made.record).answer.drives()).len()
    };
    assert_eq!(with(|device, _| device.bytes = Some(1 << 40)), 1);
    assert_eq!(with(|device, _| device.model = None), 0, "volumes may lie on anything");
    assert_eq!(
        with(|device, id| device.bytes = Some(u64::from(1 + id / 4) << 40)),
        0,
        "a model whose name is cut short"
    );
}

#[test]
fn the_slow_one_of_six_of_one_model_is_named_with_what_is_slow() {
    let drives = found(6, Some((4, 1.5)), 1, None);
    assert_eq!(odd_ones(&drives), [("/dev/vd4", "random reads")]);
    assert!(drives.iter().all(|drive| drive.fitness == Fitness::Fit), "a slow read decides nothing: {drives:#?}");
    assert_eq!(odd_ones(&found(2, Some((1, 1.5)), 1, None)), [], "of two there is no odd one");
}

/// The quick ones may be quicker than their host could load them: they are peers none the less, and the slow one is named.
#[test]
fn twins_that_were_held_back_by_their_host_are_peers() {
    let mut made = made(3, Some((2, 1.5)), 1, None, PASSES);
    let is_quick = |step: &model::Step| step.targets[0].name != "/dev/vd2";
    let steps = made.record.plan.steps.clone();
    for slice in &mut made.record.slices {
        let step = steps.iter().find(|step| step.id == slice.step).unwrap();
        if step.pattern == Pattern::ReadLatency && is_quick(step) {
            slice.effort = Some(Effort { seconds: 10.0, cpu_seconds: 3.0, queued_seconds: 6.0, ..Effort::default() });
        }
    }
    let report = without_findings(&made.record);
    let held_back = report.figures.iter().filter(|figure| matches!(figure.label, Label::GeneratorLimited(_)));
    assert_eq!(held_back.count(), 2);
    assert_eq!(odd_ones(report.answer.drives()), [("/dev/vd2", "random reads")]);
}

/// In one pass something else may have used the machine during one load.
#[test]
fn one_load_of_one_pass_names_nobody() {
    let found = |odd| without_findings(&made(6, odd, 1, None, 1).record).answer.drives().to_vec();
    assert_eq!(odd_ones(&found(Some((4, 1.5)))), []);
}

/// With passes off by up to 5 % the chance of one alarm is far below 10⁻⁴ for each run: a drive would have to be off by 20 %.
#[test]
fn ten_clean_runs_name_nobody() {
    for seed in 1..=10 {
        assert_eq!(odd_ones(&found(6, None, seed, None)), [], "seed {seed}");
    }
}

#[test]
fn a_drive_that_expects_to_fail_is_unfit_whatever_its_figures_are() {
    let about = |passed: bool, pending: u64| {
        let health = DriveHealth { passed: Some(passed), pending: Some(pending), ..DriveHealth::default() };
        Some(DriveAbout { queue: BlockQueue::default(), health: Ok(health) })
    };
    let failing = found(1, None, 1, about(false, 0));
    assert_eq!((failing[0].fitness, &failing[0].reasons[0]), (Fitness::Unfit, &FitnessReason::Failing));
    let unread = found(1, None, 1, about(true, 8));
    assert_eq!(unread[0].fitness, Fitness::Fit);
    assert_eq!(unread[0].reasons.last(), Some(&FitnessReason::Unreadable { sectors: 8 }));
}

/// An OSD ends at the first operation that its drive refuses, however quick the others are.
#[test]
fn a_drive_whose_operations_fail_is_unfit() {
    let mut made = made(1, None, 1, None, PASSES);
    let slice = made.record.slices.iter_mut().find(|slice| slice.kind == model::OpClass::Write).unwrap();
    slice.samples[60].errors = 3;
    slice.error = Some("a write failed: Input/output error".to_string());
    let report = without_findings(&made.record);
    let drive = &report.answer.drives()[0];
    let FitnessReason::Failed { operations: 3, of, first: Some(first) } = &drive.reasons[0] else {
        panic!("{:?}", drive.reasons)
    };
    assert!(drive.fitness == Fitness::Unfit && *of > 1000 && first.contains("Input/output"), "{drive:?}");
}

#[test]
fn a_drive_that_fails_a_write_while_it_is_filled_is_unfit_and_one_that_has_no_room_is_not_decided() {
    let with = |why: &str| {
        let mut made = made(1, None, 1, None, PASSES);
        made.record.slices.iter_mut().for_each(|slice| slice.void = Some(format!("/dev/vd0: {why}")));
        without_findings(&made.record).answer.drives()[0].clone()
    };
    let broken = with(&format!("{}: Input/output error (os error 5)", model::fitness::FAILED_WHILE_FILLED));
    let [FitnessReason::Failed { operations: 1, of: 1, first: Some(first) }] = &broken.reasons[..] else {
        panic!("{:?}", broken.reasons)
    };
    assert!(broken.fitness == Fitness::Unfit && first.contains("Input/output error"), "{broken:?}");
    let unknown = with("cannot be filled: Permission denied");
    assert_eq!(unknown.fitness, Fitness::Open);
}
