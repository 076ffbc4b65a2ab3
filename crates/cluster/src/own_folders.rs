//! Folders of our own on mounted file systems: made with the run's name, emptied of what is ours, deleted.

use crate::apply::{Trust, Unmade};
use crate::cephfs::{LOOK_AGAIN, settled};
use crate::emptied::{NO_FOLDER, not_empty};
use crate::entry::{JournalEntry, MadeThing, own_prefix};
use crate::errors::ClusterError;
use crate::here::mounts::{Mount, mount_of};
use model::Change;
use nix::dir::{Dir, Entry, Type};
use nix::fcntl::{OFlag, OpenHow, ResolveFlag, openat, openat2};
use nix::sys::stat::{Mode, fstat};
use nix::unistd::{UnlinkatFlags, unlinkat};
use std::ffi::CStr;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Names of all files and folders that a run makes in its folder end so.
pub(crate) const OWN_ENDING: &str = model::Tree::OWN_ENDING;
/// After this time without one more deleted file a mounted file system does not answer.
const STALL: Duration = Duration::from_secs(30);

/// Makes it, for this user alone. Known again by its name, and by the file system on which it is.
///
/// # Errors
/// [`ClusterError::NotMade`]: there is one already, or the folder around it is not there or may not be written to.
pub(crate) fn make(path: &Path, change: &Change) -> Result<MadeThing, ClusterError> {
    let not = |error: std::io::Error| match error.raw_os_error().is_some_and(refuses) {
        true => ClusterError::NotMade { what: change.what(), why: error.to_string() },
        false => ClusterError::Make { what: change.what(), why: error.to_string() },
    };
    std::fs::DirBuilder::new().mode(0o700).create(path).map_err(not)?;
    let inode = std::fs::symlink_metadata(path).map_or(0, |made| made.ino());
    Ok(MadeThing::Folder { on: mounted(path), inode })
}

/// Nothing was made then. Whoever does not answer (ETIMEDOUT, EIO of a server) may make it all the same.
pub(crate) fn refuses(errno: i32) -> bool {
    use nix::errno::Errno::{
        EACCES, EDQUOT, EEXIST, EINVAL, ELOOP, EMLINK, ENAMETOOLONG, ENOENT, ENOSPC, ENOTDIR, EPERM, EROFS,
    };
    let refusals = [EACCES, EDQUOT, EEXIST, EINVAL, ELOOP, EMLINK, ENAMETOOLONG, ENOENT, ENOSPC, ENOTDIR, EPERM, EROFS];
    refusals.contains(&nix::errno::Errno::from_raw(errno))
}

/// On which file system a path lies, through all links before its last part, in words.
pub(crate) fn mounted(path: &Path) -> Option<String> {
    holder(path).map(|mount| mount.what())
}

/// Where folders around it are gone, that of the nearest that is there.
fn holder(path: &Path) -> Option<Mount> {
    let around = path.ancestors().skip(1).find_map(|folder| folder.canonicalize().ok())?;
    mount_of(&around.join(path.file_name()?))
}

/// Is the file system `on` which a thing was made another one than that which is mounted there now? Says so then.
pub(crate) fn refuse_unmounted(path: &Path, on: Option<&String>) -> Result<(), String> {
    match on {
        Some(before) if mounted(path).as_ref() != Some(before) => {
            Err(format!("it was on {before}, which is not mounted there now; mount it, then: fathom restore"))
        }
        _ => Ok(()),
    }
}

/// Does a file keep its number where this path lies, over the next mount? FUSE programs and servers of other systems count as they like; of
/// those, ceph-fuse alone tells the file system's own numbers.
pub(crate) fn keeps_numbers(path: &Path) -> bool {
    holder(path).is_none_or(|mount| numbers_last(&mount.kind))
}

fn numbers_last(kind: &str) -> bool {
    kind == "fuse.ceph-fuse" || !["fuse", "cifs", "smb", "9p"].iter().any(|counts| kind.starts_with(counts))
}

/// Deletes what is ours in it, and it, if nothing else is in it.
///
/// # Errors
/// It can't be undone now: its file system is not mounted, does not answer, or refuses.
pub(crate) fn unmake(path: &Path, run: &str, entry: &JournalEntry, trust: Trust) -> Result<Unmade, ClusterError> {
    let what = entry.change.what();
    if !trust.here || !is_own_path(path, run) {
        let why = "a run's own folder bears its name, and is deleted on its host: fathom restore there".to_string();
        return Err(ClusterError::NotOurs { what, why });
    }
    let (own, made) = (path.to_path_buf(), entry.made.clone());
    // Of a server that was slow it may still come, if its making was not confirmed.
    let late = if made.is_none() && by_a_server(path) { settled(entry) } else { Instant::now() };
    let stall = STALL + late.saturating_duration_since(Instant::now());
    patiently(stall, move |deleted| {
        while !own.exists() && Instant::now() < late {
            sleep(LOOK_AGAIN);
        }
        removed(&own, made.as_ref(), deleted)
    })
    .map_err(|why| ClusterError::Undo { what, why })
}

/// Does another process or host answer for the file system on which it lies?
fn by_a_server(path: &Path) -> bool {
    let kind = path.parent().and_then(mount_of).map(|mount| mount.kind).unwrap_or_default();
    ["nfs", "ceph", "fuse", "cifs", "smb", "9p"].iter().any(|own| kind.starts_with(own))
}

/// `/mnt/fathom.20260102-030405-a1b2.files`
pub(crate) fn is_own_path(path: &Path, run: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.is_absolute() && name.starts_with(&own_prefix(run))
}

/// A thread that hangs in the kernel is left behind: this program goes on, after this time without one more deleted file.
pub(crate) fn patiently<T: Send + 'static>(
    stall: Duration,
    what: impl FnOnce(&AtomicU64) -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let (tell, told) = sync_channel(1);
    let deleted = Arc::new(AtomicU64::new(0));
    let counted = deleted.clone();
    let thread = std::thread::Builder::new().name("fathom-undo".to_string());
    thread.spawn(move || tell.send(what(&counted))).map_err(|error| error.to_string())?;
    let mut before = 0;
    loop {
        match told.recv_timeout(stall) {
            Ok(end) => return end,
            Err(RecvTimeoutError::Disconnected) => return Err("the thread that deletes it is gone".to_string()),
            Err(RecvTimeoutError::Timeout) => {
                let now = deleted.load(Ordering::Relaxed);
                if now == before {
                    let seconds = stall.as_secs();
                    return Err(format!("its file system has not answered for {seconds} s"));
                }
                before = now;
            }
        }
    }
}

fn removed(path: &Path, made: Option<&MadeThing>, deleted: &AtomicU64) -> Result<Unmade, String> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let folder = match nix::fcntl::open(path, flags, Mode::empty()) {
        Ok(folder) => folder,
        Err(nix::Error::ENOENT) => return gone(path, made),
        Err(nix::Error::ENOTDIR | nix::Error::ELOOP) => {
            return Ok(Unmade::Left(NO_FOLDER.to_string()));
        }
        Err(errno) => return Err(in_words(errno)),
    };
    let found = fstat(&folder).map_err(in_words)?;
    if let Some(MadeThing::Folder { on, inode }) = made
        && found.st_ino != *inode
    {
        if keeps_numbers(path) {
            return Ok(Unmade::Left("what has its name now is another folder".to_string()));
        }
        // It bears the run's name on the same file system, and of what is in it only what bears a name of ours goes.
        refuse_unmounted(path, on.as_ref())?;
    }
    let all = entries(folder.try_clone().map_err(|error| error.to_string())?)?;
    if let Some(other) = emptied(&folder, &all, &emptied_side_by_side, deleted)? {
        return Ok(Unmade::Left(not_empty(&other)));
    }
    match std::fs::remove_dir(path) {
        Ok(()) => Ok(Unmade::Undone),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Unmade::Undone),
        Err(error) => Err(error.to_string()),
    }
}

/// Of what was made and is not found: that it is deleted is not known.
pub(crate) const NOT_FOUND: &str =
    "it is not found any more: somebody deleted or renamed it, or another file system is mounted there now";

/// Is it deleted, or only not to be seen, since its file system is not mounted where it was?
fn gone(path: &Path, made: Option<&MadeThing>) -> Result<Unmade, String> {
    let Some(MadeThing::Folder { on, .. }) = made else { return Ok(Unmade::Undone) };
    refuse_unmounted(path, on.as_ref())?;
    Ok(Unmade::Left(NOT_FOUND.to_string()))
}

/// A server of metadata deletes for several at once more than for one.
const THREADS: usize = 16;

/// Deletes what is ours, each part by one of several threads; says what else is there.
fn emptied_side_by_side(folder: &OwnedFd, entries: &[Entry], deleted: &AtomicU64) -> Result<Option<String>, String> {
    let each = entries.len().div_ceil(THREADS).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> =
            entries.chunks(each).map(|part| scope.spawn(|| emptied_whole(folder, part, deleted))).collect();
        let ends: Vec<_> = parts.into_iter().map(|part| part.join().unwrap_or(Ok(None))).collect();
        ends.into_iter().try_fold(None, |other: Option<String>, end| Ok(other.or(end?)))
    })
}

fn entries(folder: OwnedFd) -> Result<Vec<Entry>, String> {
    let mut folder = Dir::from_fd(folder).map_err(in_words)?;
    let entries: Vec<Entry> = folder.iter().collect::<Result<_, _>>().map_err(in_words)?;
    Ok(entries.into_iter().filter(|entry| ![c".", c".."].contains(&entry.file_name())).collect())
}

fn emptied_whole(folder: &OwnedFd, all: &[Entry], deleted: &AtomicU64) -> Result<Option<String>, String> {
    emptied(folder, all, &emptied_whole, deleted)
}

/// How a folder's entries are deleted.
type Empties = dyn Fn(&OwnedFd, &[Entry], &AtomicU64) -> Result<Option<String>, String>;

/// Deletes those that are ours, without following links; says what else is there. `below`: how it is done in folders among them.
fn emptied(
    folder: &OwnedFd,
    all: &[Entry],
    empty_below: &Empties,
    deleted: &AtomicU64,
) -> Result<Option<String>, String> {
    let mut other = None;
    let device = fstat(folder).map_err(in_words)?.st_dev;
    for entry in all {
        let name = entry.file_name();
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let below = match (is_own_name(name), entry.file_type()) {
            (true, Some(Type::Directory) | None) => open_below(folder, name, flags),
            _ => None,
        };
        let removed = match below {
            // What is mounted there is somebody else's.
            Some(below) if fstat(&below).map_err(in_words)?.st_dev != device => {
                Err(name.to_string_lossy().into_owned())
            }
            Some(below) => {
                let inside = entries(below.try_clone().map_err(|error| error.to_string())?)?;
                match empty_below(&below, &inside, deleted)? {
                    Some(found) => Err(format!("{}/{found}", name.to_string_lossy())),
                    None => Ok(UnlinkatFlags::RemoveDir),
                }
            }
            None if is_own_name(name) && matches!(entry.file_type(), Some(Type::File) | None) => {
                Ok(UnlinkatFlags::NoRemoveDir)
            }
            None => Err(name.to_string_lossy().into_owned()),
        };
        match removed {
            Ok(how) => match unlinkat(folder, name, how) {
                Ok(()) | Err(nix::Error::ENOENT) => {
                    deleted.fetch_add(1, Ordering::Relaxed);
                }
                Err(errno) => return Err(format!("{}: {}", name.to_string_lossy(), in_words(errno))),
            },
            Err(found) => other = other.or(Some(found)),
        }
    }
    Ok(other)
}

/// Nothing that is mounted there, not even a part of the same file system. `None`: it is no folder of ours.
fn open_below(folder: &OwnedFd, name: &CStr, flags: OFlag) -> Option<OwnedFd> {
    let how = OpenHow::new().flags(flags).resolve(ResolveFlag::RESOLVE_NO_XDEV);
    match openat2(folder, name, how) {
        // Before Linux 5.6: mounts of other devices are told by these.
        Err(nix::Error::ENOSYS) => openat(folder, name, flags, Mode::empty()).ok(),
        opened => opened.ok(),
    }
}

fn is_own_name(name: &CStr) -> bool {
    name.to_bytes().ends_with(OWN_ENDING.as_bytes())
}

fn in_words(errno: nix::Error) -> String {
    std::io::Error::from(errno).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply;
    use crate::journal::testing::RUN;
    use std::fs;

    const HERE: Trust = Trust { here: true, named: false };

    fn entry(path: &Path, made: Option<MadeThing>) -> JournalEntry {
        JournalEntry { made, ..JournalEntry::of(Change::folder(None, path.to_path_buf())) }
    }

    fn unmade(path: &Path, made: Option<MadeThing>) -> Result<Unmade, ClusterError> {
        apply::unmake(None, RUN, &entry(path, made), None, HERE)
    }

    #[test]
    fn only_a_refusal_says_that_nothing_was_made() {
        assert!([libc::EEXIST, libc::ENOENT, libc::EACCES, libc::EROFS, libc::ENOSPC].into_iter().all(refuses));
        assert!(![libc::ETIMEDOUT, libc::EIO, libc::EINTR, libc::ENOTCONN].into_iter().any(refuses));
    }

    #[test]
    fn a_file_keeps_its_number_where_the_file_system_gives_it() {
        assert!(["ext4", "xfs", "nfs4", "ceph", "fuse.ceph-fuse"].into_iter().all(numbers_last));
        assert!(!["fuse.sshfs", "fuse", "cifs", "smb3", "9p"].into_iter().any(numbers_last));
    }

    #[test]
    fn what_is_ours_goes_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join(format!("fathom.{RUN}.files"));
        let change = Change::folder(None, own.clone());
        let made = apply::make(None, &change).unwrap();
        assert!(matches!(&made, MadeThing::Folder { on: Some(_), inode: 1.. }));
        assert!(matches!(apply::make(None, &change), Err(ClusterError::NotMade { .. })), "it is there already");
        fs::create_dir_all(own.join("job0.fathom/1.fathom")).unwrap();
        fs::write(own.join("job0.fathom/1.fathom/7.fathom"), "ours").unwrap();
        let kept = folder.path().join("kept");
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("8.fathom"), "theirs").unwrap();
        // Links are not followed, and not ours.
        std::os::unix::fs::symlink(&kept, own.join("job0.fathom/2.fathom")).unwrap();
        fs::write(own.join("job0.fathom/notes"), "theirs").unwrap();
        let Ok(Unmade::Left(why)) = unmade(&own, Some(made.clone())) else { panic!() };
        assert!(why.contains("job0.fathom/"), "{why}");
        assert!(!own.join("job0.fathom/1.fathom").exists());
        assert_eq!(fs::read(kept.join("8.fathom")).unwrap(), b"theirs");
        assert_eq!(fs::read(own.join("job0.fathom/notes")).unwrap(), b"theirs");
        fs::remove_file(own.join("job0.fathom/notes")).unwrap();
        fs::remove_file(own.join("job0.fathom/2.fathom")).unwrap();
        assert_eq!(unmade(&own, Some(made.clone())).unwrap(), Unmade::Undone);
        assert!(!own.exists());
        // What is not found may be elsewhere; what was never confirmed was never made.
        assert!(matches!(unmade(&own, Some(made.clone())), Ok(Unmade::Left(_))));
        assert_eq!(unmade(&own, None).unwrap(), Unmade::Undone);
        // Another one of its name, which somebody made since.
        let moved = folder.path().join("moved");
        apply::make(None, &change).unwrap();
        let made = Some(MadeThing::Folder { on: None, inode: fs::metadata(&own).unwrap().ino() });
        fs::rename(&own, &moved).unwrap();
        fs::create_dir(&own).unwrap();
        fs::write(own.join("1.fathom"), "theirs").unwrap();
        assert!(matches!(unmade(&own, made), Ok(Unmade::Left(why)) if why.contains("another folder")));
        assert_eq!(fs::read(own.join("1.fathom")).unwrap(), b"theirs");
    }

    #[test]
    fn what_bears_another_name_or_is_on_what_is_not_mounted_stays() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("fathom.20260102-030405-ffff.files");
        fs::create_dir(&other).unwrap();
        for path in [other.as_path(), folder.path(), Path::new("fathom.x")] {
            assert!(matches!(unmade(path, None), Err(ClusterError::NotOurs { .. })), "{}", path.display());
        }
        assert!(other.exists());
        let own = folder.path().join(format!("fathom.{RUN}.files"));
        let made = MadeThing::Folder { on: Some("ceph-fuse (fuse.ceph-fuse) at /mnt".to_string()), inode: 7 };
        let why = unmade(&own, Some(made)).unwrap_err().to_string();
        assert!(why.contains("not mounted there now; mount it, then: fathom restore"), "{why}");
        // A file in its place.
        fs::write(&own, "theirs").unwrap();
        assert!(matches!(unmade(&own, None), Ok(Unmade::Left(_))));
        assert_eq!(fs::read(&own).unwrap(), b"theirs");
    }
}
