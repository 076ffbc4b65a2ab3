//! Images and files whose data lie in another pool than their names: an erasure-coded one.

use crate::common::{Lab, eventually, tool};

const SMALL: [&str; 5] = ["--quick", "--working-set", "16M", "--pool", "vms"];

/// A replicated pool of RBD, and one of 2+1 chunks in which somebody has an object.
fn lab() -> Lab {
    let lab = Lab::up(&["--osds", "3", "--backing", "memory", "--with", "cephfs"]);
    lab.ceph(&["osd", "pool", "create", "vms", "8"]);
    lab.ceph(&["osd", "erasure-code-profile", "set", "two-one", "k=2", "m=1", "crush-failure-domain=osd"]);
    lab.ceph(&["osd", "pool", "create", "ec", "8", "8", "erasure", "two-one"]);
    lab.ceph(&["osd", "pool", "create", "files-ec", "8", "8", "erasure", "two-one"]);
    lab.ceph(&["osd", "pool", "set", "files-ec", "allow_ec_overwrites", "true"]);
    for pool in ["vms", "ec"] {
        lab.ceph(&["osd", "pool", "application", "enable", pool, "rbd"]);
    }
    tool("rados", &["--conf", lab.conf(), "-p", "ec", "put", "theirs", "/etc/hostname"]);
    lab
}

fn refused(lab: &Lab) {
    let run = |words: &[&str]| lab.run(&[&["rbd"], words, &SMALL[..]].concat());
    run(&["--data-pool", "nowhere"]).ends(2, &["--data-pool nowhere", "there is no such pool", "ec"]);
    run(&["--data-pool", "ec"]).ends(3, &["--data-pool ec", "ceph osd pool set ec allow_ec_overwrites true"]);
    lab.run(&["rbd", "--data-pool", "ec"]).ends(2, &["--pool"]);
    let same = lab.run(&["rbd", "--pool", "ec", "--data-pool", "ec", "--quick"]);
    same.ends(2, &["the same erasure-coded pool", "a replicated one by --pool"]);
    lab.run(&["rbd", "--pool", "ec", "--quick"]).ends(3, &["pool ec is erasure-coded", "--data-pool ec"]);
    lab.run(&["rbd", "--quick", "--ab", "data-pool=vms,ec"]).ends(2, &["--ab data-pool", "--pool"]);
    lab.run(&["rados", "--quick", "--ab", "data-pool=vms,ec"]).ends(2, &["--ab data-pool", "rbd"]);
    lab.ceph(&["osd", "pool", "create", "files", "8"]);
    lab.ceph(&["osd", "pool", "application", "enable", "files", "cephfs"]);
    run(&["--data-pool", "files"]).ends(3, &["pool files is of application cephfs"]);
}

/// RBD's own note in the pool stays, as in every pool that has had images.
fn only_theirs_is_left(lab: &Lab) {
    // What a snapshot kept the OSDs take away by themselves, soon after.
    let left = || lab.rados(&["-p", "ec", "ls"]);
    eventually("the end of all but theirs", 60, || {
        left().lines().filter(|name| *name != "rbd_info").collect::<Vec<_>>() == ["theirs"]
    });
    assert_eq!(lab.rados(&["-p", "ec", "get", "theirs", "-"]), std::fs::read_to_string("/etc/hostname").unwrap());
    assert_eq!(lab.rbd(&["ls", "vms"]).lines().collect::<Vec<_>>(), ["theirs"]);
}

#[test]
fn data_lie_in_the_pool_that_is_named_and_are_gone_afterwards() {
    let lab = lab();
    refused(&lab);
    lab.ceph(&["osd", "pool", "set", "ec", "allow_ec_overwrites", "true"]);
    lab.rbd(&["create", "vms/theirs", "--size", "16M", "--data-pool", "ec"]);
    lab.rbd(&["bench", "--io-type", "write", "--io-size", "1M", "--io-total", "16M", "vms/theirs"]);
    lab.ceph(&["osd", "pool", "set-quota", "ec", "max_bytes", "64M"]);
    let run = |words: &[&str]| lab.run(&[&["rbd", "--pool", "vms"], words].concat());
    run(&["--data-pool", "ec", "--working-set", "1G"]).ends(3, &["pool ec has a quota of 64 MiB"]);
    lab.ceph(&["osd", "pool", "set-quota", "ec", "max_bytes", "0"]);

    // Killed in the middle: the data are in that pool, and go by `restore`.
    let words = ["rbd", "--data-pool", "ec", "--pool", "vms", "--patterns", "write-parallel", "--duration", "1m"];
    let mut killed = lab.fathom(&words).stderr(std::process::Stdio::null()).spawn().unwrap();
    let of_run = || lab.rados(&["-p", "ec", "ls"]).lines().filter(|name| name.starts_with("rbd_data.")).count();
    let theirs = of_run();
    eventually("data of the run in ec", 60, || of_run() > theirs);
    killed.kill().unwrap();
    killed.wait().unwrap();
    let own = lab.rbd(&["ls", "vms"]);
    let own = own.lines().find(|name| name.starts_with("fathom.")).unwrap();
    assert!(lab.rbd(&["info", &format!("vms/{own}")]).contains("data_pool: ec"));
    // Also where the pool with the data takes nothing more.
    lab.ceph(&["osd", "pool", "set-quota", "ec", "max_bytes", "1"]);
    eventually("a full pool", 60, || lab.ceph(&["health", "detail"]).contains("POOL_FULL"));
    lab.run(&["restore", "--yes"]).ends(0, &["image vms/fathom.", "data in ec"]);
    assert_eq!(of_run(), theirs);
    lab.ceph(&["osd", "pool", "set-quota", "ec", "max_bytes", "0"]);
    eventually("a pool with room", 60, || !lab.ceph(&["health", "detail"]).contains("POOL_FULL"));

    let ran = run(&["--image", "theirs", "--patterns", "read-latency", "--quick", "--format=json"]);
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    assert_eq!(ran.json()["figures"][0]["target"], "vms/theirs, data in ec");
    lab.rbd(&["rm", "vms/theirs", "--no-progress"]);
    lab.rbd(&["create", "vms/theirs", "--size", "16M"]);

    // One pool for the names, and beside each other in it what lies there and what lies elsewhere.
    let pair = [
        "--ab",
        "data-pool=vms,ec",
        "--patterns",
        "write-latency",
        "--duration",
        "1s",
        "--passes",
        "6",
        "--format=json",
    ];
    let ran = run(&[&pair[..], &["--working-set", "16M"]].concat());
    // Both may differ, or nothing may be known yet.
    assert!(matches!(ran.code, 0 | 4 | 5), "{}: {}", ran.code, ran.err);
    let targets: Vec<_> = ran.json()["figures"].as_array().unwrap().iter().map(|one| one["target"].clone()).collect();
    assert_eq!(targets, ["pool vms", "pool vms, data in ec"], "{}", ran.out);
    only_theirs_is_left(&lab);

    lab.ceph(&["config", "set", "osd", "osd_snap_trim_sleep", "0.001"]);
    let states = ["--states", "--data-pool", "ec", "--quick", "--working-set", "32M"];
    assert!(run(&states).ends(0, &[]).out.contains("States of an image"));
    only_theirs_is_left(&lab);

    files(&lab);
}

/// Files beside each other in the file system's own pool and in one of chunks, and nothing of them afterwards.
fn files(lab: &Lab) {
    let run = |words: &[&str]| lab.run(&[&["file", "--cephfs", "cephfs", "--duration", "1s"], words].concat());
    let own = lab.ceph(&["fs", "ls", "--format", "json"]);
    let own: serde_json::Value = serde_json::from_str(&own).unwrap();
    let own = own[0]["data_pools"][0].as_str().unwrap();
    let other = run(&["--data-pool", "files-ec"]);
    other.ends(2, &[&format!("has {own} for data"), "`ceph fs add_data_pool cephfs files-ec`"]);
    lab.ceph(&["fs", "add_data_pool", "cephfs", "files-ec"]);
    // Also the quota of the pool that nobody names is kept.
    lab.ceph(&["osd", "pool", "set-quota", own, "max_bytes", "64M"]);
    run(&["--working-set", "1G"]).ends(3, &[&format!("pool {own} has a quota of 64 MiB")]);
    lab.ceph(&["osd", "pool", "set-quota", own, "max_bytes", "0"]);
    tool("rados", &["--conf", lab.conf(), "-p", "files-ec", "put", "theirs", "/etc/hostname"]);

    // Whoever may use files may not say where they lie: told, and nothing is left to be undone.
    let rights = ["mds", "allow rw", "mon", "allow *", "osd", "allow *", "mgr", "allow *"];
    let keyring = lab.home.path().join("keyring").to_string_lossy().into_owned();
    let key = lab.ceph(&[&["auth", "get-or-create", "client.files"][..], &rights].concat());
    std::fs::write(&keyring, key + "\n").unwrap();
    let words = ["--data-pool", "files-ec", "--patterns", "write-latency", "--id", "files", "--keyring", &keyring];
    run(&words).ends(1, &["could not be made", "client.files may not say", "mds 'allow rwp'"]);
    assert!(lab.run(&["restore", "--yes"]).ends(0, &[]).out.contains("nothing to undo"));

    let objects = || lab.rados(&["-p", "files-ec", "ls"]).lines().map(str::to_string).collect::<Vec<_>>();
    let pair = format!("data-pool={own},files-ec");
    let words = ["file", "--cephfs", "cephfs", "--ab", &pair, "--patterns", "write-latency", "--format=json"];
    let told = lab.home.path().join("told");
    let mut ran = lab.fathom(&[&words[..], &["--duration", "1s", "--passes", "6"]].concat());
    let mut ran =
        ran.stdout(std::fs::File::create(&told).unwrap()).stderr(std::process::Stdio::null()).spawn().unwrap();
    eventually("data of the run in files-ec", 60, || objects().len() > 1);
    let code = ran.wait().unwrap().code().unwrap();
    assert!(matches!(code, 0 | 4 | 5), "{code}");
    let report: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&told).unwrap()).unwrap();
    let targets: Vec<_> = report["figures"].as_array().unwrap().iter().map(|one| one["target"].clone()).collect();
    let data_in = |pool: &str| format!("cephfs (libcephfs, data in {pool})");
    assert_eq!(targets, [data_in(own), data_in("files-ec")], "{report:#}");
    eventually("the end of all but theirs", 60, || objects() == ["theirs"]);
}
