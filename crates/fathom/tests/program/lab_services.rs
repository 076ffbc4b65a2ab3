//! What a lab offers beside its pools: they serve, their daemons are killed and started, and they go with it.

use crate::common::gateway::Gateway;
use crate::common::{Home, Lab, eventually, pgrep, tool};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
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
    a_bucket_with_few_shards_is_told_while_it_is(&lab);
    what_a_client_holds_is_told_while_it_does(&lab, Path::new(status["dir"].as_str().unwrap()));
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
    few_workers_are_had_while_they_are(&lab, &status);
    assert!(answers_by_nfs(nfs));

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
    let told = || hinted(lab, "fs-mds-cache").into_iter().map(|one| one["target"].clone()).collect::<Vec<_>>();
    assert!(told().is_empty());
    fault(lab, &["on", "mds-cache", "--value", "2"]);
    assert_eq!((set(), told()), (json!("2097152"), vec![json!("mds.a/mds_cache_memory_limit")]));
    fault(lab, &["off", "mds-cache"]);
    assert_eq!((set(), told()), (Value::Null, Vec::new()));
}

fn fault(lab: &Lab, words: &[&str]) {
    lab.home.run(&[&["lab", "fault"], words, &["--name", &lab.name]].concat()).ends(0, &[]);
}

/// What the audit says by this rule.
fn hinted(lab: &Lab, rule: &str) -> Vec<Value> {
    let audit = lab.home.run(&["audit", "--lab", &lab.name, "--format", "json"]).json();
    assert_eq!(audit["left_out"], json!([]), "{audit:#}");
    audit["hints"].as_array().unwrap().iter().filter(|one| one["id"] == rule).cloned().collect()
}

/// A fault that is killed after each of these milliseconds, and undone then.
fn killed_and_undone(lab: &Lab, name: &str, moments: &[u64]) {
    for moment in moments {
        let mut on = lab.home.fathom(&["lab", "fault", "on", name, "--name", &lab.name]).spawn().unwrap();
        // The moment is what is tried, not a wait for something.
        std::thread::sleep(Duration::from_millis(*moment));
        let _ = on.kill();
        let _ = on.wait();
        fault(lab, &["off"]);
    }
}

/// Its index is read by the bucket's own header: what is made, counted and gone again is one bucket.
fn a_bucket_with_few_shards_is_told_while_it_is(lab: &Lab) {
    let buckets = || {
        let listed = tool("radosgw-admin", &["--conf", lab.conf(), "bucket", "list"]);
        serde_json::from_str::<Vec<String>>(&listed).unwrap().join(" ")
    };
    let set = || lab.json(&["config", "get", "client.rgw.a"])["rgw_max_objs_per_shard"]["value"].clone();
    let (before, usual) = (buckets(), set());
    assert_eq!(hinted(lab, "rgw-bucket-shards"), Vec::<Value>::new());
    fault(lab, &["on", "bucket-few-shards", "--value", "200"]);
    let told = hinted(lab, "rgw-bucket-shards");
    let says = told[0].to_string();
    assert!(
        says.contains("fault-bucket-few-shards: 200 objects in one of 1 shard") && says.contains("at most 20"),
        "{says}"
    );
    fault(lab, &["off", "bucket-few-shards"]);
    assert_eq!((hinted(lab, "rgw-bucket-shards"), buckets(), set()), (vec![], before.clone(), usual.clone()));
    killed_and_undone(lab, "bucket-few-shards", &[20, 300, 900]);
    assert_eq!((buckets(), set()), (before, usual));
}

/// Whoever asks for the size of a file waits for a client that has it and hangs; its folder, its clients and their processes go with the fault.
fn what_a_client_holds_is_told_while_it_does(lab: &Lab, folder: &Path) {
    let clients = || {
        let sessions = lab.json(&["tell", "mds.a", "session", "ls"]);
        let own = |one: &&Value| one["client_metadata"]["root"] == "/fault.caps-held";
        sessions.as_array().unwrap().iter().filter(own).count()
    };
    assert_eq!(hinted(lab, "fs-caps-held"), Vec::<Value>::new());
    fault(lab, &["on", "caps-held", "--value", "5"]);
    eventually("a request that waits for what a client holds", 60, || {
        hinted(lab, "fs-caps-held").first().is_some_and(|one| one.to_string().contains("lock, waiting"))
    });
    assert_eq!(clients(), 2);
    fault(lab, &["off", "caps-held"]);
    assert_eq!((hinted(lab, "fs-caps-held"), clients()), (vec![], 0));
    killed_and_undone(lab, "caps-held", &[20, 100, 400]);
    let left = std::fs::read_dir(folder.join("run")).unwrap().flatten();
    assert!(!left.into_iter().any(|file| file.file_name().to_string_lossy().starts_with("fault.")));
    assert_eq!(clients(), 0);
}

/// The server starts again with another configuration, and with its own when the fault is off, also if the fault was killed.
fn few_workers_are_had_while_they_are(lab: &Lab, status: &Value) {
    let folder = Path::new(status["dir"].as_str().unwrap());
    let memory = status["backing"] == "memory";
    let data = if memory { status["osds"][0]["device"].as_str().map(Path::new).unwrap() } else { folder };
    let data = if memory { data.parent().and_then(Path::parent).unwrap() } else { data };
    let conf = || std::fs::read_to_string(data.join("nfs.a/ganesha.conf")).unwrap();
    let pid = || std::fs::read_to_string(folder.join("run/nfs.a.pid")).unwrap_or_default();
    let (before, first) = (conf(), pid());
    fault(lab, &["on", "nfs-few-workers"]);
    assert!(conf().contains("RPC_Ioq_ThrdMax = 2;") && pid() != first);
    fault(lab, &["off", "nfs-few-workers"]);
    assert_eq!(conf(), before);
    for moment in [5, 50, 300] {
        killed_and_undone(lab, "nfs-few-workers", &[moment]);
        assert_eq!(conf(), before, "killed after {moment} ms");
    }
}

/// Booted once: its disk, the image that its kernel maps, CephFS and NFS by its kernel; then the supervisor is killed.
#[test]
fn a_guest_needs_hosts() {
    Home::new().run(&["lab", "up", "--with", "guest"]).ends(2, &["--hosts"]);
}

#[test]
fn a_service_that_is_not_known_is_told_with_those_that_are() {
    Home::new().run(&["lab", "up", "--with", "rgw,s4"]).ends(2, &["s4", "cephfs", "rgw", "nfs", "guest"]);
}
