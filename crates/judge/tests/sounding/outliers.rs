//! The slow one is named, with how slow it is; peers are compared with peers only.

use crate::made::{Made, osd};
use judge::without_findings;
use model::{Layer, Pattern, Standing};
use report::phrase::text;

fn with(values: [f64; 3]) -> Made {
    let mut made = Made::cluster();
    for (id, ms) in (0..).zip(values) {
        made.measured(Pattern::WriteLatency, osd(id), ms);
    }
    made
}

#[test]
fn one_of_three_osds_is_slow() {
    let report = without_findings(&with([1.0, 1.02, 1.45]).record);
    let found = &report.outliers[0];
    assert_eq!((report.outliers.len(), found.layer, found.target.as_str()), (1, Layer::Osd, "osd.2"));
    assert!((found.slower_by - (1.0 - 1.01 / 1.45)).abs() < 0.01, "{}", found.slower_by);
    let says = text(&found.says);
    assert!(says.starts_with("osd.2 takes 44 % longer than the median of the other two: 1.4"), "{says}");
    assert!(says.ends_with(" against 1.01 ms"), "{says}");
}

#[test]
fn in_a_single_pass_or_beside_others_it_is_only_a_hint() {
    let mut once = with([1.0, 1.02, 1.45]);
    once.record.slices.retain(|slice| slice.pass == 1);
    let mut beside = Made::cluster();
    beside.at_once(Pattern::WriteParallel, vec![osd(0), osd(1), osd(2)], &[1000.0, 1010.0, 600.0]);
    for made in [once, beside] {
        let report = without_findings(&made.record);
        assert_eq!((report.outliers.len(), report.outliers[0].standing), (1, Standing::Hint));
        assert!(text(&report.outliers[0].says).contains("not certain"), "{:?}", report.outliers[0].says);
    }
}

#[test]
fn what_drifts_for_all_alike_does_not_hide_the_slow_one() {
    let mut made = Made::cluster();
    for (id, ms) in [(0, 1.0), (1, 1.02), (2, 1.25)] {
        made.drifting(Pattern::WriteLatency, osd(id), ms, &[1.0, 1.3, 0.8, 1.1]);
    }
    let report = without_findings(&made.record);
    let found: Vec<&str> = report.outliers.iter().map(|outlier| outlier.target.as_str()).collect();
    assert_eq!(found, ["osd.2"]);
}

/// The slow one of three, and who had only half of the load that it was to have.
fn slow_beside(slow: f64, limited: u32) -> Vec<String> {
    let mut made = Made::cluster();
    for (id, rate) in [(0, 1000.0), (1, 1010.0), (2, slow)] {
        let step = made.step(Pattern::ReadParallel, vec![osd(id)]).clone();
        let depth = f64::from(step.workload.depth) * if id == limited { 0.5 } else { 1.0 };
        for pass in 1..=2 {
            made.slice(&step, Some(0), pass, depth * 1000.0 / rate, depth as u32);
        }
    }
    without_findings(&made.record).outliers.into_iter().map(|outlier| outlier.target).collect()
}

#[test]
fn nobody_is_slow_for_what_the_generator_did_not_give() {
    assert_eq!(slow_beside(600.0, u32::MAX), ["osd.2"]);
    assert!(slow_beside(600.0, 2).is_empty(), "it was held back itself");
    assert!(slow_beside(850.0, 0).is_empty(), "a little slower than one that was held back");
    assert_eq!(slow_beside(600.0, 0), ["osd.2"], "far slower even than one that was held back");
}

#[test]
fn who_is_off_by_far_is_known_though_the_other_two_do_not_agree() {
    let mut made = Made::cluster();
    for (id, rate) in [(0, 1000.0), (1, 1200.0), (2, 3.0)] {
        made.delivers(Pattern::ReadParallel, osd(id), rate);
    }
    let found: Vec<String> =
        without_findings(&made.record).outliers.into_iter().map(|outlier| outlier.target).collect();
    assert_eq!(found, ["osd.2"]);
}

#[test]
fn equal_osds_raise_no_alarm() {
    assert_eq!(without_findings(&with([1.0, 1.02, 1.08]).record).outliers, []);
}

#[test]
fn an_osd_of_another_class_is_no_peer() {
    let mut made = with([1.0, 1.02, 1.45]);
    made.record.scope.osds[2].class = Some("hdd".to_string());
    assert_eq!(without_findings(&made.record).outliers, []);
}

/// Nor is a hard disk with a database on flash one of those without.
#[test]
fn an_osd_without_a_database_on_flash_is_no_peer_of_those_with_one() {
    let mut made = with([1.0, 1.02, 1.45]);
    let flash = |id: u32| model::DeviceScope { path: format!("nvme{id}n1"), osds: vec![id], ..Default::default() };
    made.record.scope.devices.extend([flash(0), flash(1)]);
    assert_eq!(without_findings(&made.record).outliers, []);
    made.record.scope.devices.push(flash(2));
    assert_eq!(without_findings(&made.record).outliers.len(), 1);
}
