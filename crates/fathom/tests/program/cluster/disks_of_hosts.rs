//! Disks of other hosts, through their agents: files that leave nothing, what must not be touched, the throttled one of three.

use crate::common::hosts::{Hosts, Odd, nameless};
use crate::common::{Lab, LoopDevice};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn figures<'d>(document: &'d Value, pattern: &str) -> Vec<&'d Value> {
    let all = document["figures"].as_array().unwrap();
    all.iter().filter(|figure| figure["pattern"] == pattern && figure["value"].is_f64()).collect()
}

fn loads(pid: &str) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut names = threads.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    names.any(|name| name.starts_with("fathom-lane"))
}

/// Three hosts, each with a drive of its own by the same name.
#[test]
fn a_folder_and_a_drive_of_each_host_are_measured() {
    let drives = [(); 3].map(|()| LoopDevice::of(64 << 20));
    let odd = |drive: &LoopDevice| {
        let before = format!("mount -t tmpfs none /mnt && cp -a {} /mnt/drive", drive.path);
        Odd { before, ..Odd::default() }
    };
    let hosts = Hosts::new(&drives.each_ref().map(odd));
    a_folder_is_measured_and_stays_empty(&hosts);
    drives_are_judged(&hosts);
}

/// Each host's own drive, with its host's name; and nothing is told without a path or of hosts that nobody named.
fn drives_are_judged(hosts: &Hosts) {
    let (list, config) = (hosts.list(), hosts.config());
    let on = ["--hosts", &list, "--ssh-config", &config];
    let fit = ["disk", "/mnt/drive", "--fit", "--working-set", "8M", "--duration", "500ms", "--passes", "1"];
    let ran = hosts.home.run(&[&fit[..], &on, &["--format", "json"]].concat());
    assert!(matches!(ran.code, 0 | 4 | 5), "{}\n{}", ran.out, ran.err);
    let document = ran.json();
    assert_eq!(document["errors"].as_array().unwrap().len(), 0, "{document:#}");
    let drives = document["drives"].as_array().unwrap();
    let unfit = drives.iter().any(|drive| drive["fitness"] == "unfit");
    assert_eq!(ran.code == 5, unfit, "{drives:#?}");
    for index in 0..3 {
        let target = format!("{}:/mnt/drive", hosts.name(index));
        let own = drives.iter().find(|drive| drive["target"] == *target).unwrap_or_else(|| panic!("{drives:#?}"));
        assert_eq!((&own["host"], &own["through_file"]), (&hosts.name(index).into(), &false.into()), "{own:#}");
    }
    let shown = hosts.home.run(&["show", "last"]).out;
    let lines = shown.lines().filter(|line| line.contains(":/mnt/drive: ")).count();
    assert!(lines >= 3, "a line for each drive:\n{shown}");
    // What was measured holds data now.
    hosts.home.run(&[&fit[..], &on].concat()).ends(3, &[hosts.name(0), "/mnt/drive", "--destroy-data-on"]);
    hosts.home.run(&[&["disk", "--fit"], &on[..]].concat()).ends(2, &["--fit", "nothing is named", "PATH"]);
    let memory = hosts.home.run(&[&["disk", "/mnt", "--fit"], &on[..]].concat());
    memory.ends(2, &[hosts.name(0), "lies in memory"]);
}

fn a_folder_is_measured_and_stays_empty(hosts: &Hosts) {
    let folder = hosts.folder.path().join("disk");
    fs::create_dir(&folder).unwrap();
    let (list, config, path) = (hosts.list(), hosts.config(), folder.to_string_lossy().into_owned());
    let patterns = "read-latency,write-parallel";
    let words = ["disk", &path, "--hosts", &list, "--ssh-config", &config, "--patterns", patterns];
    let more = ["--duration", "1s", "--working-set", "16M", "--format", "json"];
    let ran = hosts.home.run(&[&words[..], &more].concat());
    assert!(matches!(ran.code, 0 | 4), "{}\n{}", ran.out, ran.err);
    let document = ran.json();
    assert_eq!(document["errors"].as_array().unwrap().len(), 0, "{document:#}");
    for index in 0..3 {
        let target = format!("{}:{path}", hosts.name(index));
        for pattern in ["read-latency", "write-parallel"] {
            let own = figures(&document, pattern);
            assert!(own.iter().any(|figure| figure["target"] == *target && figure["at_once"] == 1), "{own:#?}");
        }
    }
    let all = figures(&document, "write-parallel");
    assert!(all.iter().any(|figure| figure["target"] == "device.*" && figure["at_once"] == 3), "{all:#?}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn a_killed_agent_leaves_no_file_and_the_others_go_on() {
    let hosts = Hosts::new(&vec![Odd::default(); 2]);
    let folder = hosts.folder.path().join("disk");
    fs::create_dir(&folder).unwrap();
    let (list, config, path) = (hosts.list(), hosts.config(), folder.to_string_lossy().into_owned());
    let words = ["disk", &path, "--hosts", &list, "--ssh-config", &config, "--patterns", "write-latency"];
    let more = ["--duration", "3s", "--passes", "2", "--working-set", "16M", "--sync", "dsync", "--format", "json"];
    let run = hosts.home.fathom(&[&words[..], &more].concat());
    let run = { run }.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while nameless(&path).len() < 2 {
        assert!(Instant::now() < deadline, "no agent has a file of its own");
        std::thread::sleep(Duration::from_millis(20));
    }
    let victim = nameless(&path)[0].clone();
    while !loads(&victim) {
        assert!(Instant::now() < deadline, "the agent loads nothing");
        std::thread::sleep(Duration::from_millis(20));
    }
    Command::new("kill").args(["-9", &victim]).status().unwrap();
    let output = run.wait_with_output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let slices: Vec<u64> = figures(&document, "write-latency").iter().map(|f| f["slices"].as_u64().unwrap()).collect();
    assert_eq!(slices.iter().max(), Some(&2), "{document:#}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    assert!(nameless(&path).is_empty());
}

#[test]
fn what_holds_something_is_refused_by_its_host_and_reading_it_is_not() {
    let hosts = Hosts::new(&vec![Odd::default(); 2]);
    let file = hosts.folder.path().join("precious");
    let data: Vec<u8> = (0..8 << 20).map(|n: u32| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    fs::write(&file, &data).unwrap();
    let (list, config, path) = (hosts.list(), hosts.config(), file.to_string_lossy().into_owned());
    let words = ["disk", &path, "--hosts", &list, "--ssh-config", &config, "--duration", "1s"];
    let ran = hosts.home.run(&[&words[..], &["--patterns", "write-latency"]].concat());
    ran.ends(3, &[hosts.name(0), "holds", "--destroy-data-on"]);
    let ran = hosts.home.run(&[&words[..], &["--patterns", "read-latency", "--format", "json"]].concat());
    assert!(matches!(ran.code, 0 | 4), "{}\n{}", ran.out, ran.err);
    assert_eq!(figures(&ran.json(), "read-latency").len(), 2);
    assert!(fs::read(&file).unwrap() == data, "a file that was only to be read has changed");
    let missing = format!("{path}.d/none");
    let ran = hosts.home.run(&["disk", &missing, "--hosts", &list, "--ssh-config", &config, "--duration", "1s"]);
    ran.ends(2, &[hosts.name(0), "no such folder"]);
    let ran = hosts.home.run(&["disk", "/dev/nosuch", "--hosts", &list, "--ssh-config", &config]);
    ran.ends(2, &[hosts.name(0), "no such device"]);
}

/// Reads from one device, slowed down for this process and all that it starts (cgroup v1).
struct Throttle {
    file: PathBuf,
    number: String,
}

impl Throttle {
    fn on(device: &str, per_second: u32) -> Option<Throttle> {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let own = groups.lines().find_map(|line| line.split_once(":blkio:"))?.1.trim_start_matches('/').to_string();
        let file = PathBuf::from("/sys/fs/cgroup/blkio").join(own).join("blkio.throttle.read_iops_device");
        let name = device.rsplit('/').next()?;
        let number = fs::read_to_string(format!("/sys/block/{name}/dev")).ok()?.trim().to_string();
        fs::write(&file, format!("{number} {per_second}")).ok()?;
        Some(Throttle { file, number })
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        let _ = fs::write(&self.file, format!("{} 0", self.number));
    }
}

/// A lab whose OSDs lie on loop devices.
#[test]
fn of_a_labs_disks_the_throttled_one_is_named_and_a_spare_partition_is_measured() {
    let lab = Lab::up(&["--backing", "loop", "--hosts", "3"]);
    the_throttled_one_is_named(&lab);
    super::spare_partition::is_measured_in_its_disks_stead(&lab);
}

fn the_throttled_one_is_named(lab: &Lab) {
    let status = lab.home.run(&["lab", "status", "--name", &lab.name, "--format", "json"]);
    let status = status.ends(0, &[]).json();
    let osd = &status["osds"][1];
    let probe = osd["probe"].as_str().unwrap();
    let Some(_throttle) = Throttle::on(probe, 300) else {
        eprintln!("skipped: no cgroup v1 blkio here");
        return;
    };
    // While others have the processors nothing is known of the quick ones: of five runs one must name it, and none may name another.
    let wanted = format!("{}:{probe}", osd["host"].as_str().unwrap());
    let named = (0..5).any(|_| {
        let slow = slow_disks(lab, status["osds"].as_array().unwrap());
        assert!(slow.iter().all(|name| *name == wanted), "{slow:?}, not {wanted}");
        !slow.is_empty()
    });
    assert!(named, "no run named {wanted}");
}

/// The disks that a run of a lab of three hosts calls slow.
fn slow_disks(lab: &Lab, osds: &[Value]) -> Vec<String> {
    let words = ["disk", "--lab", &lab.name, "--hosts", "3", "--patterns", "read-latency,read-parallel"];
    let ran = lab.home.run(&[&words[..], &["--duration", "2s", "--working-set", "32M", "--format", "json"]].concat());
    assert!(matches!(ran.code, 0 | 4), "{}\n{}", ran.out, ran.err);
    let document = ran.json();
    assert_eq!(document["errors"].as_array().unwrap().len(), 0, "{document:#}");
    // Each host tells of its own OSD, although all processes of the lab are seen by each.
    for load in document["host_loads"].as_array().unwrap() {
        let own = osds.iter().find(|osd| osd["host"] == load["host"]).unwrap();
        let told: Vec<&Value> = load["osds"].as_array().unwrap().iter().map(|osd| &osd["osd"]).collect();
        assert_eq!(told, [&own["id"]], "{load:#}");
        assert!(load["cpu"].as_f64().unwrap() > 0.0, "{load:#}");
    }
    assert!(document["host_loads"].as_array().unwrap().len() >= 3, "{document:#}");
    let findings = document["findings"].as_array().unwrap().iter();
    let slow = findings.filter(|finding| finding["id"] == "device-slow");
    slow.filter_map(|finding| finding["target"].as_str()).map(str::to_string).collect()
}
