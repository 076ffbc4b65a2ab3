//! Clusters that can't be reached, keys that don't fit, rights that are missing, things that don't exist.

use crate::common::{Home, Lab, Lent, eventually};
use std::fs;

#[test]
fn no_cluster_at_all() {
    let home = Home::new();
    home.run(&["osd", "--conf", "/nowhere/ceph.conf"]).ends(2, &["/nowhere/ceph.conf"]);
    let conf = home.path().join("dead.conf");
    let keyring = home.path().join("keyring");
    fs::write(&keyring, "[client.admin]\n\tkey = AQBSdZxkAAAAABAAjKz0Yk4ZbV7v0P6b0c7Vhg==\n").unwrap();
    let text = format!("[global]\nmon host = 127.0.0.1:1\nkeyring = {}\n", keyring.display());
    fs::write(&conf, text).unwrap();
    home.run(&["osd", "--conf", conf.to_str().unwrap()]).ends(1, &["127.0.0.1:1", "monitor"]);
}

#[test]
fn keys_rights_and_things_that_are_not_there() {
    let lab = Lent::lab();
    let before = lab.snapshot();
    wrong_key(&lab);
    too_few_rights(&lab);
    least_rights(&lab);
    unknown_things(&lab);
    foreign_images_are_only_read(&lab);
    assert_eq!(lab.snapshot(), before, "something was left behind");
}

/// Pools of our own are replicated all the same, and lie where replicated pools do.
#[test]
fn new_pools_are_erasure_coded_by_default() {
    let lab = Lent::lab();
    lab.ceph(&["config", "set", "global", "osd_pool_default_type", "erasure"]);
    let before = lab.snapshot();
    let words = ["rados", "--patterns", "write-latency", "--working-set", "1M", "--duration", "1s", "--format", "json"];
    let ran = lab.run(&words);
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    let document = ran.json();
    assert_ne!(document["figures"][0]["label"], "void", "{document}");
    assert_eq!(lab.snapshot(), before, "something was left behind");
    lab.ceph(&["config", "rm", "global", "osd_pool_default_type"]);
}

fn wrong_key(lab: &Lab) {
    let keyring = lab.home.path().join("wrong.keyring");
    fs::write(&keyring, "[client.admin]\n\tkey = AQBSdZxkAAAAABAAjKz0Yk4ZbV7v0P6b0c7Vhg==\n").unwrap();
    lab.run(&["osd", "--keyring", keyring.to_str().unwrap()]).ends(1, &["key", "client.admin"]);
}

fn user(lab: &Lab, id: &str, caps: &[&str]) -> String {
    let keyring = lab.home.path().join(format!("{id}.keyring"));
    let entity = format!("client.{id}");
    let mut arguments = vec!["auth", "get-or-create", &entity];
    arguments.extend(caps);
    fs::write(&keyring, lab.ceph(&arguments)).unwrap();
    keyring.display().to_string()
}

fn too_few_rights(lab: &Lab) {
    let keyring = user(lab, "weak", &["mon", "allow r"]);
    let ran = lab.run(&["rados", "--id", "weak", "--keyring", &keyring, "--duration", "1s"]);
    ran.ends(1, &["client.weak", "missing cap", "allow service config-key rw", "ceph auth caps client.weak"]);
    lab.ceph(&["auth", "rm", "client.weak"]);
}

/// What the error message calls the least that suffices does suffice, also where the cluster protects every new pool.
fn least_rights(lab: &Lab) {
    lab.ceph(&["config", "set", "global", "osd_pool_default_flag_nodelete", "true"]);
    let keyring =
        user(lab, "least", &["mon", "allow rw, allow service config-key rw", "mgr", "allow r", "osd", "allow *"]);
    let ran = lab.run(&[
        "run",
        "--layers",
        "store,osd,rados,rbd",
        "--patterns",
        "write-latency",
        "--duration",
        "1s",
        "--passes",
        "1",
        "--working-set",
        "16M",
        "--id",
        "least",
        "--keyring",
        &keyring,
        "--format",
        "json",
    ]);
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    let void = ran.json()["figures"].as_array().unwrap().iter().filter(|figure| figure["label"] == "void").count();
    assert_eq!(void, 0, "{}", ran.err);
    lab.ceph(&["config", "rm", "global", "osd_pool_default_flag_nodelete"]);
    let pools = lab.ceph(&["osd", "pool", "ls"]);
    assert!(!pools.contains("fathom."), "{pools}");
    lab.ceph(&["auth", "rm", "client.least"]);
}

fn unknown_things(lab: &Lab) {
    lab.run(&["rados", "--pool", "nope"]).ends(2, &["pool nope does not exist"]);
    lab.run(&["osd", "osd.99"]).ends(2, &["osd.99 does not exist", "osd.0"]);
    lab.ceph(&["osd", "pool", "create", "have", "8"]);
    lab.run(&["rbd", "--pool", "have", "--image", "nope", "--duration", "1s"]).ends(2, &["nope"]);
    lab.ceph(&["osd", "pool", "delete", "have", "have", "--yes-i-really-really-mean-it"]);
}

fn foreign_images_are_only_read(lab: &Lab) {
    lab.ceph(&["osd", "pool", "create", "theirs", "8"]);
    lab.ceph(&["osd", "pool", "application", "enable", "theirs", "rbd"]);
    lab.rbd(&["create", "--size", "32M", "theirs/disk"]);
    let before = lab.rbd(&["du", "theirs/disk"]);
    let ran =
        lab.run(&["rbd", "--pool", "theirs", "--image", "disk", "--duration", "1s", "--patterns", "write-latency"]);
    ran.ends(3, &["not Fathom's"]);
    let short = ["--duration", "1s", "--passes", "1", "--patterns"];
    let ran = lab.run(&[&["rbd", "--pool", "theirs", "--image", "disk"], &short[..], &["read-latency"]].concat());
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    assert_eq!(lab.rbd(&["du", "theirs/disk"]), before);
    // A named pool gets images and objects of Fathom's own, and loses them again; another one gets nothing.
    lab.ceph(&["osd", "pool", "create", "data", "8"]);
    lab.ceph(&["config", "set", "client", "rbd_default_data_pool", "data"]);
    for layer in ["rbd", "rados"] {
        let small = [layer, "--pool", "theirs", "--working-set", "16M"];
        let ran = lab.run(&[&small, &short[..], &["write-latency"]].concat());
        assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    }
    assert_eq!(lab.rbd(&["ls", "theirs"]).trim(), "disk");
    assert_eq!(lab.rados(&["-p", "data", "ls"]), "");
    lab.ceph(&["config", "rm", "client", "rbd_default_data_pool"]);
    an_application_without_images(lab);
    a_quota(lab);
    lab.ceph(&["osd", "pool", "delete", "data", "data", "--yes-i-really-really-mean-it"]);
    lab.ceph(&["osd", "pool", "delete", "theirs", "theirs", "--yes-i-really-really-mean-it"]);
}

fn an_application_without_images(lab: &Lab) {
    lab.ceph(&["osd", "pool", "application", "enable", "data", "cephfs"]);
    let words = ["rbd", "--pool", "data", "--working-set", "16M", "--duration", "1s"];
    lab.run(&words).ends(3, &["pool data is of application cephfs", "leave the pool out"]);
    assert_eq!(lab.rados(&["-p", "data", "ls"]), "");
}

/// A run leaves room in it; and where others fill it, what the run made can still be deleted.
fn a_quota(lab: &Lab) {
    let set = |what: &str, most: &str| lab.ceph(&["osd", "pool", "set-quota", "theirs", what, most]);
    let objects = || lab.rados(&["-p", "theirs", "ls"]);
    let there = objects();
    set("max_bytes", "20000000");
    for layer in ["rbd", "rados"] {
        let words = [layer, "--pool", "theirs", "--working-set", "200M", "--duration", "1s"];
        lab.run(&words).ends(3, &["pool theirs has a quota of 19.1 MiB", "--working-set"]);
    }
    let mut run = lab.fathom(&["rados", "--pool", "theirs", "--working-set", "1M", "--duration", "60s", "--quiet"]);
    let mut run = run.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    eventually("an object of the run", 60, || objects().contains("fathom."));
    run.kill().unwrap();
    run.wait().unwrap();
    set("max_bytes", "1");
    eventually("the pool is full", 60, || lab.ceph(&["osd", "pool", "ls", "detail"]).contains("full_quota"));
    lab.run(&["restore", "--yes"]).ends(0, &["undone: objects"]);
    assert_eq!(objects(), there);
    lab.run(&["rados", "--pool", "theirs", "--duration", "1s"]).ends(3, &["pool theirs is full"]);
    set("max_bytes", "0");
}
