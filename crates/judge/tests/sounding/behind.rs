//! What lies behind figures: compactions beside dips, shapes in the windows, and how far writes to a device hold.

use crate::made::{Made, WINDOW, chance, disk, pool, store};
use judge::without_findings;
use model::testing;
use model::{
    Background, Compaction, Ended, Figure, OpClass, OsdLooks, Pattern, Piece, PlannedExperiment, Record, Report,
    Sample, Sight, Slice, StepId, StoreActivity, SustainedSeries, SustainedTest, Target, Until,
};

/// Windows of 100 ms at these operations a window, give or take a twentieth.
fn slice(pass: u32, ops: &[f64], target: Option<u32>) -> Slice {
    let mut seed = u64::from(pass);
    let sample = |(window, ops): (usize, &f64)| {
        let ops = (ops * (0.95 + 0.1 * chance(&mut seed))).round() as u64;
        Sample { window: window as u32, span_ns: WINDOW, ops, bytes: ops * 4096, ..Sample::default() }
    };
    Slice {
        target,
        kind: OpClass::Write,
        started_seconds: f64::from(pass) * 60.0,
        ..testing::slice(StepId(0), pass, WINDOW, ops.iter().enumerate().map(sample).collect())
    }
}

fn record(target: Target, slices: Vec<Slice>) -> Record {
    let mut made = Made::cluster();
    made.step(Pattern::WriteParallel, vec![target]);
    Record { slices, finished: true, ..made.record }
}

/// 12 s at 1000 with dips to 400 of half a second at these seconds.
fn dipping(at: &[f64]) -> Vec<f64> {
    let dips = |second: f64| at.iter().any(|dip| (*dip..*dip + 0.5).contains(&second));
    (0..120).map(|window| if dips(f64::from(window) / 10.0) { 400.0 } else { 1000.0 }).collect()
}

/// Looks once a second, at OSD 1; tables were written in these seconds.
fn looks(pass: u32, busy: &[u32]) -> Compaction {
    let look = |second: u32| {
        let bytes = if busy.contains(&second) { 20_000_000 } else { 0 };
        StoreActivity { from: f64::from(second), to: f64::from(second + 1), bytes }
    };
    let idle = (0..12).map(|second| StoreActivity { bytes: 0, ..look(second) }).collect();
    let osds = vec![
        OsdLooks { osd: 1, looks: (0..12).map(look).collect(), reads: None, database: None },
        OsdLooks { osd: 0, looks: idle, reads: None, database: None },
    ];
    Compaction { step: StepId(0), pass, osds, of: 2 }
}

fn report(dips: [&[f64]; 2], busy: [&[u32]; 2], target: Target) -> Report {
    let slices = vec![slice(1, &dipping(dips[0]), Some(0)), slice(2, &dipping(dips[1]), Some(0))];
    let compactions = vec![looks(1, busy[0]), looks(2, busy[1])];
    without_findings(&seen_beside(record(target, slices), compactions))
}

/// Its words, without the quantities.
fn blamed(seen: &Background) -> String {
    let text = |piece: &Piece| if let Piece::Text(text) = piece { text.clone() } else { String::new() };
    seen.blamed().unwrap_or_default().0.iter().map(text).collect()
}

#[test]
fn dips_that_come_with_compactions_are_said_to_and_others_are_not() {
    let found = report([&[2.2, 7.3], &[4.1, 9.2]], [&[2, 7], &[4, 9]], pool());
    let seen = found.figures[0].background.as_ref().unwrap();
    assert_eq!((seen.osds, seen.of, seen.slices, seen.quiet, seen.dips, seen.in_step), (2, 2, 2, 0, 4, 4));
    assert!(seen.chance.unwrap() < 0.01 && (seen.busy - 4.0 / 24.0).abs() < 1e-9, "{seen:?}");
    assert!(blamed(seen).starts_with("dips in step with RocksDB compaction: ") && seen.dips_beyond_chance, "{seen:?}");

    let elsewhere = report([&[2.2, 7.3], &[4.1, 9.2]], [&[5, 10], &[1, 7]], pool());
    let seen = elsewhere.figures[0].background.as_ref().unwrap();
    assert_eq!((seen.in_step, seen.blamed(), &seen.says), (0, None, &None), "{seen:?}");
    // Where tables are written all the time, every dip meets one, and that says nothing.
    let all: Vec<u32> = (0..12).collect();
    let always = report([&[2.2, 7.3], &[4.1, 9.2]], [&all, &all], pool());
    let seen = always.figures[0].background.as_ref().unwrap();
    assert_eq!((seen.in_step, seen.chance, &seen.says), (4, Some(1.0), &None), "{seen:?}");
    assert!(!seen.dips_beyond_chance);
}

/// 12 s at 1000, but 300 in these seconds.
fn slow_in(seconds: std::ops::Range<u32>) -> Vec<f64> {
    (0..120).map(|window| if seconds.contains(&(window / 10)) { 300.0 } else { 1000.0 }).collect()
}

#[test]
fn a_level_that_is_lower_while_tables_are_written_is_said_to_be_by_how_much() {
    let of = |busy: [&[u32]; 2], target: Target| {
        let slices = vec![slice(1, &slow_in(2..7), Some(0)), slice(2, &slow_in(5..9), Some(0))];
        let compactions = vec![looks(1, busy[0]), looks(2, busy[1])];
        without_findings(&seen_beside(record(target, slices), compactions))
    };
    let found = of([&[2, 3, 4, 5, 6], &[5, 6, 7, 8]], pool());
    let seen = found.figures[0].background.as_ref().unwrap();
    let slowed = seen.slowed.unwrap();
    assert!((slowed.by - 0.7).abs() < 0.01 && slowed.at_least > 0.4 && slowed.at_least < slowed.by, "{seen:?}");
    assert!(slowed.stretches == 2 && slowed.chance < 0.01, "{seen:?}");
    let says = blamed(seen);
    assert!(says.starts_with("slower while RocksDB wrote tables: ") && says.ends_with(" stretches"), "{says}");
    assert!(seen.slower_beyond_chance && !seen.dips_beyond_chance, "{seen:?}");

    // At other times; all the time; by another OSD than the one that is measured.
    for (busy, target) in [
        ([&[8, 9, 10][..], &[1, 2, 3][..]], pool()),
        ([&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]], pool()),
        ([&[2, 3, 4, 5, 6], &[5, 6, 7, 8]], store(0)),
    ] {
        let found = of(busy, target);
        let seen = found.figures[0].background.clone().unwrap();
        let says = seen.says.is_none_or(|says| says.starts_with("no compaction ran"));
        assert!(says && !seen.slower_beyond_chance && !seen.dips_beyond_chance, "{busy:?}");
    }
}

#[test]
fn a_store_is_judged_by_its_own_compactions_and_none_at_all_is_named() {
    // OSD 0 had none; those of OSD 1 are not its own.
    let found = report([&[], &[]], [&[2], &[4]], store(0));
    let seen = found.figures[0].background.as_ref().unwrap();
    assert_eq!((seen.osds, seen.of, seen.slices, seen.quiet), (1, 1, 2, 2), "{seen:?}");
    let says = seen.says.as_ref().unwrap();
    assert!(says.starts_with("no compaction ran in 2 slices (24.0 s in all)"), "{says}");
    let one = report([&[], &[]], [&[2], &[]], store(1)).figures[0].background.clone().unwrap();
    assert!(one.says.as_ref().unwrap().starts_with("no compaction ran in 1 slice of 2"), "{one:?}");
    let nobody = without_findings(&record(pool(), vec![slice(1, &dipping(&[]), Some(0))]));
    assert_eq!(nobody.figures[0].background, None);
}

#[test]
fn labels_come_with_what_made_them_visible() {
    let of = |slices: Vec<Slice>| without_findings(&record(disk(0), slices)).figures[0].clone();
    let about = |value: f64, wanted: f64| (value / wanted - 1.0).abs() < 0.03;
    let two: Vec<f64> = (0..120).map(|i| if i % 40 < 12 { 300.0 } else { 1000.0 }).collect();
    let figure = of(vec![slice(1, &two, Some(0)), slice(2, &two, Some(0))]);
    assert!(
        matches!(figure.sight, Some(Sight::TwoLevels { low, high, share_low })
            if about(low, 3000.0) && about(high, 10_000.0) && about(share_low, 0.3)),
        "{figure:?}"
    );
    let fallen: Vec<f64> = (0..120).map(|i| if i < 60 { 1000.0 } else { 300.0 }).collect();
    let figure = of(vec![Slice { settled: false, ..slice(1, &fallen, Some(0)) }, slice(2, &[300.0; 120], Some(0))]);
    assert_eq!(figure.label.name(), "burst");
    assert!(
        matches!(figure.sight, Some(Sight::Fall { before, after, at })
            if about(before, 10_000.0) && about(after, 3000.0) && (at - 66.0).abs() < 0.2),
        "{figure:?}"
    );
    let figure =
        of((1..).zip([1000.0, 1080.0, 930.0, 1010.0]).map(|(pass, ops)| slice(pass, &[ops; 90], Some(0))).collect());
    assert_eq!(figure.label.name(), "wandering");
    assert!(matches!(&figure.sight, Some(Sight::Slices { means }) if means.len() == 4 && about(means[1], 10_800.0)));
    let drift: Vec<f64> = (0..120).map(|i| 1000.0 + 8.0 * f64::from(i)).collect();
    let figure = of(vec![Slice { settled: false, ..slice(1, &drift, Some(0)) }]);
    assert!(matches!(figure.sight, Some(Sight::Moving { pass: 1, from, to }) if from < to), "{figure:?}");
    assert_eq!(of(vec![slice(1, &[1000.0; 90], Some(0)), slice(2, &[1000.0; 90], Some(0))]).sight, None);
}

#[test]
fn dips_of_few_events_are_told_with_their_places() {
    let dips = (0..120).map(|i| if (50..62).contains(&i) { 100.0 } else { 1000.0 }).collect::<Vec<f64>>();
    let slices = vec![slice(1, &dips, Some(0)), slice(2, &[1000.0; 120], Some(0))];
    let figure = without_findings(&record(disk(0), slices)).figures[0].clone();
    assert_eq!(figure.label.name(), "few events", "{:?}", figure.label);
    let Some(Sight::Dips { dips, .. }) = figure.sight else { panic!("{:?}", figure.sight) };
    assert!(dips.len() == 1 && dips[0].pass == 1 && (dips[0].from - 5.0).abs() < 0.2 && (dips[0].to - 6.2).abs() < 0.2);
}

/// Two devices of one model, of which the first was written to until it fell, after `seconds` at 100 MB/s; or did not.
fn with_cliff(seconds: usize, falls: bool) -> (Vec<Figure>, Report) {
    let mut made = Made::cluster();
    made.step(Pattern::WriteParallel, vec![disk(0)]);
    made.step(Pattern::WriteParallel, vec![disk(1)]);
    let step = made.step(Pattern::WriteLinear, vec![disk(0)]).clone();
    made.record.plan.steps.pop();
    let slices = (0..2)
        .flat_map(|id| (1..=2).map(move |pass| Slice { step: StepId(id), ..slice(pass, &[1000.0; 90], Some(0)) }));
    let after = if falls { vec![2_000_000; 120] } else { Vec::new() };
    let windows = [vec![10_000_000; seconds * 10], after].concat();
    let ended = if falls { Ended::Fell } else { Ended::Time };
    let target = step.together();
    let sustained = vec![SustainedSeries {
        target,
        until: Until::Falls,
        filled: None,
        windows,
        window_ns: WINDOW,
        before: 0,
        ended,
        error: None,
    }];
    made.record.plan.experiment = PlannedExperiment::SustainedWrites(vec![SustainedTest {
        model: Some("X".into()),
        also: vec!["/dev/vd1".into()],
        seconds: 900.0,
        ..SustainedTest::of(step)
    }]);
    let report = without_findings(&Record { slices: slices.collect(), sustained, finished: true, ..made.record });
    (report.figures.clone(), report)
}

#[test]
fn figures_of_writes_say_how_far_they_hold_also_on_another_device_of_the_model() {
    let (figures, report) = with_cliff(40, true);
    let held = report.answer.endurance()[0].held;
    assert!((3_900_000_000..4_000_000_001).contains(&held), "{held}");
    for figure in &figures {
        assert_eq!((figure.label.name(), figure.valid_up_to), ("burst", Some(held)), "{figure:?}");
        assert!(figure.label.why().unwrap().starts_with("valid up to 3."), "{:?}", figure.label);
    }
    // 1.47 GB had been written to each device: past a cliff at 0.5 GB no doubt is left.
    let (figures, report) = with_cliff(5, true);
    assert!(report.answer.endurance()[0].cliff.is_some());
    assert!(figures.iter().all(|figure| figure.label.name() == "brief" && figure.valid_up_to.is_none()));
    let (figures, report) = with_cliff(40, false);
    assert!(report.answer.endurance()[0].cliff.is_none());
    assert!(figures.iter().all(|f| f.label.name() == "brief" && f.valid_up_to == Some(4_000_000_000)));
}

fn seen_beside(record: Record, compactions: Vec<Compaction>) -> Record {
    Record { observations: compactions.into_iter().map(model::Observation::Compaction).collect(), ..record }
}
