//! Real ssh to real sshds in network namespaces: the agent comes, tells of its host, and goes; and everything that can be wrong.

use crate::common::hosts::{Hosts, Odd, soon};
use crate::common::{Kind, Lab, Lent};
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

fn plain(count: usize) -> Vec<Odd> {
    vec![Odd::default(); count]
}

/// Processes of agents anywhere on this machine that are this test's.
fn agents(hosts: &Hosts, index: usize) -> Vec<String> {
    let pids = Command::new("ip").args(["netns", "pids", hosts.name(index)]).output().unwrap();
    let pids = String::from_utf8_lossy(&pids.stdout).into_owned();
    let is_agent = |pid: &&str| {
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.contains("/fathom\0agent")
    };
    pids.split_whitespace().filter(is_agent).map(str::to_string).collect()
}

#[test]
fn the_agent_is_sent_once_and_removed() {
    let hosts = Hosts::new(&plain(3));
    let (list, config) = (hosts.list(), hosts.config());
    let words = ["hosts", "--hosts", &list, "--ssh-config", &config, "--format", "json"];
    for sent in [true, false] {
        let ran = hosts.home.run(&words);
        let document = ran.ends(0, &[]).json();
        let seen = document["hosts"].as_array().unwrap();
        assert_eq!(seen.len(), 3);
        for (index, host) in seen.iter().enumerate() {
            assert_eq!((host["name"].as_str(), host["agent_sent"].as_bool()), (Some(hosts.name(index)), Some(sent)));
            assert_eq!(host["facts"]["nics"][0]["name"], "eth0");
            let (ns, error) = (host["clock"]["ns"].as_i64().unwrap(), host["clock"]["error_ns"].as_i64().unwrap());
            assert!(ns.abs() <= error, "one clock, and it is said to differ by {ns} ±{error} ns");
        }
        soon("agents gone", 5, || (0..3).all(|index| agents(&hosts, index).is_empty()));
    }
    let kept = hosts.folder.path().join("home0/fathom/agents");
    let builds: Vec<_> = fs::read_dir(&kept).unwrap().flatten().map(|build| build.path()).collect();
    assert_eq!(builds.len(), 1);
    // As a loss of power may leave it.
    fs::write(builds[0].join("fathom"), "").unwrap();
    let document = hosts.home.run(&words).ends(0, &[]).json();
    let sent: Vec<_> = document["hosts"].as_array().unwrap().iter().map(|host| &host["agent_sent"]).collect();
    assert_eq!(sent, [true, false, false]);
    hosts.home.run(&["hosts", "clean", "--hosts", &list, "--ssh-config", &config]).ends(0, &[]);
    assert!(!kept.parent().unwrap().exists());
}

#[test]
fn an_agent_that_can_not_be_removed_is_told() {
    let before = "mkdir -p HOME_OF_IT/fathom/agents; mount -t tmpfs none HOME_OF_IT/fathom/agents";
    let hosts = Hosts::new(&[Odd { before: before.into(), ..Odd::default() }]);
    let ran = hosts.home.run(&["hosts", "clean", "--hosts", &hosts.list(), "--ssh-config", &hosts.config()]);
    ran.ends(4, &["remove by hand there", "home0/fathom/agents: rm: "]);
}

#[test]
fn a_banner_does_no_harm() {
    let says =
        |banner: &str| Odd { force: Some(format!("{banner}; eval \"$SSH_ORIGINAL_COMMAND\"")), ..Odd::default() };
    let hosts = Hosts::new(&[says("echo Welcome to the machine"), says("seq 2000")]);
    let ran = hosts.home.run(&["hosts", "--hosts", &hosts.list(), "--ssh-config", &hosts.config(), "--format", "json"]);
    let document = ran.ends(0, &[]).json();
    let sent: Vec<&serde_json::Value> =
        document["hosts"].as_array().unwrap().iter().map(|host| &host["agent_sent"]).collect();
    assert_eq!(sent, [true, true]);
}

/// Three logins of six seconds take longer than an agent stays without a message.
#[test]
fn an_agent_waits_for_hosts_whose_login_is_slow() {
    let slow = Odd { force: Some("sleep 6; eval \"$SSH_ORIGINAL_COMMAND\"".into()), ..Odd::default() };
    let hosts = Hosts::new(&[Odd::default(), slow]);
    let ran = hosts.home.run(&["hosts", "--hosts", &hosts.list(), "--ssh-config", &hosts.config(), "--format", "json"]);
    let document = ran.ends(0, &[]).json();
    assert_eq!(document["hosts"].as_array().unwrap().len(), 2, "{document:#}");
}

#[test]
fn hosts_that_are_wrong_are_told_with_their_mend_and_the_others_answer() {
    let nowhere = "for d in HOME_OF_IT /var/tmp /tmp /dev/shm; do mount -t tmpfs -o ro none $d; done";
    let full = "for d in HOME_OF_IT /var/tmp /tmp /dev/shm; do mount -t tmpfs -o size=64k none $d; done";
    let noexec = "for d in HOME_OF_IT /var/tmp /tmp /dev/shm; do mount -t tmpfs -o noexec none $d; done";
    let elsewhere = "mount -t tmpfs -o ro none HOME_OF_IT; mount -t tmpfs none /var/tmp";
    let before = |text: &str| Odd { before: text.into(), ..Odd::default() };
    let odd = [before(nowhere), before(full), before(noexec), before(elsewhere), Odd::default()];
    let hosts = Hosts::new(&odd);
    let list = format!("{},nowhere.invalid", hosts.list());
    let ran = hosts.home.run(&["hosts", "--hosts", &list, "--ssh-config", &hosts.config(), "--format", "json"]);
    let document = ran.ends(4, &[]).json();
    let why = |name: &str| {
        let silent = document["silent"].as_array().unwrap();
        let found = silent.iter().find(|one| one["name"] == name);
        found.and_then(|one| one["why"].as_str()).unwrap_or_default().to_string()
    };
    assert!(why(hosts.name(0)).contains("can not be written to"), "{document:#}");
    assert!(why(hosts.name(1)).contains("full"), "{document:#}");
    assert!(why(hosts.name(2)).contains("no program may be run there"), "{document:#}");
    assert!(why("nowhere.invalid").contains("check the name"), "{document:#}");
    let seen: Vec<&str> =
        document["hosts"].as_array().unwrap().iter().filter_map(|host| host["name"].as_str()).collect();
    assert_eq!(seen, [hosts.name(3), hosts.name(4)]);
}

#[test]
fn programs_that_do_not_fit_are_told() {
    let hosts = Hosts::new(&plain(1));
    let own = fs::read(env!("CARGO_BIN_EXE_fathom")).unwrap();
    // The loader of the real C library refuses the first, the kernel the second.
    let mut newer = own.clone();
    let versions: Vec<usize> =
        (0..newer.len() - 11).filter(|at| &newer[*at..at + 10] == b"GLIBC_2.34" && newer[at + 10] == 0).collect();
    assert!(!versions.is_empty(), "this build needs no GLIBC_2.34 that could be replaced");
    versions.into_iter().for_each(|at| newer[at..at + 10].copy_from_slice(b"GLIBC_9.99"));
    let mut foreign = own;
    // e_machine of the ELF header: RISC-V.
    foreign[18] = 243;
    for (name, program, word) in [("newer", newer, "make dist"), ("foreign", foreign, "not for this kind of machine")] {
        let path = hosts.home.path().join(name);
        fs::write(&path, program).unwrap();
        let path = path.to_string_lossy().into_owned();
        let ran =
            hosts.home.run(&["hosts", "--hosts", &hosts.list(), "--ssh-config", &hosts.config(), "--agent", &path]);
        ran.ends(4, &[]);
        assert!(ran.out.contains(word), "{name}: {}", ran.out);
    }
}

#[test]
fn nobody_asks_for_a_password() {
    let hosts = Hosts::new(&plain(1));
    fs::write(hosts.folder.path().join("allowed"), "").unwrap();
    let ran = hosts.home.run(&["hosts", "--hosts", &hosts.list(), "--ssh-config", &hosts.config()]);
    ran.ends(4, &["does not answer"]);
    assert!(ran.out.contains("ssh-copy-id"), "{}", ran.out);
}

#[test]
fn an_agent_goes_when_its_coordinator_is_killed() {
    let hosts = Hosts::new(&plain(2));
    let (list, config) = (hosts.list(), hosts.config());
    // The coordinator waits for a host that can't answer.
    hosts.link(1, false);
    let mut run = hosts
        .home
        .fathom(&["hosts", "--hosts", &list, "--ssh-config", &config])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    soon("an agent", 20, || !agents(&hosts, 0).is_empty());
    run.kill().unwrap();
    run.wait().unwrap();
    soon("no agent", 15, || agents(&hosts, 0).is_empty());
}

/// The hosts of a lab, as clients of it.
fn clients(lab: &Lab) -> String {
    let status = lab.home.run(&["lab", "status", "--name", &lab.name, "--format", "json"]);
    let status = status.ends(0, &[]).json();
    let hosts = status["hosts"].as_array().unwrap().iter().filter_map(|host| host["namespace"].as_str());
    hosts.map(|namespace| format!("netns:{namespace}")).collect::<Vec<_>>().join(",")
}

fn namespace(hosts: &str, index: usize) -> String {
    hosts.split(',').nth(index).unwrap().trim_start_matches("netns:").to_string()
}

/// The process in the network namespace that puts a load on something.
fn loading(namespace: &str) -> Option<String> {
    let pids = Command::new("ip").args(["netns", "pids", namespace]).output().unwrap();
    let pids = String::from_utf8_lossy(&pids.stdout).into_owned();
    let lanes = |pid: &&str| {
        fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten()
            .flatten()
            .any(|task| fs::read_to_string(task.path().join("comm")).unwrap_or_default().starts_with("fathom-lane"))
    };
    pids.split_whitespace().find(lanes).map(str::to_string)
}

#[test]
fn three_hosts_load_a_pool_as_one() {
    let lab = Lent::of(Kind::Hosts);
    let before = lab.snapshot();
    let hosts = clients(&lab);
    let patterns = "read-latency,read-parallel";
    let words = [
        "rados",
        "--hosts",
        &hosts,
        "--patterns",
        patterns,
        "--duration",
        "4s",
        "--working-set",
        "32M",
        "--depth",
        "1",
        "--format",
        "json",
    ];
    let longest = |figure: &serde_json::Value| figure["percentiles"]["100"].as_f64().unwrap_or_default();
    let held_up =
        |document: &serde_json::Value| document["figures"].as_array().unwrap().iter().any(|one| longest(one) > 3900.0);
    let measured = || {
        let run = lab.fathom(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        soon("an agent that loads", 60, || loading(&namespace(&hosts, 0)).is_some());
        // Longer than a host may be silent: with one operation in flight it tells no window until that has ended.
        lab.hold_up(Duration::from_secs(4));
        let output = run.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 4)), "{said}");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(!document["warnings"].to_string().contains("is missing"), "{document:#}");
        document
    };
    // On a busy machine a slice may be over before the OSDs are held up.
    let document = (0..4).map(|_| measured()).find(held_up).expect("an operation that was held up");
    assert_eq!(document["errors"].as_array().unwrap().len(), 0, "{document:#}");
    let figures = document["figures"].as_array().unwrap();
    let of = |host: &str| figures.iter().filter(|figure| figure["host"] == host && figure["value"].is_f64()).count();
    assert!(hosts.split(',').all(|host| of(host) == 2), "{figures:#?}");
    // Every operation of a host is one of all together, window by window.
    let windows = lab.home.run(&["show", "--format", "windows"]);
    let rows: Vec<Vec<&str>> = windows.ends(0, &[]).out.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|title| *title == name).unwrap();
    let (target, operations) = (column("target"), column("operations"));
    let sum = |whole: bool| -> u64 {
        let own = rows[1..].iter().filter(|row| (row[target] == "pool") == whole);
        own.map(|row| row[operations].parse::<u64>().unwrap()).sum()
    };
    assert!(sum(true) > 1000 && sum(true) == sum(false), "{} of {}", sum(true), sum(false));
    let chart = document["chart"].as_array().unwrap();
    assert!(chart.iter().all(|cell| cell["targets"] == 1), "{chart:#?}");
    assert_eq!(lab.snapshot(), before);
}

#[test]
fn without_a_killed_agent_the_others_go_on() {
    let lab = Lent::of(Kind::Hosts);
    let before = lab.snapshot();
    let hosts = clients(&lab);
    let words = [
        "rados",
        "--hosts",
        &hosts,
        "--patterns",
        "read-latency",
        "--duration",
        "3s",
        "--passes",
        "3",
        "--working-set",
        "32M",
        "--format",
        "json",
    ];
    let run = lab.fathom(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let victim = namespace(&hosts, 1);
    soon("an agent that loads", 60, || loading(&victim).is_some());
    std::thread::sleep(Duration::from_millis(1500));
    Command::new("kill").args(["-9", &loading(&victim).unwrap()]).status().unwrap();
    let output = run.wait_with_output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let warnings = document["warnings"].to_string();
    assert!(warnings.contains(&victim) && warnings.contains("s into the slice"), "{warnings}");
    let gaps: Vec<String> =
        document["figures"].as_array().unwrap().iter().map(|figure| figure["gaps"].to_string()).collect();
    assert!(gaps.iter().any(|gap| gap.contains(&victim) && gap.contains("s into the slice")), "{gaps:?}");
    let slices = |host: &str| {
        let figures = document["figures"].as_array().unwrap();
        figures.iter().find(|figure| figure["host"] == host).map_or(0, |figure| figure["slices"].as_u64().unwrap())
    };
    let counts: Vec<u64> = hosts.split(',').map(slices).collect();
    assert!(counts[0] >= 2 && counts[2] >= 2 && counts[1] < counts[0], "{counts:?}");
    assert_eq!(lab.snapshot(), before);
}

#[test]
fn every_pair_of_hosts_is_measured_and_the_slow_link_is_seen() {
    let hosts = Hosts::new(&plain(3));
    // Towards the second host.
    hosts.slow_down(1, "200mbit");
    let (list, config) = (hosts.list(), hosts.config());
    let patterns = "write-latency,write-linear";
    let words = [
        "network",
        "--hosts",
        &list,
        "--ssh-config",
        &config,
        "--patterns",
        patterns,
        "--duration",
        "2s",
        "--format",
        "json",
    ];
    let ran = hosts.home.run(&words);
    assert!(matches!(ran.code, 0 | 4), "{}\n{}", ran.out, ran.err);
    let document = ran.json();
    assert_eq!(document["errors"].as_array().unwrap().len(), 0, "{document:#}");
    let value = |from: usize, to: usize, pattern: &str| {
        let name = format!("{}→{}", hosts.name(from), hosts.name(to));
        let figures = document["figures"].as_array().unwrap();
        let found = figures
            .iter()
            .find(|figure| figure["target"] == name && figure["pattern"] == pattern && figure["at_once"] == 1);
        found.and_then(|figure| figure["value"].as_f64()).unwrap_or_else(|| panic!("no figure of {name} {pattern}"))
    };
    for (from, to) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
        assert!(value(from, to, "write-latency") > 0.0);
        let bandwidth = value(from, to, "write-linear");
        assert_eq!(bandwidth < 30.0, to == 1, "{from}→{to}: {bandwidth} MB/s");
    }
    let findings = document["findings"].as_array().unwrap();
    let slow: Vec<&str> = findings.iter().filter_map(|finding| finding["target"].as_str()).collect();
    assert_eq!(slow, [hosts.name(1)], "{findings:#?}");
    assert!(findings[0]["says"].as_str().unwrap().contains("receives"), "{findings:#?}");
}

#[test]
fn a_host_with_another_mtu_is_found() {
    let odd = [Odd::default(), Odd { mtu: Some(1400), ..Odd::default() }, Odd::default()];
    let hosts = Hosts::new(&odd);
    let (list, config) = (hosts.list(), hosts.config());
    let words = ["network", "--hosts", &list, "--ssh-config", &config, "--patterns", "write-latency"];
    let ran = hosts.home.run(&[&words[..], &["--duration", "1s", "--format", "json"]].concat());
    assert!(matches!(ran.code, 0 | 4), "{}\n{}", ran.out, ran.err);
    let document = ran.json();
    let paths = document["path_mtus"].as_array().unwrap();
    assert_eq!(paths.len(), 6, "{paths:#?}");
    let carries = |from: usize, to: usize| {
        let own = paths.iter().find(|path| path["from"] == hosts.name(from) && path["to"] == hosts.name(to)).unwrap();
        own["carries"].as_u64().unwrap()
    };
    assert_eq!((carries(0, 2), carries(1, 0)), (1500, 1400));
    // A virtual cable lets some bytes more through than its end is set to.
    assert!((1400..1500).contains(&carries(0, 1)), "{paths:#?}");
    let findings = document["findings"].as_array().unwrap();
    let told: Vec<&str> = findings
        .iter()
        .filter(|finding| finding["id"] == "mtu")
        .filter_map(|finding| finding["target"].as_str())
        .collect();
    assert_eq!(told, [hosts.name(1)], "{findings:#?}");
    // Also of hosts that are entered by their namespaces, whichever interfaces /sys shows there.
    let entered = format!("netns:{},netns:{}", hosts.name(0), hosts.name(1));
    let document = hosts.home.run(&["hosts", "--hosts", &entered, "--format", "json"]).ends(0, &[]).json();
    let mtu = |index: usize| document["hosts"][index]["facts"]["nics"][0]["mtu"].as_u64();
    assert_eq!((mtu(0), mtu(1)), (Some(1500), Some(1400)), "{document:#}");
}
