//! Which files there are for operations on files by their names.

use crate::operation::{OpClass, OpMix};
use crate::workload::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Folders in folders, and files in the lowest of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tree {
    /// Levels of folders.
    pub levels: u32,
    /// Folders in each folder, of each level.
    pub folders: u32,
    /// Files in each folder of the lowest level.
    pub files: u32,
    /// All jobs work in the same folders; else each has a tree of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
}

impl Tree {
    /// Names of all files and folders that a run makes end so.
    pub const OWN_ENDING: &'static str = ".fathom";

    /// More would take hours to be made.
    pub const FILES_MOST: u64 = 10_000_000;

    /// Folders of the lowest level, of one tree; at least 1.
    pub fn lowest(&self) -> u64 {
        u64::from(self.folders.max(1)).saturating_pow(self.levels)
    }

    /// Files of one tree; at least 1.
    pub fn of_one(&self) -> u64 {
        self.lowest().saturating_mul(self.files.max(1).into())
    }

    /// The files of all jobs, each with the same number of them.
    pub fn files(&self, jobs: u32) -> u64 {
        let jobs = u64::from(jobs.max(1));
        match self.shared {
            true => self.of_one().div_ceil(jobs).saturating_mul(jobs),
            false => self.of_one().saturating_mul(jobs),
        }
    }

    /// Files and folders of all jobs, and what they make beside their trees, at most.
    pub fn names(&self, jobs: u32) -> u64 {
        let folders = (1..=self.levels).map(|level| u64::from(self.folders.max(1)).saturating_pow(level));
        let trees = if self.shared { 1 } else { u64::from(jobs.max(1)) };
        let folders = folders.fold(2, u64::saturating_add).saturating_mul(trees);
        self.files(jobs).saturating_add(folders).saturating_add(Tree::BESIDE * u64::from(jobs.max(1)))
    }

    /// Files of each job beside the tree, at most: to be deleted, given other names, and appended to.
    const BESIDE: u64 = 64;

    /// Bytes of all files, each of `block` bytes.
    pub fn bytes(&self, jobs: u32, block: Bytes) -> Bytes {
        self.files(jobs).saturating_mul(block)
    }

    /// Of each job, to be appended to: beside the tree, whose files keep their size.
    pub const APPENDED: u64 = 32;
    /// Blocks that such a file has at most; then it begins anew.
    pub const APPENDED_BLOCKS: u64 = 8;

    /// Bytes of all files that are not of the tree, at most, but for the few of each job that are made and deleted.
    pub fn beside(jobs: u32, mix: OpMix, block: Bytes) -> Bytes {
        let appended = if mix.has(OpClass::Append) { Tree::APPENDED * Tree::APPENDED_BLOCKS } else { 0 };
        block.saturating_mul(u64::from(jobs.max(1)) * appended)
    }

    /// In words: `64 folders of 128 files`.
    pub fn what(&self) -> String {
        let Tree { levels, folders, files, shared } = self;
        let own = if *shared { "for all jobs together" } else { "for each job" };
        match levels {
            0 => format!("{} in one folder {own}", counted((*files).into(), "file")),
            _ => format!(
                "{} ({levels}x{folders}) of {} each {own}",
                counted(self.lowest(), "folder"),
                counted((*files).into(), "file")
            ),
        }
    }
}

fn counted(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

impl std::fmt::Display for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shared = if self.shared { " shared" } else { "" };
        write!(f, "{}x{}x{}{shared}", self.levels, self.folders, self.files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_for_all_jobs_or_for_each() {
        let tree = Tree { levels: 2, folders: 3, files: 10, shared: false };
        assert_eq!((tree.lowest(), tree.of_one(), tree.files(4)), (9, 90, 360));
        assert_eq!(Tree { shared: true, ..tree }.files(4), 92);
        assert_eq!(Tree { levels: 0, ..tree }.of_one(), 10);
        assert_eq!(Tree { levels: u32::MAX, folders: u32::MAX, files: 1, shared: false }.files(3), u64::MAX);
    }
}
