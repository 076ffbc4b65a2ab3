//! What a door to a pool costs: only beside objects of RADOS under the same work.

use crate::made::{Made, pool, target};
use judge::without_findings;
use model::{Gateway, Layer, Pattern, Place, Target};

fn bucket() -> Target {
    let (url, region) = ("http://10.0.0.9:8080".to_string(), "us-east-1".to_string());
    let gateway =
        Gateway { url, region, virtual_host: false, swift: false, credentials: None, profile: None, authorities: None };
    let place = Place::Bucket { gateway, bucket: "fathom-x".into(), prefix: "fathom.x.".into() };
    target(Layer::Object, "gateway 10.0.0.9:8080", None, place)
}

#[test]
fn a_door_is_as_many_times_slower_as_its_figure_says() {
    let mut made = Made::cluster();
    made.measured(Pattern::WriteLatency, pool(), 2.0);
    made.measured(Pattern::WriteLatency, bucket(), 8.0);
    made.delivers(Pattern::ReadParallel, pool(), 9000.0);
    made.delivers(Pattern::ReadParallel, bucket(), 3000.0);
    // Nothing of RADOS to hold it against.
    made.measured(Pattern::ReadLatency, bucket(), 1.0);
    let report = without_findings(&made.record);
    let told: Vec<(Layer, Pattern)> = report.doors.iter().map(|one| (one.layer, one.pattern)).collect();
    assert_eq!(told, [(Layer::Object, Pattern::WriteLatency), (Layer::Object, Pattern::ReadParallel)]);
    for (one, times) in report.doors.iter().zip([4.0, 3.0]) {
        assert!((one.times.value / times - 1.0).abs() < 0.02, "{one:?}");
        assert!(one.times.low < one.times.value && Some(one.times.value) < one.times.high, "{one:?}");
    }
    // It is no part of the sum of latencies, whose top stays what lies on RADOS.
    assert!(report.ledger.iter().all(|row| row.layer != Layer::Object));
    assert!(report.chart.iter().any(|cell| cell.layer == Layer::Object));
}

#[test]
fn of_other_work_no_price_is_told() {
    let mut made = Made::cluster();
    made.measured(Pattern::WriteLatency, pool(), 2.0);
    made.measured(Pattern::WriteLatency, bucket(), 8.0);
    let step = made.record.plan.steps.iter_mut().find(|step| step.layer == Layer::Object).unwrap();
    step.workload.block *= 2;
    assert!(without_findings(&made.record).doors.is_empty());
}
