//! What this host can measure, other hosts can as well: verified writes, sweeps, fio's job files, sustained writes.

use crate::common::hosts::{Hosts, Odd, nameless};
use crate::common::{LoopDevice, eventually};
use serde_json::Value;
use std::fs;
use std::process::Stdio;

/// Two hosts, and a folder that both see.
fn two() -> (Hosts, tempfile::TempDir) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    (Hosts::new(&[Odd::default(), Odd::default()]), folder)
}

fn run(hosts: &Hosts, words: &[&str]) -> Value {
    let (list, config) = (hosts.list(), hosts.config());
    let on = ["--hosts", &list, "--ssh-config", &config, "--format", "json"];
    let ran = hosts.home.run(&[words, &on].concat());
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    let document = ran.json();
    assert_eq!(document["errors"], serde_json::json!([]), "{}", document["errors"]);
    document
}

fn figures(document: &Value) -> &Vec<Value> {
    document["figures"].as_array().unwrap()
}

/// Each host's own figures.
fn of_host<'a>(hosts: &Hosts, document: &'a Value, index: usize) -> Vec<&'a Value> {
    let begins = format!("{}:", hosts.name(index));
    let own = |figure: &&Value| figure["target"].as_str().unwrap().starts_with(&begins);
    figures(document).iter().filter(own).collect()
}

#[test]
fn what_hosts_write_is_verified_by_each() {
    let (hosts, folder) = two();
    let path = folder.path().to_str().unwrap();
    let load =
        ["--working-set", "8M", "--patterns", "write-parallel,read-parallel", "--duration", "1s", "--passes", "1"];
    let document = run(&hosts, &[&["disk", path, "--verify"], load.as_slice()].concat());
    for host in 0..2 {
        let own = of_host(&hosts, &document, host);
        // Alone, and both at once.
        assert_eq!(own.len(), 4, "{document}");
        for figure in own {
            let verified = &figure["verified"];
            let read_back = verified["read_back"]["bytes"].as_u64();
            assert!(verified["bytes"].as_u64().unwrap() > 0 || read_back.is_some_and(|bytes| bytes > 0), "{figure}");
            assert_eq!(verified["flaws"], serde_json::json!([]), "{figure}");
        }
    }
    assert_eq!(nameless(path).len() + fs::read_dir(folder.path()).unwrap().count(), 0, "a file was left behind");
}

#[test]
fn hosts_are_swept() {
    let (hosts, folder) = two();
    let load = ["--axis", "depth=1,4", "--working-set", "8M", "--read-share", "0", "--duration", "1s", "--passes", "1"];
    let document = run(&hosts, &[&["sweep", "disk", folder.path().to_str().unwrap()], load.as_slice()].concat());
    for host in 0..2 {
        let depths: Vec<u64> =
            of_host(&hosts, &document, host).iter().filter_map(|figure| figure["workload"]["depth"].as_u64()).collect();
        assert_eq!(depths, [1, 4], "{document}");
    }
}

#[test]
fn a_sweep_of_hosts_that_was_stopped_goes_on_from_them() {
    let (hosts, folder) = two();
    let (list, config, path) = (hosts.list(), hosts.config(), folder.path().to_str().unwrap());
    let sweep =
        ["sweep", "disk", path, "--axis", "depth=1,4,16", "--working-set", "8M", "--duration", "1s", "--passes", "1"];
    let on = ["--hosts", &list, "--ssh-config", &config];
    let mut stopped = hosts.home.fathom(&[sweep.as_slice(), &on].concat());
    let mut stopped = stopped.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let slices = || {
        let runs = hosts.home.run(&["runs", "--format", "json"]);
        runs.json()["runs"].as_array().and_then(|runs| runs.first()?["slices"].as_u64()).unwrap_or(0)
    };
    eventually("the first slice", 60, || slices() >= 1);
    stopped.kill().unwrap();
    stopped.wait().unwrap();
    let one = ["sweep", "--resume", "last", "--ssh-config", &config, "--hosts", hosts.name(0)];
    hosts.home.run(&one).ends(2, &[hosts.name(1), "name all of them"]);
    let ran = hosts.home.run(&["sweep", "--resume", "last", "--ssh-config", &config, "--format", "json"]);
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    let document = ran.json();
    for host in 0..2 {
        let own = of_host(&hosts, &document, host);
        let depths: Vec<u64> = own.iter().filter_map(|figure| figure["workload"]["depth"].as_u64()).collect();
        assert_eq!(depths, [1, 4, 16], "{document}");
    }
    assert!(document["changes"].as_array().unwrap().iter().all(|change| change["undone"] == true), "{document}");
    hosts.home.run(&["sweep", "--resume", "last", "--hosts", hosts.name(0)]).ends(ran.code, &["has all its points"]);
    assert_eq!(nameless(path).len() + fs::read_dir(folder.path()).unwrap().count(), 0, "a file was left behind");
}

#[test]
fn a_job_file_is_loaded_from_each_host() {
    let (hosts, folder) = two();
    let path = folder.path().join("load").display().to_string();
    let text = format!(
        "[global]\nfilename={path}\nsize=8m\ndirect=1\nruntime=1\ntime_based\n\
         [fill]\nrw=write\nbs=64k\n[mixed]\nstonewall\nrw=randrw\nbs=8k\n"
    );
    let file = hosts.home.path().join("job.fio");
    fs::write(&file, text).unwrap();
    let document = run(&hosts, &["fio", file.to_str().unwrap()]);
    for host in 0..2 {
        let kinds: Vec<&str> =
            of_host(&hosts, &document, host).iter().map(|figure| figure["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["write", "read", "write"], "{document}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "a file was left behind");
}

/// Both hosts' folders lie on the same device: one test stands for both.
#[test]
fn a_device_of_another_host_is_written_to_until_it_falls() {
    let (hosts, folder) = two();
    let load = ["--sustained", "--volume", "64M", "--for", "20s", "--block-size", "1M", "--depth", "4"];
    let document = run(&hosts, &[&["disk", folder.path().to_str().unwrap()], load.as_slice()].concat());
    let found = document["sustained"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{document}");
    let (first, second) = (hosts.name(0), hosts.name(1));
    assert!(found[0]["target"].as_str().unwrap().starts_with(first), "{document}");
    assert!(found[0]["also"][0].as_str().unwrap().starts_with(second), "{document}");
    assert_eq!((found[0]["written"].as_u64(), &found[0]["ended"]), (Some(64 << 20), &"volume".into()), "{document}");
}

#[test]
fn a_device_of_another_host_is_filled_written_at_random_and_discarded() {
    let (hosts, device) = (Hosts::new(&[Odd::default()]), LoopDevice::of(64 << 20));
    let load = ["--until-steady", "--fill-levels", "50", "--trim", "after", "--for", "8s", "--destroy-data-on"];
    let document = run(&hosts, &[&["disk", &device.path], load.as_slice(), &[&device.path]].concat());
    let found = &document["sustained"][0];
    assert!(found["target"].as_str().unwrap().starts_with(hosts.name(0)), "{document}");
    assert_eq!((&found["fill_level"], &found["error"]), (&50.into(), &Value::Null), "{found}");
    assert!(found["written"].as_u64().unwrap() > 0 && found["rounds"]["covered"] == 1.0, "{found}");
    assert!(fs::read(&device.path).unwrap().iter().all(|byte| *byte == 0), "it was not discarded");
    assert!(found["says"].as_str().unwrap().ends_with("then all of it was discarded (trimmed)"), "{found}");
}
