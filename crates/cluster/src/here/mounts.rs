//! Mounted file systems, as the kernel lists them for this process.

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
        assert!(mount_of(Path::new("/proc/self")).is_some_and(|mount| mount.kind == "proc"));
    }
}
