//! The guest of a lab: what it measures there, and that it goes with the lab.

use crate::common::{Lab, eventually, pgrep, tool};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

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

    let (mut warnings, mut charts) = (Vec::new(), Vec::new());
    let mut measured = |words: &[&str]| -> Vec<(String, u64, u64)> {
        let there = ["--hosts", "guest", "--ssh-config", config, "--format", "json"];
        let short = ["--patterns", "write-latency", "--working-set", "4M", "--duration", "2s", "--passes", "1"];
        let ran = lab.home.run(&[words, &there, &short].concat());
        assert!([0, 4].contains(&ran.code), "{}", ran.err);
        let report = ran.json();
        charts.extend(report["chart"].as_array().unwrap().iter().map(|cell| cell["door"].clone()));
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
    // An image that the kernel maps is no disk, and no folder is another.
    let rows = [Value::Null, "guest:/dev/rbd0".into(), "/mnt/cephfs (ceph)".into(), "/mnt/nfs (nfs4)".into()];
    assert_eq!(charts, rows);
    let told =
        warnings.iter().filter_map(Value::as_str).filter(|text| text.contains("is on an image of a Ceph cluster"));
    let told: Vec<&str> = told.collect();
    assert!(
        matches!(told[..], [only] if only.starts_with("guest:/dev/rbd0 ") && only.contains("(rbd0: guest/krbd, by krbd")),
        "{warnings:?}"
    );
    // A layer of its own, beside images from outside.
    let short = ["--patterns", "write-latency", "--working-set", "4M", "--duration", "1s", "--passes", "1"];
    let words = ["run", "--lab", &lab.name, "--layers", "rados,rbd,guest", "--format", "json"];
    let ran = lab.home.run(&[&words[..], &short].concat());
    assert!([0, 4].contains(&ran.code), "{}", ran.err);
    let report = ran.json();
    let of_guest = |one: &&Value| one["layer"] == "guest";
    let told = |list: &str, key: &str| -> Vec<String> {
        let own = report[list].as_array().unwrap().iter().filter(of_guest);
        own.map(|one| one[key].as_str().unwrap().to_owned()).collect()
    };
    let paths = ["guest:/dev/vda", "guest:/dev/rbd0", "guest:/mnt/cephfs", "guest:/mnt/nfs"];
    assert_eq!(told("chart", "door"), paths);
    // Durable writes in two ways.
    let mut figures = told("figures", "target");
    figures.dedup();
    assert_eq!(figures, paths);
    let seen = report["warnings"].as_array().unwrap().iter().filter_map(Value::as_str);
    let seen: Vec<&str> = seen.filter(|text| text.contains("as its guest sees it")).collect();
    assert!(matches!(seen[..], [only] if only.starts_with("guest:/dev/vda is on vda (virtio-blk, ")), "{seen:?}");
    let prices = told("doors", "target");
    assert_eq!(prices[1], "guest:/dev/rbd0: guest/krbd, by krbd", "{prices:?}");
    assert_eq!(prices.len(), paths.len());
    let of_images = report["chart"].as_array().unwrap().iter().filter(|one| one["layer"] == "rbd").count();
    assert_eq!(of_images, 1);
    lab.home
        .run(&["guest", "--lab", &lab.name, "/mnt/none"])
        .ends(2, &["guest: /mnt/none", "there is no such disk or folder"]);
    // One workload over lists, and two disks of it beside each other.
    let json = |words: &[&str]| -> Value {
        let own = ["--lab", &lab.name, "--working-set", "4M", "--format", "json"];
        let ran = lab.home.run(&[words, &own].concat());
        assert!([0, 4, 5].contains(&ran.code), "{}: {}", ran.code, ran.err);
        ran.json()
    };
    let sweep = ["sweep", "guest", "/dev/vda", "--destroy-data-on", "/dev/vda", "--axis", "depth=1,4"];
    let swept = json(&[&sweep[..], &["--duration", "500ms", "--passes", "1"]].concat());
    let points = swept["sweep"]["points"].as_array().unwrap();
    assert_eq!(points.len(), 2, "{swept:#}");
    let pair = ["guest", "--ab", "path=/dev/vda,/dev/rbd0", "--patterns", "write-latency", "--duration", "300ms"];
    let compared = json(&[&pair[..], &["--passes", "6"]].concat());
    let targets: Vec<&str> =
        compared["figures"].as_array().unwrap().iter().map(|one| one["target"].as_str().unwrap()).collect();
    assert_eq!(BTreeSet::from_iter(targets), BTreeSet::from(["guest:/dev/vda", "guest:/dev/rbd0"]), "{compared:#}");
    // What is free in the lab's guest is given up in no other one.
    let other = format!("netns:{}", lab.status()["hosts"][0]["namespace"].as_str().unwrap());
    let of_other = lab.home.run(&["guest", "--lab", &lab.name, "--guests", &other, "--dry-run"]);
    of_other.ends(2, &["no disk of the guests is named"]);
    lab.home.run(&["guest", "--lab", &lab.name, "/dev/vda", "/dev/vda"]).ends(2, &["/dev/vda is named twice"]);

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
