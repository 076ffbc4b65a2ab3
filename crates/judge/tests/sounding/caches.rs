//! Reads from memory are said to be, by the OSDs' own counters, and the disk has only the part for which it was asked.

use crate::made::{Made, disk, osd, pair, pool};
use judge::without_findings;
use model::{Caches, Compaction, Figure, Layer, LedgerRow, Observation, OsdLooks, Pattern, Report, StepId, StoreReads};

fn reads(memory: u64, device: u64) -> StoreReads {
    StoreReads { memory, device, onode_hits: Some(9), onode_misses: Some(1), rocksdb: Some(0) }
}

/// What these OSDs counted in both passes of the last step.
fn counted(made: &mut Made, of: &[(u32, Option<StoreReads>)]) {
    let step = StepId(made.record.plan.steps.len() as u32 - 1);
    for pass in 1..=2 {
        let osds = of
            .iter()
            .map(|(osd, reads)| OsdLooks { osd: *osd, looks: Vec::new(), reads: *reads, database: None })
            .collect();
        let compaction = Compaction { step, pass, osds, of: of.len() as u32 };
        made.record.observations.push(Observation::Compaction(compaction));
    }
}

fn figure<'r>(report: &'r Report, layer: Layer, target: &str) -> &'r Figure {
    report.figures.iter().find(|figure| figure.layer == layer && figure.target == target).unwrap()
}

fn caches(report: &Report, layer: Layer, target: &str) -> Option<Caches> {
    figure(report, layer, target).background.as_ref()?.reads.map(|reads| reads.caches)
}

fn rows(report: &Report, pattern: Pattern) -> Vec<LedgerRow> {
    report.ledger.iter().filter(|row| row.pattern == pattern).cloned().collect()
}

fn near(got: f64, want: f64) {
    assert!((got / want - 1.0).abs() < 0.03, "{got} instead of {want}");
}

#[test]
fn each_figure_says_cold_warm_or_between_and_unknown_is_nothing() {
    let told = |found: Option<StoreReads>| {
        let mut made = Made::cluster();
        made.measured(Pattern::ReadLatency, osd(0), 0.6);
        counted(&mut made, &[(0, found)]);
        let report = without_findings(&made.record);
        let says = figure(&report, Layer::Osd, "osd.0").background.as_ref().and_then(|seen| seen.says.clone());
        (caches(&report, Layer::Osd, "osd.0"), says.unwrap_or_default())
    };
    let (found, says) = told(Some(reads(2, 98)));
    assert!(found == Some(Caches::Cold) && says.starts_with("cold: 98 % of the bytes came"), "{says}");
    let (found, says) = told(Some(reads(50, 50)));
    assert!(found == Some(Caches::Mixed) && says.starts_with("partly cached: 50 %"), "{says}");
    let (found, says) = told(Some(reads(99, 1)));
    assert!(found == Some(Caches::Warm) && says.starts_with("warm: 1.0 %"), "{says}");
    assert_eq!(told(Some(reads(0, 0))).0, None, "nothing was read: nothing is known");
    assert_eq!(told(None).0, None);
}

#[test]
fn an_osd_answers_for_itself_and_a_pool_for_all() {
    let mut made = Made::cluster();
    made.at_once(Pattern::ReadParallel, vec![osd(0), osd(1)], &[1000.0, 1000.0]);
    counted(&mut made, &[(0, Some(reads(100, 0))), (1, Some(reads(0, 100)))]);
    made.delivers(Pattern::ReadParallel, pool(), 1500.0);
    counted(&mut made, &[(0, Some(reads(100, 0))), (1, Some(reads(0, 100)))]);
    let report = without_findings(&made.record);
    assert_eq!(caches(&report, Layer::Osd, "osd.0"), Some(Caches::Warm));
    assert_eq!(caches(&report, Layer::Osd, "osd.1"), Some(Caches::Cold));
    assert_eq!(caches(&report, Layer::Rados, "pool"), Some(Caches::Mixed));
}

/// Disk 0.4 ms, round trip 0.1 ms, OSD 1.0 ms, of whose reads this share came from the device.
fn latencies(of: Option<StoreReads>) -> Vec<LedgerRow> {
    let mut made = Made::cluster();
    made.measured(Pattern::ReadLatency, disk(0), 0.4).measured(Pattern::ReadLatency, pair(0), 0.1);
    made.measured(Pattern::ReadLatency, osd(0), 1.0);
    counted(&mut made, &[(0, of)]);
    rows(&without_findings(&made.record), Pattern::ReadLatency)
}

#[test]
fn the_disk_has_the_share_for_which_it_was_asked() {
    let cold = latencies(Some(reads(0, 100)));
    assert_eq!(cold[0].layer, Layer::Device);
    near(cold[0].adds.value, 0.4);
    near(cold[2].adds.value, 0.5);
    let half = latencies(Some(reads(50, 50)));
    near(half[0].adds.value, 0.2);
    near(half[2].adds.value, 0.7);
    assert!(half[0].because.contains("for 50 % of the bytes"), "{}", half[0].because);
    // Slower than the disk, and yet not from it: that used to be taken for the disk's time.
    let warm = latencies(Some(reads(100, 0)));
    assert_eq!(warm.iter().map(|row| row.layer).collect::<Vec<_>>(), [Layer::Network, Layer::Osd]);
    near(warm[1].adds.value, 0.9);
    assert!(warm[1].because.contains("read from a cache (0.0 % of the bytes"), "{}", warm[1].because);
    near(latencies(None)[0].adds.value, 0.4);
}

#[test]
fn a_disk_that_was_not_asked_is_no_ceiling() {
    let told = |of: Option<StoreReads>| {
        let mut made = Made::cluster();
        made.delivers(Pattern::ReadParallel, disk(0), 2000.0).delivers(Pattern::ReadParallel, osd(0), 1800.0);
        counted(&mut made, &[(0, of)]);
        rows(&without_findings(&made.record), Pattern::ReadParallel).into_iter().find(|row| row.layer == Layer::Osd)
    };
    near(told(Some(reads(0, 100))).unwrap().share.unwrap(), 0.9);
    let half = told(Some(reads(50, 50))).unwrap();
    near(half.ceiling.unwrap(), 4000.0);
    assert!(half.because.contains("50 % of bytes"), "{}", half.because);
    assert_eq!(told(Some(reads(100, 0))), None, "memory is no share of a disk");
}

#[test]
fn layers_that_did_not_read_alike_are_not_compared_in_silence() {
    let mut made = Made::cluster();
    made.measured(Pattern::ReadLatency, osd(0), 0.6);
    counted(&mut made, &[(0, Some(reads(100, 0)))]);
    made.measured(Pattern::ReadLatency, pool(), 1.0);
    counted(&mut made, &[(0, Some(reads(0, 100)))]);
    let rows = rows(&without_findings(&made.record), Pattern::ReadLatency);
    let row = rows.iter().find(|row| row.layer == Layer::Rados).unwrap();
    assert!(row.because.contains("not the same reads"), "{}", row.because);
}

#[test]
fn a_blamed_compaction_is_still_found_behind_what_is_said_of_caches() {
    let mut made = Made::cluster();
    made.measured(Pattern::WriteLatency, osd(0), 0.6);
    counted(&mut made, &[(0, Some(reads(100, 0)))]);
    let report = without_findings(&made.record);
    let seen = figure(&report, Layer::Osd, "osd.0").background.as_ref().unwrap();
    assert_eq!(seen.reads, None, "writes have no caches to be read from");
}
