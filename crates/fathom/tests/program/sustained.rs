//! Sustained writes on real loop devices: a cliff that is made is found, where there is none nothing is claimed beyond what was written.

use crate::common::throttle::{Limit, Throttle};
use crate::common::{Home, LoopDevice, Mount, tool};
use serde_json::Value;
use std::fs;
use std::process::{Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)))
}

const SMALL: [&str; 8] = ["--sustained", "--for", "40s", "--block-size", "1M", "--depth", "4", "--quiet"];

#[test]
fn a_cliff_that_is_made_is_found_and_limits_the_figures_of_the_run() {
    let device = LoopDevice::of(2 << 30);
    let Some(throttle) = Throttle::on(&device) else {
        eprintln!("skipped: no cgroup v1 blkio here");
        return;
    };
    throttle.to(Limit::BytesWritten, 40_000_000);
    let home = Home::new();
    let figures = ["--patterns", "write-parallel", "--working-set", "16M", "--duration", "1s", "--format", "json"];
    let mut command = home.fathom(&["disk", &device.path]);
    command.args(SMALL).args(figures);
    let child = throttle.start(&command);
    // Filling and one slice of the figure write less than half of it; the rest is seven seconds of the level.
    throttle.after(400_000_000);
    throttle.to(Limit::BytesWritten, 8_000_000);
    let output = child.wait_with_output().unwrap();
    let run = json(&output);
    let found = &run["sustained"][0];
    assert_eq!((&found["ended"], &found["target"]), (&"fell".into(), &device.path.as_str().into()), "{found}");
    let (cliff, number) = (&found["cliff"], |value: &Value| value.as_f64().unwrap());
    let (from, to) = (number(&cliff["from"]), number(&cliff["to"]));
    assert!(from > 3.0 * to && (0.6..0.95).contains(&number(&cliff["fall"])), "{found}");
    let (written, all) = (number(&cliff["written"]), number(&found["written"]));
    assert!(number(&cliff["between"][0]) <= written && written <= number(&cliff["between"][1]), "{found}");
    assert!(number(&found["held"]) <= written && written < all && all <= 0.3 * f64::from(2u32 << 30), "{found}");
    assert!(number(&found["written_before"]) > 0.0, "{found}");
    // Less than that was written when the figure was measured: it may have been a cache's.
    let figure = &run["figures"][0];
    assert_eq!(figure["valid_up_to"], found["held"], "{figure}");
    // On a busy machine the load generator is what is graver.
    match figure["label"].as_str().unwrap() {
        "burst" => assert!(figure["why"].as_str().unwrap().contains("valid up to"), "{figure}"),
        label => assert_eq!(label, "generator-limited", "{figure}"),
    }
    for (format, words) in [
        ("text", ["Sustained writes", "fell by", "cliff after", "█"]),
        ("markdown", ["## Sustained writes", "fell by", "cliff after", "```"]),
    ] {
        let shown = home.run(&["show", "last", "--format", format]).out;
        words.iter().for_each(|word| assert!(shown.contains(word), "{word} is not in\n{shown}"));
    }
}

/// 1,500 writes a second, and 300 after two seconds or three: the level of the last rounds is found, and what it was in the first.
#[test]
fn random_writes_end_at_their_steady_rate_and_leave_a_discarded_device() {
    let device = LoopDevice::of(128 << 20);
    let Some(throttle) = Throttle::on(&device) else {
        eprintln!("skipped: no cgroup v1 blkio here");
        return;
    };
    throttle.to(Limit::Writes, 1500);
    let home = Home::new();
    let mut command = home.fathom(&["disk", &device.path, "--until-steady", "--for", "40s", "--format", "json"]);
    command.args(["--fill-levels", "50", "--trim", "after", "--quiet"]);
    // It looks empty, but all of it is discarded.
    home.run(&["disk", &device.path, "--until-steady", "--trim", "after", "--dry-run"]).ends(2, &["--destroy-data-on"]);
    command.args(["--destroy-data-on", &device.path]);
    let child = throttle.start(&command);
    throttle.after((64 << 20) + 2500 * 1500 * 4);
    throttle.to(Limit::Writes, 300);
    let output = child.wait_with_output().unwrap();
    let run = json(&output);
    let found = &run["sustained"][0];
    let told = ["ended", "until", "fill_level"].map(|name| found[name].to_string());
    assert_eq!(told, ["\"steady\"", "\"steady\"", "50"], "{found}");
    let (rounds, number) = (&found["rounds"], |value: &Value| value.as_f64().unwrap());
    let last = number(&rounds["last"]);
    assert!((200.0..330.0).contains(&last) && rounds["steady"] == true, "{found}");
    assert!(number(&rounds["each"][1]) > 2.0 * last, "{found}");
    assert!(found["says"].as_str().unwrap().starts_with("random writes, 50 % of it full: steady after"), "{found}");
    // Nothing that was written is there any more, so that the device is free for the next run.
    home.run(&["disk", &device.path, "--patterns", "write-latency", "--dry-run"]).ends(0, &[]);
}

/// The device lies on a file system that somebody else fills meanwhile.
#[test]
fn a_fill_that_fails_says_so_and_nothing_is_written_at_random() {
    let small = Mount::tmpfs("320m");
    let device = LoopDevice::over(tempfile::NamedTempFile::new_in(&small.folder).unwrap(), 256 << 20);
    let home = Home::new();
    let load = ["disk", &device.path, "--until-steady", "--fill-levels", "90", "--for", "5s", "--format", "json"];
    let Some(throttle) = Throttle::on(&device) else {
        eprintln!("skipped: no cgroup v1 blkio here");
        return;
    };
    throttle.to(Limit::BytesWritten, 40_000_000);
    let mut command = home.fathom(&load);
    command.args(["--destroy-data-on", &device.path, "--quiet"]);
    let child = throttle.start(&command);
    throttle.after(20_000_000);
    // As much as there is room for.
    let _ = fs::write(small.folder.join("of somebody else"), vec![1; 250 << 20]);
    let output = child.wait_with_output().unwrap();
    let run = json(&output);
    let found = &run["sustained"][0];
    assert_eq!(
        (!output.status.success(), &found["ended"], &found["written"]),
        (true, &"broken".into(), &0.into()),
        "{found}"
    );
    let error = found["error"].as_str().unwrap();
    assert!(error.contains("while it was written full: ") && !error.contains("no operation completed"), "{error}");
}

#[test]
fn without_a_cliff_nothing_is_claimed_beyond_what_was_written() {
    let device = LoopDevice::of(1 << 30);
    let home = Home::new();
    let ran = home.run(&["disk", &device.path, "--sustained", "--volume", "512M", "--for", "30s", "--format", "json"]);
    let found = &ran.ends(0, &[]).json()["sustained"][0];
    let number = |name: &str| found[name].as_u64().unwrap();
    assert!(found["cliff"].is_null() && number("held") <= number("written"), "{found}");
    assert_eq!((number("written"), &found["ended"]), (512 << 20, &"volume".into()), "{found}");
    // What was written there is data now.
    home.run(&["disk", &device.path, "--sustained"]).ends(3, &["does not know"]);
}

#[test]
fn a_file_is_made_for_it_and_removed_and_ctrl_c_keeps_what_was_seen() {
    let home = Home::new();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().to_str().unwrap();
    let mut command = home.fathom(&["disk", path, "--sustained", "--volume", "6G", "--depth", "1"]);
    let child = command.args(["--block-size", "64k", "--format", "json"]).stdout(Stdio::piped()).spawn().unwrap();
    sleep(Duration::from_secs(4));
    tool("kill", &["-INT", &child.id().to_string()]);
    let output = child.wait_with_output().unwrap();
    let found = json(&output)["sustained"][0].clone();
    assert_eq!((output.status.code(), &found["ended"]), (Some(4), &"stopped".into()), "{found}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "a file was left behind");
}

#[test]
fn what_holds_data_is_refused_and_what_makes_no_sense_is_said() {
    let home = Home::new();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("data");
    fs::write(&path, vec![7u8; 1 << 20]).unwrap();
    let file = path.to_str().unwrap();
    home.run(&["disk", file, "--sustained"]).ends(3, &["holds 1 MiB"]);
    assert!(fs::read(&path).unwrap() == vec![7u8; 1 << 20]);
    let folder = folder.path().to_str().unwrap();
    home.run(&["disk", folder, "--sustained", "--volume", "900T"]).ends(2, &["--volume", "nine tenths"]);
    home.run(&["disk", folder, "--sustained", "--read-share", "50"]).ends(2, &["--read-share", "--patterns"]);
    home.run(&["disk", folder, "--for", "5s"]).ends(2, &["--sustained", "--until-steady"]);
    home.run(&["disk", folder, "--until-steady", "--trim", "before"])
        .ends(2, &["--trim", "is a file", "name a device"]);
    let levels = ["disk", folder, "--until-steady", "--fill-levels"];
    home.run(&[&levels[..], &["50"]].concat()).ends(2, &["--fill-levels", "name a device"]);
    home.run(&[&levels[..], &["50,50"]].concat()).ends(2, &["--fill-levels", "twice"]);
    home.run(&[&levels[..], &["101"]].concat()).ends(2, &["--fill-levels", "101", "is no fill level"]);
    home.run(&["disk", folder, "--until-steady", "--for", "3s"]).ends(2, &["--for", "five rounds"]);
    home.run(&["disk", folder, "--sustained", "--fill-levels", "50"]).ends(2, &["--until-steady"]);
    let both = home.run(&["disk", folder, "--sustained", "--until-steady", "--volume", "300M", "--dry-run"]);
    let plan = both.ends(0, &[]).out.replace('\n', " ");
    assert_eq!(plan.matches("- write").count(), 2, "{plan}");
    // Two files on one device: one of them stands for both.
    let other = format!("{folder}/other");
    let plan =
        home.run(&["disk", folder, &other, "--sustained", "--volume", "300M", "--dry-run"]).out.replace('\n', " ");
    assert!(plan.contains("stands for") && plan.matches("- write to").count() == 1, "{plan}");
    assert_eq!(plan.matches("- file").count(), 1, "{plan}");
    home.run(&["disk", folder, "--sustained", "--volume", "1k"]).ends(2, &["--volume", "in flight"]);
    home.run(&["disk", "/dev/shm", "--sustained", "--volume", "1M"]).ends(2, &["memory"]);
}
