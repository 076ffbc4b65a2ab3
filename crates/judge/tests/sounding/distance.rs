//! How far Ceph is from the floor: only from one with as many replicas as the pool has.

use crate::made::{Made, pool, target};
use judge::without_findings;
use model::{Change, Endpoint, Layer, Pattern, Place, Replica, Target};

fn floor(replicas: usize) -> Target {
    let end = |number: usize| Endpoint::new(format!("h{number}"), "10.0.0.1");
    let replica = |number| Replica { end: end(number), among: None, path: "/x".into(), listener: None };
    let name = (0..replicas).map(|number| format!("h{number}")).collect::<Vec<_>>().join("+");
    target(Layer::Floor, &name, None, Place::Replicas { from: end(9), replicas: (0..replicas).map(replica).collect() })
}

fn made(size: u32) -> Made {
    let mut made = Made::cluster();
    for change in &mut made.record.plan.changes {
        if let Change::Pool { name, size: of, .. } = change
            && name == "fathom.rados"
        {
            *of = Some(size);
        }
    }
    made.measured(Pattern::WriteLatency, floor(2), 0.3);
    made.measured(Pattern::WriteLatency, floor(3), 0.4);
    made.measured(Pattern::WriteLatency, pool(), 2.0);
    made.delivers(Pattern::WriteParallel, floor(3), 9000.0);
    made.delivers(Pattern::WriteParallel, pool(), 3000.0);
    made
}

#[test]
fn of_as_many_replicas_as_the_pool_has() {
    let report = without_findings(&made(3).record);
    let told: Vec<(Pattern, u32, &str)> =
        report.distances.iter().map(|one| (one.pattern, one.replicas, one.on.as_str())).collect();
    assert_eq!(told, [(Pattern::WriteLatency, 3, "h0+h1+h2"), (Pattern::WriteParallel, 3, "h0+h1+h2")]);
    for (one, times) in report.distances.iter().zip([5.0, 3.0]) {
        assert!((one.times.value / times - 1.0).abs() < 0.02, "{one:?}");
        assert!(one.times.low < one.times.value && Some(one.times.value) < one.times.high, "{one:?}");
    }
    let report = without_findings(&made(2).record);
    assert_eq!(report.distances.iter().map(|one| one.on.as_str()).collect::<Vec<_>>(), ["h0+h1"]);
    assert!((report.distances[0].times.value / (2.0 / 0.3) - 1.0).abs() < 0.02, "{:?}", report.distances);
    assert!(without_findings(&made(4).record).distances.is_empty());
}

#[test]
fn the_floor_is_no_part_of_the_ledger() {
    let report = without_findings(&made(3).record);
    assert!(report.ledger.iter().all(|row| row.layer != Layer::Floor));
    let before = report.ledger.iter().find(|row| row.pattern == Pattern::WriteLatency).map(|row| row.because.clone());
    assert!(before.is_some_and(|because| !because.contains("floor")), "{:?}", report.ledger);
}
