//! What a lab offers beside its pools: they serve, their daemons are killed and started, and they go with it.

use crate::common::gateway::Gateway;
use crate::common::{Home, Lab, eventually, tool};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn a_file_system_by_nfs_too_and_a_gateway_serve_and_go_with_the_lab() {
    // The file system comes by itself.
    let lab = Lab::up(&["--with", "rgw,nfs"]);
    let status = lab.home.run(&["lab", "status", "--name", &lab.name, "--format", "json"]).ends(0, &[]).json();
    let services = status["services"].as_array().unwrap();
    let daemons: Vec<&str> = services.iter().map(|one| one["daemon"].as_str().unwrap()).collect();
    assert_eq!(daemons, ["mds.a", "rgw.a", "nfs.a"]);
    let keys = services[1]["credentials"].as_str().unwrap();
    assert_eq!(std::fs::metadata(keys).unwrap().permissions().mode() & 0o777, 0o600);
    let shown = lab.home.run(&["lab", "status", "--name", &lab.name]);
    shown.ends(0, &[]);
    let nfs = services[2]["url"].as_str().unwrap();
    for words in ["rgw.a", services[1]["url"].as_str().unwrap(), keys, "mds.a", "nfs.a", nfs] {
        assert!(shown.out.contains(words), "{words}: {}", shown.out);
    }

    // What was asked for and is not loaded is told.
    let dry = ["run", "--lab", &lab.name, "--with", "rgw,nfs", "--layers", "rados,file", "--dry-run"];
    let told = "--with nfs: nothing of it is loaded by this run";
    let loaded = lab.home.run(&dry);
    assert!(loaded.code == 0 && !loaded.err.contains(told) && loaded.out.contains(nfs), "{}{}", loaded.out, loaded.err);
    let without = ["run", "--lab", &lab.name, "--with", "rgw,nfs", "--layers", "rados", "--dry-run"];
    lab.home.run(&without).ends(0, &[told, "--with rgw: nothing of it is loaded by this run"]);

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
    a_small_cache_is_told_while_it_is(&lab);
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

    let nfs = nfs.strip_prefix("nfs://").unwrap().strip_suffix("/cephfs").unwrap();
    assert!(answers_by_nfs(nfs));
    // It may do what clients of the file system may.
    let rights = lab.json(&["auth", "get", "client.nfs.a"])[0]["caps"].clone();
    assert_eq!(rights["mon"], "allow r");
    assert_eq!(rights["osd"], "allow rw tag cephfs data=cephfs");
    lab.daemon("kill", "nfs.a");
    assert!(!answers_by_nfs(nfs));
    lab.daemon("start", "nfs.a");
    eventually("the NFS server to serve again", 60, || answers_by_nfs(nfs));
    lab.daemon("restart", "nfs.a");
    eventually("the NFS server to serve after a restart", 60, || answers_by_nfs(nfs));

    let folder = status["dir"].as_str().unwrap();
    lab.home.run(&["lab", "down", "--name", &lab.name]).ends(0, &[]);
    assert!(!Path::new(folder).exists());
    assert_eq!(pgrep(folder), "");
    assert!(!answers_by_nfs(nfs));
}

/// The procedure of NFS version 4 that does nothing (RFC 7530): a call of 40 bytes, and a reply of 24 that says it is done.
fn answers_by_nfs(address: &str) -> bool {
    let words = [0x8000_0028u32, 1, 0, 2, 100_003, 4, 0, 0, 0, 0, 0];
    let call: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let mut reply = [1; 28];
    let asked = TcpStream::connect(address).and_then(|mut stream| {
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        stream.write_all(&call)?;
        stream.read_exact(&mut reply)
    });
    asked.is_ok() && reply[12..].iter().all(|byte| *byte == 0)
}

fn a_small_cache_is_told_while_it_is(lab: &Lab) {
    let set = || lab.json(&["config", "get", "mds.a"])["mds_cache_memory_limit"]["value"].clone();
    let told = || {
        let audit = lab.home.run(&["audit", "--lab", &lab.name, "--format", "json"]).json();
        let hints = audit["hints"].as_array().unwrap().iter();
        hints.filter(|one| one["id"] == "fs-mds-cache").map(|one| one["target"].clone()).collect::<Vec<_>>()
    };
    let fault = |words: &[&str]| {
        lab.home.run(&[&["lab", "fault"], words, &["--name", &lab.name]].concat()).ends(0, &[]);
    };
    assert!(told().is_empty());
    fault(&["on", "mds-cache", "--value", "2"]);
    assert_eq!((set(), told()), (json!("2097152"), vec![json!("mds.a/mds_cache_memory_limit")]));
    fault(&["off", "mds-cache"]);
    assert_eq!((set(), told()), (Value::Null, Vec::new()));
}

/// Booted once: its disk, the image that its kernel maps, CephFS and NFS by its kernel; then the supervisor is killed.
#[test]
fn a_guest_measures_as_a_client_does_and_goes_with_the_lab() {
    let cache = env!("CARGO_TARGET_TMPDIR");
    let lab = Lab::guest(&["--backing", "memory"], &[("XDG_CACHE_HOME", cache)]);
    assert_eq!(lab.status()["hosts"].as_array().unwrap().len(), 3);
    let shown = lab.home.run(&["lab", "status", "--name", &lab.name]).ends(0, &[]).out.clone();
    assert!(shown.contains("fathom file /mnt/cephfs /mnt/nfs --hosts guest --ssh-config"), "{shown}");
    let guest = &lab.status()["services"][2];
    assert_eq!(guest["paths"], json!(["/dev/vda", "/dev/rbd0", "/mnt/cephfs", "/mnt/nfs"]));
    let config = lab.status()["ssh_config"].as_str().unwrap();
    let inside = |script: &str| {
        let ran = Command::new("ssh").args(["-F", config, "guest", script]).stdin(Stdio::null()).output().unwrap();
        let told = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
        (ran.status.success(), told)
    };
    let seen = inside(
        "echo by ceph > /mnt/cephfs/theirs; echo by nfs > /mnt/nfs/theirs.too; cat /mnt/nfs/theirs /mnt/cephfs/theirs.too",
    );
    assert_eq!(seen, (true, "by ceph\nby nfs\n".to_owned()));
    // This host is safe from it.
    let name = format!("/var/tmp/theirs.{}", std::process::id());
    let (done, told) = inside(&format!("touch {name}"));
    assert!(!done && told.contains("Read-only file system"), "{told}");
    assert!(!Path::new(&name).exists());
    assert_eq!(lab.rados(&["-p", "guest", "ls"]).matches("rbd_data").count(), 0);

    let mut warnings = Vec::new();
    let mut measured = |words: &[&str]| -> Vec<(String, u64, u64)> {
        let there = ["--hosts", "guest", "--ssh-config", config, "--format", "json"];
        let short = ["--patterns", "write-latency", "--working-set", "4M", "--duration", "2s", "--passes", "1"];
        let ran = lab.home.run(&[words, &there, &short].concat());
        assert!([0, 4].contains(&ran.code), "{}", ran.err);
        let report = ran.json();
        warnings.extend(report["warnings"].as_array().unwrap().clone());
        let figures = report["figures"].as_array().unwrap().iter();
        let figure = |one: &Value| {
            let target = one["target"].as_str().unwrap().to_owned();
            (target, one["operations"].as_u64().unwrap(), one["errors"].as_u64().unwrap())
        };
        figures.map(figure).collect()
    };
    let destroy = ["--destroy-data-on", "/dev/vda", "--destroy-data-on", "/dev/rbd0"];
    let disks = measured(&[&["disk", "/dev/vda", "/dev/rbd0"][..], &destroy].concat());
    let files = measured(&["file", "/mnt/cephfs", "/mnt/nfs"]);
    let all = [disks, files].concat();
    for target in ["guest:/dev/vda", "guest:/dev/rbd0", "guest:/mnt/cephfs (ceph)", "guest:/mnt/nfs (nfs4)"] {
        let own: Vec<_> = all.iter().filter(|one| one.0 == target).collect();
        assert!(!own.is_empty() && own.iter().all(|one| one.1 > 0 && one.2 == 0), "{target}: {all:?}");
    }
    let told =
        warnings.iter().filter_map(Value::as_str).filter(|text| text.contains("is on an image of a Ceph cluster"));
    let told: Vec<&str> = told.collect();
    assert!(
        matches!(told[..], [only] if only.starts_with("guest:/dev/rbd0 ") && only.contains("(rbd0: guest/krbd, by krbd")),
        "{warnings:?}"
    );
    // It reached the images and the file system of this lab, and left nothing there.
    let objects = lab.rados(&["-p", "guest", "ls"]);
    for image in ["virtio", "krbd"] {
        let info: Value =
            serde_json::from_str(&lab.rbd(&["info", &format!("guest/{image}"), "--format", "json"])).unwrap();
        assert!(objects.contains(info["block_name_prefix"].as_str().unwrap()), "{image}: {objects}");
    }
    assert_eq!(inside("ls -A /mnt/cephfs; cat /mnt/nfs/theirs"), (true, "theirs\ntheirs.too\nby ceph\n".to_owned()));

    let folder = lab.status()["dir"].as_str().unwrap();
    let supervisor = std::fs::read_to_string(Path::new(folder).join("lock")).unwrap();
    assert!(Command::new("kill").args(["-9", supervisor.trim()]).status().unwrap().success());
    eventually("the end of all that it held", 20, || pgrep(folder).is_empty());
    let lab_links =
        || tool("ip", &["-oneline", "link", "show"]).lines().filter(|line| line.contains(&lab.name)).count();
    assert!(lab_links() > 0);
    lab.home.run(&["lab", "down", "--name", &lab.name]).ends(0, &[]);
    assert_eq!(lab_links(), 0);
    assert!(!Path::new(folder).exists());
}

fn pgrep(folder: &str) -> String {
    let left = Command::new("pgrep").args(["--full", folder]).output().unwrap();
    String::from_utf8_lossy(&left.stdout).into_owned()
}

#[test]
fn a_guest_needs_hosts() {
    Home::new().run(&["lab", "up", "--with", "guest"]).ends(2, &["--hosts"]);
}

#[test]
fn a_service_that_is_not_known_is_told_with_those_that_are() {
    Home::new().run(&["lab", "up", "--with", "rgw,s4"]).ends(2, &["s4", "cephfs", "rgw", "nfs", "guest"]);
}
