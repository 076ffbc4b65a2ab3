//! The OSD's own bench: what it is asked, what it answers, and how many operations one command gets.
//!
//! What the figure means (Ceph 16.2 to 19): the OSD hands one write after the other to its object store, without waiting,
//! all on one sequence, and stops its watch when the last one is *committed*: data and metadata are on the disk. So a
//! command with one write tells the latency of a durable write without network, messenger, replication or PG log; a
//! command with many tells what the store commits at a depth that only its own throttles limit.
//!
//! Its data is all the letter a: a disk or store that compresses looks better than it is.

use crate::ReportedCounts;
use model::{Bytes, Nanos};
use serde_json::{Value, json};

/// How long one command should take, in ns: long enough to outweigh its own round trip, short enough for windows of 100 ms.
const COMMAND_NS: f64 = 1e8;

/// A command writes at most this much. The OSD deletes what a command wrote only after it, its store frees that some seconds later, and no
/// full ratio stops its own bench: commands that grew without a limit once filled OSDs of 1 GiB until they aborted.
const COMMAND_BYTES: Bytes = 64 << 20;

/// Small writes go to existing objects, as those of the layers above do. A new object costs other work: on a rotating
/// disk its data is written and flushed before the commit, while an overwrite goes to the write-ahead log
/// (16.2 on such a store: 380 µs against 170 µs). 64 KiB is one blob of BlueStore.
const OBJECT: Bytes = 64 << 10;
const OBJECTS: u64 = 16;

/// What a command writes: `ops` blocks.
pub fn command(block: Bytes, ops: u64) -> Value {
    let mut command = json!({"prefix": "bench", "count": block * ops, "size": block});
    if block < OBJECT {
        command["object_size"] = json!(OBJECT);
        // These are written anew for each command, before the watch starts.
        command["object_num"] = json!(if ops == 1 { 1 } else { OBJECTS });
    }
    command
}

/// Reads a command's answer.
pub fn told(reply: &Value, block: Bytes) -> Result<ReportedCounts, String> {
    let number = |name: &str| {
        let value = &reply[name];
        value.as_f64().or_else(|| value.as_str()?.parse().ok()).ok_or(format!("no {name} in {reply}"))
    };
    let (bytes, seconds) = (number("bytes_written")?, number("elapsed_sec")?);
    if bytes < block as f64 || seconds <= 0.0 {
        return Err(format!("{bytes} bytes in {seconds} s"));
    }
    Ok(ReportedCounts { ops: bytes as u64 / block.max(1), bytes: bytes as Bytes, took: (seconds * 1e9) as Nanos })
}

/// How many operations the next command gets.
#[derive(Debug)]
pub struct Batch {
    ops: u64,
    least: u64,
    /// More is refused by the OSD, or was never asked of it.
    most: u64,
}

impl Batch {
    pub fn new(depth: u32, block: Bytes) -> Batch {
        let most = (COMMAND_BYTES / block.max(1)).max(1);
        let least = u64::from(depth.max(1)).min(most);
        Batch { ops: least, least, most }
    }

    pub fn ops(&self) -> u64 {
        self.ops
    }

    /// Depth 1 is one operation a command; else a command gets what takes the time that it should take.
    pub fn learn(&mut self, told: &ReportedCounts) {
        if self.least > 1 {
            let fitting = told.ops as f64 * COMMAND_NS / told.took.max(1) as f64;
            self.ops = (fitting as u64).clamp(self.least, self.most.max(self.least));
        }
    }

    /// The OSD found them too many. `false`: fewer make no sense.
    pub fn refused(&mut self) -> bool {
        self.most = self.ops / 2;
        self.least = self.least.min(self.most);
        self.ops = self.most;
        self.most >= 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_with_numbers_and_with_texts() {
        let reply = json!({"bytes_written": 8192, "blocksize": 4096, "elapsed_sec": 0.0005, "bytes_per_sec": 1.0});
        let read = told(&reply, 4096).unwrap();
        assert_eq!((read.ops, read.bytes, read.took), (2, 8192, 500_000));
        let reply = json!({"bytes_written": 4096, "elapsed_sec": "0.001"});
        assert_eq!(told(&reply, 4096).unwrap().took, 1_000_000);
        assert!(told(&json!({"bytes_written": 4096}), 4096).unwrap_err().contains("elapsed_sec"));
        assert!(told(&json!({"bytes_written": 0, "elapsed_sec": 0.0}), 4096).is_err());
    }

    #[test]
    fn a_command_grows_to_a_tenth_of_a_second_and_no_further_than_allowed() {
        let mut batch = Batch::new(128, 4096);
        assert_eq!(batch.ops(), 128);
        batch.learn(&ReportedCounts { ops: 128, bytes: 0, took: 2_000_000 });
        assert_eq!(batch.ops(), 6400);
        assert!(batch.refused());
        assert_eq!(batch.ops(), 3200);
        assert!(batch.refused());
        batch.learn(&ReportedCounts { ops: 1600, bytes: 0, took: 20_000_000 });
        assert_eq!(batch.ops(), 1600);
        batch.learn(&ReportedCounts { ops: 1600, bytes: 0, took: 60_000_000_000 });
        assert_eq!(batch.ops(), 128);
    }

    #[test]
    fn no_command_writes_more_than_an_osd_has_surely_room_for() {
        let mut batch = Batch::new(64, 4 << 20);
        assert_eq!(batch.ops(), 16);
        batch.learn(&ReportedCounts { ops: 16, bytes: 64 << 20, took: 1_000_000 });
        assert_eq!(batch.ops(), 16);
        assert_eq!(Batch::new(1, 1 << 30).ops(), 1);
    }

    #[test]
    fn depth_one_stays_one() {
        let mut batch = Batch::new(1, 4096);
        batch.learn(&ReportedCounts { ops: 1, bytes: 4096, took: 100 });
        assert_eq!(batch.ops(), 1);
        assert!(!batch.refused());
    }

    #[test]
    fn only_small_writes_go_to_existing_objects() {
        assert_eq!(command(4096, 1)["object_num"], 1);
        assert_eq!(command(4096, 10)["count"], 40_960);
        assert!(command(4 << 20, 10).get("object_size").is_none());
    }
}
