//! What a door to a pool costs: only beside objects of RADOS under the same work.

use crate::made::{Made, pool, target};
use judge::without_findings;
use model::{Layer, Pattern, Place, Target};

fn bucket() -> Target {
    at("10.0.0.9:8080")
}

fn at(host: &str) -> Target {
    let gateway = model::testing::gateway(&format!("http://{host}"));
    let place = Place::Bucket { gateway, bucket: "fathom-x".into(), prefix: "fathom.x.".into() };
    target(Layer::Object, &format!("gateway {host}"), None, place)
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

#[test]
fn of_several_gateways_the_slower_is_told_only_where_it_is_slower() {
    let mut made = Made::cluster();
    made.measured(Pattern::WriteLatency, pool(), 2.0);
    for (host, write, read) in [("a:80", 6.0, 1.4), ("b:80", 6.1, 44.0), ("c:80", 6.05, 1.5)] {
        made.measured(Pattern::WriteLatency, at(host), write);
        made.measured(Pattern::ReadLatency, at(host), read);
    }
    let report = without_findings(&made.record);
    let told: Vec<(Pattern, &str, &str, bool)> =
        report.gateways.iter().map(|one| (one.pattern, one.slow.as_str(), one.quick.as_str(), one.apart)).collect();
    let wanted = [
        (Pattern::WriteLatency, "gateway b:80", "gateway a:80", false),
        (Pattern::ReadLatency, "gateway b:80", "gateway a:80", true),
    ];
    assert_eq!(told, wanted);
    let times = &report.gateways[1].times;
    assert!((times.value / (44.0 / 1.4) - 1.0).abs() < 0.02 && times.low < times.value, "{times:?}");
    // Each has its own price beside RADOS.
    let doors: Vec<&str> = report.doors.iter().map(|one| one.target.as_str()).collect();
    assert_eq!(doors, ["gateway a:80", "gateway b:80", "gateway c:80"]);
}

#[test]
fn one_gateway_or_other_work_is_beside_nothing() {
    let mut made = Made::cluster();
    made.measured(Pattern::ReadLatency, at("a:80"), 1.0);
    assert!(without_findings(&made.record).gateways.is_empty());
    made.measured(Pattern::ReadLatency, at("b:80"), 5.0);
    assert_eq!(without_findings(&made.record).gateways.len(), 1);
    made.record.plan.steps.last_mut().unwrap().workload.block *= 2;
    assert!(without_findings(&made.record).gateways.is_empty());
}
