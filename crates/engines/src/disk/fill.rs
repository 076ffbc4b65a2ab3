//! Fills what will be read with incompressible bytes, once.

use super::site::DiskSite;
use super::{Placing, Way, marks, place, ring, session};
use crate::api::{Context, Done, EngineError, Op, QUOTA};
use crate::verify::Marks;
use model::fitness::FAILED_WHILE_FILLED;
use model::{Access, Bytes, Durability, OpClass, OpMix, Target, Workload};
use nix::fcntl::{FallocateFlags, fallocate};
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::time::Duration;

const BLOCK: Bytes = 1 << 20;
const DEPTH: u32 = 8;
/// Places looked at to see whether something has data already.
const PROBES: Bytes = 256;
const PROBE: usize = 4096;

/// Fills the span unless it is filled already. Something that may only be read is left as it is.
///
/// # Errors
/// It can't be written to, or there is no room for it.
pub fn fill(
    site: &DiskSite,
    context: &Context,
    target: &Target,
    workload: &Workload,
    progress: &mut dyn FnMut(Bytes) -> bool,
) -> Result<(), EngineError> {
    if !site.writable {
        return Ok(());
    }
    let placing = site.placing(workload);
    let filler = filler(site, workload);
    if let Some(why) = site.refuse(&filler) {
        return Err(EngineError::Refused(why));
    }
    let filled = match workload.verify {
        // Only what this run has stamped can be checked.
        true => context.verify.is_filled(&place(site), workload.span, workload.block),
        false => is_filled(site, workload.span, &placing),
    };
    if filled {
        progress(workload.span);
        return Ok(());
    }
    make_room(site, workload.span)?;
    let marks = marks(context, site, target, &filler, 0);
    let written = write_all(site, &filler, marks, placing, progress);
    context.verify.forget_written(&target.name);
    written?;
    let synced = File::open(site.open_path()).and_then(|file| file.sync_all());
    synced.map_err(|error| EngineError::Broken(format!("{}: {error}", site.path.display())))
}

/// The workload that fills: large blocks, in the order in which they lie on the device.
fn filler(site: &DiskSite, workload: &Workload) -> Workload {
    Workload {
        block: BLOCK.min(workload.span / site.sector * site.sector),
        depth: DEPTH,
        jobs: 1,
        mix: OpMix::reads(0),
        access: Access::Sequential,
        durability: Durability::None,
        options: Default::default(),
        ..workload.clone()
    }
}

/// No holes, and no place that is all the same byte.
fn is_filled(site: &DiskSite, span: Bytes, placing: &Placing) -> bool {
    if site.bytes < span || site.first_hole() < span {
        return false;
    }
    let Ok(file) = File::open(site.open_path()) else { return false };
    let mut place = [0; PROBE];
    (0..PROBES).all(|n| {
        let offset = (span.saturating_sub(PROBE as Bytes) / PROBES.max(1) * n) / PROBE as Bytes * PROBE as Bytes;
        let read = file.read_at(&mut place, placing.at(offset)).unwrap_or(0);
        let bytes = &place[..read];
        bytes.iter().any(|byte| Some(byte) != bytes.first())
    })
}

/// Reserves the file's blocks before anything is written: a full disk is told at once, and not filled to the brim.
pub fn make_room(site: &DiskSite, span: Bytes) -> Result<(), EngineError> {
    if site.device {
        return Ok(());
    }
    let file = File::options().write(true).open(site.open_path()).map_err(|error| no_room(site, span, &error))?;
    let length = libc::off_t::try_from(span).unwrap_or(libc::off_t::MAX);
    match fallocate(&file, FallocateFlags::empty(), 0, length) {
        Ok(()) => Ok(()),
        Err(error @ (nix::Error::ENOSPC | nix::Error::EDQUOT | nix::Error::EFBIG)) => {
            // What was reserved until then is given back.
            let _ = file.set_len(site.bytes);
            Err(no_room(site, span, &error.into()))
        }
        // File systems that can't reserve: writing will tell.
        _ => Ok(()),
    }
}

fn no_room(site: &DiskSite, span: Bytes, error: &std::io::Error) -> EngineError {
    if error.raw_os_error() == Some(libc::EDQUOT) {
        let path = site.path.display();
        return EngineError::Refused(format!("{path}: {span} bytes are needed (--working-set SIZE decides): {QUOTA}"));
    }
    // Of a device it would be that of /dev.
    let file = (!DiskSite::device(&site.path)).then(|| File::open(&site.path).ok()).flatten();
    let free = file.and_then(|file| nix::sys::statvfs::fstatvfs(file.as_fd()).ok());
    let free = free.map_or_else(String::new, |fs| format!(", {} are free", fs.blocks_available() * fs.fragment_size()));
    let path = site.path.display();
    EngineError::Refused(format!("{path}: {error}: {span} bytes are needed{free}; choose a smaller working set"))
}

fn write_all(
    site: &DiskSite,
    filler: &Workload,
    marks: Marks,
    placing: Placing,
    progress: &mut dyn FnMut(Bytes) -> bool,
) -> Result<(), EngineError> {
    let end = filler.span / site.sector * site.sector;
    let mut blocks = blocks(placing.pieces(), filler.block, end);
    let way = if site.memory || ring::unavailable().is_some() { Way::Psync } else { Way::IoUring };
    let mut session = session(way, site, filler, 0, marks, placing)?;
    let (mut written, mut done) = (0, Vec::new());
    let mut free: Vec<u32> = (0..DEPTH).collect();
    let mut lengths = [0; DEPTH as usize];
    while written < end {
        while let Some(slot) = free.pop() {
            let Some((offset, len)) = blocks.next() else {
                free.push(slot);
                break;
            };
            lengths[slot as usize] = len;
            session.submit(&[Op { slot, kind: OpClass::Write, offset, len, due: 0 }])?;
        }
        session.reap(Duration::from_secs(1), &mut done)?;
        for Done { slot, result, .. } in done.drain(..) {
            let len = lengths[slot as usize];
            match result {
                Ok(bytes) if bytes == len => written += u64::from(len),
                Ok(_) => return Err(no_room(site, filler.span, &std::io::Error::from_raw_os_error(libc::ENOSPC))),
                Err(error) => {
                    let error = std::io::Error::from_raw_os_error(error.errno);
                    return Err(match error.kind() {
                        std::io::ErrorKind::StorageFull => no_room(site, filler.span, &error),
                        _ => EngineError::Broken(format!("{}: {}: {error}", site.path.display(), what(&error))),
                    });
                }
            }
            free.push(slot);
        }
        if !progress(written) {
            return Ok(());
        }
    }
    Ok(())
}

/// What the kernel says of a command that a drive did not carry out (`blk_status_t`): of the drive, its medium and its protection.
fn what(error: &std::io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EIO | libc::ENODATA | libc::EREMOTEIO | libc::EILSEQ) => FAILED_WHILE_FILLED,
        _ => "cannot be filled",
    }
}

/// Offset and length of what is written at once: of each piece as many whole blocks as there are, and its rest.
fn blocks(pieces: Vec<(Bytes, Bytes)>, block: Bytes, end: Bytes) -> impl Iterator<Item = (Bytes, u32)> {
    pieces.into_iter().flat_map(move |(offset, len)| {
        let until = (offset + len).min(end);
        (offset..until).step_by(block as usize).map(move |at| (at, block.min(until - at) as u32))
    })
}
