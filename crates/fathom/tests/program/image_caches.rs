//! librbd's cache: a write that counts has reached an OSD, whatever the cache answered before; what is read again need not.

use crate::common::{Lab, Lent};
use serde_json::Value;

const SMALL: [&str; 7] = ["--working-set", "8M", "--duration", "1s", "--passes", "1", "--format=json"];

/// The figure of this pattern, and what the OSDs did meanwhile for clients: reads and writes.
fn measured(lab: &Lab, pattern: &str, policy: &str) -> (Value, u64, u64) {
    let before = lab.done_by_osds();
    let option = format!("cache={policy}");
    let ran = lab.run(&[&["rbd", "--patterns", pattern, "--option", &option], &SMALL[..]].concat());
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    let after = lab.done_by_osds();
    (ran.json()["figures"][0].clone(), after.0 - before.0, after.1 - before.1)
}

fn operations(figure: &Value) -> u64 {
    figure["operations"].as_u64().filter(|operations| *operations > 0).unwrap_or_else(|| panic!("{figure}"))
}

#[test]
fn writes_through_a_cache_count_when_an_osd_has_them() {
    let lab = Lent::lab();
    for (policy, way) in [("writethrough", "none"), ("writeback", "group-commit"), ("on", "group-commit")] {
        let (figure, _, writes) = measured(&lab, "write-latency", policy);
        assert_eq!(
            (&figure["workload"]["options"]["cache"], &figure["workload"]["durability"]),
            (&policy.into(), &way.into()),
            "{figure}"
        );
        // Each at once is a write and a flush: nothing can lie beside it and become one with it.
        assert!(writes >= operations(&figure), "{policy}: the OSDs did {writes} writes: {figure}");
        assert_eq!(figure["errors"], 0, "{figure}");
    }
    let (figure, _, _) = measured(&lab, "write-parallel", "writeback");
    operations(&figure);
    let text = lab.run(&["show", "last"]).ends(0, &[]).out.replace('\n', " ");
    assert!(text.contains("flushed"), "{text}");
}

#[test]
fn what_is_read_again_comes_from_the_cache() {
    let lab = Lent::lab();
    // One image of 1,024 blocks: each is read once from an OSD at most, however slow all is.
    let read = |policy: &str| {
        let (option, before) = (format!("cache={policy}"), lab.done_by_osds());
        let words = ["rbd", "--patterns", "read-latency", "--jobs", "1", "--option", &option, "--working-set", "4M"];
        let ran = lab.run(&[&words[..], &["--duration", "4s", "--passes", "1", "--format=json"]].concat());
        assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
        (ran.json()["figures"][0].clone(), lab.done_by_osds().0 - before.0)
    };
    let (figure, reads) = read("writethrough");
    assert!(reads < operations(&figure), "the OSDs did {reads} reads: {figure}");
    let (figure, reads) = read("off");
    assert!(reads >= operations(&figure), "the OSDs did {reads} reads: {figure}");
}

/// What is set for an image is stronger than what is set for its pool, and that than what a client says.
#[test]
fn a_cache_that_is_set_of_a_pool_or_an_image_is_not_taken_for_off() {
    let lab = Lent::lab();
    lab.rbd(&["create", "rbd/theirs", "--size", "16M"]);
    lab.rbd(&["bench", "--io-type", "write", "--io-size", "1M", "--io-total", "16M", "rbd/theirs"]);
    for (name, value) in [("rbd_cache", "true"), ("rbd_cache_policy", "writeback")] {
        lab.rbd(&["config", "pool", "set", "rbd", name, value]);
    }
    let before = lab.done_by_osds();
    let ran = lab.run(&[&["rbd", "--pool", "rbd", "--patterns", "read-parallel"], &SMALL[..]].concat());
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    let (figure, reads) = (ran.json()["figures"][0].clone(), lab.done_by_osds().0 - before.0);
    assert!(reads >= operations(&figure), "the OSDs did {reads} reads: {figure}");
    let theirs = [
        "rbd",
        "--pool",
        "rbd",
        "--image",
        "theirs",
        "--patterns",
        "read-parallel",
        "--duration",
        "1s",
        "--passes",
        "1",
    ];
    let refused = lab.run(&theirs);
    assert!(
        refused.code != 0 && (refused.out.clone() + &refused.err).contains("rbd_cache=true is set"),
        "{} {}",
        refused.out,
        refused.err
    );
    let read = lab.run(&[&theirs[..], &["--option", "cache=on"]].concat());
    assert!(matches!(read.code, 0 | 4), "{}", read.err);
    for name in ["rbd_cache", "rbd_cache_policy"] {
        lab.rbd(&["config", "pool", "rm", "rbd", name]);
    }
    assert_eq!(lab.rbd(&["image-meta", "list", "rbd/theirs"]).trim(), "There are 0 metadata on this image.");
    lab.rbd(&["rm", "--no-progress", "rbd/theirs"]);
}

#[test]
fn caches_are_put_beside_each_other_and_what_cannot_be_is_refused() {
    let lab = Lent::lab();
    let caches = ["--axis", "cache=off,writethrough,writeback", "--patterns", "write-parallel"];
    let ran = lab.run(&[&["sweep", "rbd"], &caches[..], &SMALL[..]].concat());
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    let points = ran.json()["sweep"]["points"].clone();
    let along: Vec<&str> =
        points.as_array().unwrap().iter().map(|point| point["at"]["cache"].as_str().unwrap()).collect();
    assert_eq!(along, ["off", "writethrough", "writeback"], "{points}");
    for (arguments, words) in [
        (&["rbd", "--option", "cache=yes"][..], &["cache=yes", "writeback"][..]),
        (&["rados", "--option", "cache=off"], &["--option cache", "is no option of rados", "fathom rbd"]),
        (&["rbd", "--option", "page=off"], &["--option page", "is no option of rbd; there is cache=off|"]),
        (&["osd", "--option", "page=off"], &["--option page", "is no option of osd, which has none"]),
        (&["sweep", "rbd", "--axis", "cache=on"], &["cache", "`on`", "writethrough"]),
        (&["sweep", "rados", "--axis", "cache=off,writeback"], &["--axis cache", "rados"]),
        (&["sweep", "rbd", "--axis", "cache=off,writeback", "--option", "cache=on"], &["cache is an axis"]),
    ] {
        lab.run(arguments).ends(2, words);
    }
}
