//! Is a device or file free to be written to? Proven before the first write, and held from then on.

mod disks;
mod emptiness;
mod holes;
mod in_use;
mod places;
mod signatures;
mod stack;

pub use disks::disks_of;
pub use holes::holes;

use crate::drive_cache;
use emptiness::{Looked, Share};
use model::{Bytes, PathKind};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl, open};
use nix::sys::stat::Mode;
use nix::sys::statfs::{FsType, statfs};
use nix::unistd::{AccessFlags, access};
use stack::{Id, Stack};
use std::fs::{self, File};
use std::io::{Seek, SeekFrom};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug, thiserror::Error, PartialEq)]
pub enum Refusal {
    #[error("{path}: {what}. Nothing was written. {mend}")]
    Holds { path: PathBuf, what: String, mend: String },
    #[error("{path}: {what}")]
    Unusable { path: PathBuf, what: String },
}

impl From<Refusal> for model::Failure {
    fn from(refusal: Refusal) -> model::Failure {
        match refusal {
            Refusal::Holds { .. } => model::Failure::Refused(refusal.to_string()),
            Refusal::Unusable { .. } => model::Failure::Usage(refusal.to_string()),
        }
    }
}

const IN_USE: &str = "Name a device that nothing uses; there is no way around this";

/// A program that looks at what is on a device (udev) holds its lock at most this long.
const ASKED: Duration = Duration::from_secs(3);

pub fn look_at(path: &Path) -> Result<PathKind, Refusal> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            if let Ok(leads) = fs::read_link(path) {
                let text = format!("is a link to {}, where nothing is; name what shall be measured", leads.display());
                return Err(unusable(path, text));
            }
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if !folder.is_dir() {
                let text = format!("there is no such folder as {}; make it, or name another", folder.display());
                return Err(unusable(path, text));
            }
            return takes_files(path, folder).map(|()| PathKind::Nothing);
        }
        other => other.map_err(|error| closed(path, &error))?,
    };
    let kind = metadata.file_type();
    if kind.is_block_device() {
        let bytes = File::open(path).and_then(|mut device| device.seek(SeekFrom::End(0)));
        return Ok(PathKind::Device(bytes.map_err(|error| closed(path, &error))?));
    }
    match (kind.is_dir(), kind.is_file()) {
        (true, _) => takes_files(path, path).map(|()| PathKind::Folder),
        (_, true) => {
            keeps_files(path, path)?;
            access(path, AccessFlags::R_OK).map_err(|error| closed(path, &error.into()))?;
            Ok(PathKind::File(metadata.len()))
        }
        _ => Err(unusable(path, "is neither a block device, a file nor a folder")),
    }
}

/// Can a file be made in this folder? Nothing is made.
fn takes_files(path: &Path, folder: &Path) -> Result<(), Refusal> {
    keeps_files(path, folder)?;
    access(folder, AccessFlags::W_OK | AccessFlags::X_OK).map_err(|error| {
        let mend = match error {
            Errno::EACCES if !nix::unistd::geteuid().is_root() => "run as root, or name a folder that you may write to",
            _ => "name another folder",
        };
        let error = std::io::Error::from(error);
        unusable(path, format!("no file can be made in {}: {error}; {mend}", folder.display()))
    })
}

/// File systems that show what the kernel knows: nothing can be kept there.
fn keeps_files(path: &Path, there: &Path) -> Result<(), Refusal> {
    // linux/magic.h
    const SHOWN: [(i64, &str); 11] = [
        (0x9fa0, "proc"),
        (0x6265_6572, "sysfs"),
        (0x6462_6720, "debugfs"),
        (0x7472_6163, "tracefs"),
        (0x0027_e0eb, "cgroup"),
        (0x6367_7270, "cgroup2"),
        (0x7363_6673, "securityfs"),
        (0x6265_6570, "configfs"),
        (0x1cd1, "devpts"),
        (0xcafe_4a11, "bpf"),
        (0x6165_676c, "pstore"),
    ];
    let there = if there.as_os_str().is_empty() { Path::new(".") } else { there };
    let FsType(kind) = statfs(there).map_err(|error| unusable(path, error))?.filesystem_type();
    match SHOWN.iter().find(|(magic, _)| *magic == kind) {
        Some((_, name)) => {
            Err(unusable(path, format!("lies on {name}, which keeps no data; name a device, or a folder on a disk")))
        }
        None => Ok(()),
    }
}

/// Are two paths one and the same, or one a part of the other? Also by links, as a partition of a disk, and through a loop
/// device.
pub fn overlap(one: &Path, other: &Path) -> bool {
    match (Id::at(one), Id::at(other)) {
        (Some(one), Some(other)) => one == other || Stack::of(one).overlaps(&Stack::of(other)),
        _ => one == other,
    }
}

/// Loop devices of which this path consists, or on which it lies, that read and write through the page cache, in words with how to fix it.
pub fn buffered(path: &Path) -> Vec<String> {
    let Ok(metadata) = fs::metadata(path) else { return Vec::new() };
    let id = if metadata.file_type().is_block_device() { Id::of(&metadata) } else { Id::Device(metadata.dev()) };
    let related = Stack::of(id).related;
    let own = stack::loops().into_iter().filter(|own| !own.direct && related.contains(&Id::Device(own.number)));
    own.map(|own| {
        format!(
            "/dev/{name} is a loop device that goes through the page cache (/sys/block/{name}/loop/dio is 0): its figures are those of \
             memory as much as of a disk; `losetup --direct-io=on /dev/{name}` goes past it, where the file's file system can do that",
            name = own.name
        )
    })
    .collect()
}

/// A path that may be written to as long as the descriptor is open: nobody else gets the device meanwhile.
#[derive(Debug)]
pub struct Proven {
    pub file: File,
    /// Devices on which it lies as a loop device: held as well, since their users do not know of it.
    pub beneath: Vec<File>,
    /// What could not, or was not, looked at, in words.
    pub unseen: Vec<String>,
}

/// Ok: the path may be written to; without a descriptor, where nothing is there yet. `given_up`: the user said that its data
/// may be destroyed; that never opens what is in use. `tell`: the share of the device that was looked at.
///
/// # Errors
/// It holds something, is in use, or can't be opened.
pub fn prove(path: &Path, given_up: bool, tell: &(dyn Fn(f64) + Sync)) -> Result<Option<Proven>, Refusal> {
    match look_at(path)? {
        PathKind::Folder | PathKind::Nothing => return Ok(None),
        PathKind::File(bytes) if bytes > 0 && !given_up => {
            // That it is in use is the graver reason: nothing opens it then.
            prove_unused_by_kernel(path)?;
            return Err(holds(path, format!("is a file that holds {}", model::units::bytes(bytes)), &give_up(path)));
        }
        PathKind::File(_) | PathKind::Device(_) => {}
    }
    let stack = prove_unused_by_kernel(path)?;
    if matches!(stack.id, Id::Device(_)) {
        prove_unused_by_another_name(path)?;
    }
    let file = open_alone(path)?;
    let metadata = file.metadata().map_err(|error| unusable(path, error))?;
    if Id::of(&metadata) != stack.id {
        return Err(holds(path, "became something else while it was looked at".to_string(), "Run again"));
    }
    let beneath = hold_beneath(path, &stack)?;
    let mut unseen = Vec::from_iter(prove_unused_by_processes(path, &stack)?);
    if let (Id::Device(_), true, false, Some(why)) =
        (stack.id, given_up, nix::unistd::geteuid().is_root(), unseen.first())
    {
        let why = why.trim_start_matches(&format!("{}: ", path.display()));
        return Err(unusable(path, format!("{why}; run as root, which sees them")));
    }
    lock(path, &file)?;
    if matches!(stack.id, Id::Device(_)) && !given_up {
        unseen.extend(prove_empty(path, &file, &stack, tell)?);
    }
    Ok(Some(Proven { file, beneath, unseen }))
}

fn prove_unused_by_kernel(path: &Path) -> Result<Stack, Refusal> {
    let stack = Stack::of(Id::at(path).ok_or_else(|| unusable(path, "is not there any more"))?);
    match in_use::by_the_kernel(&stack) {
        Some(what) => Err(holds(path, what, IN_USE)),
        None => Ok(stack),
    }
}

/// A drive that has two ways to this host (multipath that nobody joined, a LUN that is mapped twice) has two names, and the kernel takes them
/// for two drives.
fn prove_unused_by_another_name(path: &Path) -> Result<(), Refusal> {
    let own = disks_of(path);
    let others = own.iter().flat_map(|disk| drive_cache::of_one_name(disk)).filter(|other| !own.contains(other));
    for other in others {
        let Some(stack) = Id::at(&Path::new("/dev").join(&other)).map(Stack::of) else { continue };
        if let Some(what) = in_use::by_the_kernel(&stack).or_else(|| in_use::by_processes(&stack).user) {
            return Err(holds(path, format!("is the same drive as /dev/{other}, which {what}"), IN_USE));
        }
    }
    Ok(())
}

fn prove_unused_by_processes(path: &Path, stack: &Stack) -> Result<Option<String>, Refusal> {
    let seen = in_use::by_processes(stack);
    if let Some(what) = seen.user {
        return Err(holds(path, what, IN_USE));
    }
    let unseen = match (seen.hidden, in_use::sees_all_processes()) {
        (0, true) => return Ok(None),
        (0, false) => {
            "processes outside of this container are not seen: whether one of them has it open is not known".to_string()
        }
        (hidden, _) => format!(
            "the open files of {hidden} processes may only be seen by root: whether one of them has it open is not known"
        ),
    };
    Ok(Some(format!("{}: {unseen}", path.display())))
}

/// O_EXCL on a block device fails while anybody has it for himself, and keeps others from that: mounts, RAID, LVM, swap, mkfs.
fn open_alone(path: &Path) -> Result<File, Refusal> {
    let device = fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_block_device());
    let alone = if device { OFlag::O_EXCL } else { OFlag::O_NONBLOCK };
    let flags = OFlag::O_RDWR | OFlag::O_CLOEXEC | alone;
    let opened = match open(path, flags | OFlag::O_DIRECT, Mode::empty()) {
        Err(Errno::EINVAL) => open(path, flags, Mode::empty()),
        other => other,
    };
    opened.map(File::from).map_err(|error| match error {
        Errno::EBUSY => holds(path, "is in use (the kernel refuses exclusive access)".to_string(), IN_USE),
        Errno::ETXTBSY => holds(path, "is in use (a program that runs, or swap space)".to_string(), IN_USE),
        Errno::EAGAIN => holds(path, "is in use (a lease on the file)".to_string(), IN_USE),
        Errno::EPERM => holds(path, "may not be changed (immutable or append-only, or swap space)".to_string(), IN_USE),
        error => closed(path, &std::io::Error::from(error)),
    })
}

/// The devices beneath a loop device, each for this process alone: a file system with several devices, or a journal on another one, shows in
/// no table, but has them for itself.
fn hold_beneath(path: &Path, stack: &Stack) -> Result<Vec<File>, Refusal> {
    let hold = |number: u64| {
        let node = stack::node(number)
            .ok_or_else(|| unusable(path, "lies on a device that has no node here, so that it can't be held"))?;
        let flags = OFlag::O_RDONLY | OFlag::O_CLOEXEC | OFlag::O_EXCL;
        open(&node, flags, Mode::empty()).map(File::from).map_err(|error| match error {
            Errno::EBUSY => {
                let what = format!("lies on {}, which is in use (the kernel refuses exclusive access)", node.display());
                holds(path, what, IN_USE)
            }
            error => unusable(path, format!("{}: {}", node.display(), std::io::Error::from(error))),
        })
    };
    stack.beneath_loops().into_iter().map(hold).collect()
}

/// Both kinds of locks, kept with the descriptor: while they are held, udev leaves a device alone.
fn lock(path: &Path, file: &File) -> Result<(), Refusal> {
    let until = Instant::now() + ASKED;
    while file.try_lock().is_err() {
        if Instant::now() > until {
            return Err(holds(path, "is locked by another process (flock)".to_string(), IN_USE));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let whole =
        libc::flock { l_type: libc::F_WRLCK as i16, l_whence: libc::SEEK_SET as i16, l_start: 0, l_len: 0, l_pid: 0 };
    match fcntl(file.as_fd(), FcntlArg::F_OFD_SETLK(&whole)) {
        Err(Errno::EAGAIN | Errno::EACCES) => {
            Err(holds(path, "is locked by another process (fcntl)".to_string(), IN_USE))
        }
        // File systems without such locks.
        _ => Ok(()),
    }
}

/// What of it was looked at, in words, if it was not all.
fn prove_empty(
    path: &Path,
    device: &File,
    stack: &Stack,
    tell: &(dyn Fn(f64) + Sync),
) -> Result<Option<String>, Refusal> {
    let unknown = |error| holds(path, format!("is not known to be empty: {error}"), &give_up(path));
    let bytes = size(device).map_err(unknown)?;
    let mut looked = emptiness::find(device, bytes, tell).map_err(unknown)?;
    if let Looked::Share(_) = looked
        && let Some(more) = in_backing_file(stack, bytes).map_err(unknown)?
    {
        looked = more;
    }
    match looked {
        Looked::Found(what) => Err(holds(path, what, &give_up(path))),
        Looked::Zeros => Ok(None),
        Looked::Share(share) => Ok(Some(format!("{}: {}", path.display(), in_words(share)))),
    }
}

fn in_words(share: Share) -> String {
    let percent = share.looked as f64 / share.of as f64 * 100.0;
    let digits = if percent < 1.0 { 3 } else { 0 };
    format!(
        "it is taken for empty: {} of {} were looked at ({percent:.digits$} %) and are zeros; data in one piece is met for sure only from \
         {} on",
        mebibytes(share.looked),
        mebibytes(share.of),
        mebibytes(share.piece)
    )
}

fn mebibytes(bytes: Bytes) -> String {
    const STEP: f64 = 1024.0;
    let all = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    let power = (bytes as f64).log(STEP).floor().clamp(1.0, all.len() as f64);
    format!("{:.1} {}", bytes as f64 / STEP.powf(power), all[power as usize - 1])
}

/// A loop device over a file: the file system knows where data lies. `None`: the file is not to be had from here.
fn in_backing_file(stack: &Stack, bytes: Bytes) -> std::io::Result<Option<Looked>> {
    let own = stack::loops().into_iter().find(|own| Id::Device(own.number) == stack.id);
    let Some(own) = own.filter(|own| Id::at(&own.path) == Some(own.backing)) else { return Ok(None) };
    match File::open(&own.path) {
        Ok(file) if file.metadata()?.is_file() => emptiness::find_in_file(&file, own.offset, bytes).map(Some),
        _ => Ok(None),
    }
}

fn size(mut device: &File) -> std::io::Result<Bytes> {
    device.seek(SeekFrom::End(0))
}

/// It can't be opened, or not even looked at.
fn closed(path: &Path, error: &std::io::Error) -> Refusal {
    unusable(path, format!("{error}{}", mend_of(path, error)))
}

/// What to do where this user may not open a device or file; empty: that is not what is wrong.
fn mend_of(path: &Path, error: &std::io::Error) -> String {
    if error.kind() != std::io::ErrorKind::PermissionDenied {
        return String::new();
    }
    match fs::metadata(path) {
        _ if nix::unistd::geteuid().is_root() => {
            "; root itself may not: it is read-only or immutable, or this is a container that has no right to it"
                .to_string()
        }
        Ok(metadata) if metadata.file_type().is_block_device() => {
            "; run as root, or as a member of the device's group (`ls -l` shows it, mostly it is disk)".to_string()
        }
        _ => "; run as root, or as a user who may open it".to_string(),
    }
}

fn unusable(path: &Path, what: impl std::fmt::Display) -> Refusal {
    Refusal::Unusable { path: path.to_path_buf(), what: what.to_string() }
}

/// How to say that this may be written over.
fn give_up(path: &Path) -> String {
    let path = model::shell::word(&path.display().to_string());
    format!("If its data may be destroyed, add --destroy-data-on {path} (run and prove never write to what holds data)")
}

fn holds(path: &Path, what: String, mend: &str) -> Refusal {
    Refusal::Holds { path: path.to_path_buf(), what, mend: mend.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_looked_at_is_told_in_round_numbers() {
        let share = Share { looked: 1_200 << 20, of: 8 << 40, piece: 128 << 20 };
        let says = in_words(share);
        assert!(
            says.contains("1.2 GiB of 8.0 TiB were looked at (0.014 %)") && says.contains("from 128.0 MiB on"),
            "{says}"
        );
        assert_eq!([mebibytes(0), mebibytes(1536), mebibytes(1 << 40)], ["0.0 KiB", "1.5 KiB", "1.0 TiB"]);
    }
}
