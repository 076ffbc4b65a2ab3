//! What disks did (/proc/diskstats): rates, await, queue.

use model::DiskSecond;
use procfs::{DiskStat, DiskStats};
use std::collections::BTreeMap;

const SECTOR: f64 = 512.0;

/// Whole disks: no partitions, and nothing that is made of others or of memory.
pub fn disks(all: DiskStats) -> BTreeMap<String, DiskStat> {
    let made = |disk: &DiskStat| ["ram", "zram", "dm-", "sr", "fd"].iter().any(|no| disk.name.starts_with(no));
    let names: Vec<String> = all.0.iter().map(|disk| disk.name.clone()).collect();
    let whole = |name: &String| !names.iter().any(|disk| is_partition(name, disk));
    let wanted = all.0.into_iter().filter(|disk| !made(disk) && whole(&disk.name) && did(disk) != (0, 0, 0));
    wanted.map(|disk| (disk.name.clone(), disk)).collect()
}

/// What moves whenever the disk has something to do.
fn did(disk: &DiskStat) -> (u64, u64, u64) {
    (disk.reads, disk.writes, disk.weighted_time_in_progress)
}

/// `sda1` of `sda`, `nvme0n1p2` of `nvme0n1`.
fn is_partition(name: &str, disk: &str) -> bool {
    let Some(rest) = name.strip_prefix(disk).filter(|rest| !rest.is_empty()) else { return false };
    let number = if disk.ends_with(|last: char| last.is_ascii_digit()) { rest.strip_prefix('p') } else { Some(rest) };
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Those that moved anything.
pub fn between(before: &BTreeMap<String, DiskStat>, now: &BTreeMap<String, DiskStat>, seconds: f64) -> Vec<DiskSecond> {
    let moved = now.iter().filter_map(|(name, now)| Some((name, before.get(name)?, now)));
    let moved = moved.filter(|(_, before, now)| did(before) != did(now));
    moved.map(|(name, before, now)| second(name, before, now, seconds)).collect()
}

fn second(name: &str, before: &DiskStat, now: &DiskStat, seconds: f64) -> DiskSecond {
    let more = |of: fn(&DiskStat) -> u64| of(now).saturating_sub(of(before)) as f64;
    let wait = |ms: f64, operations: f64| (operations > 0.0).then(|| ms / operations);
    let (reads, writes) = (more(|disk| disk.reads), more(|disk| disk.writes));
    DiskSecond {
        name: name.to_string(),
        reads: reads / seconds,
        writes: writes / seconds,
        read_bytes: more(|disk| disk.sectors_read) * SECTOR / seconds,
        written_bytes: more(|disk| disk.sectors_written) * SECTOR / seconds,
        read_ms: wait(more(|disk| disk.time_reading), reads),
        write_ms: wait(more(|disk| disk.time_writing), writes),
        queue: more(|disk| disk.weighted_time_in_progress) / 1000.0 / seconds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use procfs::FromRead;

    fn read(text: &str) -> BTreeMap<String, DiskStat> {
        disks(DiskStats::from_read(text.as_bytes()).unwrap())
    }

    #[test]
    fn rates_and_await_are_of_the_time_between() {
        let before = read("   8  0 sda 100 0 800 50 10 0 80 20 0 60 70 0 0 0 0\n");
        let now = read("   8  0 sda 300 0 2400 150 60 0 480 270 0 400 470 0 0 0 0\n");
        let seconds = between(&before, &now, 2.0);
        let expected = DiskSecond {
            name: "sda".into(),
            reads: 100.0,
            writes: 25.0,
            read_bytes: 409_600.0,
            written_bytes: 102_400.0,
            read_ms: Some(0.5),
            write_ms: Some(5.0),
            queue: 0.2,
        };
        assert_eq!(seconds, [expected]);
        assert!(between(&now, &now, 1.0).is_empty());
    }

    #[test]
    fn partitions_and_what_is_made_of_others_are_no_disks() {
        let line = |name: &str| format!(" 8 0 {name} 1 0 8 1 1 0 8 1 0 1 1\n");
        let names = ["sda", "sda1", "nvme0n1", "nvme0n1p2", "nvme0n2", "loop1", "loop12", "dm-0", "ram3", "sdaa"];
        let found = read(&names.map(line).concat());
        let found: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(found, ["loop1", "loop12", "nvme0n1", "nvme0n2", "sda", "sdaa"]);
    }
}
