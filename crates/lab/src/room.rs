//! How large the OSDs of a lab may grow: their files are sparse, and keep what was once written to them until it is taken down.

use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::lab::PROBE_BYTES;
use crate::preflight::{MB, free_mb, free_memory_mb};
use crate::spec::{Backing, GIB, SIZE_ENOUGH, SIZE_MIN};
use nix::sys::statfs::{TMPFS_MAGIC, statfs};
use std::path::{Path, PathBuf};

/// Memory that files in memory leave to monitor and manager, to the load generator, and to everything else.
const MEMORY_LEFT_MB: u64 = 2 << 10;
/// Memory that they leave to each OSD: after an hour of load one had 1.1 GiB.
const OSD_MEMORY_MB: u64 = 1280;
/// Space that the lab's files leave on a disk: the monitor's database and the logs grow as well.
const DISK_LEFT_MB: u64 = 1 << 10;

/// What the place of a lab's files can hold.
#[derive(Clone, Debug)]
pub struct Room {
    /// The directory that is there already.
    pub place: PathBuf,
    free_mb: u64,
    in_memory: bool,
    /// What each OSD has beside its store: what is free to be measured, and its database.
    beside_mb: u64,
}

impl Room {
    /// Of the file system on which this lab's files will lie. `db`: bytes of each OSD's database, where that is apart from the data.
    ///
    /// # Errors
    /// The name is none for a lab, or its place can't be looked at.
    pub fn of(name: &str, backing: Backing, db: Option<u64>) -> Result<Room, LabError> {
        let dirs = Dirs::of(name)?;
        let place = existing(dirs.data(backing));
        let (free_mb, in_memory) = (free_mb(&place)?, in_memory(&place));
        let free_mb = if in_memory { free_mb.min(free_memory_mb().unwrap_or(free_mb)) } else { free_mb };
        Ok(Room { place, free_mb, in_memory, beside_mb: (PROBE_BYTES + db.unwrap_or(0)) / MB })
    }

    /// Bytes that the stores of `osds` OSDs may have together, beside what else grows.
    pub fn stores(&self, osds: u32) -> u64 {
        let (left, each) = if self.in_memory { (MEMORY_LEFT_MB, OSD_MEMORY_MB) } else { (DISK_LEFT_MB, 0) };
        let taken = left + u64::from(osds) * (each + self.beside_mb);
        self.free_mb.saturating_sub(taken) * MB
    }

    /// Bytes that each of `osds` OSDs may have without ever filling the place, where even the least size allows that.
    pub fn each(&self, osds: u32) -> u64 {
        (self.stores(osds) / u64::from(osds.max(1)) / MB * MB).clamp(SIZE_MIN, SIZE_ENOUGH)
    }

    /// Said where that is less than usual.
    pub fn smaller(&self, osds: u32) -> Option<String> {
        let gib = |bytes: u64| bytes as f64 / GIB as f64;
        let (each, usual) = (self.each(osds), SIZE_ENOUGH);
        (each < usual).then(|| {
            format!(
                "the lab's OSDs have {:.1} GiB each instead of {:.0} GiB: {} has {:.1} GiB free",
                gib(each),
                gib(usual),
                self.place.display(),
                gib(self.free_mb * MB)
            )
        })
    }
}

fn existing(path: &Path) -> PathBuf {
    path.ancestors().find(|place| place.is_dir()).unwrap_or(path).to_path_buf()
}

fn in_memory(place: &Path) -> bool {
    statfs(place).is_ok_and(|stat| stat.filesystem_type() == TMPFS_MAGIC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_osds_together_fit_but_for_the_least_and_none_is_larger_than_it_need_be() {
        let each = |gib: u64, in_memory, osds| {
            let room = Room { place: PathBuf::new(), free_mb: gib << 10, in_memory, beside_mb: PROBE_BYTES / MB };
            let (all, each) = (room.stores(osds), room.each(osds));
            assert_eq!(room.smaller(osds).is_some_and(|text| text.contains("GiB free")), each < SIZE_ENOUGH);
            assert!(all <= gib * GIB && (each == SIZE_MIN || each * u64::from(osds) <= all));
            each
        };
        // Beside the gigabyte of each that is free to be measured.
        assert_eq!(each(19, false, 3), 5 * GIB);
        assert_eq!(each(24, true, 3), (24 - 2 - 3) * GIB / 3 / MB * MB - OSD_MEMORY_MB * MB);
        assert_eq!(each(500, true, 3), SIZE_ENOUGH);
        assert_eq!((each(0, false, 3), each(3, true, 200), each(9, false, 0)), (SIZE_MIN, SIZE_MIN, 8 * GIB));
    }

    #[test]
    fn what_lies_in_memory_leaves_memory() {
        let memory = Room::of("room", Backing::Memory, None).unwrap();
        assert!(memory.in_memory && memory.place == Path::new("/dev/shm"));
        assert!(Room::of("room", Backing::File, None).unwrap().place.is_absolute());
    }
}
