//! Verdicts and comparisons on real runs of a file: exit codes, what is measured, what is said.

use crate::common::{Home, Ran};
use serde_json::Value;
use std::fs;

const LOAD: [&str; 6] = ["--working-set", "8M", "--patterns", "write-latency,read-latency", "--format", "json"];

/// A home, and a folder for what is loaded: in memory, which no other test keeps busy.
struct Place {
    home: Home,
    memory: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let memory = tempfile::Builder::new().prefix("fathom-test-").tempdir_in("/dev/shm").unwrap();
        Place { home: Home::new(), memory }
    }

    fn file(&self) -> String {
        self.memory.path().join("load").to_string_lossy().into_owned()
    }

    fn disk(&self, further: &[&str]) -> Ran {
        self.home.run(&[&["disk", &self.file()], &LOAD[..], further].concat())
    }
}

fn limits(home: &Home, text: &str) -> String {
    let path = home.path().join("limits.toml");
    fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}

/// A first run that says something of each of its figures. On a busy machine an interval of a second is often as wide as its value, with two
/// others on each processor one of 12 s never was.
fn known(home: &Home, load: &[&str]) -> Value {
    for duration in ["1s", "2s", "4s", "8s", "16s", "32s", "64s"] {
        let ran = home.run(&[load, &["--duration", duration, "--format", "json"]].concat());
        assert!(matches!(ran.code, 0 | 4), "{}: {}", ran.code, ran.err);
        let against = home.run(&[load, &["--expect", "last", "-99%", "--dry-run"]].concat());
        if against.code == 0 && !against.err.contains("tells nothing") {
            return ran.json();
        }
        home.run(&["rm", "last"]).ends(0, &[]);
    }
    panic!("no run was known, not even one of 64 s");
}

fn outcomes(document: &Value) -> Vec<&str> {
    document["verdicts"].as_array().unwrap().iter().map(|verdict| verdict["outcome"].as_str().unwrap()).collect()
}

fn slices(home: &Home, run: &str) -> Vec<model::Slice> {
    let archive = archive::Archive::open_existing(&home.path().join("fathom/archive.sqlite")).unwrap();
    archive.load(run).unwrap().slices
}

/// No disk takes an hour for a write, and none answers in a nanosecond.
#[test]
fn thresholds_far_away_pass_or_fail_at_once_and_only_they_are_measured() {
    let place = Place::new();
    let home = &place.home;
    let far = limits(home, "[device]\nwrite-latency = \"<= 3600 s\"\n");
    let ran = place.disk(&["--verdict", &far, "--sync", "dsync"]);
    let document = ran.ends(0, &[]).json();
    assert_eq!(outcomes(&document), ["pass"], "{document}");
    let figures = document["figures"].as_array().unwrap();
    assert_eq!((figures.len(), &figures[0]["pattern"]), (1, &Value::from("write-latency")));
    // One slice exactly if it settled: on a busy disk the level may still move at its end, and then it takes another.
    let slices = slices(home, document["run"].as_str().unwrap());
    assert_eq!(slices.len(), if slices[0].settled { 1 } else { 2 });
    assert_eq!(figures[0]["slices"], slices.len());

    let ran = place.disk(&["--verdict", &limits(home, "[device]\nread-latency = \"<= 0.001 us\"\n")]);
    let document = ran.json();
    // On a machine so busy that the load generator was starved, nothing can be said to have failed.
    let starved = document["figures"][0]["label"] == "generator-limited";
    let (code, outcome) = if starved { (4, "open") } else { (5, "fail") };
    ran.ends(code, &[]);
    assert_eq!(outcomes(&document), [outcome]);
}

#[test]
fn thresholds_that_cannot_be_are_refused_before_anything_is_measured() {
    let place = Place::new();
    let home = &place.home;
    place.disk(&["--expect", "last", "-10%"]).ends(2, &["archive"]);
    for (text, words) in [
        ("[device]\nwrite-latency = \">= 3 ms\"\n", ["limits.toml:2", "<= 3 ms"]),
        ("[rbd]\nwrite-latency = \"<= 3 ms\"\n", ["limits.toml", "no threshold for the layers"]),
        ("[device.\"/dev/none\"]\nwrite-latency = \"<= 3 ms\"\n", ["/dev/none", "targets"]),
    ] {
        place.disk(&["--verdict", &limits(home, text)]).ends(2, &words);
    }
    assert!(!fs::exists(place.file()).unwrap(), "a file was made");
}

/// A run that failed or was stopped before anything was measured is no `last` of those that read, and is called what it is.
#[test]
fn last_is_the_newest_run_with_figures_and_each_run_is_listed_with_its_end() {
    let place = Place::new();
    let home = &place.home;
    let measured = place.disk(&["--duration", "300ms"]).json()["run"].as_str().unwrap().to_string();
    let archive = home.path().join("fathom/archive.sqlite");
    for (name, ending) in
        [("29990101-000000-aaaa", model::Ending::Failed), ("29990101-000001-bbbb", model::Ending::Stopped)]
    {
        let head = model::RunHead { run: name.into(), started: "2999-01-01T00:00:00Z".into(), ..Default::default() };
        let mut writer = archive::Archive::open(&archive).unwrap().writer();
        writer.store(&model::Event::RunStarted { head, scope: Default::default() }).unwrap();
        writer.store(&model::Event::RunFinished { seconds: 1.0, ending }).unwrap();
    }
    let shown = home.run(&["show", "--format", "json"]);
    shown.ends(0, &[&measured, "29990101-000001-bbbb (stopped)", "29990101-000000-aaaa (failed)"]);
    assert_eq!(shown.json()["run"], measured.as_str());
    let listed = home.run(&["runs", "--format", "json"]).json();
    let states: Vec<&str> =
        listed["runs"].as_array().unwrap().iter().map(|run| run["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["stopped", "failed", "done"]);
    // The run with figures stays.
    home.run(&["rm", "last"]).ends(0, &["29990101-000001-bbbb"]);
    home.run(&["rm", "last"]).ends(0, &["29990101-000000-aaaa"]);
    home.run(&["show", "last"]).ends(0, &[]);
}

#[test]
fn runs_are_compared_and_expected_again() {
    let place = Place::new();
    let home = &place.home;
    home.run(&["compare", "last", "last"]).ends(2, &[]);
    let file = place.file();
    let load = [&["disk", &file], &LOAD[..4], &["--passes", "2"]].concat();
    let first = known(home, &load)["run"].as_str().unwrap().to_string();
    home.run(&["compare", &first, "last"]).ends(2, &["named twice"]);
    home.run(&["compare", &format!("{first},last"), &first]).ends(2, &["named twice"]);
    home.run(&["compare", "--history"]).ends(2, &["earlier run"]);
    for command in
        [&["compare", "nothing", "last"][..], &["show", "nothing"], &["report", "nothing"], &["rm", "nothing"]]
    {
        home.run(command).ends(2, &["no run nothing", &first, "`fathom runs` lists all"]);
    }
    home.run(&["compare", "--history", "--until", "nothing"]).ends(2, &["no run nothing", &first]);
    home.run(&["sweep", "--resume", "nothing"]).ends(2, &["no run nothing", &first]);
    place.disk(&["--expect", "nothing", "-10%"]).ends(2, &["no run nothing", &first]);

    place.disk(&["--duration", "1s", "--passes", "2"]);
    let ran = home.run(&["compare", &first, "last", "--format", "json"]);
    assert!(matches!(ran.code, 0 | 5), "{}: {}", ran.code, ran.err);
    let document = ran.json();
    let differences = document["differences"].as_array().unwrap();
    assert_eq!((document["schema"].as_str(), differences.len()), (Some("fathom.compare/1"), 3));
    for one in differences {
        assert!(one["ci95"][0].as_f64() < one["change"].as_f64() && one["change"].as_f64() < one["ci95"][1].as_f64());
    }
    let ran = home.run(&["compare", "--history", "--format", "json"]);
    assert_eq!(ran.json()["trends"].as_array().unwrap().len(), 3);

    let again = place.disk(&["--expect", &first, "-99%"]);
    assert_eq!(outcomes(&again.ends(0, &[]).json()), ["pass", "pass"]);
    place.disk(&["--expect", &first, "10%"]).ends(2, &["10%", "-10%"]);
    // What it had with other blocks is no measure.
    place.disk(&["--expect", &first, "-99%", "--block-size", "8k"]).ends(2, &["--expect", "another block size"]);
    place.disk(&["--expect", &first, "-99%", "--rate", "100"]).ends(2, &["--rate"]);
}

/// Reads are held against the reads that were, writes against the writes.
#[test]
fn each_kind_of_a_mix_is_expected_by_itself() {
    let place = Place::new();
    let home = &place.home;
    let file = place.file();
    let load = ["disk", &file, "--working-set", "8M", "--read-share", "30", "--depth", "4"];
    let first = known(home, &load);
    let values = |document: &Value| -> Vec<f64> {
        document["figures"].as_array().unwrap().iter().map(|figure| figure["value"].as_f64().unwrap()).collect()
    };
    let before = values(&first);
    assert!(before.len() == 2 && before[0] != before[1], "{first}");
    let ran = home.run(&[&load[..], &["--expect", "last", "-99%", "--format", "json"]].concat());
    let document = ran.ends(0, &[]).json();
    let mut bounds: Vec<f64> = document["verdicts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|verdict| verdict["threshold"].as_f64().unwrap() * 100.0)
        .collect();
    let mut wanted = before;
    bounds.sort_by(f64::total_cmp);
    wanted.sort_by(f64::total_cmp);
    assert_eq!(outcomes(&document), ["pass", "pass"]);
    for (bound, wanted) in bounds.iter().zip(&wanted) {
        assert!((bound / wanted - 1.0).abs() < 1e-6, "{bounds:?} instead of {wanted:?}");
    }
}

/// One stream and four have the same target; only the four are in the depth chart, and only of them a bound is.
#[test]
fn what_an_earlier_run_had_is_no_bound_for_what_lies_beside_the_chart() {
    let place = Place::new();
    let home = &place.home;
    let network = ["network", "--loopback", "--patterns", "read-linear"];
    known(home, &[&network[..], &["--passes", "1"]].concat());
    let verdict = [&network[..], &["--expect", "last", "-99%", "--format", "json", "--quiet"]].concat();
    let found = home.run(&verdict);
    assert_eq!(found.code, 0, "{}", found.err);
    let run = found.json();
    let of = |list: &str| run[list].as_array().unwrap().iter().map(|one| one["target"].clone()).collect::<Vec<_>>();
    assert_eq!((of("verdicts"), of("figures")), (vec!["loopback".into()], vec!["loopback".into()]), "{run:#}");
}
