//! What a path of this host is, and whether it may be loaded.

use crate::holding::{Held, named_twice};
use cluster::devices::{Refusal, buffered, disks_of, holes, look_at};
use cluster::here::{mounts, quotas};
use engines::disk;
use model::{Bytes, FileSystemSeen, NotFree, SiteSeen, SiteWish};
use std::path::{Path, PathBuf};

/// What was asked for so far, and what of it is held.
#[derive(Default)]
pub struct Looks {
    paths: Vec<PathBuf>,
    pub held: Held,
}

impl Looks {
    /// Nothing is changed; what may be written to is held from now on. `in_turn`: loads come one after the other, and may go to the same
    /// place.
    ///
    /// # Errors
    /// It can't be used, or may not be written to, or is one that was asked for already by another name.
    pub fn look(&mut self, wish: &SiteWish, in_turn: bool) -> Result<SiteSeen, NotFree> {
        let seen = self.see(wish)?;
        if let Some(says) = named_twice(&self.paths).filter(|_| !in_turn) {
            return Err(NotFree { says, holds: false });
        }
        self.take(wish).map(|()| seen)
    }

    fn take(&self, wish: &SiteWish) -> Result<(), NotFree> {
        if wish.writes { self.held.take(&wish.path, wish.given_up).map_err(refused) } else { Ok(()) }
    }

    fn see(&mut self, wish: &SiteWish) -> Result<SiteSeen, NotFree> {
        let path = &wish.path;
        let found = look_at(path).map_err(refused)?;
        let there = disk::existing(path);
        if !self.paths.contains(path) {
            self.paths.push(path.clone());
            self.held.note(buffered(&there));
        }
        let leads_to = path.canonicalize().ok().filter(|leads_to| leads_to != path);
        let (disks, (free, files_free)) = (disks_of(&there), free(&there));
        let drive = wish.writes.then(|| cluster::here::drive_of(&there)).flatten();
        let mut device = cluster::here::device_of(&there);
        if let (Some(device), Some(drive)) = (&mut device, &drive) {
            device.model = drive.queue.model.clone().or(device.model.take());
        }
        Ok(SiteSeen {
            found,
            leads_to: leads_to.map(|leads_to| leads_to.display().to_string()),
            device,
            in_memory: disk::in_memory(path),
            free,
            files_free,
            file_system: file_system(&there),
            holes: wish.writes.then(|| holes(&there)).flatten(),
            discards: disk::discards(&there),
            write_cache: wish.writes.then(|| cluster::drive_cache::of(path)).flatten(),
            drive,
            osds: cluster::here::osds_on(&disks),
            images: cluster::here::mapped_image::among(&disks),
            attached: cluster::here::attached::among(&disks),
            disks: disks.into_iter().collect(),
        })
    }
}

fn file_system(path: &Path) -> Option<FileSystemSeen> {
    let mount = mounts::mount_of(&path.canonicalize().ok()?)?;
    let (others, certain) = mounts::others_of(&mount);
    let also_at = others.into_iter().map(|other| other.at.display().to_string()).collect();
    Some(FileSystemSeen { kind: mount.kind, also_at, certain })
}

/// Bytes and files on the file system of this path, and by quotas.
fn free(path: &Path) -> (Option<Bytes>, Option<u64>) {
    let Ok(found) = nix::sys::statvfs::statvfs(path) else { return (None, None) };
    // A file system that makes room for files as they come says that it has none at all.
    let files = (found.files() > 0).then(|| found.files_available());
    let bytes = Some(found.blocks_available().saturating_mul(found.fragment_size()));
    let mount = path.canonicalize().ok().and_then(|path| Some((mounts::mount_of(&path)?, path)));
    let (of_bytes, of_files) = mount.map_or((None, None), |(mount, path)| quotas::left(&path, &mount));
    let least = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
    (least(bytes, of_bytes), least(files, of_files))
}

fn refused(refusal: Refusal) -> NotFree {
    NotFree { says: refusal.to_string(), holds: matches!(refusal, Refusal::Holds { .. }) }
}
