//! Real devices behind loop devices: what holds anything is refused before the first write; what is empty is measured.

mod spread;

use crate::common::{Home, LoopDevice, Mount, Ran, tool};
use std::fs;

const QUICK: [&str; 6] = ["--duration", "1s", "--patterns", "write-latency", "--working-set", "8M"];

fn disk(home: &Home, path: &str, more: &[&str]) -> Ran {
    let mut arguments = vec!["disk", path];
    arguments.extend(QUICK);
    arguments.extend(more);
    home.run(&arguments)
}

/// Refused with these words, and not a byte of it changed.
#[track_caller]
fn refused(device: &LoopDevice, words: &[&str]) {
    let home = Home::new();
    let before = fs::read(&device.path).unwrap();
    disk(&home, &device.path, &[]).ends(3, words);
    assert!(fs::read(&device.path).unwrap() == before, "{} was written to", device.path);
}

#[test]
fn devices_that_hold_something_are_refused() {
    let device = LoopDevice::of(64 << 20);
    for (make, word) in [(vec!["mkfs.ext4", "-q", "-F"], "ext"), (vec!["mkswap", "-q"], "swap")] {
        let mut arguments = make[1..].to_vec();
        arguments.push(&device.path);
        tool(make[0], &arguments);
        refused(&device, &[word, &device.path, "--destroy-data-on"]);
    }
}

#[test]
fn a_partition_table_or_unknown_data_is_refused() {
    let device = LoopDevice::of(64 << 20);
    let script = format!("echo 'label: gpt' | sfdisk -q {} 2>/dev/null", device.path);
    tool("sh", &["-c", &script]);
    refused(&device, &["partition table"]);
    let unknown = LoopDevice::of(64 << 20);
    tool("sh", &["-c", &format!("printf x | dd of={} bs=1 seek=700000 conv=notrunc 2>/dev/null", unknown.path)]);
    refused(&unknown, &["does not know", "byte 700000"]);
    let bluestore = LoopDevice::of(64 << 20);
    tool("sh", &["-c", &format!("printf 'bluestore block device\n' > {}", bluestore.path)]);
    refused(&bluestore, &["BlueStore"]);
}

#[test]
fn a_mounted_device_is_refused_whatever_is_said() {
    let device = LoopDevice::of(64 << 20);
    tool("mkfs.ext4", &["-q", "-F", &device.path]);
    let mount = Mount::of(&device.path);
    fs::write(mount.folder.join("precious"), "data").unwrap();
    let home = Home::new();
    disk(&home, &device.path, &[]).ends(3, &["mounted on"]);
    disk(&home, &device.path, &["--destroy-data-on", &device.path]).ends(3, &["mounted on", "no way around"]);
    assert_eq!(fs::read_to_string(mount.folder.join("precious")).unwrap(), "data");
}

/// Writes and flushes that a device has done (Documentation/block/stat.rst).
fn written(device: &LoopDevice) -> (u64, u64) {
    let name = device.path.trim_start_matches("/dev/");
    let stat = fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
    let fields: Vec<u64> = stat.split_whitespace().map(|field| field.parse().unwrap()).collect();
    (fields[4], fields[15])
}

#[test]
fn an_empty_device_is_measured_and_data_given_up_may_go() {
    let device = LoopDevice::of(64 << 20);
    let home = Home::new();
    let (writes, flushes) = written(&device);
    let patterns = "write-latency,write-parallel";
    let load =
        ["disk", &device.path, "--duration", "1s", "--patterns", patterns, "--working-set", "8M", "--format", "json"];
    let ran = home.run(&load);
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    let document = ran.json();
    let figures = document["figures"].as_array().unwrap();
    let way = |figure: &serde_json::Value| figure["workload"]["durability"].as_str().unwrap().to_string();
    assert_eq!(figures.iter().map(way).collect::<Vec<_>>(), ["dsync", "fdatasync", "group-commit"]);
    for figure in figures {
        assert!(figure["value"].as_f64().unwrap() > 0.0 && figure["errors"] == 0, "{figure}");
    }
    // The worse of the two counts, and tells the other.
    let (worse, better) = if figures[0]["chart"] == true { (0, 1) } else { (1, 0) };
    assert!(figures[worse]["value"].as_f64() >= figures[better]["value"].as_f64(), "{document:#}");
    assert_eq!((&figures[worse]["chart"], &figures[better]["chart"]), (&true.into(), &false.into()));
    assert_eq!(figures[worse]["other_way"]["value"], figures[better]["value"]);
    assert_eq!(document["chart"][0]["value"], figures[worse]["value"]);
    // Writes in flight together were flushed together: fewer flushes than writes, and not one for the whole slice.
    let (writes, flushes) = (written(&device).0 - writes, written(&device).1 - flushes);
    let one_by_one = (0..2).map(|at| figures[at]["operations"].as_u64().unwrap()).sum::<u64>();
    let gathered = flushes.saturating_sub(one_by_one);
    assert!(
        gathered > 20 && gathered < writes - one_by_one,
        "{flushes} flushes, {writes} writes, {one_by_one} one by one"
    );
    // What was written there is data now, until the user gives it up.
    disk(&home, &device.path, &[]).ends(3, &["does not know"]);
    let given_up = disk(&home, &device.path, &["--destroy-data-on", &device.path, "--sync", "none"]);
    assert!(matches!(given_up.code, 0 | 4), "{}", given_up.err);
}

#[test]
fn reading_a_device_that_holds_data_is_safe_and_done() {
    let device = LoopDevice::of(64 << 20);
    tool("mkfs.ext4", &["-q", "-F", &device.path]);
    let before = fs::read(&device.path).unwrap();
    let home = Home::new();
    let ran = home.run(&["disk", &device.path, "--duration", "1s", "--patterns", "read-latency,read-linear"]);
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    assert!(fs::read(&device.path).unwrap() == before);
}

#[test]
fn all_ways_of_durable_writes_and_both_engines() {
    let home = Home::new();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for sync in ["sync", "dsync", "fsync", "fdatasync", "group-commit"] {
        for engine in ["io_uring", "psync"] {
            let ran =
                disk(&home, folder.path().to_str().unwrap(), &["--sync", sync, "--engine", engine, "--format", "json"]);
            assert!(matches!(ran.code, 0 | 4), "{sync} {engine}: {}", ran.err);
            let document = ran.json();
            assert_eq!(
                document["figures"].as_array().unwrap().len(),
                1,
                "what is asked for is measured in that way alone"
            );
            let figure = &document["figures"][0];
            assert_eq!((&figure["workload"]["durability"], &figure["errors"]), (&sync.into(), &0.into()), "{figure}");
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "a file was left behind");
}

/// What goes through the page cache is no disk, and that is said; where it does not, nothing is.
#[test]
fn a_loop_device_that_goes_through_the_page_cache_is_named() {
    let device = LoopDevice::of(64 << 20);
    let home = Home::new();
    let name = device.path.trim_start_matches("/dev/");
    let dio = format!("/sys/block/{name}/loop/dio");
    for (direct, wanted) in [("--direct-io=off", "0"), ("--direct-io=on", "1")] {
        let set = std::process::Command::new("/usr/sbin/losetup").args([direct, &device.path]).status().unwrap();
        // Not every file system can do that.
        if !set.success() || fs::read_to_string(&dio).unwrap().trim() != wanted {
            continue;
        }
        let ran = disk(&home, &device.path, &["--dry-run"]);
        ran.ends(0, &[]);
        let said = format!("warning: {} is a loop device that goes through the page cache", device.path);
        assert_eq!(ran.err.contains(&said), wanted == "0", "{direct}: {}", ran.err);
    }
}

#[test]
fn a_file_that_holds_data_is_refused() {
    let home = Home::new();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("data");
    fs::write(&path, vec![7u8; 1 << 20]).unwrap();
    disk(&home, path.to_str().unwrap(), &[]).ends(3, &["holds 1 MiB"]);
    assert!(fs::read(&path).unwrap() == vec![7u8; 1 << 20]);
}

#[test]
fn what_could_fill_the_file_system_below_a_device_is_refused() {
    let mount = Mount::tmpfs("64M");
    let device = LoopDevice::over(tempfile::NamedTempFile::new_in(&mount.folder).unwrap(), 4 << 30);
    let home = Home::new();
    let file = mount.folder.display().to_string();
    let long = home.run(&["disk", &device.path, "--sustained", "--for", "5s"]);
    long.ends(2, &[&device.path, &file, "a file with holes", "--volume"]);
    home.run(&["disk", &device.path, "--patterns", "write-parallel"]).ends(2, &["--working-set"]);
    // What is only read is written before, if it is to be verified.
    home.run(&["disk", &device.path, "--patterns", "read-latency", "--verify"]).ends(2, &["a file with holes"]);
    let job = mount.folder.join("job.fio");
    fs::write(&job, format!("[a]\nfilename={}\nsize=1g\nrw=randwrite\ndirect=1\ntime_based\nruntime=1\n", device.path))
        .unwrap();
    home.run(&["fio", &job.display().to_string()]).ends(2, &["a file with holes"]);
    let few = ["--patterns", "write-latency", "--working-set", "8M", "--duration", "300ms", "--passes", "1"];
    let ran = home.run(&[&["disk", &device.path][..], &few].concat());
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    // Of a file that was deleted nothing is known.
    let name = device.path.trim_start_matches("/dev/");
    let backing = fs::read_to_string(format!("/sys/block/{name}/loop/backing_file")).unwrap();
    fs::remove_file(backing.trim()).unwrap();
    let given_up = ["--destroy-data-on", &device.path];
    home.run(&[&["disk", &device.path][..], &few, &given_up].concat()).ends(2, &["is not found by that name any more"]);
}

/// A file without holes on a file system that lies in a file with holes.
#[test]
fn room_is_looked_for_through_all_loop_devices_that_lie_on_each_other() {
    let mount = Mount::tmpfs("96M");
    let outer = LoopDevice::over(tempfile::NamedTempFile::new_in(&mount.folder).unwrap(), 1 << 30);
    tool("mkfs.ext4", &["-q", "-E", "lazy_itable_init=1,nodiscard", &outer.path]);
    let inside = Mount::of(&outer.path);
    let file = tempfile::NamedTempFile::new_in(&inside.folder).unwrap();
    tool("fallocate", &["-l", "512M", &file.path().display().to_string()]);
    let inner = LoopDevice::over(file, 512 << 20);
    let home = Home::new();
    let ran = home.run(&["disk", &inner.path, "--patterns", "write-parallel"]);
    ran.ends(2, &[&inner.path, &mount.folder.display().to_string(), "a file with holes"]);
}

#[test]
fn a_full_disk_is_one_clear_error_and_nothing_is_left() {
    let home = Home::new();
    let mount = Mount::tmpfs("16m");
    let path = mount.folder.to_str().unwrap();
    home.run(&["disk", path, "--working-set", "64M", "--quick"]).ends(2, &["space", path, "64 MiB"]);
    assert_eq!(fs::read_dir(&mount.folder).unwrap().count(), 0, "a file was left behind");
}

#[test]
fn a_folder_that_may_not_be_written_to() {
    let home = Home::new();
    let mount = Mount::tmpfs("16m");
    tool("mount", &["-o", "remount,ro", mount.folder.to_str().unwrap()]);
    let ran = disk(&home, mount.folder.to_str().unwrap(), &[]);
    ran.ends(2, &["Read-only file system", mount.folder.to_str().unwrap()]);
}
