//! A path on a host, as it is before anything is written there.

use crate::drive::DriveAbout;
use crate::scope::DeviceScope;
use crate::workload::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a path is, for a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathKind {
    /// A block device, of this many bytes.
    Device(Bytes),
    /// A regular file, of this many bytes.
    File(Bytes),
    Folder,
    Nothing,
}

/// What a host tells of a path that it was asked to look at. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteSeen {
    pub found: PathKind,
    /// Where a link leads to, if the path is one.
    pub leads_to: Option<String>,
    /// The device that it is, or on which it lies or will lie.
    pub device: Option<DeviceScope>,
    /// It lies in memory, or will.
    pub in_memory: bool,
    /// Free on its file system.
    pub free: Option<Bytes>,
    /// Files that can still be made on it; `None`: it does not say.
    pub files_free: Option<u64>,
    /// `None`: the kernel does not list it.
    pub file_system: Option<FileSystemSeen>,
    /// Of what may be written to: the file that it is, or lies in, if that has holes.
    pub holes: Option<Holes>,
    /// A device whose blocks can be discarded (trimmed).
    pub discards: bool,
    /// Of the drive that it is, or has a part of, if it may be written to; `None`: it can't be asked.
    pub write_cache: Option<WriteCache>,
    /// Of the drive that it is, or lies on, if it may be written to; `None`: it is none that the kernel lists.
    pub drive: Option<DriveAbout>,
    /// The whole disks on which it lies, by their names in /sys/block.
    pub disks: Vec<String>,
    /// OSDs that run on that host and have a part of one of these disks, as far as that can be seen.
    pub osds: Vec<u32>,
    /// Which of these disks are images of a Ceph cluster, through which client: `rbd0: vms/disk, by krbd`.
    pub images: Vec<String>,
    /// How these disks are attached: `vda: virtio-blk, 4 queues, write back`.
    pub attached: Vec<String>,
}

/// The mounted file system on which a path lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSystemSeen {
    /// As the kernel calls it: `ext4`, `ceph`, `fuse.ceph-fuse`, `nfs4`.
    pub kind: String,
    /// Where else on that host one of the same source is mounted.
    pub also_at: Vec<String>,
    /// That is the same one; else it may be.
    pub certain: bool,
}

impl FileSystemSeen {
    /// Is it a CephFS, mounted by the kernel or by ceph-fuse?
    pub fn of_ceph(&self) -> bool {
        self.kind == "ceph" || self.kind == "fuse.ceph-fuse"
    }

    /// Does a program answer for it, and not the kernel? Then the kernel can't ask beyond that program.
    pub fn of_fuse(&self) -> bool {
        self.kind == "fuse" || self.kind.starts_with("fuse.")
    }
}

/// A file whose blocks are given to it as they are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holes {
    pub file: String,
    /// That it has not got yet.
    pub bytes: Bytes,
    /// Free on its file system; `None`: the file is not found by its name any more.
    pub free: Option<Bytes>,
    /// By its number (st_dev).
    pub file_system: u64,
}

/// A drive's volatile write cache, by the drive's own word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WriteCache {
    /// As in /sys/block.
    pub disk: String,
    pub on: bool,
    /// The kernel flushes it, or would if it were on; else what is said to be durable is lost with the power while it is on.
    pub flushed: bool,
    /// Nothing else is on the drive: its cache may be switched for a trial.
    #[serde(default = "as_before")]
    pub alone: bool,
    /// Other disks have the same cache (namespaces of one NVMe controller, paths to one drive): it is switched for none of them.
    #[serde(default)]
    pub shared: bool,
    /// The drive's own name, which stays with it (`wwid`); `None`: it has none.
    #[serde(default)]
    pub identity: Option<String>,
}

/// Once only drives that nothing else was on were asked.
fn as_before() -> bool {
    true
}

/// A path that is wanted for a load. `given_up`: the user said that its data may be destroyed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteWish {
    pub path: PathBuf,
    pub writes: bool,
    pub given_up: bool,
}

/// Why it may not be had. `holds`: something lies there that must not be lost; else it can't be used at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotFree {
    pub says: String,
    pub holds: bool,
}
