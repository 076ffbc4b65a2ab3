//! Who uses a device or file: mounts of all namespaces, swap, RAID and LVM, loop devices, exports, locks, open files.

use super::stack::{Id, Stack, entries, folder, loops, number};
use crate::here::mounts::plain;
use nix::sys::stat::makedev;
use std::collections::BTreeSet;
use std::fs::{self, read_to_string};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What the kernel tells without looking at processes.
pub fn by_the_kernel(stack: &Stack) -> Option<String> {
    mounted(stack)
        .or_else(|| swapped(stack))
        .or_else(|| held(stack))
        .or_else(|| looped(stack))
        .or_else(|| exported(stack))
        .or_else(|| locked(stack))
}

fn mounted(stack: &Stack) -> Option<String> {
    let mut namespaces = BTreeSet::new();
    let processes = processes().into_iter().filter_map(|process| {
        let namespace = fs::read_link(process.join("ns/mnt")).ok()?;
        namespaces.insert(namespace).then_some(process)
    });
    let all = std::iter::once(PathBuf::from("/proc/self")).chain(processes);
    let is_own = |id: Option<Id>| id.is_some_and(|id| stack.exclusive.contains(&id));
    all.into_iter().find_map(|process| {
        let table = read_to_string(process.join("mountinfo")).unwrap_or_default();
        table.lines().find_map(|line| {
            let fields: Vec<&str> = line.split(' ').collect();
            let source = fields.iter().position(|field| *field == "-").and_then(|at| fields.get(at + 2));
            // btrfs and others mount under a number of their own, but name the device.
            let by_name =
                || source.filter(|source| source.starts_with('/')).and_then(|source| Id::at(Path::new(source)));
            let own = is_own(fields.get(2).and_then(|text| number(text)).map(Id::Device))
                || by_name().is_some_and(|id| matches!(id, Id::Device(_)) && stack.exclusive.contains(&id));
            own.then(|| format!("is mounted on {}{}", fields.get(4).unwrap_or(&"?"), beneath(stack)))
        })
    })
}

/// Said of a loop device, since it may be a device beneath it that is in use.
fn beneath(stack: &Stack) -> &'static str {
    if stack.beneath_loops().is_empty() { "" } else { ", or the device beneath it is" }
}

fn swapped(stack: &Stack) -> Option<String> {
    let table = read_to_string("/proc/swaps").unwrap_or_default();
    table.lines().skip(1).find_map(|line| {
        let path = plain(line.split_whitespace().next()?);
        // A swap file may lie beneath a loop device.
        let own = |id: Id| stack.exclusive.contains(&id) || (matches!(id, Id::File(..)) && stack.related.contains(&id));
        let own = Id::at(Path::new(&path)).is_some_and(own);
        own.then(|| format!("is swap space ({path}){}", beneath(stack)))
    })
}

/// RAID, LVM, device-mapper, bcache, on the device or one of its partitions.
fn held(stack: &Stack) -> Option<String> {
    let holders = stack.exclusive.iter().flat_map(|id| match id {
        Id::Device(number) => entries(&folder(*number).join("holders")),
        Id::File(..) => Vec::new(),
    });
    let names: Vec<String> =
        holders.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    (!names.is_empty()).then(|| format!("is held by {}{}", names.join(", "), beneath(stack)))
}

/// A loop device over it, or a second one over the same file.
fn looped(stack: &Stack) -> Option<String> {
    let others = loops().into_iter().filter(|other| !stack.related.contains(&Id::Device(other.number)));
    others.into_iter().find_map(|other| match () {
        () if stack.own.contains(&other.backing) => Some(format!("backs /dev/{}", other.name)),
        () if stack.related.contains(&other.backing) => {
            Some(format!("lies on {}, on which /dev/{} lies as well", other.path.display(), other.name))
        }
        () => None,
    })
}

/// Devices and files that the kernel itself gives to other hosts (LIO, NVMe over fabrics, USB) without holding them.
fn exported(stack: &Stack) -> Option<String> {
    let kernel = Path::new("/sys/kernel/config");
    let below = |folder: PathBuf, depth: usize| {
        (0..depth).fold(vec![folder], |folders, _| folders.iter().flat_map(|folder| entries(folder)).collect())
    };
    let files = below(kernel.join("target/core"), 2).into_iter().map(|folder| folder.join("udev_path"));
    let nvme = below(kernel.join("nvmet/subsystems"), 1).into_iter().flat_map(|own| entries(&own.join("namespaces")));
    let usb = below(kernel.join("usb_gadget"), 1).into_iter().flat_map(|own| entries(&own.join("functions")));
    let usb = usb.flat_map(|own| entries(&own)).map(|folder| folder.join("file"));
    files.chain(nvme.map(|folder| folder.join("device_path"))).chain(usb).find_map(|setting| {
        let path = PathBuf::from(read_to_string(&setting).ok()?.trim());
        let own = path.is_absolute() && Id::at(&path).is_some_and(|id| stack.related.contains(&id));
        own.then(|| format!("is exported to other hosts ({})", setting.display()))
    })
}

/// Locks and leases (/proc/locks).
fn locked(stack: &Stack) -> Option<String> {
    let table = read_to_string("/proc/locks").unwrap_or_default();
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().filter(|field| *field != "->").collect();
        let (kind, process, file) = (fields.get(1)?, fields.get(4)?, fields.get(5)?);
        let mut parts = file.split(':');
        let mut hex = || u64::from_str_radix(parts.next()?, 16).ok();
        let device = makedev(hex()?, hex()?);
        let inode = file.rsplit(':').next()?.parse().ok()?;
        let own = stack.related.contains(&Id::File(device, inode)) && *process != std::process::id().to_string();
        own.then(|| format!("is locked ({kind} of {})", described(Path::new("/proc").join(process).as_path())))
    })
}

/// What was seen of other processes' open files.
#[derive(Debug, Default, PartialEq)]
pub struct OpenFiles {
    pub user: Option<String>,
    /// Processes whose open files may not be looked at.
    pub hidden: usize,
}

/// Open for writing anywhere, with or without O_EXCL, or mapped for writing.
pub fn by_processes(stack: &Stack) -> OpenFiles {
    let mut seen = OpenFiles::default();
    for process in processes() {
        // A thread may have a table of its own, and outlive the first one, whose table is the process's.
        let tables = entries(&process.join("task")).into_iter().map(|thread| fs::read_dir(thread.join("fd")));
        let (mut hidden, mut writes) = (false, maps(&process, stack));
        for table in tables {
            match table {
                Ok(files) => writes = writes || files.flatten().any(|file| is_written(&file.path(), stack)),
                Err(error) => hidden = hidden || error.kind() == std::io::ErrorKind::PermissionDenied,
            }
        }
        if writes {
            seen.user = Some(format!("is open for writing by {}", described(&process)));
            return seen;
        }
        seen.hidden += usize::from(hidden);
    }
    seen
}

/// A process of a container sees its own kind only: the first namespace has a fixed number (linux/proc_ns.h).
pub fn sees_all_processes() -> bool {
    fs::metadata("/proc/self/ns/pid").is_ok_and(|namespace| namespace.ino() == 0xEFFF_FFFC)
}

fn processes() -> Vec<PathBuf> {
    let own = std::process::id().to_string();
    let is_other = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name != own && !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
    };
    entries(Path::new("/proc")).into_iter().filter(is_other).collect()
}

/// `file`: a link in /proc/PID/fd, whose own mode tells how it is open.
fn is_written(file: &Path, stack: &Stack) -> bool {
    const OWNER_WRITES: u32 = 0o200;
    Id::at(file).is_some_and(|id| stack.used_through(id))
        && fs::symlink_metadata(file).is_ok_and(|link| link.mode() & OWNER_WRITES != 0)
}

/// What is mapped stays so after its descriptor was closed.
fn maps(process: &Path, stack: &Stack) -> bool {
    let table = read_to_string(process.join("maps")).unwrap_or_default();
    table.lines().any(|line| {
        let mut fields = line.split_whitespace();
        let (range, mode) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        let written = mode.contains('w') && mode.ends_with('s');
        written
            && line.contains('/')
            && Id::at(&process.join("map_files").join(range)).is_some_and(|id| stack.used_through(id))
    })
}

/// `process 1234 (ceph-osd)`.
fn described(process: &Path) -> String {
    let number = process.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match read_to_string(process.join("comm")) {
        Ok(name) => format!("process {number} ({})", name.trim()),
        Err(_) => format!("process {number}"),
    }
}
