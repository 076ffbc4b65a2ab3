//! What a path is, whether a workload may go there, and how it is opened.

use super::holds::{Hold, Holds};
use super::{Placing, page_cache};
use crate::api::EngineError;
use crate::pages::PageLook;
use model::{Bytes, Durability, Place, Workload};
use nix::fcntl::{OFlag, open};
use nix::sys::stat::{Mode, major, minor};
use nix::unistd::{AccessFlags, Whence, access, lseek64};
use std::fs::{self, File};
use std::io::{Seek, SeekFrom};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod ioctl {
    nix::ioctl_read_bad!(logical_block, 0x1268, libc::c_int);
    nix::ioctl_read_bad!(read_only, 0x125e, libc::c_int);
}

/// The smallest unit in which any device is addressed.
const SECTOR: Bytes = 512;

/// The major number of loop devices (the kernel's Documentation/admin-guide/devices.txt).
const LOOP_MAJOR: u64 = 7;

/// A file or device, as it is now.
pub struct DiskSite {
    pub path: PathBuf,
    pub device: bool,
    pub looped: bool,
    pub writable: bool,
    pub bytes: Bytes,
    /// Blocks must be a multiple of this.
    pub sector: Bytes,
    /// Its file system lies in memory.
    pub memory: bool,
    /// Opened through this, not by its path.
    hold: Option<Arc<Hold>>,
}

impl DiskSite {
    pub fn look(place: &Place) -> Result<DiskSite, String> {
        let Place::Path { path, writable } = place else {
            return Err("the target is neither a file nor a device".to_string());
        };
        let metadata = fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let device = metadata.file_type().is_block_device();
        if !device && !metadata.is_file() {
            return Err(format!("{}: is neither a regular file nor a block device", path.display()));
        }
        let mut site = DiskSite {
            path: path.clone(),
            device,
            looped: DiskSite::looped(path),
            writable: *writable,
            bytes: metadata.len(),
            sector: SECTOR,
            memory: DiskSite::memory(path),
            hold: None,
        };
        if device {
            site.look_at_device().map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(site)
    }

    /// The site as it is held: exactly what was proven to be free, and nothing else that may have its path meanwhile. A device that is not
    /// held can only be read.
    ///
    /// # Errors
    /// It is no place for a load, or not what it was.
    pub fn held(place: &Place, holds: &Holds) -> Result<DiskSite, EngineError> {
        let hold = match place {
            Place::Path { path, .. } => holds.of(path),
            _ => None,
        };
        if let Some(hold) = &hold {
            hold.unchanged().map_err(EngineError::Broken)?;
        }
        let mut site = DiskSite::look(place).map_err(EngineError::Refused)?;
        if site.device && site.writable && hold.is_none() {
            return Err(EngineError::Refused(format!("{}: was not proven to be free", site.path.display())));
        }
        site.hold = hold;
        Ok(site)
    }

    /// Where a workload's bytes lie on it. Files are written as far as the working set goes, and no further.
    pub fn placing(&self, workload: &Workload) -> Placing {
        match self.device {
            true => Placing::new(workload, self.bytes, rotating(&self.path)),
            false => Placing::contiguous(workload.span),
        }
    }

    /// Looks for reads of nothing, except on a disk that turns and takes no discards: it reads its medium in any case.
    pub fn page_look(&self) -> Option<PageLook> {
        let turns =
            self.device && queue(&self.path, "discard_max_bytes") == Some(0) && turns_a_minute(&self.path).is_some();
        (!turns).then(PageLook::default)
    }

    /// Where it is opened.
    pub fn open_path(&self) -> PathBuf {
        self.hold.as_ref().map_or_else(|| self.path.clone(), |hold| hold.open_path())
    }

    fn look_at_device(&mut self) -> std::io::Result<()> {
        let mut file = File::open(&self.path)?;
        self.bytes = file.seek(SeekFrom::End(0))?;
        let mut sector = 0;
        // SAFETY: the call fills the one integer.
        unsafe { ioctl::logical_block(std::os::fd::AsRawFd::as_raw_fd(&file), &mut sector) }?;
        self.sector = Bytes::try_from(sector).unwrap_or(SECTOR).max(SECTOR);
        Ok(())
    }

    pub fn device(path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_block_device())
    }

    /// A loop device: threads of the kernel do its work.
    pub fn looped(path: &Path) -> bool {
        DiskSite::device(path) && fs::metadata(path).is_ok_and(|metadata| major(metadata.rdev()) == LOOP_MAJOR)
    }

    /// Does this existing path lie on a file system in memory? A device's node does (in /dev), its data does not.
    pub fn memory(path: &Path) -> bool {
        use nix::sys::statfs::{FsType, TMPFS_MAGIC, statfs};
        const RAMFS_MAGIC: FsType = FsType(0x8584_58f6);
        !DiskSite::device(path)
            && statfs(path).is_ok_and(|fs| [TMPFS_MAGIC, RAMFS_MAGIC].contains(&fs.filesystem_type()))
    }

    /// Why this workload can't go here.
    pub fn refuse(&self, workload: &Workload) -> Option<String> {
        let why = self.refuse_shape(workload).or_else(|| self.refuse_access(workload));
        why.map(|why| format!("{}: {why}", self.path.display()))
    }

    fn refuse_shape(&self, workload: &Workload) -> Option<String> {
        let (block, span, jobs) = (workload.block, workload.span, workload.jobs.max(1));
        if let Some(why) = page_cache::refusal(self, workload) {
            return Some(why);
        }
        if block == 0 || block % self.sector != 0 || u32::try_from(block).is_err() {
            return Some(format!("a block of {block} bytes is not a multiple of its sectors of {} bytes", self.sector));
        }
        if workload.lane_span() < block {
            return Some(format!(
                "a working set of {span} bytes has no block of {block} bytes for each of {jobs} jobs"
            ));
        }
        let grows = !self.device && self.writable;
        (span > self.bytes && !grows)
            .then(|| format!("has {} bytes, less than the working set of {span}; choose a smaller one", self.bytes))
    }

    fn refuse_access(&self, workload: &Workload) -> Option<String> {
        if workload.writes() && !self.writable {
            return Some("may only be read: it is neither Fathom's own, nor empty, nor given up by the user".into());
        }
        let wanted = if workload.writes() { AccessFlags::R_OK | AccessFlags::W_OK } else { AccessFlags::R_OK };
        if let Err(error) = access(&self.path, wanted) {
            return Some(format!("{}", std::io::Error::from(error)));
        }
        if workload.writes() && self.device && self.is_read_only() {
            return Some("is a read-only device".into());
        }
        // A file of our own is filled past the page cache in any case.
        if let Err(error) = self.open_with(OFlag::O_RDONLY | self.direct()) {
            return Some(no_direct(error));
        }
        let unread = workload.reads() && !self.writable && self.first_hole() < workload.span;
        unread.then(|| "has holes: reading them would not reach the disk".into())
    }

    fn is_read_only(&self) -> bool {
        let Ok(file) = File::open(&self.path) else { return false };
        let mut read_only = 0;
        // SAFETY: the call fills the one integer.
        let asked = unsafe { ioctl::read_only(std::os::fd::AsRawFd::as_raw_fd(&file), &mut read_only) };
        asked.is_ok() && read_only != 0
    }

    /// Where the data ends for the first time; a device has no holes.
    pub fn first_hole(&self) -> Bytes {
        if self.device {
            return self.bytes;
        }
        let hole = self.open_with(OFlag::O_RDONLY).and_then(|file| lseek64(file.as_fd(), 0, Whence::SeekHole));
        hole.ok().and_then(|at| Bytes::try_from(at).ok()).unwrap_or(0)
    }

    /// Is everything as `workload` needs it, now that it shall begin?
    ///
    /// # Errors
    /// It is refused, or the file is too short.
    pub fn ready(&self, workload: &Workload) -> Result<(), EngineError> {
        if let Some(why) = self.refuse(workload) {
            return Err(EngineError::Refused(why));
        }
        if self.bytes < workload.span {
            let (path, bytes, span) = (self.path.display(), self.bytes, workload.span);
            return Err(EngineError::Refused(format!("{path}: has {bytes} bytes of {span}: it was not filled yet")));
        }
        Ok(())
    }

    /// Opens it for this workload, past the page cache unless that is asked for.
    ///
    /// # Errors
    /// In words, with the path.
    pub fn open(&self, workload: &Workload) -> Result<File, EngineError> {
        let direction = match (workload.reads(), workload.writes()) {
            (true, true) => OFlag::O_RDWR,
            (false, true) => OFlag::O_WRONLY,
            _ => OFlag::O_RDONLY,
        };
        let durability = match workload.durability {
            Durability::Sync => OFlag::O_SYNC,
            Durability::Dsync => OFlag::O_DSYNC,
            Durability::None | Durability::Fsync | Durability::Fdatasync | Durability::GroupCommit => OFlag::empty(),
        };
        let cached = workload.through_page_cache();
        let opened = self.open_with(direction | durability | if cached { OFlag::empty() } else { self.direct() });
        let file =
            opened.map_err(|error| EngineError::Refused(format!("{}: {}", self.path.display(), no_direct(error))))?;
        if cached && workload.reads() {
            page_cache::empty(&file);
        }
        Ok(file)
    }

    /// Files in memory have no device behind the page cache, and older kernels no direct I/O for them.
    fn direct(&self) -> OFlag {
        if self.memory { OFlag::empty() } else { OFlag::O_DIRECT }
    }

    fn open_with(&self, flags: OFlag) -> nix::Result<File> {
        open(&self.open_path(), flags | OFlag::O_CLOEXEC, Mode::empty()).map(File::from)
    }
}

/// Has the device, or the disk that a partition lies on, heads to move? As the kernel says, which takes this of virtual disks for granted.
fn rotating(path: &Path) -> bool {
    queue(path, "rotational") == Some(1)
}

/// A number of the queue of a device, or of the disk that a partition lies on (Documentation/ABI/stable/sysfs-block).
pub(super) fn queue(path: &Path, name: &str) -> Option<u64> {
    String::from_utf8(of_disk(path, &format!("queue/{name}"))?).ok()?.trim().parse().ok()
}

fn of_disk(path: &Path, name: &str) -> Option<Vec<u8>> {
    let number = fs::metadata(path).ok()?.rdev();
    let device = PathBuf::from(format!("/sys/dev/block/{}:{}", major(number), minor(number)));
    ["", ".."].iter().find_map(|up| fs::read(device.join(up).join(name)).ok())
}

/// What the disk says of itself (SBC-4, 6.6.2 "Block Device Characteristics VPD page"); `None`: nothing, as virtual ones, or that it is
/// flash.
fn turns_a_minute(path: &Path) -> Option<u16> {
    let page = of_disk(path, "device/vpd_pgb1")?;
    turns_of_page(&page)
}

fn turns_of_page(page: &[u8]) -> Option<u16> {
    let turns = u16::from_be_bytes([*page.get(4)?, *page.get(5)?]);
    (0x401..0xffff).contains(&turns).then_some(turns)
}

/// The path itself, or the nearest folder above it that exists: a file that is yet to be made.
pub fn existing(path: &Path) -> PathBuf {
    path.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/")).to_path_buf()
}

fn no_direct(error: nix::Error) -> String {
    if error == nix::Error::EINVAL {
        return "its file system has no direct I/O (O_DIRECT), so that only the page cache would be measured; \
                choose a path on another file system"
            .into();
    }
    std::io::Error::from(error).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_disk_that_tells_its_turns_is_one_that_turns() {
        let page = |high, low| [0, 0xb1, 0, 0x3c, high, low, 0, 2];
        // 7200, flash, not told, reserved.
        let turns = [page(0x1c, 0x20), page(0, 1), page(0, 0), page(0xff, 0xff)].map(|page| turns_of_page(&page));
        assert_eq!(turns, [Some(7200), None, None, None]);
        assert_eq!(turns_of_page(&[0, 0xb1, 0]), None);
    }
}
