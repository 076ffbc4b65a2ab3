//! A device or file with what it is made of: partitions, the disk of a partition, what lies beneath RAID, LVM and loop devices.

use nix::sys::stat::{major, makedev, minor};
use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// What a path leads to, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Id {
    /// A block device, by its number.
    Device(u64),
    /// Anything else, by its file system's number and its own.
    File(u64, u64),
}

impl Id {
    pub fn of(metadata: &Metadata) -> Id {
        match metadata.file_type().is_block_device() {
            true => Id::Device(metadata.rdev()),
            false => Id::File(metadata.dev(), metadata.ino()),
        }
    }

    pub fn at(path: &Path) -> Option<Id> {
        fs::metadata(path).ok().map(|metadata| Id::of(&metadata))
    }
}

pub struct Stack {
    pub id: Id,
    /// Itself, and its partitions: whoever has one of them has a part of it.
    pub own: BTreeSet<Id>,
    /// These, and the devices on which loop devices of it lie, with their partitions: whoever has one of these for himself does not know
    /// that a loop device writes there.
    pub exclusive: BTreeSet<Id>,
    /// These, the disk that it is a partition of, and what lies beneath: writes go there.
    pub related: BTreeSet<Id>,
}

impl Stack {
    pub fn of(id: Id) -> Stack {
        let own = with_partitions(id);
        let mut related = own.clone();
        let mut open = vec![id];
        while let Some(next) = open.pop() {
            for below in beneath(next) {
                if related.insert(below) {
                    open.push(below);
                }
            }
        }
        let exclusive = exclusive(id);
        Stack { id, own, exclusive, related }
    }

    /// The devices on which loop devices of it lie. What is directly beneath RAID and LVM these hold themselves.
    pub fn beneath_loops(&self) -> BTreeSet<u64> {
        backing_devices(self.id)
    }

    /// Does a process that has this open for writing use it? Whoever made the file beneath a loop device may well have it open still.
    pub fn used_through(&self, id: Id) -> bool {
        self.related.contains(&id) && (self.own.contains(&id) || matches!(id, Id::Device(_)))
    }

    /// Do two share what they are made of? (Two partitions of a disk do not.)
    pub fn overlaps(&self, other: &Stack) -> bool {
        let all = loops();
        let with_file = |stack: &Stack| {
            let backing = all.iter().find(|own| Id::Device(own.number) == stack.id).map(|own| own.backing);
            stack.own.iter().copied().chain(backing).collect::<BTreeSet<Id>>()
        };
        !with_file(self).is_disjoint(&with_file(other))
    }
}

fn exclusive(id: Id) -> BTreeSet<Id> {
    let below = backing_devices(id).into_iter().map(Id::Device);
    [id].into_iter().chain(below).flat_map(with_partitions).collect()
}

fn with_partitions(id: Id) -> BTreeSet<Id> {
    [id].into_iter().chain(partitions(id)).collect()
}

/// Of this device, of the disk that it is a partition of, and of all beneath them: a loop device may lie on a device.
fn backing_devices(id: Id) -> BTreeSet<u64> {
    let all = loops();
    let backing = |id: &Id| all.iter().find(|own| Id::Device(own.number) == *id).map(|own| own.backing);
    let (mut seen, mut open) = (BTreeSet::from([id]), vec![id]);
    while let Some(next) = open.pop() {
        open.extend(beneath(next).into_iter().filter(|below| seen.insert(*below)));
    }
    let devices = seen.iter().filter_map(backing).filter_map(|below| match below {
        Id::Device(number) => Some(number),
        Id::File(..) => None,
    });
    devices.collect()
}

/// Where a device can be opened: by the name that the kernel gave it, if that leads to it.
pub fn node(number: u64) -> Option<PathBuf> {
    let told = fs::read_to_string(folder(number).join("uevent")).ok()?;
    let name = told.lines().find_map(|line| line.strip_prefix("DEVNAME="))?;
    let by_number = PathBuf::from(format!("/dev/block/{}:{}", major(number), minor(number)));
    [Path::new("/dev").join(name), by_number].into_iter().find(|path| Id::at(path) == Some(Id::Device(number)))
}

pub fn folder(number: u64) -> PathBuf {
    PathBuf::from(format!("/sys/dev/block/{}:{}", major(number), minor(number)))
}

fn partitions(id: Id) -> Vec<Id> {
    let Id::Device(number) = id else { return Vec::new() };
    entries(&folder(number))
        .into_iter()
        .filter(|path| path.join("partition").exists())
        .filter_map(|path| device(&path))
        .collect()
}

fn beneath(id: Id) -> Vec<Id> {
    let Id::Device(number) = id else { return Vec::new() };
    let folder = folder(number);
    let mut below: Vec<Id> = entries(&folder.join("slaves")).iter().filter_map(|path| device(path)).collect();
    if folder.join("partition").exists() {
        below.extend(fs::canonicalize(&folder).ok().and_then(|own| device(own.parent()?)));
    }
    below.extend(loops().into_iter().filter(|own| own.number == number).map(|own| own.backing));
    below
}

pub fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// The device of a folder of /sys.
fn device(folder: &Path) -> Option<Id> {
    number(&fs::read_to_string(folder.join("dev")).ok()?).map(Id::Device)
}

/// Of `8:16`.
pub fn number(text: &str) -> Option<u64> {
    let (major, minor) = text.trim().split_once(':')?;
    Some(makedev(major.parse().ok()?, minor.parse().ok()?))
}

/// A loop device, and what it shows: bytes of its file from `offset` on.
#[derive(Clone, Debug)]
pub struct Loop {
    pub name: String,
    pub number: u64,
    pub backing: Id,
    pub offset: u64,
    pub path: PathBuf,
    /// It passes the page cache by.
    pub direct: bool,
}

/// All that are set up.
pub fn loops() -> Vec<Loop> {
    let all = entries(Path::new("/sys/block")).into_iter();
    all.filter(|folder| folder.join("loop/backing_file").exists()).filter_map(|folder| one_loop(&folder)).collect()
}

fn one_loop(folder: &Path) -> Option<Loop> {
    let name = folder.file_name()?.to_string_lossy().into_owned();
    let number = number(&fs::read_to_string(folder.join("dev")).ok()?)?;
    let text = |file: &str| fs::read_to_string(folder.join("loop").join(file)).unwrap_or_default();
    let path = PathBuf::from(text("backing_file").trim_end_matches('\n'));
    // The kernel knows the file itself; its path may be of another mount namespace, or gone.
    let backing = status(&Path::new("/dev").join(&name), number).or_else(|| Id::at(&path))?;
    let (offset, direct) = (text("offset").trim().parse().unwrap_or(0), text("dio").trim() == "1");
    Some(Loop { name, number, backing, offset, path, direct })
}

/// `struct loop_info64` (linux/loop.h).
#[repr(C)]
pub struct LoopInfo {
    device: u64,
    inode: u64,
    rdevice: u64,
    rest: [u64; 26],
}

mod ioctl {
    nix::ioctl_read_bad!(loop_status, 0x4C05, super::LoopInfo);
}

#[allow(unsafe_code)]
fn status(node: &Path, number: u64) -> Option<Id> {
    if Id::at(node) != Some(Id::Device(number)) {
        return None;
    }
    let device = File::open(node).ok()?;
    let mut info = LoopInfo { device: 0, inode: 0, rdevice: 0, rest: [0; 26] };
    // SAFETY: the call fills the structure, which has the kernel's size.
    unsafe { ioctl::loop_status(device.as_raw_fd(), &mut info) }.ok()?;
    Some(if info.rdevice != 0 { Id::Device(info.rdevice) } else { Id::File(info.device, info.inode) })
}
