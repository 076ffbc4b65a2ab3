//! What disks did (/proc/diskstats): rates, await, queue.

use model::DiskSecond;
use std::collections::BTreeMap;

/// Since the start of the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskCount {
    reads: u64,
    read_sectors: u64,
    read_ms: u64,
    writes: u64,
    written_sectors: u64,
    write_ms: u64,
    /// Milliseconds times operations in flight.
    queued_ms: u64,
}

const SECTOR: f64 = 512.0;

/// Whole disks: no partitions, and nothing that is made of others or of memory.
pub fn disks(diskstats: &str) -> BTreeMap<String, DiskCount> {
    let all: Vec<(String, DiskCount)> = diskstats.lines().filter_map(line).collect();
    let names: Vec<String> = all.iter().map(|(name, _)| name.clone()).collect();
    let whole = |name: &String| !names.iter().any(|disk| is_partition(name, disk));
    all.into_iter().filter(|(name, count)| whole(name) && *count != DiskCount::default()).collect()
}

fn line(line: &str) -> Option<(String, DiskCount)> {
    let mut fields = line.split_whitespace().skip(2);
    let name = fields.next()?.to_string();
    if ["ram", "zram", "dm-", "sr", "fd"].iter().any(|no| name.starts_with(no)) {
        return None;
    }
    let numbers: Vec<u64> = fields.filter_map(|field| field.parse().ok()).collect();
    let at = |index: usize| numbers.get(index).copied();
    let count = DiskCount {
        reads: at(0)?,
        read_sectors: at(2)?,
        read_ms: at(3)?,
        writes: at(4)?,
        written_sectors: at(6)?,
        write_ms: at(7)?,
        queued_ms: at(10)?,
    };
    Some((name, count))
}

/// `sda1` of `sda`, `nvme0n1p2` of `nvme0n1`.
fn is_partition(name: &str, disk: &str) -> bool {
    let Some(rest) = name.strip_prefix(disk).filter(|rest| !rest.is_empty()) else { return false };
    let number = if disk.ends_with(|last: char| last.is_ascii_digit()) { rest.strip_prefix('p') } else { Some(rest) };
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Those that moved anything.
pub fn between(
    before: &BTreeMap<String, DiskCount>,
    now: &BTreeMap<String, DiskCount>,
    seconds: f64,
) -> Vec<DiskSecond> {
    let moved = now.iter().filter_map(|(name, now)| Some((name, before.get(name)?, now)));
    let moved = moved.filter(|(_, before, now)| before != now);
    moved.map(|(name, before, now)| second(name, before, now, seconds)).collect()
}

fn second(name: &str, before: &DiskCount, now: &DiskCount, seconds: f64) -> DiskSecond {
    let more = |of: fn(&DiskCount) -> u64| of(now).saturating_sub(of(before)) as f64;
    let wait = |ms: f64, operations: f64| (operations > 0.0).then(|| ms / operations);
    let (reads, writes) = (more(|disk| disk.reads), more(|disk| disk.writes));
    DiskSecond {
        name: name.to_string(),
        reads: reads / seconds,
        writes: writes / seconds,
        read_bytes: more(|disk| disk.read_sectors) * SECTOR / seconds,
        written_bytes: more(|disk| disk.written_sectors) * SECTOR / seconds,
        read_ms: wait(more(|disk| disk.read_ms), reads),
        write_ms: wait(more(|disk| disk.write_ms), writes),
        queue: more(|disk| disk.queued_ms) / 1000.0 / seconds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rates_and_await_are_of_the_time_between() {
        let before = disks("   8  0 sda 100 0 800 50 10 0 80 20 0 60 70 0 0 0 0\n");
        let now = disks("   8  0 sda 300 0 2400 150 60 0 480 270 0 400 470 0 0 0 0\n");
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
        let found = disks(&names.map(line).concat());
        let found: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(found, ["loop1", "loop12", "nvme0n1", "nvme0n2", "sda", "sdaa"]);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(a in "( 8 0 sd[a-c] [0-9 ]{0,60}\n){0,4}", b in ".{0,200}") {
            let (a, b) = (disks(&a), disks(&b));
            between(&a, &b, 1.0);
            between(&b, &a, 1.0);
        }
    }
}
