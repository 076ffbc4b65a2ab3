//! What a door to a pool costs: only beside objects of RADOS under the same work.

use crate::made::{Made, disk, pool, target};
use judge::without_findings;
use model::{ChartCell, Client, Layer, Pattern, Place, Target};

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

#[test]
fn an_image_that_a_client_maps_is_no_disk_and_stands_beside_rados() {
    let mut made = Made::cluster();
    let place = Place::Path { path: "/dev/rbd0".into(), writable: true };
    let mapped = Target { image: Some("vms/disk, by krbd".into()), ..target(Layer::Device, "/dev/rbd0", None, place) };
    made.measured(Pattern::WriteLatency, disk(0), 1.0).measured(Pattern::WriteLatency, mapped, 4.0);
    made.measured(Pattern::WriteLatency, pool(), 2.0);
    let report = without_findings(&made.record);
    let cells = report.chart.iter().filter(|cell| cell.layer == Layer::Device);
    let cells: Vec<(Option<&str>, f64)> =
        cells.map(|cell| (cell.door.as_deref(), cell.estimate.unwrap().value.round_ties_even())).collect();
    assert_eq!(cells, [(None, 1.0), (Some("/dev/rbd0"), 4.0)]);
    let [price] = &report.doors[..] else { panic!("{:?}", report.doors) };
    assert_eq!(price.target, "/dev/rbd0: vms/disk, by krbd");
    assert!((price.times.value - 2.0).abs() < 0.1, "{:?}", price.times);
}

#[test]
fn what_hosts_load_has_a_row_for_each_thing_and_each_figure_one_cell() {
    let mut made = Made::cluster();
    let folder = |of: &str| Target {
        client: Some(Client { host: "guest".into(), of: of.into() }),
        ..target(Layer::File, &format!("guest:{of}"), None, Place::Path { path: of.into(), writable: true })
    };
    made.measured(Pattern::ReadLatency, folder("/mnt/a (ceph)"), 1.0);
    made.measured(Pattern::ReadLatency, folder("/mnt/b (nfs4)"), 4.0);
    let report = without_findings(&made.record);
    let rows: Vec<String> = report.chart.iter().map(ChartCell::row).collect();
    assert_eq!(rows, ["file /mnt/a (ceph)", "file /mnt/b (nfs4)"]);
    for (figure, cell) in report.figures.iter().zip(&report.chart) {
        let own: Vec<&ChartCell> = report.chart.iter().filter(|cell| cell.has(figure)).collect();
        assert_eq!(own, [cell], "{}", figure.target);
    }
}

/// An image that a guest has mapped is as much its disk as any other, also where it is the only one.
#[test]
fn an_image_in_a_guest_has_a_cell_of_its_own() {
    let place = Place::Path { path: "/dev/rbd0".into(), writable: true };
    let image = Some("guest/krbd, by krbd".to_string());
    let mapped = Target { image, ..target(Layer::Guest, "guest:/dev/rbd0", None, place) };
    let mut made = Made::cluster();
    made.measured(Pattern::ReadLatency, mapped.clone(), 1.0);
    assert_eq!(without_findings(&made.record).chart.len(), 1);
    // A device that is an image is no disk, and stands beside those.
    let mut made = Made::cluster();
    made.measured(Pattern::ReadLatency, Target { layer: Layer::Device, ..mapped }, 1.0);
    made.measured(Pattern::ReadLatency, disk(0), 1.0);
    let doors: Vec<Option<String>> = without_findings(&made.record).chart.into_iter().map(|cell| cell.door).collect();
    assert_eq!(doors, [None, Some("guest:/dev/rbd0".to_string())]);
}
