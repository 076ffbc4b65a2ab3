//! What a lab offers beside its pools: they serve, their daemons are killed and started, and they go with it.

use crate::common::gateway::Gateway;
use crate::common::{Home, Lab, eventually};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

#[test]
fn a_file_system_and_a_gateway_serve_and_go_with_the_lab() {
    let lab = Lab::up(&["--with", "rgw,cephfs"]);
    let status = lab.home.run(&["lab", "status", "--name", &lab.name, "--format", "json"]).ends(0, &[]).json();
    let services = status["services"].as_array().unwrap();
    let daemons: Vec<&str> = services.iter().map(|one| one["daemon"].as_str().unwrap()).collect();
    assert_eq!(daemons, ["mds.a", "rgw.a"]);
    let keys = services[1]["credentials"].as_str().unwrap();
    assert_eq!(std::fs::metadata(keys).unwrap().permissions().mode() & 0o777, 0o600);
    let shown = lab.home.run(&["lab", "status", "--name", &lab.name]);
    shown.ends(0, &[]);
    for words in ["rgw.a", services[1]["url"].as_str().unwrap(), keys, "mds.a"] {
        assert!(shown.out.contains(words), "{words}: {}", shown.out);
    }

    assert_eq!(lab.json(&["health"])["status"], "HEALTH_OK");
    // No pool comes about once it is ready.
    let pools = lab.json(&["osd", "pool", "ls"]);
    let gateway = Gateway::of(&lab);
    gateway.put("fathom-test", &[]);
    gateway.put("fathom-test/one", &["--data-binary", "as it was put"]);
    assert_eq!(gateway.get("fathom-test/one"), "as it was put");
    assert_eq!(lab.json(&["osd", "pool", "ls"]), pools);
    let file_systems = lab.json(&["fs", "ls"]);
    assert_eq!(file_systems[0]["name"], "cephfs", "{file_systems}");
    // Its number is another one after each start.
    let active = || {
        let server = lab.json(&["status"])["fsmap"]["by_rank"][0].clone();
        server["gid"].as_u64().filter(|_| server["status"] == "up:active")
    };
    let first = active().expect("no metadata server is active");

    lab.daemon("kill", "rgw.a");
    assert!(!gateway.has("fathom-test/one"));
    lab.daemon("start", "rgw.a");
    eventually("the gateway to serve again", 60, || gateway.has("fathom-test/one"));
    lab.daemon("restart", "mds.a");
    eventually("the metadata server to be active again", 60, || active().is_some_and(|now| now != first));

    let folder = status["dir"].as_str().unwrap();
    lab.home.run(&["lab", "down", "--name", &lab.name]).ends(0, &[]);
    assert!(!Path::new(folder).exists());
    let left = Command::new("pgrep").args(["--full", folder]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&left.stdout), "");
}

#[test]
fn a_service_that_is_not_known_is_told_with_those_that_are() {
    Home::new().run(&["lab", "up", "--with", "rgw,s4"]).ends(2, &["s4", "cephfs", "rgw"]);
}
