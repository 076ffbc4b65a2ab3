//! Two switches with a narrow way between them: alone in its program, since a load that waits for a processor says nothing of the network.

use crate::common::hosts::{Hosts, Odd};

#[test]
fn an_uplink_that_is_too_narrow_for_all_at_once_is_told_apart() {
    let hosts = Hosts::new(&vec![Odd::default(); 4]);
    (0..4).for_each(|index| hosts.slow_down(index, "200mbit"));
    // As much as one of the links below it: each pair alone sees nothing of it.
    hosts.move_behind(&[2, 3], "200mbit");
    let (list, config) = (hosts.list(), hosts.config());
    let words =
        ["network", "--hosts", &list, "--ssh-config", &config, "--patterns", "write-linear", "--duration", "2s"];
    let ran = hosts.home.run(&[&words[..], &["--passes", "2", "--format", "json"]].concat());
    assert!(matches!(ran.code, 0 | 4), "{}\n{}", ran.out, ran.err);
    let document = ran.json();
    let findings = document["findings"].as_array().unwrap();
    let told: Vec<&str> = findings.iter().filter_map(|finding| finding["id"].as_str()).collect();
    assert_eq!(told, ["uplink-oversubscribed"], "{document:#}");
    let target = format!("{}, {} ↔ {}, {}", hosts.name(0), hosts.name(1), hosts.name(2), hosts.name(3));
    assert_eq!(findings[0]["target"], *target, "{findings:#?}");
}
