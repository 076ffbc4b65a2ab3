//! A host's link is cut in the middle of a run: that is told, the others go on, and its agent ends by itself and leaves nothing.

use crate::common::hosts::{Hosts, Odd, nameless, soon};
use serde_json::Value;
use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Waits until every agent has a file of its own; if that does not come about, the run says why.
fn each_with_a_file(mut run: Child, folder: &str) -> Child {
    let deadline = Instant::now() + Duration::from_secs(60);
    while nameless(folder).len() < 3 {
        if Instant::now() > deadline || run.try_wait().unwrap().is_some() {
            let _ = run.kill();
            let said = run.wait_with_output().unwrap().stderr;
            panic!("{} of 3 agents have a file:\n{}", nameless(folder).len(), String::from_utf8_lossy(&said));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    run
}

#[test]
fn the_others_go_on_and_nothing_is_left_on_the_host_that_is_cut_off() {
    let hosts = Hosts::new(&vec![Odd::default(); 3]);
    let folder = hosts.folder.path().join("disk");
    fs::create_dir(&folder).unwrap();
    let (list, config, path) = (hosts.list(), hosts.config(), folder.to_string_lossy().into_owned());
    let words = ["disk", &path, "--hosts", &list, "--ssh-config", &config, "--patterns", "write-latency"];
    let more = ["--duration", "2s", "--passes", "4", "--working-set", "16M", "--sync", "dsync", "--format", "json"];
    let run = hosts.home.fathom(&[&words[..], &more].concat());
    let run = { run }.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let run = each_with_a_file(run, &path);
    std::thread::sleep(Duration::from_secs(3));
    hosts.link(1, false);
    // The pipe does not close: only the silence tells the agent.
    soon("the agent that is cut off has ended", 30, || nameless(&path).len() == 2);
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
    assert_eq!(output.status.code(), Some(4), "{said}");
    let figures = document["figures"].as_array().unwrap();
    let of = |index: usize| {
        let own = |figure: &&Value| figure["target"].as_str().unwrap().starts_with(hosts.name(index));
        figures.iter().find(own).unwrap_or_else(|| panic!("{figures:#?}"))
    };
    assert_eq!((of(0)["slices"].as_u64(), of(2)["slices"].as_u64()), (Some(4), Some(4)), "{figures:#?}\n{said}");
    assert!(of(1)["slices"].as_u64() < Some(4) || of(1)["gaps"][0].is_string(), "{figures:#?}\n{said}");
    assert!(said.contains(hosts.name(1)), "{said}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    assert!(nameless(&path).is_empty());
}
