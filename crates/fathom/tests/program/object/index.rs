//! How operations follow the size of a bucket's index, by the gateway's own log.

use super::*;

/// A bucket for each number of objects, which holds these from before the first slice on, and is loaded by itself.
pub(super) fn each_number_of_objects_has_a_bucket_of_its_own(lab: &Lab, gateway: &Gateway) {
    let sweep = ["sweep", "object", "--lab", &lab.name, "--axis", "objects=200,1500", "--depth", "8"];
    let plan = lab.home.run(&[&sweep[..], &["--dry-run"]].concat());
    plan.ends(0, &[]);
    let told = plan.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("as long as it takes to put 1,700 objects (6.64 MiB) before"), "{told}");

    let swept = lab.home.run(&[&sweep[..], &SHORT].concat());
    assert!(matches!(swept.code, 0 | 4), "{}", swept.err);
    let report = swept.json();
    assert_eq!(report["errors"], serde_json::json!([]));
    let points = report["sweep"]["points"].as_array().unwrap();
    let at: Vec<u64> = points.iter().map(|point| point["at"]["objects"].as_u64().unwrap()).collect();
    assert_eq!(at.iter().filter(|at| **at == 200).count(), 4, "{points:?}");
    assert_eq!(at.iter().filter(|at| **at == 1500).count(), 4, "{points:?}");
    let figures = report["figures"].as_array().unwrap();
    let kinds: BTreeSet<&str> = figures.iter().map(|figure| figure["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, BTreeSet::from(["create", "delete", "stat", "list"]));
    assert!(figures.iter().all(|figure| figure["errors"] == 0), "{figures:?}");
    let run = report["run"].as_str().unwrap();
    for objects in [200, 1500] {
        let asked = asked_of(gateway, &format!("fathom-{run}-o{objects}x4096"));
        let of_set = |one: &&(String, String, u32, u64)| one.1.contains(".4096.");
        let put: Vec<&String> = asked.iter().filter(of_set).filter(|one| one.0 == "PUT").map(|one| &one.1).collect();
        assert_eq!(put.len(), objects, "each once");
        let numbers: BTreeSet<u64> = put.iter().map(|name| name.rsplit('.').next().unwrap().parse().unwrap()).collect();
        assert!(numbers.into_iter().eq(0..objects as u64));
        let heads = asked.iter().filter(of_set).filter(|one| (one.0.as_str(), one.2) == ("HEAD", 200)).count();
        let new = asked.iter().filter(|one| one.0 == "PUT" && one.1.contains(".new.")).count();
        assert!(heads > 50 && new > 50, "{objects}: {heads} HEAD, {new} new ones");
    }
    only_theirs_is_left(gateway);
    let shown = lab.home.run(&["show", run]);
    let told = shown.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("100 at objects 200; 666 at objects 1,500"), "{told}");

    // What a kill leaves of both is undone by their names.
    let words = [&sweep[..], &["--duration", "20s", "--passes", "3"]].concat();
    let mut child = lab.home.fathom(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut own = Vec::new();
    eventually("both buckets to be filled", 60, || {
        own = gateway.buckets().into_iter().filter(|name| name.starts_with("fathom-")).collect();
        own.len() == 2 && own.iter().all(|name| asked_of(gateway, name).len() > 200)
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let told = gateway.run(lab, &["restore", "--yes"]);
    assert_eq!(told.ends(0, &[]).err.matches("undone: bucket").count(), 2);
    only_theirs_is_left(gateway);
    assert_eq!(journals(lab), 0);

    // A bucket is where it was asked for, or nowhere.
    let object = ["object", "--lab", &lab.name, "--patterns", "stat", "--objects", "20"];
    let unknown = lab.home.run(&[&object[..], &["--placement", "nope"], &SHORT].concat());
    unknown.ends(1, &["it has no such placement", "radosgw-admin zonegroup placement list"]);
    let placed = lab.home.run(&[&object[..], &["--placement", "default-placement"], &SHORT].concat());
    let report = measured(&placed);
    let target = report["figures"][0]["target"].as_str().unwrap();
    assert!(target.ends_with(" (placement default-placement)"), "{target}");
    only_theirs_is_left(gateway);

    two_placements(lab, gateway);

    let refused = |words: &[&str], why: &str| {
        lab.home.run(&[words, &["--lab", &lab.name]].concat()).ends(2, &[why]);
    };
    refused(&["object", "--objects", "1000", "--working-set", "4M"], "cannot be used with");
    refused(&["sweep", "object", "--axis", "objects=10,20", "--working-set", "4M"], "leave one of them out");
    refused(&["sweep", "rados", "--axis", "objects=10,20"], "the rados layer has no such thing");
}

/// Objects of two pools beside each other.
fn two_placements(lab: &Lab, gateway: &Gateway) {
    lab.ceph(&["osd", "pool", "create", "others", "8"]);
    lab.ceph(&["osd", "pool", "application", "enable", "others", "rgw"]);
    let admin = |words: &[&str]| tool("radosgw-admin", &[&["--conf", lab.conf()], words].concat());
    admin(&["zonegroup", "placement", "add", "--rgw-zonegroup", "default", "--placement-id", "b"]);
    let index = "default.rgw.buckets.index";
    let of_zone = ["zone", "placement", "add", "--rgw-zone", "default", "--placement-id", "b", "--index-pool", index];
    admin(&[&of_zone[..], &["--data-pool", "others", "--data-extra-pool", "default.rgw.buckets.non-ec"]].concat());
    for what in ["kill", "start"] {
        lab.home.run(&["lab", "daemon", what, "rgw.a", "--name", &lab.name]).ends(0, &[]);
    }
    // A busy machine takes its time to start it.
    eventually("the gateway, started anew", 120, || {
        let asked = ["--silent", "--output", "/dev/null", "--max-time", "5", &gateway.url];
        std::process::Command::new("curl").args(asked).status().is_ok_and(|status| status.success())
    });
    let pair = ["--ab", "placement=default-placement,b", "--patterns", "write-latency", "--duration", "1s"];
    let words = [&["object", "--lab", &lab.name, "--passes", "6", "--format=json"], &pair[..]].concat();
    let told = lab.home.path().join("told");
    let out = fs::File::create(&told).unwrap();
    let mut ran = lab.home.fathom(&words).stdout(out).stderr(Stdio::null()).spawn().unwrap();
    let objects = || tool("rados", &["--conf", lab.conf(), "-p", "others", "ls"]).lines().count();
    eventually("objects in the other pool", 120, || objects() > 0);
    let code = ran.wait().unwrap().code().unwrap();
    assert!(matches!(code, 0 | 4 | 5), "{code}");
    let report: Value = serde_json::from_str(&fs::read_to_string(&told).unwrap()).unwrap();
    let targets = report["figures"].as_array().unwrap().iter().map(|one| one["target"].as_str().unwrap());
    let ends: Vec<&str> = targets.map(|name| name.split_once(" (").unwrap().1).collect();
    assert_eq!(ends, ["placement default-placement)", "placement b)"]);
    only_theirs_is_left(gateway);
}
