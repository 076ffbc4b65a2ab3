//! The device layer: files, partitions and block devices, past the page cache; files on wish through it.
//!
//! Two engines share all but how an operation reaches the kernel. `psync` makes one system call after the other; where
//! one operation is in flight that is the fastest and the most direct. `io_uring` keeps many in flight.

mod choice;
mod discard;
mod fill;
mod holds;
pub mod page_cache;
mod placing;
mod processor;
mod psync;
mod ring;
mod site;
mod uring;

pub use choice::chosen;
pub use discard::{discard, discards};
pub use holds::{Hold, Holds};

use crate::api::{Context, Engine, EngineError, Session};
use crate::verify::{self, Marks, PlaceNames, Region};
use model::{Bytes, Place, Target, Workload};
pub(crate) use placing::Placing;
pub(crate) use site::DiskSite;
pub use site::existing;
use std::path::Path;

/// Is this path loaded past the page cache (O_DIRECT)? What lies in memory has nothing behind it.
pub fn direct(path: &Path) -> bool {
    !DiskSite::memory(path)
}

/// Does this path, or the file that will be made there, lie in memory?
pub fn in_memory(path: &Path) -> bool {
    let path = existing(path);
    DiskSite::memory(&path) || is_of_memory(&path)
}

/// A block device that the kernel keeps in memory: zram, brd.
fn is_of_memory(path: &Path) -> bool {
    let real = path.canonicalize().unwrap_or_default();
    let name = real.strip_prefix("/dev").ok().and_then(Path::to_str).unwrap_or_default();
    ["zram", "ram"]
        .iter()
        .filter_map(|kind| name.strip_prefix(kind))
        .any(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Does this host's kernel let us have an io_uring?
pub fn has_ring() -> bool {
    ring::unavailable().is_none()
}

/// Reserves the blocks of a file that may be written to; of a device there is nothing to do.
///
/// # Errors
/// It is no file or device, may not be written to, or there is no room.
pub fn make_room(place: &Place, bytes: Bytes) -> Result<(), EngineError> {
    let site = DiskSite::look(place).map_err(EngineError::Refused)?;
    if !site.writable {
        return Err(EngineError::Refused(format!("{} may only be read", site.path.display())));
    }
    fill::make_room(&site, bytes)
}

/// How operations reach the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Psync,
    IoUring,
}

pub struct DiskEngine {
    way: Way,
}

pub static PSYNC: DiskEngine = DiskEngine { way: Way::Psync };
pub static IO_URING: DiskEngine = DiskEngine { way: Way::IoUring };

impl Engine for DiskEngine {
    fn name(&self) -> &'static str {
        match self.way {
            Way::Psync => "psync",
            Way::IoUring => "io_uring",
        }
    }

    fn refuse(&self, target: &Target, workload: &Workload) -> Option<String> {
        if !matches!(target.place, Place::Path { .. }) {
            return Some(match target.layer.of_folders() {
                true => format!(
                    "engine {} loads blocks of a file on a mounted file system, and nothing else; leave --engine out, or name patterns of \
                     blocks: --patterns read-latency,write-latency",
                    self.name()
                ),
                false => format!("{} is neither a file nor a device", target.name),
            });
        }
        let site = match DiskSite::look(&target.place) {
            Ok(site) => site,
            Err(why) => return Some(why),
        };
        let ring = || (self.way == Way::IoUring).then(ring::unavailable).flatten();
        let unverifiable = verify::refusal(self, workload, site.writable).map(|why| format!("{}: {why}", place(&site)));
        unverifiable.or_else(|| site.refuse(workload)).or_else(|| self.refuse_depth(&site, workload)).or_else(ring)
    }

    fn prepare(
        &self,
        context: &Context,
        target: &Target,
        workload: &Workload,
        progress: &mut dyn FnMut(Bytes) -> bool,
    ) -> Result<(), EngineError> {
        let site = DiskSite::held(&target.place, &context.holds)?;
        fill::fill(&site, context, target, workload, progress)
    }

    fn open(
        &self,
        context: &Context,
        target: &Target,
        workload: &Workload,
        lane: u32,
    ) -> Result<Box<dyn Session>, EngineError> {
        let site = DiskSite::held(&target.place, &context.holds)?;
        site.ready(workload)?;
        let marks = marks(context, &site, target, workload, lane);
        session(self.way, &site, workload, lane, marks, site.placing(workload))
    }
}

impl DiskEngine {
    /// A queue in front of system calls that come one after the other would be no depth at the device.
    fn refuse_depth(&self, site: &DiskSite, workload: &Workload) -> Option<String> {
        let deepest = workload.lane_depth(0);
        match self.way {
            Way::Psync if deepest > 1 && !site.memory => Some(format!(
                "engine psync has one operation in flight per job, and a depth of {deepest} per job is asked for; \
                 use as many jobs as depth, or engine io_uring"
            )),
            Way::IoUring if deepest > uring::DEEPEST => {
                Some(format!("a depth of {deepest} per job is beyond {}; use more jobs", uring::DEEPEST))
            }
            _ => None,
        }
    }
}

fn session(
    way: Way,
    site: &DiskSite,
    workload: &Workload,
    lane: u32,
    marks: Marks,
    placing: Placing,
) -> Result<Box<dyn Session>, EngineError> {
    match way {
        Way::Psync => Ok(Box::new(psync::PsyncSession::open(site, workload, lane, marks, placing)?)),
        Way::IoUring => Ok(Box::new(uring::UringSession::open(site, workload, lane, marks, placing)?)),
    }
}

fn marks(context: &Context, site: &DiskSite, target: &Target, workload: &Workload, lane: u32) -> Marks {
    let base = u64::from(lane) * workload.lane_span();
    let region = || Region { place: place(site), bytes: workload.span, base, names: PlaceNames::Whole };
    Marks::of(&context.verify, target, workload, lane, region)
}

/// The place's name in what is verified.
fn place(site: &DiskSite) -> String {
    site.path.display().to_string()
}
