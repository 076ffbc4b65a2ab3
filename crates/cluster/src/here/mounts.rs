//! Mounted file systems, as the kernel lists them for this process.

use model::facts::FileMount;
use procfs::process::MountInfo;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Where it is mounted.
    pub at: PathBuf,
    /// As the kernel calls it: `ext4`, `ceph`, `fuse.ceph-fuse`, `nfs4`.
    pub kind: String,
    /// What is mounted: a device, `monitor:/path`, `server:/export`.
    pub source: String,
}

impl Mount {
    /// In words: `ceph-fuse (fuse.ceph-fuse) at /mnt`.
    pub fn what(&self) -> String {
        format!("{} ({}) at {}", self.source, self.kind, self.at.display())
    }
}

/// The one on which this absolute path without links lies, or would lie. `None`: the kernel does not list it.
pub fn mount_of(path: &Path) -> Option<Mount> {
    let all = parse(&read_to_string("/proc/self/mountinfo").ok()?);
    holder(path, all)
}

/// Other mounts of the same source, of the same kind. True: it is the same file system; else it may be: FUSE programs call their source as
/// they like (`ceph-fuse`, of any cluster).
pub fn others_of(mount: &Mount) -> (Vec<Mount>, bool) {
    let all = parse(&read_to_string("/proc/self/mountinfo").unwrap_or_default());
    // A device of this host has no other clients, wherever else it is bound.
    let certain = mount.source.contains(':');
    // Of what has no source of its own (tmpfs, overlay) nothing is known.
    let comparable = certain || mount.kind.starts_with("fuse.");
    (all.into_iter().filter(|other| comparable && other != mount && same(other, mount)).collect(), certain)
}

fn same(one: &Mount, other: &Mount) -> bool {
    (&one.source, &one.kind) == (&other.source, &other.kind)
}

/// Of several at one place the last one is on top.
fn holder(path: &Path, all: Vec<Mount>) -> Option<Mount> {
    let above = all.into_iter().filter(|mount| path.starts_with(&mount.at));
    above.max_by_key(|mount| mount.at.components().count())
}

/// Lines of mountinfo (proc(5)): `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`.
fn parse(text: &str) -> Vec<Mount> {
    let mount = |found: MountInfo| Mount {
        at: plain(&found.mount_point.to_string_lossy()).into(),
        kind: found.fs_type,
        source: plain(&found.mount_source.unwrap_or_default()),
    };
    text.lines().filter_map(|line| MountInfo::from_line(line).ok()).map(mount).collect()
}

/// Of a CephFS those that rules read; others are left out, since there are keys and addresses among them.
const READ: [&str; 4] = ["rasize", "sync", "wsync", "nowsync"];

/// CephFS as the kernel has it mounted. `None`: the kernel does not list mounts.
pub(super) fn of_cephfs() -> Option<Vec<FileMount>> {
    read_to_string("/proc/self/mountinfo").ok().map(|table| cephfs(&table))
}

fn cephfs(table: &str) -> Vec<FileMount> {
    let own = table.lines().filter_map(|line| MountInfo::from_line(line).ok()).filter(|found| found.fs_type == "ceph");
    let option = |found: &MountInfo, name: &&str| {
        let value = found.super_options.get(*name)?;
        Some(value.as_ref().map_or(name.to_string(), |value| format!("{name}={value}")))
    };
    let mount = |found: MountInfo| FileMount {
        at: plain(&found.mount_point.to_string_lossy()),
        options: READ.iter().filter_map(|name| option(&found, name)).collect(),
    };
    own.map(mount).collect()
}

/// Tables of the kernel write a blank as `\040`.
pub(crate) fn plain(text: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(text.to_string(), |text, (code, sign)| text.replace(code, sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "22 1 254:0 / / rw,relatime - ext4 /dev/root rw\n\
        51 22 0:45 / /mnt/a\\040b rw - fuse.ceph-fuse ceph-fuse rw,user_id=0\n\
        52 22 0:46 / /mnt/a\\040b/c rw shared:3 - ceph 10.0.0.1:6789:/ rw\nrubbish\n";

    #[test]
    fn a_path_lies_on_the_nearest_mount_above_it() {
        let of = |path: &str| holder(Path::new(path), parse(TABLE)).map(|mount| mount.what()).unwrap_or_default();
        assert_eq!(of("/mnt"), "/dev/root (ext4) at /");
        assert_eq!(of("/mnt/a b/x"), "ceph-fuse (fuse.ceph-fuse) at /mnt/a b");
        assert_eq!(of("/mnt/a b/c/d"), "10.0.0.1:6789:/ (ceph) at /mnt/a b/c");
        assert_eq!(of("/mnt/a bc"), "/dev/root (ext4) at /");
        let read = format!(
            "{TABLE}53 22 0:47 / /mnt/d rw,noatime - ceph a@f.home=/ rw,sync,name=a,secret=<hidden>,rasize=131072,wsync\n"
        );
        let options = |at: usize| cephfs(&read)[at].options.clone();
        assert_eq!((cephfs(&read).len(), options(0)), (2, vec![]));
        assert_eq!(
            (cephfs(&read)[1].at.as_str(), options(1)),
            ("/mnt/d", ["rasize=131072", "sync", "wsync"].map(String::from).to_vec())
        );
        assert!(mount_of(Path::new("/proc/self")).is_some_and(|mount| mount.kind == "proc"));
    }
}
