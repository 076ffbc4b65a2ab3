//! A lab whose OSDs talk to each other on a network of their own: what is slow on one of the two is told apart from the other.

use crate::common::Lab;
use std::fs;
use std::process::Command;

/// This host's end of a lab host's link on the second network.
fn port(namespace: &str) -> String {
    let links = fs::read_dir("/sys/class/net").unwrap().flatten();
    let mut names = links.filter_map(|entry| entry.file_name().into_string().ok());
    let alias = |name: &String| fs::read_to_string(format!("/sys/class/net/{name}/ifalias")).unwrap_or_default();
    names.find(|name| name.starts_with("fc") && alias(name).trim() == namespace).unwrap()
}

#[test]
fn public_and_cluster_network_are_told_apart() {
    let lab = Lab::up(&["--backing", "memory", "--hosts", "3", "--cluster-network"]);
    let status = lab.home.run(&["lab", "status", "--name", &lab.name, "--format", "json"]).ends(0, &[]).json();
    let hosts = status["hosts"].as_array().unwrap();
    let namespaces: Vec<&str> = hosts.iter().map(|host| host["namespace"].as_str().unwrap()).collect();
    let slowed = [
        "qdisc",
        "replace",
        "dev",
        &port(namespaces[1]),
        "root",
        "tbf",
        "rate",
        "200mbit",
        "burst",
        "64kb",
        "limit",
        "1mb",
    ];
    assert!(Command::new("tc").args(slowed).status().unwrap().success());
    let list = namespaces.iter().map(|name| format!("netns:{name}")).collect::<Vec<_>>().join(",");
    let words = ["network", "--hosts", &list, "--patterns", "write-linear", "--duration", "2s", "--format", "json"];
    let ran = lab.run_ahead(&words);
    assert!(matches!(ran.code, 0 | 4), "{}\n{}", ran.out, ran.err);
    let document = ran.json();
    let addresses = |key: &str| -> Vec<String> {
        let osds = document["scope"]["osds"].as_array().unwrap();
        osds.iter().map(|osd| osd[key].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(addresses("cluster_address").len(), 3, "{document:#}");
    assert!(addresses("address").iter().all(|public| !addresses("cluster_address").contains(public)));

    let figures = document["figures"].as_array().unwrap();
    let alone = |network: Option<&str>| {
        let own = figures.iter().filter(|figure| figure["network"].as_str() == network && figure["at_once"] == 1);
        own.filter(|figure| figure["value"].as_f64().is_some()).collect::<Vec<_>>()
    };
    assert_eq!((alone(None).len(), alone(Some("cluster")).len()), (6, 6), "{figures:#?}");
    assert!(alone(None).iter().all(|figure| figure["value"].as_f64().unwrap() > 30.0), "{figures:#?}");
    assert!(alone(Some("cluster")).iter().all(|figure| figure["chart"] == false));
    let findings = document["findings"].as_array().unwrap();
    let told: Vec<&str> = findings.iter().filter_map(|finding| finding["target"].as_str()).collect();
    assert_eq!(told, [format!("netns:{} (cluster)", namespaces[1])], "{findings:#?}");
    let paths = document["path_mtus"].as_array().unwrap();
    assert_eq!(paths.iter().filter(|path| path["network"] == "cluster").count(), 6, "{paths:#?}");
    // The same by its name, and no other.
    let cluster = addresses("cluster_address")[0].rsplit_once('.').unwrap().0.to_string() + ".0/24";
    let words = [&words[..], &["--networks", &cluster, "--dry-run"]].concat();
    let ran = lab.run(&words);
    let steps = ran.ends(0, &[]).json()["steps"].as_array().map(Vec::len);
    assert_eq!(steps, Some(7), "{}", ran.out);
    let absent = ["network", "--hosts", &list, "--networks", "10.9.9.0/24"];
    lab.run(&absent).ends(2, &["no address on 10.9.9.0/24"]);
    // From here, without agents, there is no way to measure: loopback is not the way to these OSDs.
    let planned = lab.run(&["run", "--layers", "network,osd", "--dry-run", "--format", "json"]);
    planned.ends(0, &["the network was not measured: 3 of 3 OSDs are not on this host", "--hosts"]);
    assert!(planned.out.contains("osd.2") && !planned.out.contains("loopback"), "{}", planned.out);
}
