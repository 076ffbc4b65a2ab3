//! `kill -9` at random instants of `fathom prove`, with restarts and of a host: after `fathom restore` options, flags, daemons and the host
//! are as before. `FATHOM_KILLS=100` (`make kills`) says how many; `FATHOM_SEED` repeats a series.

use crate::common::{self, Lab, LoopDevice};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Each takes some twenty seconds.
const KILLS: u64 = 2;

#[test]
fn a_prove_that_is_killed_anywhere_leaves_options_daemons_and_hosts_as_before() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let (most, seed) = (number("FATHOM_KILLS").unwrap_or(KILLS), number("FATHOM_SEED").unwrap_or_else(rand::random));
    println!("seed {seed}");
    let lab = Lab::up(&["--backing", "memory"]);
    let device = LoopDevice::of(16 << 20);
    let disk = device.path.strip_prefix("/dev/").unwrap();
    let before = everything(&lab, disk);
    let (mut chance, mut kills) = (StdRng::seed_from_u64(seed), 0);
    let host = format!("host:localhost/read_ahead_kb.{disk}=4100");
    while kills < most {
        let restart = chance.random_bool(0.7);
        let change = if restart { "osd.1/osd_op_num_shards_ssd=2" } else { host.as_str() };
        let mut words = vec![
            "prove",
            change,
            "--patterns",
            "read-latency",
            "--working-set",
            "4M",
            "--duration",
            "1s",
            "--passes",
            "6",
        ];
        words.extend(restart.then_some(["--restart", "osd.1"]).into_iter().flatten());
        let after = chance.random_range(500..if restart { 30_000 } else { 12_000 });
        let ended = killed(&lab, &words, after);
        let story = format!("{change} {after} ms, ended before: {ended} (seed {seed}, kill {kills})");
        kills += u64::from(!ended);
        if chance.random_bool(0.2) {
            killed(&lab, &["restore", "--yes"], chance.random_range(0..3_000));
        }
        let restored = lab.run(&["restore", "--yes"]);
        assert_eq!(restored.code, 0, "{story}: {}", restored.err);
        common::eventually(&format!("all OSDs up: {story}"), 60, || lab.ceph(&["osd", "stat"]).contains("3 up"));
        assert_eq!(everything(&lab, disk), before, "{story}: {}", restored.err);
        let journals = lab.home.path().join("fathom/journal");
        assert_eq!(fs::read_dir(journals).map_or(0, Iterator::count), 0, "a journal was left: {story}");
    }
}

/// True: it had ended by itself.
fn killed(lab: &Lab, words: &[&str], after: u64) -> bool {
    let mut child = lab.fathom(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(after));
    let ended = child.try_wait().unwrap();
    let _ = child.kill();
    child.wait().unwrap();
    ended.is_some()
}

/// An OSD that runs on with what it started with says the value that it would start with now: its threads do not lie.
fn threads(lab: &Lab, osd: u32) -> usize {
    let pid = Path::new(lab.conf()).with_file_name("run").join(format!("osd.{osd}.pid"));
    let pid = fs::read_to_string(pid).unwrap();
    let tasks = fs::read_dir(format!("/proc/{}/task", pid.trim())).unwrap().flatten();
    let names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.trim() == "tp_osd_tp").count()
}

/// Of the OSDs what they themselves work with.
fn everything(lab: &Lab, disk: &str) -> String {
    let of = |osd: u32| lab.ceph(&["tell", &format!("osd.{osd}"), "config", "get", "osd_op_num_shards_ssd"]);
    let daemons: Vec<String> = (0..3).map(of).collect();
    let read_ahead = fs::read_to_string(format!("/sys/block/{disk}/queue/read_ahead_kb")).unwrap();
    let threads: Vec<usize> = (0..3).map(|osd| threads(lab, osd)).collect();
    format!("{}\n{daemons:?}\n{threads:?}\n{read_ahead}", lab.snapshot())
}
