//! What quotas of CephFS's folders leave: https://docs.ceph.com/en/latest/cephfs/quota/. Clients keep to them; `statvfs` tells only that of the
//! folder that is mounted.

use super::mounts::Mount;
use model::Bytes;
use std::path::Path;

/// Bytes and files, by the quotas of this folder and of those above it that the mount shows. `None`: there is no such quota.
pub fn left(path: &Path, mount: &Mount) -> (Option<Bytes>, Option<u64>) {
    if mount.kind != "ceph" && mount.kind != "fuse.ceph-fuse" {
        return (None, None);
    }
    let folders: Vec<&Path> = path.ancestors().take_while(|folder| folder.starts_with(&mount.at)).collect();
    let least = |most: &str, used: &str| {
        let of = |folder: &&Path| left_of(number(folder, most)?, number(folder, used));
        folders.iter().filter_map(of).min()
    };
    (least("ceph.quota.max_bytes", "ceph.dir.rbytes"), least("ceph.quota.max_files", "ceph.dir.rentries"))
}

/// A quota of 0 is none.
fn left_of(most: u64, used: Option<u64>) -> Option<u64> {
    (most > 0).then(|| most.saturating_sub(used.unwrap_or(0)))
}

fn number(folder: &Path, attribute: &str) -> Option<u64> {
    let mut text = [0u8; 32];
    let length = rustix::fs::getxattr(folder, attribute, &mut text[..]).ok()?;
    std::str::from_utf8(text.get(..length)?).ok()?.trim_end_matches('\0').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_leaves_what_is_not_taken_and_none_is_no_bound() {
        assert_eq!(left_of(0, Some(5)), None);
        assert_eq!(left_of(10, Some(4)), Some(6));
        assert_eq!(left_of(10, Some(40)), Some(0), "it was set lower later");
        assert_eq!(left_of(10, None), Some(10));
        let kind = |kind: &str| Mount { at: "/".into(), kind: kind.into(), source: "x".into() };
        let here = std::env::temp_dir();
        assert_eq!(left(&here, &kind("ext4")), (None, None));
        assert_eq!(left(&here, &kind("ceph")), (None, None), "no folder has the attribute");
    }
}
