//! Is a device or file free to be written to? Proven before the first write, never assumed.

mod signatures;

use model::Found;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error, PartialEq)]
pub enum Refusal {
    #[error("{path}: {what}. Nothing was written. {mend}")]
    Holds { path: PathBuf, what: String, mend: String },
    #[error("{path}: {what}")]
    Unusable { path: PathBuf, what: String },
}

const GIVE_UP: &str = "If its data may be destroyed, say so with --destroy-data-on and the same path again";
const IN_USE: &str = "Name a device that nothing uses; there is no way around this";

pub fn look_at(path: &Path) -> Result<Found, Refusal> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Found::Nothing),
        other => other.map_err(|error| unusable(path, error))?,
    };
    let kind = metadata.file_type();
    if kind.is_block_device() {
        let bytes = File::open(path).and_then(|mut device| device.seek(SeekFrom::End(0)));
        return Ok(Found::Device(bytes.map_err(|error| unusable(path, error))?));
    }
    match (kind.is_dir(), kind.is_file()) {
        (true, _) => Ok(Found::Folder),
        (_, true) => Ok(Found::File(metadata.len())),
        _ => Err(unusable(path, "is neither a block device, a file nor a folder")),
    }
}

/// Ok: the path may be written to. `given_up`: the user said that its data may be destroyed; that never opens a device
/// in use.
pub fn prove_free(path: &Path, given_up: bool) -> Result<(), Refusal> {
    match look_at(path)? {
        Found::Device(_) => prove_device_free(path, given_up),
        Found::File(bytes) if bytes > 0 && !given_up => {
            Err(holds(path, format!("is a file that holds {bytes} bytes"), GIVE_UP))
        }
        Found::File(_) => prove_file_unused(path),
        Found::Folder | Found::Nothing => Ok(()),
    }
}

fn prove_device_free(path: &Path, given_up: bool) -> Result<(), Refusal> {
    if let Some(use_) = used_by(path)? {
        return Err(holds(path, use_, IN_USE));
    }
    // O_EXCL on a block device fails while the kernel has it for anything: mount, RAID, LVM, swap, bcache.
    if open(path, OFlag::O_RDONLY | OFlag::O_EXCL, Mode::empty()).is_err_and(|error| error == nix::Error::EBUSY) {
        return Err(holds(path, "is in use (the kernel refuses exclusive access)".to_string(), IN_USE));
    }
    let found = signatures::find(path).map_err(|error| unusable(path, error))?;
    match found {
        Some(what) if !given_up => Err(holds(path, what, GIVE_UP)),
        _ => Ok(()),
    }
}

/// A file may back a loop device that is in use.
fn prove_file_unused(path: &Path) -> Result<(), Refusal> {
    let canonical = fs::canonicalize(path).map_err(|error| unusable(path, error))?;
    for device in fs::read_dir("/sys/block").into_iter().flatten().flatten() {
        let backing = fs::read_to_string(device.path().join("loop/backing_file")).unwrap_or_default();
        if Path::new(backing.trim()) == canonical {
            let loop_device = device.file_name().to_string_lossy().into_owned();
            return Err(holds(path, format!("backs /dev/{loop_device}"), IN_USE));
        }
    }
    Ok(())
}

/// Mounted, swap, or held by another block device (RAID, LVM, device-mapper); partitions included.
fn used_by(path: &Path) -> Result<Option<String>, Refusal> {
    let number = fs::metadata(path).map_err(|error| unusable(path, error))?.rdev();
    let (major, minor) = (nix::sys::stat::major(number), nix::sys::stat::minor(number));
    let folder = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
    let numbers = own_and_partitions(&folder, format!("{major}:{minor}"));
    if let Some(mount) = mounted(&numbers) {
        return Ok(Some(format!("is mounted on {mount}")));
    }
    if let Some(swap) = swapped(&numbers) {
        return Ok(Some(format!("is swap space ({swap})")));
    }
    let holders = fs::read_dir(folder.join("holders")).into_iter().flatten().flatten();
    let holders: Vec<String> = holders.map(|holder| holder.file_name().to_string_lossy().into_owned()).collect();
    Ok((!holders.is_empty()).then(|| format!("is held by {}", holders.join(", "))))
}

fn own_and_partitions(folder: &Path, own: String) -> Vec<String> {
    let parts = fs::read_dir(folder).into_iter().flatten().flatten();
    let parts = parts.filter(|entry| entry.path().join("partition").exists());
    let parts = parts.filter_map(|entry| fs::read_to_string(entry.path().join("dev")).ok());
    std::iter::once(own).chain(parts.map(|dev| dev.trim().to_string())).collect()
}

fn mounted(numbers: &[String]) -> Option<String> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    table.lines().find_map(|line| {
        let mut fields = line.split(' ');
        let number = fields.nth(2)?;
        let place = fields.nth(1)?;
        numbers.iter().any(|own| own == number).then(|| place.to_string())
    })
}

fn swapped(numbers: &[String]) -> Option<String> {
    let table = fs::read_to_string("/proc/swaps").unwrap_or_default();
    table.lines().skip(1).find_map(|line| {
        let path = line.split_whitespace().next()?;
        let number = fs::metadata(path).ok()?.rdev();
        let number = format!("{}:{}", nix::sys::stat::major(number), nix::sys::stat::minor(number));
        numbers.contains(&number).then(|| path.to_string())
    })
}

fn unusable(path: &Path, what: impl std::fmt::Display) -> Refusal {
    Refusal::Unusable { path: path.to_path_buf(), what: what.to_string() }
}

fn holds(path: &Path, what: String, mend: &str) -> Refusal {
    Refusal::Holds { path: path.to_path_buf(), what, mend: mend.to_string() }
}

/// Reads `len` bytes at `offset`, fewer at the end of the device.
fn read_at(device: &mut File, offset: u64, len: usize) -> std::io::Result<Vec<u8>> {
    device.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::with_capacity(len);
    device.take(len as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
