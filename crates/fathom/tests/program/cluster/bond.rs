//! Two ways of a host, of which one is bad: alone in its program, since streams that wait for a processor are uneven by that.

use crate::common::hosts::{Hosts, Odd};

#[test]
fn a_bad_one_of_two_ways_of_a_host_is_told_apart_from_a_slow_host() {
    let hosts = Hosts::new(&vec![Odd::default(); 3]);
    hosts.two_ways(1, "100mbit");
    let (list, config) = (hosts.list(), hosts.config());
    let words = [
        "network",
        "--hosts",
        &list,
        "--ssh-config",
        &config,
        "--patterns",
        "write-linear,read-linear",
        "--duration",
        "2s",
    ];
    // Of six streams all take the same way in one slice of 32, and on a busy machine others wait for a processor: of six runs one must
    // see it, and none may name another host.
    let found = (0..6).find_map(|_| {
        let ran = hosts.home.run(&[&words[..], &["--passes", "2", "--jobs", "6", "--format", "json"]].concat());
        assert!(matches!(ran.code, 0 | 4), "{}\n{}", ran.out, ran.err);
        let findings = ran.json()["findings"].as_array().unwrap().clone();
        let legs = findings.iter().filter(|one| one["id"] == "bond-leg");
        assert!({ legs }.all(|one| one["target"] == hosts.name(1)), "{findings:#?}");
        // It alone explains what is slow.
        findings.first().filter(|one| findings.len() == 1 && one["id"] == "bond-leg").cloned()
    });
    let says = found.expect("no run saw it")["says"].as_str().unwrap().to_string();
    assert!(says.contains("sends"), "{says}");
}
