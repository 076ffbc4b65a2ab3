//! A whole run on a real cluster: every cell that exists has a labelled figure with its interval, a chart and a ledger.

use crate::common::{Lab, Lent};
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn a_run_has_every_cell_and_can_be_shown_again() {
    let lab = Lent::lab();
    let before = lab.snapshot();
    let document = whole_run(&lab);
    assert_eq!(document["schema"], "fathom.run/1");
    every_cell(&document);
    figures_are_whole(&document);
    assert_eq!(lab.snapshot(), before, "something was left behind");
    let changes = document["changes"].as_array().unwrap();
    assert!(changes.len() >= 7 && changes.iter().all(|change| change["undone"] == true), "{changes:#?}");
    again_from_the_archive(&lab, &document);
    what_lost_most_can_be_looked_into(&lab);
    ctrl_in_every_format(&lab);
}

/// A machine that stands still for a second voids the slice of that second, and rightly; it does not do so in two runs.
fn whole_run(lab: &Lab) -> Value {
    let run = || {
        let ran = lab.home.run(&["run", "--lab", &lab.name, "--passes", "1", "--duration", "1s", "--format", "json"]);
        assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
        ran.json()
    };
    let first = run();
    let void: Vec<&Value> = first["figures"].as_array().unwrap().iter().filter(|one| one["label"] == "void").collect();
    if void.is_empty() {
        return first;
    }
    println!("void at first: {void:#?}");
    run()
}

fn every_cell(document: &Value) {
    let expected = [("device", 6), ("network", 4), ("store", 3), ("osd", 6), ("rados", 6), ("rbd", 6)];
    for (layer, count) in expected {
        let cells: BTreeSet<&str> = document["chart"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|cell| cell["layer"] == layer)
            .map(|cell| cell["pattern"].as_str().unwrap())
            .collect();
        assert_eq!(cells.len(), count, "{layer}: {cells:?}");
    }
    let ledger = document["ledger"].as_array().unwrap();
    for pattern in ["write-latency", "read-latency", "write-parallel", "read-parallel", "write-linear", "read-linear"] {
        assert!(ledger.iter().any(|row| row["pattern"] == pattern), "{pattern} is not in the ledger: {ledger:#?}");
    }
}

fn figures_are_whole(document: &Value) {
    for figure in document["figures"].as_array().unwrap() {
        assert_ne!(figure["label"], "void", "{figure}");
        let (value, low, high) = (&figure["value"], &figure["ci95"][0], &figure["ci95"][1]);
        let (value, low, high) = (value.as_f64().unwrap(), low.as_f64().unwrap(), high.as_f64().unwrap());
        assert!(low <= value && value <= high && value > 0.0, "{figure}");
        assert!(figure["operations"].as_u64().unwrap() > 0 && figure["errors"] == 0, "{figure}");
    }
}

fn again_from_the_archive(lab: &Lab, document: &Value) {
    let shown = lab.home.run(&["show", "last", "--format", "json"]);
    let shown = shown.ends(0, &[]).json();
    for part in ["run", "figures", "chart", "ledger", "findings", "changes", "errors", "scope"] {
        assert_eq!(shown[part], document[part], "{part} is not the same when shown again");
    }
    let runs = lab.home.run(&["runs", "--format", "json"]);
    assert_eq!(runs.ends(0, &[]).json()["runs"][0]["run"], document["run"]);
}

fn what_lost_most_can_be_looked_into(lab: &Lab) {
    let planned = |words: &[&str]| {
        let ran = lab.home.run(&[&["diagnose", "--dry-run", "--format", "json"][..], words].concat());
        let plan = ran.ends(0, &[]).json();
        let all = |field: &str| -> BTreeSet<String> {
            let steps = plan["steps"].as_array().unwrap().iter();
            steps.map(|step| step[field].as_str().unwrap().to_string()).collect()
        };
        (ran.err.clone(), all("layer"), all("pattern"))
    };
    let (told, layers, patterns) = planned(&["--run", "last"]);
    assert!(told.contains("most is lost in"), "{told}");
    // Pairs of OSDs are told apart by writes, whatever was lost.
    let own = |pattern: &&String| told.contains(&format!("of {pattern} most is lost"));
    let others: Vec<&String> = patterns.iter().filter(|pattern| !own(pattern)).collect();
    assert!(
        others.len() < patterns.len() && others.iter().all(|other| *other == "write-latency"),
        "{told}: {patterns:?}"
    );
    assert!(layers.len() > 1, "{told}: {layers:?}");
    let (_, layers, patterns) = planned(&["--run", "last", "--about", "rados/write-latency"]);
    assert_eq!(Vec::from_iter(layers), ["device", "network", "osd", "rados", "store"]);
    assert_eq!(Vec::from_iter(patterns), ["write-latency"]);
}

fn ctrl_in_every_format(lab: &Lab) {
    for ending in ["html", "md", "json"] {
        let path = lab.home.path().join(format!("report.{ending}"));
        lab.home.run(&["report", "last", "-o", path.to_str().unwrap()]).ends(0, &[]);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains("write-latency") && text.len() > 1000, "{ending}");
    }
    lab.home.run(&["report", "last", "-o", "/nowhere/report.html"]).ends(2, &["/nowhere/report.html"]);
    lab.home.run(&["report", "last", "-o", "report.docx"]).ends(2, &[".html"]);
}

#[test]
fn a_dry_run_changes_nothing() {
    let lab = Lent::lab();
    let before = lab.snapshot();
    let ran = lab.home.run(&["run", "--lab", &lab.name, "--dry-run"]);
    ran.ends(0, &[]);
    for word in ["write-latency", "osd.2", "pool", "network"] {
        assert!(ran.out.contains(word), "{word} is not in the plan:\n{}", ran.out);
    }
    // Not by the name of the device beneath.
    assert!(["file on /dev/", "file in memory"].iter().any(|name| ran.out.contains(name)), "{}", ran.out);
    let quick = lab.home.run(&["run", "--lab", &lab.name, "--quick", "--dry-run"]);
    for words in ["in 1 pass", "±25 %"] {
        assert!(quick.out.contains(words), "{words} is not in the plan:\n{}", quick.out);
    }
    lab.home.run(&["run", "--lab", &lab.name, "--rate-max-where", "p99<10ms", "--dry-run"]).ends(0, &[]);
    assert_eq!(lab.snapshot(), before);
    lab.home.run(&["runs"]).ends(0, &[]);
}
