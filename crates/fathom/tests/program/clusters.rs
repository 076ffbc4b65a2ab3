//! Runs of several clusters in one archive: each is compared with its own, and told apart from the others.

use crate::common::{Home, Lent};
use model::{Ending, Event, HostScope, Pattern, Place, Plan, RunHead, Sample, Scope, Step, Target, Workload, testing};
use std::path::PathBuf;

const ONE: &str = "3f2a9c1b-77d0-4c2e-9d51-0a6f1b2c3d4e";
const TWO: &str = "81c5e02d-0000-4000-8000-000000000000";

fn archive(home: &Home) -> PathBuf {
    home.path().join("fathom/archive.sqlite")
}

/// A run of reads at this rate, which began in that minute.
fn store(home: &Home, minute: u32, scope: &Scope, rate: u64) -> String {
    let run = format!("20261101-00{minute:02}00-aaaa");
    let pattern = Pattern::ReadParallel;
    let target = Target::new(testing::osds(), "osd.0", Place::Null);
    let step = Step::new(0, testing::osds(), pattern, vec![target], Workload::canonical(pattern, 1 << 30, 1));
    let slice = |pass: u32| {
        let sample = |window| {
            let ops = rate / 10 + u64::from(window % 3) + u64::from(pass % 2);
            Sample { window, span_ns: 100_000_000, ops, bytes: ops << 12, ..Sample::default() }
        };
        let samples = (0..80).map(sample).collect();
        model::Slice {
            target: Some(0),
            started_seconds: 200.0 * f64::from(pass),
            ..testing::slice(step.id, pass, 100_000_000, samples)
        }
    };
    let started = format!("2026-11-01T00:{minute:02}:00Z");
    let events = [
        Event::RunStarted { head: RunHead { run: run.clone(), started, ..RunHead::default() }, scope: scope.clone() },
        Event::Planned { plan: Plan { steps: vec![step.clone()], ..Plan::default() } },
        Event::StepFinished { pass: 1, slices: (1..=4).map(slice).collect() },
        Event::RunFinished { seconds: 900.0, ending: Ending::Done },
    ];
    let mut writer = archive::Archive::open(&archive(home)).unwrap().writer();
    events.iter().for_each(|event| writer.store(event).unwrap());
    run
}

fn scope(fsid: Option<&str>, lab: Option<&str>, release: &str, host: &str) -> Scope {
    let here = HostScope { name: host.to_string(), here: true, ..HostScope::default() };
    Scope {
        fsid: fsid.map(String::from),
        cluster: lab.map(String::from),
        versions: [("osd".to_string(), vec![release.to_string()])].into(),
        hosts: vec![here],
        ..Scope::default()
    }
}

fn runs_of_history(home: &Home, until: &str) -> Vec<String> {
    let ran = home.run(&["compare", "--history", "--until", until, "--format", "json"]);
    assert!(matches!(ran.code, 0 | 5), "{}: {}", ran.code, ran.err);
    let document = ran.json();
    let points = document["trends"][0]["points"].as_array().unwrap().clone();
    points.iter().map(|point| point["run"].as_str().unwrap().to_string()).collect()
}

#[test]
fn a_history_is_that_of_one_cluster_or_of_one_host() {
    let home = Home::new();
    let one = scope(Some(ONE), None, "17.2.7", "alpha");
    let two = scope(Some(TWO), None, "17.2.7", "alpha");
    let [first, other, second] = [(1, &one, 5000), (2, &two, 500), (3, &one, 5000)]
        .map(|(minute, scope, rate)| store(&home, minute, scope, rate));
    assert_eq!(runs_of_history(&home, &second), [first, second]);
    home.run(&["compare", "--history", "--until", &other]).ends(2, &["no earlier run", TWO]);

    // A lab that was made anew has the same name.
    let lab = |fsid| scope(Some(fsid), Some("lab:default"), "17.2.7", "alpha");
    let [old, new] = [(4, "aaaaaaaa-0000"), (5, "bbbbbbbb-0000")].map(|(at, fsid)| store(&home, at, &lab(fsid), 5000));
    home.run(&["compare", "--history", "--until", &new]).ends(2, &["no earlier run"]);

    // Without a cluster it is the host.
    let [alpha, beta, again] = [(6, "alpha"), (7, "beta"), (8, "alpha")]
        .map(|(minute, host)| store(&home, minute, &scope(None, None, "", host), 5000));
    assert_eq!(runs_of_history(&home, &again), [alpha, again.clone()]);
    home.run(&["compare", "--history", "--until", &beta]).ends(2, &["no earlier run", "beta"]);

    let listed = home.run(&["runs"]).ends(0, &[]).out.clone();
    let line = |run: &str| listed.lines().find(|line| line.starts_with(run)).unwrap().to_string();
    assert!(line(&other).contains("81c5e02d") && line(&old).contains("lab:default"), "{listed}");
    assert!(line(&beta).contains("none, on beta"), "{listed}");
    let listed = home.run(&["runs", "--format", "json"]).json();
    let of = |run: &str| listed["runs"].as_array().unwrap().iter().find(|one| one["run"] == run).unwrap().clone();
    assert_eq!((of(&other)["fsid"].as_str(), of(&again)["host"].as_str()), (Some(TWO), Some("alpha")));
}

#[test]
fn two_runs_of_other_clusters_releases_and_hosts_are_told_as_such() {
    let home = Home::new();
    let before = store(&home, 1, &scope(Some(ONE), None, "17.2.7", "alpha"), 5000);
    let after = store(&home, 2, &scope(Some(TWO), None, "18.2.4", "beta"), 5000);
    let text = home.run(&["compare", &before, &after]).ends(0, &[]).out.clone();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = "Not the same on both sides: cluster 3f2a9c1b before, 81c5e02d after; Ceph release 17.2.7 before, 18.2.4 after; \
                client hosts alpha before, beta after.";
    assert!(text.contains(line), "{text}");
    let same = store(&home, 3, &scope(Some(ONE), None, "17.2.7", "alpha"), 5000);
    let text = home.run(&["compare", &before, &same]).ends(0, &[]).out.clone();
    assert!(!text.contains("Not the same"), "{text}");
}

/// A disk on this host is held against the last run on this host, and not against one on a cluster.
#[test]
fn what_the_last_run_had_is_that_of_the_last_one_here() {
    let home = Home::new();
    let folder = tempfile::Builder::new().prefix("fathom-test-").tempdir_in("/dev/shm").unwrap();
    let file = folder.path().join("load").display().to_string();
    let cluster = scope(Some(ONE), None, "17.2.7", "elsewhere");
    let run = store(&home, 1, &cluster, 5000);
    let disk = ["disk", &file, "--working-set", "8M", "--patterns", "read-parallel", "--expect"];
    let expects = |run: &str| home.run(&[&disk[..], &[run, "-10%", "--dry-run"]].concat());
    expects("last").ends(2, &["there is no earlier run", "host"]);
    // One that is named is taken, wherever it was: here it has no figure of a disk.
    expects(&run).ends(2, &["has no threshold"]);
}

/// A diagnosis begins with a run of its own cluster alone.
#[test]
fn what_a_run_of_another_cluster_knows_is_not_taken() {
    let lab = Lent::lab();
    let run = store(&lab.home, 1, &scope(Some(ONE), None, "17.2.7", "elsewhere"), 5000);
    let words = ["diagnose", "--run", &run, "--lab", &lab.name];
    lab.home.run(&[&words[..], &["--about", "rados"]].concat()).ends(2, &["it was on cluster", ONE]);
    lab.home.run(&words).ends(2, &["--about rbd/write-latency"]);
    for (about, word) in [("rbd/nope", "write-latency"), ("nope", "rados"), ("rbd/list", "is no pattern of rbd")] {
        lab.home.run(&["diagnose", "--about", about]).ends(2, &["--about", word]);
    }
    lab.home.run(&["diagnose", "--about", "rbd", "--layers", "rbd"]).ends(2, &["--layers"]);
}
