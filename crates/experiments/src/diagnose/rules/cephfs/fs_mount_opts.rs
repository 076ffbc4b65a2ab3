//! CephFS that a kernel has mounted with options that make it slow.

use crate::diagnose::facts::prelude::*;
use model::facts::FileMount;
use model::{Bytes, units};

pub static RULE: Rule = Rule {
    id: "fs-mount-opts",
    about: Area::CephFs,
    what: "A kernel has CephFS mounted with an option that makes it slow: less is read ahead than by default (rasize), or every write waits until it is durable (sync).",
    why: "One program that reads a file in order waits for each object unless enough is read ahead: by default 8 MiB, which is two objects of usual size. With sync nothing is gathered in the page cache: each write(2) goes to the OSDs by itself: 100 writes of 4 KiB took 0.93 s in a guest of this project, and 0.03 s without it.",
    evidence: "The kernel of a host that was looked at tells such a mount with sync, or with a rasize below its default of 8 MiB (8388608), which it tells only where it is not the default. Whether its times of access are kept (atime, relatime) is not looked at: CephFS does not keep them.",
    sources: &[
        "Ceph's documentation, mount.ceph(8): rasize",
        "Linux: fs/ceph/super.h (CEPH_RASIZE_DEFAULT), fs/ceph/super.c (ceph_show_options)",
        "SUSE Enterprise Storage 6, \"Tuning Guide\"",
        "Ceph's pull request 45979: CephFS does not support atime",
    ],
    needs: &[Source::Facts(FactsPart::FileMounts)],
    suspect,
    fix: "mount it without sync, and without rasize or with a larger one (rasize=67108864 for long files that are read in order), in /etc/fstab or where it is mounted",
    risk: "without sync what was written is lost with the host until a program syncs it, as on every file system; more that is read ahead is in vain where files are read at random",
    confirm: "mount it a second time without that option, at another place. For rasize: fathom file FOLDER FOLDER --patterns read-linear --depth 1 --option page-cache=on, with both. For sync: dd if=/dev/zero of=FILE bs=4k count=1000 in both",
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

/// The kernel's default.
const AHEAD: Bytes = 8 << 20;

fn suspect(case: &Case) -> Vec<Suspect> {
    of_file_mounts(case, "CephFS is mounted with options that make it slow", |mount| {
        let less = mount.number("rasize").filter(|bytes| *bytes < AHEAD);
        let ahead = less.map(|bytes| format!("rasize={bytes} (at most {} ahead)", units::bytes(bytes)));
        let told: Vec<String> = synced(mount).into_iter().chain(ahead).collect();
        (!told.is_empty()).then(|| told.join(" and "))
    })
}

fn synced(mount: &FileMount) -> Option<String> {
    mount.has("sync").then(|| "sync".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    fn with(options: &[&str]) -> Vec<String> {
        told(&RULE, |facts| file_mount(facts, "/mnt/home", options))
    }

    #[test]
    fn it_is_seen() {
        assert_eq!(with(&["rasize=131072"]), ["b"]);
        assert_eq!(with(&["rasize=0"]), ["b"]);
        assert_eq!(with(&["sync", "wsync"]), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(with(&[]), NOBODY);
        assert_eq!(with(&["rasize=67108864", "nowsync"]), NOBODY);
        assert_eq!(with(&["wsync"]), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(with(&["rasize=many"]), NOBODY);
        assert_eq!(told(&RULE, |facts| facts.hosts.iter_mut().for_each(|host| host.file_mounts = None)), NOBODY);
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
