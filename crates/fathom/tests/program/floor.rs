//! Writes that hosts keep for each other, over real ssh between network namespaces: what any replicated store could do at best.

use crate::common::hosts::{Hosts, Odd, nameless};
use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn of<'a>(document: &'a Value, target: &str, pattern: &str) -> &'a Value {
    let figures = document["figures"].as_array().unwrap();
    let own = figures.iter().find(|figure| figure["target"] == target && figure["pattern"] == pattern);
    own.unwrap_or_else(|| panic!("no {target} {pattern}: {document:#}"))
}

#[test]
fn two_and_three_hosts_keep_what_is_written() {
    let hosts = Hosts::new(&vec![Odd::default(); 3]);
    let folder = hosts.folder.path().join("kept");
    fs::create_dir(&folder).unwrap();
    let (list, config, path) = (hosts.list(), hosts.config(), folder.to_string_lossy().into_owned());
    let words = ["floor", &path, "--hosts", &list, "--ssh-config", &config, "--working-set", "16M", "--duration", "2s"];
    let ran = hosts.home.run(&[&words[..], &["--format", "json"]].concat());
    assert!(matches!(ran.code, 0 | 4), "{}\n{}", ran.out, ran.err);
    let document = ran.json();
    assert_eq!(document["errors"].as_array().unwrap().len(), 0, "{document:#}");
    let names = |count: usize| format!("{count} replicas");
    let value = |count: usize, pattern: &str| of(&document, &names(count), pattern)["value"].as_f64().unwrap();
    for count in [2, 3] {
        let workload = &of(&document, &names(count), "write-parallel")["workload"];
        assert_eq!((&workload["depth"], &workload["durability"]), (&128.into(), &"dsync".into()), "{workload:#}");
        assert!(value(count, "write-parallel") > 1000.0 / value(count, "write-latency"), "{document:#}");
    }
    // The depth chart has that of three, with the worse of two ways to make writes durable.
    let charted = |count: usize| -> Vec<&Value> {
        let figures = document["figures"].as_array().unwrap().iter();
        figures
            .filter(|one| one["target"] == names(count) && one["pattern"] == "write-latency" && one["chart"] == true)
            .collect()
    };
    let [worse] = charted(3)[..] else { panic!("{document:#}") };
    assert!(worse["value"].as_f64() >= worse["other_way"]["value"].as_f64(), "{worse:#}");
    let ways = [worse["workload"]["durability"].as_str().unwrap(), worse["other_way"]["durability"].as_str().unwrap()];
    assert!(ways.contains(&"dsync") && ways.contains(&"fdatasync"), "{ways:?}");
    assert!(charted(2).is_empty());
    // Each host is a client, and has its replicas on others.
    for index in 0..3 {
        let own = of(&document, &format!("2 replicas from {}", hosts.name(index)), "write-latency");
        assert_eq!((&own["at_once"], &own["errors"]), (&3.into(), &0.into()), "{own:#}");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn without_a_host_that_keeps_it_a_write_is_not_done() {
    let hosts = Hosts::new(&vec![Odd::default(); 3]);
    let folder = hosts.folder.path().join("kept");
    fs::create_dir(&folder).unwrap();
    let (list, config, path) = (hosts.list(), hosts.config(), folder.to_string_lossy().into_owned());
    let words = ["floor", &path, "--hosts", &list, "--ssh-config", &config, "--working-set", "16M", "--format", "json"];
    let more = ["--patterns", "write-latency", "--duration", "5s"];
    let run = hosts.home.fathom(&[&words[..], &more].concat()).stdout(Stdio::piped()).spawn().unwrap();
    // Only who keeps something has a port open for it.
    let keeps = |pid: &String| {
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let mut names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
        names.any(|name| name.starts_with("fathom-listener"))
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    let victim = loop {
        if let Some(pid) = nameless(&path).into_iter().find(keeps) {
            break pid;
        }
        assert!(Instant::now() < deadline, "nobody keeps anything");
        std::thread::sleep(Duration::from_millis(20));
    };
    std::thread::sleep(Duration::from_millis(500));
    Command::new("kill").args(["-9", &victim]).status().unwrap();
    let output = run.wait_with_output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let void = |figure: &&Value| figure["label"] == "void";
    assert!(document["figures"].as_array().unwrap().iter().any(|figure| void(&figure)), "{document:#}");
    assert!(!document["errors"].as_array().unwrap().is_empty(), "{document:#}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn one_host_alone_has_no_floor() {
    let hosts = Hosts::new(&[Odd::default()]);
    let (list, config) = (hosts.list(), hosts.config());
    let path = hosts.folder.path().to_string_lossy().into_owned();
    let words = ["floor", &path, "--hosts", &list, "--ssh-config", &config];
    hosts.home.run(&words).ends(2, &["two hosts keep", "--hosts a,b,c"]);
    hosts.home.run(&["floor", &path]).ends(2, &["two hosts keep"]);
    let words = ["floor", &path, "--osd-hosts", &list, "--ssh-config", &config];
    hosts.home.run(&words).ends(2, &["name some that load"]);
}
