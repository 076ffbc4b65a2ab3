//! Is the volatile write cache of a drive on? By its own word: the kernel's (`queue/write_cache`) says whether it flushes, and follows a SCSI
//! drive only when the kernel looks at it again, an NVMe drive never. SCSI drives have it in the mode page for caching (SBC-4, 6.5.6), which
//! the kernel translates for ATA drives; NVMe drives in feature 6 (NVMe 1.4, 5.21.1.6).

mod nvme;

use crate::nvme_controller;
use model::WriteCache;
use std::fs::{File, OpenOptions, canonicalize, read_to_string};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What is said of a controller that tells that it has none.
pub const NO_CACHE: &str = "has no volatile write cache";
const BLOCK: &str = "/sys/block";

const MODE_SENSE_10: u8 = 0x5a;
const MODE_SELECT_10: u8 = 0x55;
const PAGE_CACHING: u8 = 0x08;
/// In the page's third byte: write cache enabled.
const WCE: u8 = 0x04;
/// In the first byte of a page that a drive tells: it could keep it over a loss of power. Reserved where it is written.
const PAGE_SAVEABLE: u8 = 0x80;
/// Of a mode parameter list of ten-byte commands.
const HEADER: usize = 8;
const LIST_MOST: usize = 255;

const TIMEOUT_MS: u32 = 10_000;
/// A drive empties its cache before it switches it off: a disk whose cache is full of scattered writes needs many seconds for it. As long as
/// the kernel itself gives a drive for a flush (`SD_FLUSH_TIMEOUT`: twice 30 s).
const SWITCH_TIMEOUT_MS: u32 = 60_000;
/// How long the kernel may take to look at a drive again.
const FOLLOWS: Duration = Duration::from_secs(2);

/// Of the drive that a device is, or of the only one that it lies on; `None`: it is none, or it can't be asked.
pub fn of(path: &Path) -> Option<WriteCache> {
    let metadata = std::fs::metadata(path).ok().filter(|metadata| metadata.file_type().is_block_device())?;
    let (major, minor) = (nix::sys::stat::major(metadata.rdev()), nix::sys::stat::minor(metadata.rdev()));
    let own = canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()?.file_name()?.to_str()?.to_string();
    let mut disks = crate::devices::disks_of(path).into_iter();
    let disk = disks.next().filter(|_| disks.next().is_none())?;
    let on = read(&disk).ok()? == "on";
    // Other partitions, and other namespaces of its controller, are somebody's as well.
    let shared = sharing(&disk).len() > 1;
    let alone = disk == own && !shared;
    let (flushed, identity) = (is_flushed(&disk) || (!on && is_scsi(&disk)), identity(&disk));
    Some(WriteCache { disk, on, flushed, alone, shared, identity })
}

/// The drive's own name, which stays with it (SCSI: page 0x83 of its vital product data; NVMe: EUI-64, NGUID or serial number); `None`: it
/// has none.
pub fn identity(disk: &str) -> Option<String> {
    let of = |file: &str| read_to_string(Path::new(BLOCK).join(disk).join(file)).ok();
    let name = of("wwid").or_else(|| of("device/wwid"))?;
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(name)
}

/// Which no other disk gets before the host starts anew.
pub fn number(disk: &str) -> Option<u64> {
    read_to_string(Path::new(BLOCK).join(disk).join("diskseq")).ok()?.trim().parse().ok()
}

/// All disks of this host that are one drive by its own name, itself among them; none: it has no name.
pub fn of_one_name(disk: &str) -> Vec<String> {
    let Some(name) = identity(disk) else { return Vec::new() };
    disks().filter(|other| identity(other).as_ref() == Some(&name)).collect()
}

/// All disks of this host that have this cache: namespaces of one NVMe controller, paths to one drive; itself among them.
pub fn sharing(disk: &str) -> Vec<String> {
    let controller =
        |disk: &str| disk.starts_with("nvme").then(|| canonicalize(Path::new(BLOCK).join(disk).join("device")).ok())?;
    let (own, name) = (controller(disk), identity(disk));
    let same = |other: &str| {
        let paths = name.is_some() && identity(other) == name;
        other == disk || paths || (own.is_some() && controller(other) == own)
    };
    let mut all: Vec<String> = disks().filter(|other| same(other)).collect();
    all.sort();
    all
}

/// Without single paths to a drive that the kernel joins itself (NVMe): those are no disks that anybody could use.
fn disks() -> impl Iterator<Item = String> {
    let all = std::fs::read_dir(BLOCK).into_iter().flatten().flatten();
    all.filter(|entry| !nvme_controller::is_hidden(&entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
}

/// As which disk of this host the drive of that name is there now; that one if it is several (more paths to it than one).
pub fn disk_of(drive: &str, first: &str) -> Option<String> {
    let is = |disk: &str| identity(disk).as_deref() == Some(drive);
    if is(first) {
        return Some(first.to_string());
    }
    disks().find(|disk| is(disk))
}

/// `on` or `off`.
///
/// # Errors
/// There is no such disk, or it can't be asked.
pub fn read(disk: &str) -> Result<String, String> {
    let on = match Way::of(disk, false)? {
        Way::Scsi(device) => page(&device, disk)?.is_on(),
        Way::Nvme(controller) => nvme::is_on(&controller, disk)?,
    };
    Ok(if on { "on" } else { "off" }.to_string())
}

/// Until the drive loses its power: what it keeps over that stays as it is. The kernel is made to look at the drive again, so that it
/// flushes what has to be flushed and nothing else, as after its next start.
///
/// # Errors
/// There is no such disk, or it does not take the value.
pub fn write(disk: &str, value: &str) -> Result<(), String> {
    let on = value == "on";
    let way = Way::of(disk, true)?;
    if !on {
        flush(disk)?;
    }
    match way {
        Way::Scsi(device) => {
            let page = page(&device, disk)?.with(on);
            let list = page.as_written();
            let command = [MODE_SELECT_10, 0x10, 0, 0, 0, 0, 0, 0, list.len() as u8, 0];
            if on {
                // Kernels that let themselves be told flush it before it is on; others (6.5 and newer) once they have looked again, at once.
                let _ = std::fs::write(queue_file(disk), "write back");
            }
            scsi(&device, command, &mut list.clone(), Direction::ToDevice, SWITCH_TIMEOUT_MS)
                .map_err(|error| said(disk, &error))?;
            let _ = std::fs::write(Path::new(BLOCK).join(disk).join("device/rescan"), "1");
        }
        Way::Nvme(controller) => nvme::switch(&controller, on).map_err(|error| said(disk, &error))?,
    }
    Ok(())
}

/// What was written is on the medium before its cache is off: not every drive empties it for the switch.
fn flush(disk: &str) -> Result<(), String> {
    let path = node(disk);
    let flushed = File::open(&path).and_then(|device| device.sync_all());
    flushed.map_err(|error| format!("{}: could not be flushed before its cache is off: {error}", path.display()))
}

/// May it be switched for a trial? A cache that is on and never flushed is never tried.
///
/// # Errors
/// It would be switched on, and the kernel would not flush it; or it is not this disk's alone.
pub fn refuse(disk: &str, value: &str) -> Result<(), String> {
    let shared = sharing(disk);
    if shared.len() > 1 {
        return Err(format!(
            "{}: have one write cache, or are one drive, and it is not switched for one of them",
            shared.join(", ")
        ));
    }
    // Whoever told the kernel not to flush it would find it flushed afterwards: what a look at the drive again says is all that it knows.
    if value == "off" && !is_flushed(disk) && read(disk).as_deref() == Ok("on") {
        return Err(format!(
            "{}, and is not switched for a trial, after which that would not be so any more; tell the kernel to flush it first \
             (`echo 'write back' > {}`), or switch it off for good",
            unflushed(disk),
            queue_file(disk).display()
        ));
    }
    // The kernel looks again at SCSI and ATA drives: proven once it is on.
    if value == "on" && !is_flushed(disk) && !is_scsi(disk) { Err(unflushed(disk)) } else { Ok(()) }
}

/// After `write` for a trial: does the kernel know? Else it is put off, or what is measured is not what there would be after a start.
///
/// # Errors
/// It does not.
pub fn prove_known(disk: &str, value: &str) -> Result<(), String> {
    let on = value == "on";
    if !on && !is_scsi(disk) {
        // NVMe: the kernel flushes whatever could have a cache, now and later.
        return Ok(());
    }
    match follows(disk, on) {
        true => Ok(()),
        false if on => {
            write(disk, "off")?;
            Err(unflushed(disk))
        }
        false => {
            write(disk, "on")?;
            Err(format!(
                "{disk}: with its cache off the kernel still flushes it, which it would not do after its next start"
            ))
        }
    }
}

/// Within the time that the kernel takes to look again.
fn follows(disk: &str, on: bool) -> bool {
    let deadline = Instant::now() + FOLLOWS;
    while is_flushed(disk) != on {
        if Instant::now() >= deadline {
            return false;
        }
        sleep(Duration::from_millis(20));
    }
    true
}

/// As it was before a trial.
///
/// # Errors
/// It was flushed before, and the kernel would not flush it now: it stays off.
pub fn put_back(disk: &str, before: &str, was_flushed: bool) -> Result<(), String> {
    write(disk, before)?;
    if before == "on" && was_flushed && !follows(disk, true) {
        write(disk, "off")?;
        return Err(unflushed(disk));
    }
    Ok(())
}

fn unflushed(disk: &str) -> String {
    format!(
        "{disk}: the kernel takes its cache for write through and never flushes it: with the cache on, what was said to be durable would be \
         lost with the power"
    )
}

/// Does the kernel take its cache for one that has to be flushed?
pub fn is_flushed(disk: &str) -> bool {
    read_to_string(queue_file(disk)).unwrap_or_default().trim() != "write through"
}

fn queue_file(disk: &str) -> PathBuf {
    Path::new(BLOCK).join(disk).join("queue/write_cache")
}

fn node(disk: &str) -> PathBuf {
    Path::new("/dev").join(disk.replace('!', "/"))
}

fn is_scsi(disk: &str) -> bool {
    Path::new(BLOCK).join(disk).join("device/scsi_disk").exists()
}

/// Whom to ask.
enum Way {
    Scsi(File),
    Nvme(File),
}

impl Way {
    fn of(disk: &str, writes: bool) -> Result<Way, String> {
        let folder = Path::new(BLOCK).join(disk);
        if !folder.exists() {
            return Err(format!("{} is not there: this host does not have it", folder.display()));
        }
        let open = |path: &Path| {
            let opened = OpenOptions::new().read(true).write(writes).open(path);
            opened.map_err(|error| match error.kind() {
                io::ErrorKind::PermissionDenied => {
                    format!("{}: {error}; it wants root's rights (of an agent: --sudo)", path.display())
                }
                _ => format!("{}: {error}", path.display()),
            })
        };
        if is_scsi(disk) {
            return open(&node(disk)).map(Way::Scsi);
        }
        let controller = nvme_controller::of(&folder);
        match controller.as_deref().and_then(Path::file_name) {
            Some(name) => open(&Path::new("/dev").join(name)).map(Way::Nvme),
            None => Err(format!("{disk}: is no SATA, SAS, SCSI or NVMe drive that can be asked for its cache")),
        }
    }
}

fn said(disk: &str, error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => format!("{disk}: {error}; it wants root's rights (of an agent: --sudo)"),
        _ => format!("{disk}: does not take the command for its write cache: {error}"),
    }
}

/// The mode page for caching.
#[derive(Clone, Debug, PartialEq)]
struct CachingPage(Vec<u8>);

impl CachingPage {
    /// Of a mode parameter list; `None`: it is none.
    fn of(list: &[u8]) -> Option<CachingPage> {
        let descriptors = usize::from(u16::from_be_bytes([*list.get(6)?, *list.get(7)?]));
        let page = list.get(HEADER.checked_add(descriptors)?..)?;
        let length = 2 + usize::from(*page.get(1)?);
        let page = page.get(..length)?;
        (page.len() > 2 && page[0] & 0x3f == PAGE_CACHING).then(|| CachingPage(page.to_vec()))
    }

    fn is_on(&self) -> bool {
        self.0[2] & WCE != 0
    }

    fn with(mut self, on: bool) -> CachingPage {
        self.0[2] = if on { self.0[2] | WCE } else { self.0[2] & !WCE };
        self
    }

    /// Without block descriptors: they stay as they are.
    fn as_written(&self) -> Vec<u8> {
        let mut list = vec![0; HEADER];
        list.extend(&self.0);
        list[HEADER] &= !PAGE_SAVEABLE;
        list
    }
}

fn page(device: &File, disk: &str) -> Result<CachingPage, String> {
    let mut list = vec![0; LIST_MOST];
    let without_descriptors = 0x08;
    let command = [MODE_SENSE_10, without_descriptors, PAGE_CACHING, 0, 0, 0, 0, 0, LIST_MOST as u8, 0];
    scsi(device, command, &mut list, Direction::FromDevice, TIMEOUT_MS).map_err(|error| said(disk, &error))?;
    CachingPage::of(&list).ok_or_else(|| format!("{disk}: tells nothing of a write cache"))
}

/// `SG_DXFER_TO_DEV`, `SG_DXFER_FROM_DEV` of scsi/sg.h.
#[derive(Clone, Copy)]
enum Direction {
    ToDevice = -2,
    FromDevice = -3,
}

/// `struct sg_io_hdr` of scsi/sg.h.
#[repr(C)]
struct Request {
    interface: i32,
    direction: i32,
    command_bytes: u8,
    sense_bytes_most: u8,
    pieces: u16,
    data_bytes: u32,
    data: *mut u8,
    command: *mut u8,
    sense: *mut u8,
    timeout_ms: u32,
    flags: u32,
    pack_id: i32,
    own: *mut u8,
    status: u8,
    masked_status: u8,
    message_status: u8,
    sense_bytes: u8,
    host_status: u16,
    driver_status: u16,
    residue: i32,
    milliseconds: u32,
    info: u32,
}

#[allow(unsafe_code)]
fn scsi(
    device: &File,
    mut command: [u8; 10],
    data: &mut [u8],
    direction: Direction,
    timeout_ms: u32,
) -> io::Result<()> {
    let mut sense = [0u8; 32];
    let mut request = Request {
        interface: i32::from(b'S'),
        direction: direction as i32,
        command_bytes: command.len() as u8,
        sense_bytes_most: sense.len() as u8,
        pieces: 0,
        data_bytes: data.len() as u32,
        data: data.as_mut_ptr(),
        command: command.as_mut_ptr(),
        sense: sense.as_mut_ptr(),
        timeout_ms,
        flags: 0,
        pack_id: 0,
        own: std::ptr::null_mut(),
        status: 0,
        masked_status: 0,
        message_status: 0,
        sense_bytes: 0,
        host_status: 0,
        driver_status: 0,
        residue: 0,
        milliseconds: 0,
        info: 0,
    };
    // SAFETY: all that the request points to lives through the call, and is as long as it says.
    unsafe { ioctl::sg_io(device.as_raw_fd(), &mut request) }?;
    match (request.status, request.host_status) {
        (0, 0) => Ok(()),
        (status, host) => {
            let key = if sense[0] & 0x7e == 0x72 { sense[1] } else { sense[2] } & 0x0f;
            Err(io::Error::other(format!("status {status:#x}, sense key {key:#x}, of the adapter {host:#x}")))
        }
    }
}

mod ioctl {
    nix::ioctl_readwrite_bad!(sg_io, 0x2285, super::Request);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As a drive tells it, with `descriptors` bytes before the page.
    fn list(descriptors: usize, flags: u8) -> Vec<u8> {
        let mut list = vec![0, 0, 0, 0x10, 0, 0, 0, descriptors as u8];
        list.extend(vec![0xaa; descriptors]);
        list.extend([PAGE_SAVEABLE | PAGE_CACHING, 0x12, flags]);
        list.extend([0; 17]);
        list.resize(LIST_MOST, 0);
        list
    }

    #[test]
    fn the_cache_is_one_bit_and_all_others_stay() {
        for descriptors in [0, 8] {
            let page = CachingPage::of(&list(descriptors, 0x14)).unwrap();
            assert!(page.is_on());
            let off = page.clone().with(false);
            assert_eq!((off.is_on(), off.0[2], off.0.len()), (false, 0x10, 20));
            assert_eq!(off.with(true), page);
            let written = page.as_written();
            assert_eq!(written[..HEADER], [0; HEADER]);
            assert_eq!(written[HEADER..HEADER + 3], [PAGE_CACHING, 0x12, 0x14]);
        }
    }

    #[test]
    fn what_is_laid_out_is_as_the_kernel_has_it() {
        assert_eq!(size_of::<Request>(), 88);
    }

    #[test]
    fn what_cannot_be_asked_is_told() {
        assert!(read("none0").unwrap_err().contains("this host does not have it"));
        let other = std::fs::read_dir(BLOCK).unwrap().flatten().map(|entry| entry.file_name().into_string().unwrap());
        for disk in other.filter(|name| name.starts_with("loop") || name.starts_with("vd")) {
            assert!(read(&disk).unwrap_err().contains("no SATA, SAS, SCSI or NVMe drive"), "{disk}");
            assert!(write(&disk, "off").is_err());
        }
    }

    proptest! {
        #[test]
        fn no_list_breaks_it(list in proptest::collection::vec(any::<u8>(), 0..300)) {
            if let Some(page) = CachingPage::of(&list) {
                prop_assert!(page.as_written().len() <= LIST_MOST + HEADER + 2);
            }
        }
    }
}
