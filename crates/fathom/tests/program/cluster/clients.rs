//! As many clients as it takes to fill the cluster, on a lab of three hosts.

use crate::common::{Kind, Lent};
use serde_json::Value;

fn tried(document: &Value) -> Vec<(u64, u64)> {
    let loads = document["clients"][0]["tried"].as_array().unwrap();
    loads.iter().map(|load| (load["clients"].as_u64().unwrap(), load["hosts"].as_u64().unwrap())).collect()
}

#[test]
fn clients_are_doubled_until_it_brings_nothing_more() {
    let lab = Lent::of(Kind::Hosts);
    let run = |words: &[&str]| {
        let more = ["--lab", &lab.name, "--clients", "auto", "--duration", "1s", "--working-set", "32M"];
        lab.home.run(&[words, &more].concat())
    };
    let before = lab.snapshot();
    // From three hosts: over them first.
    let ran = run(&["rados", "--hosts", "3", "--patterns", "read-latency", "--format", "json"]);
    assert!(matches!(ran.code, 0 | 4), "{}\n{}", ran.out, ran.err);
    let document = ran.json();
    assert_eq!(document["errors"].as_array().unwrap().len(), 0, "{document:#}");
    let loads = tried(&document);
    assert!(loads.len() >= 2 && loads[..2] == [(1, 1), (2, 2)], "{loads:?}");
    assert!(loads.iter().zip([(1, 1), (2, 2), (3, 3), (6, 3), (12, 3), (24, 3)]).all(|(a, b)| *a == b), "{loads:?}");
    let found = &document["clients"][0];
    let clients: Vec<u64> = loads.iter().map(|load| load.0).collect();
    // Full with the last but one, or the last doubling was still worth it.
    match found["full"].as_u64() {
        Some(full) => assert_eq!(full, clients[clients.len() - 2], "{found:#}"),
        None => assert!(found["says"].as_str().unwrap().contains("--hosts"), "{found:#}"),
    }
    // From here: more connections. Each client has the whole workload.
    let ran = run(&["rbd", "--patterns", "read-parallel", "--format", "json"]);
    assert!(matches!(ran.code, 0 | 4), "{}\n{}", ran.out, ran.err);
    let document = ran.json();
    assert_eq!(document["errors"].as_array().unwrap().len(), 0, "{document:#}");
    let loads = tried(&document);
    assert!(loads.len() >= 2 && loads[..2] == [(1, 1), (2, 1)], "{loads:?}");
    let loads: Vec<(u64, u64)> = document["figures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|figure| (figure["workload"]["depth"].as_u64().unwrap(), figure["workload"]["jobs"].as_u64().unwrap()))
        .collect();
    assert_eq!(loads[..2], [(128, 4), (256, 8)]);
    assert_eq!(lab.snapshot(), before, "something was left in the cluster");
    run(&["rbd", "--patterns", "read-parallel", "--rate", "100"]).ends(2, &["--clients auto", "--rate"]);
    run(&["osd"]).ends(2, &["--clients auto", "fathom rados"]);
}
