//! What can't be is struck out with its reason, and used no further; what merely surprises is not.

use crate::made::{Made, disk, images, osd, pair, pool};
use judge::without_findings;
use model::{Figure, Layer, Pattern, Report};

fn of<'r>(report: &'r Report, layer: Layer, target: &str) -> &'r Figure {
    report.figures.iter().find(|figure| figure.layer == layer && figure.target == target).unwrap()
}

fn why(figure: &Figure) -> &str {
    assert_eq!(figure.label.name(), "implausible", "{:?}", figure.label);
    figure.label.why().unwrap()
}

fn not_struck(report: &Report) {
    for figure in &report.figures {
        assert_ne!(figure.label.name(), "implausible", "{} {}: {:?}", figure.layer.name(), figure.target, figure.label);
    }
}

#[test]
fn writes_with_their_copies_above_the_sum_of_the_osds() {
    let mut made = Made::cluster();
    for id in 0..3 {
        made.delivers(Pattern::WriteParallel, osd(id), 1000.0);
    }
    made.delivers(Pattern::WriteParallel, pool(), 1400.0);
    let report = without_findings(&made.record);
    let why = why(of(&report, Layer::Rados, "pool"));
    assert!(why.contains("3 replicas") && why.contains("3,000 IOPS") && why.contains("of one osd"), "{why}");
    assert!(report.ledger.iter().all(|row| row.layer != Layer::Rados));
    let cell = report.chart.iter().find(|cell| cell.layer == Layer::Rados).unwrap();
    assert_eq!((cell.estimate, cell.label.as_str()), (None, "implausible"));
}

#[test]
fn writes_within_the_sum_of_the_osds_stand() {
    let mut made = Made::cluster();
    made.at_once(Pattern::WriteParallel, (0..3).map(osd).collect(), &[1000.0, 1000.0, 1000.0]);
    made.delivers(Pattern::WriteParallel, pool(), 950.0).delivers(Pattern::WriteParallel, images(), 900.0);
    not_struck(&without_findings(&made.record));
}

#[test]
fn a_write_sooner_than_its_own_disk_commits() {
    let mut made = Made::cluster();
    made.measured(Pattern::WriteLatency, disk(0), 2.0).measured(Pattern::WriteLatency, disk(1), 0.2);
    made.measured(Pattern::WriteLatency, osd(0), 1.0).measured(Pattern::WriteLatency, osd(1), 1.0);
    let report = without_findings(&made.record);
    let why = why(of(&report, Layer::Osd, "osd.0"));
    assert!(why.contains("/dev/vd0") && why.contains("2.00 ms"), "{why}");
    assert_ne!(of(&report, Layer::Osd, "osd.1").label.name(), "implausible");
}

/// Another part of the disk, measured while the OSD served: it stands for the disk, and proves nothing against the OSD.
#[test]
fn a_spare_partition_stands_for_the_osds_disk_and_strikes_nothing_out() {
    let mut made = Made::cluster();
    let spare = model::Target { name: "/dev/vd0p2".into(), on: Some("/dev/vd0".into()), beside: vec![0], ..disk(0) };
    let place = model::Place::Path { path: "/dev/vd0p2".into(), writable: true };
    let spare = model::Target { place, host: Some("as-the-kernel-says".into()), ..spare };
    made.delivers(Pattern::WriteParallel, spare, 1000.0).delivers(Pattern::WriteParallel, disk(1), 500.0);
    made.delivers(Pattern::WriteParallel, osd(0), 400.0).delivers(Pattern::WriteParallel, osd(1), 400.0);
    let report = without_findings(&made.record);
    // Each OSD against its own disk.
    let row = report.ledger.iter().find(|row| row.layer == Layer::Osd).unwrap();
    assert!(format!("{row:?}").contains("750"), "{row:?}");
    let mut made = Made::cluster();
    let place = model::Place::Path { path: "/dev/vd0p2".into(), writable: true };
    let spare = model::Target { on: Some("/dev/vd0".into()), beside: vec![0], place, ..disk(0) };
    made.measured(Pattern::WriteLatency, spare, 2.0).measured(Pattern::WriteLatency, osd(0), 1.0);
    not_struck(&without_findings(&made.record));
}

#[test]
fn a_disk_that_is_not_known_to_be_the_osds_judges_nothing() {
    let mut made = Made::cluster();
    made.record.scope.osds[0].device = Some("sdx".to_string());
    made.measured(Pattern::WriteLatency, disk(0), 2.0).measured(Pattern::WriteLatency, osd(0), 1.0);
    not_struck(&without_findings(&made.record));
}

#[test]
fn reads_faster_than_the_disk_come_from_a_cache_and_stand() {
    let mut made = Made::cluster();
    made.measured(Pattern::ReadLatency, disk(0), 2.0).measured(Pattern::ReadLatency, osd(0), 0.3);
    made.delivers(Pattern::ReadParallel, disk(0), 1000.0).delivers(Pattern::ReadParallel, osd(0), 9000.0);
    not_struck(&without_findings(&made.record));
}

#[test]
fn an_operation_sooner_than_a_round_trip_to_its_host() {
    let mut made = Made::cluster();
    made.measured(Pattern::ReadLatency, pair(0), 0.5).measured(Pattern::ReadLatency, osd(0), 0.3);
    made.measured(Pattern::ReadLatency, osd(1), 0.3);
    let report = without_findings(&made.record);
    assert!(why(of(&report, Layer::Osd, "osd.0")).contains("one round trip to host-0"));
    assert_ne!(of(&report, Layer::Osd, "osd.1").label.name(), "implausible");
}

#[test]
fn more_than_the_link_carries() {
    let mut made = Made::cluster();
    made.delivers(Pattern::ReadLinear, pair(0), 25.0).delivers(Pattern::ReadLinear, osd(0), 60.0);
    let report = without_findings(&made.record);
    let why = why(of(&report, Layer::Osd, "osd.0"));
    assert!(why.contains("the network to host-0 carries 105 MB/s"), "{why}");
}

#[test]
fn a_pool_is_held_against_all_links_together() {
    let mut made = Made::cluster();
    for id in 0..3 {
        made.delivers(Pattern::ReadLinear, pair(id), 25.0);
    }
    made.delivers(Pattern::ReadLinear, pool(), 60.0);
    not_struck(&without_findings(&made.record));
    made.record.slices.retain(|slice| slice.step.0 < 3);
    made.record.plan.steps.truncate(3);
    made.delivers(Pattern::ReadLinear, pool(), 100.0);
    let report = without_findings(&made.record);
    assert!(why(of(&report, Layer::Rados, "pool")).contains("host-0, host-1, host-2"));
}

#[test]
fn an_image_sooner_than_its_pool() {
    let mut made = Made::cluster();
    made.measured(Pattern::WriteLatency, pool(), 2.0).measured(Pattern::WriteLatency, images(), 1.0);
    made.measured(Pattern::ReadLatency, pool(), 2.0).measured(Pattern::ReadLatency, images(), 1.0);
    let report = without_findings(&made.record);
    let struck: Vec<Pattern> =
        report.figures.iter().filter(|f| f.label.name() == "implausible").map(|f| f.pattern).collect();
    assert_eq!(struck, [Pattern::WriteLatency]);
}

#[test]
fn littles_law() {
    let labels = |ms_told: f64| {
        let mut made = Made::cluster();
        made.measured(Pattern::ReadParallel, disk(0), 10.0);
        for sample in made.record.slices.iter_mut().flat_map(|slice| &mut slice.samples) {
            sample.service.sum_ns = (sample.service.sum_ns as f64 * ms_told / 10.0) as u64;
        }
        without_findings(&made.record).figures[0].label.clone()
    };
    assert_eq!(labels(10.5).name(), "brief");
    assert_eq!(labels(13.0).name(), "implausible");
    let few = labels(7.0);
    assert_eq!(few.name(), "generator-limited");
    assert!(few.why().unwrap().contains("in flight, not the 128 asked for"), "{few:?}");
}

/// 4 µs an operation of which the disk has 3.
fn quick_disk(pattern: Pattern, ms: f64) -> String {
    let mut made = Made::cluster();
    let step = made.step(pattern, vec![disk(0)]);
    step.workload.depth = 1;
    let step = step.clone();
    for pass in 1..=2 {
        let slice = made.slice(&step, Some(0), pass, ms, 1);
        slice.samples.iter_mut().for_each(|sample| sample.service.sum_ns = sample.service.sum_ns * 3 / 4);
    }
    without_findings(&made.record).figures[0].label.name().to_string()
}

#[test]
fn a_late_next_operation_limits_a_rate_but_falsifies_no_latency() {
    assert_eq!(quick_disk(Pattern::ReadParallel, 0.4), "generator-limited");
    assert_eq!(quick_disk(Pattern::ReadLatency, 0.4), "brief");
    // Below two microseconds it is the generator's own time.
    assert_eq!(quick_disk(Pattern::ReadParallel, 0.004), "brief");
}

#[test]
fn a_pool_is_judged_by_the_quickest_of_the_osds_on_which_it_lies() {
    let label = |on: Vec<u32>, measured: &[u32]| {
        let mut made = Made::cluster();
        made.record.scope.new_pool_osds = on;
        for (id, ms) in [(0, 1.0), (1, 3.0), (2, 3.0)].into_iter().filter(|(id, _)| measured.contains(id)) {
            made.measured(Pattern::WriteLatency, osd(id), ms);
        }
        made.measured(Pattern::WriteLatency, pool(), 2.0);
        let report = without_findings(&made.record);
        report.figures.iter().find(|figure| figure.layer == Layer::Rados).unwrap().label.name().to_string()
    };
    assert_ne!(label(Vec::new(), &[0, 1, 2]), "implausible");
    assert_eq!(label(vec![1, 2], &[0, 1, 2]), "implausible", "it does not lie on osd.0");
    assert_ne!(label(vec![0, 1], &[1, 2]), "implausible", "osd.0 was not measured");
}
