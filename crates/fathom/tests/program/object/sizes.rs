//! Objects of different sizes, by the gateway's own log.

use super::*;
use std::collections::BTreeMap;

const KIB: u64 = 1024;

/// Each object that is read has always the same size, one of those that were asked for, and is whole; as many have each as were asked for.
pub(super) fn objects_of_different_sizes_are_put_and_got_whole(lab: &Lab, gateway: &Gateway) {
    let patterns = "read-parallel,create-delete,stat";
    let sizes = "2K=60,24K=30,100K=10";
    let words = ["object", "--lab", &lab.name, "--sizes", sizes, "--patterns", patterns, "--depth", "8"];
    // On average 18.4 KiB.
    let report = measured(&lab.home.run(&[&words[..], &["--working-set", "11M"], &SHORT].concat()));
    let figures = report["figures"].as_array().unwrap();
    assert_eq!((figures.len(), &report["errors"]), (4, &serde_json::json!([])));
    for figure in figures {
        assert_eq!(figure["errors"], 0, "{figure}");
        let wanted = [(2, 60), (24, 30), (100, 10)]
            .map(|(kib, percent)| serde_json::json!({"bytes": kib * KIB, "percent": percent}));
        let wanted = serde_json::json!({"shares": wanted});
        assert_eq!(figure["workload"]["sizes"], wanted, "{figure}");
        assert!(figure["operations"].as_u64().unwrap() > 20, "{figure}");
    }
    let run = report["run"].as_str().unwrap();
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    let mut got = (0, 0);
    for (method, object, status, bytes) in asked_of(gateway, &format!("fathom-{run}")) {
        if method == "GET" && object.contains(".2048x60-24576x30-102400x10.") {
            assert_eq!(status, 200, "{object}");
            assert_eq!(*found.entry(object).or_insert(bytes), bytes);
            got = (got.0 + 1, got.1 + bytes);
        }
    }
    let of = |kib: u64| found.values().filter(|bytes| **bytes == kib * KIB).count() as f64 / found.len() as f64;
    let shares = [2, 24, 100].map(of);
    assert!(found.len() > 100 && (shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{shares:?}");
    // Which of them have which is always the same: of 611 by their numbers these shares, within what some that were not read leave open.
    for (found, asked) in shares.into_iter().zip([0.6, 0.3, 0.1]) {
        assert!((found - asked).abs() < 0.08, "{shares:?}");
    }
    // What is told is what was moved: of reads that were counted, on average as much as of those that the gateway knows of.
    let read = figures.iter().find(|figure| figure["pattern"] == "read-parallel").unwrap();
    let mean = read["bytes"].as_f64().unwrap() / read["operations"].as_f64().unwrap();
    let theirs = f64::from(got.1 as u32) / f64::from(got.0);
    assert!((mean / theirs - 1.0).abs() < 0.25, "{mean} {theirs}");
    only_theirs_is_left(gateway);
    let told = gateway.run(lab, &["show", run]);
    let words = "2 KiB (60 %), 24 KiB (30 %), 100 KiB (10 %)";
    assert!(told.out.contains(words), "{}", told.out);

    let refused = |words: &[&str], why: &str| {
        lab.home.run(&[&["object", "--lab", &lab.name], words].concat()).ends(2, &[why]);
    };
    refused(&["--sizes", "4K-1M", "--block-size", "4K"], "leave --block-size and --object-size out");
    refused(&["--sizes", "8-1M"], "have no room for what tells whether they are whole");
    refused(&["--sizes", "4K=70,8K=20"], "the percents are 90 together");
}
