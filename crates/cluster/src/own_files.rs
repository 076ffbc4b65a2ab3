//! Files that a run gave a name for a moment, and how they are known as its own when it was killed just then.

use crate::apply::{Trust, Unmade};
use crate::entry::{JournalEntry, MadeThing};
use crate::errors::ClusterError;
use crate::own_folders::{keeps_numbers, refuse_unmounted};
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Hidden, of this run, and of no other file: 64 bits from the kernel.
pub fn own_name(run: &str) -> PathBuf {
    PathBuf::from(format!(".fathom.{run}.{:016x}", random()))
}

/// Without the device the names are the run's all the same, and whether they are taken is found out when they are made.
pub(crate) fn random() -> u64 {
    let mut random = [0u8; 8];
    let _ = File::open("/dev/urandom").and_then(|mut file| std::io::Read::read_exact(&mut file, &mut random));
    u64::from_ne_bytes(random)
}

/// Deletes the file of a killed run: the one that it made, or, if it was killed before it could write down which, an empty one of the
/// run's own random name.
pub fn unmake(path: &Path, run: &str, entry: &JournalEntry, trust: Trust) -> Result<Unmade, ClusterError> {
    let what = || entry.change.what();
    if !trust.here {
        let why = "it is a file of another host, where `fathom restore` deletes it".to_string();
        return Err(ClusterError::NotOurs { what: what(), why });
    }
    if !path.is_absolute() || (entry.made.is_none() && !random_name(path, run)) {
        let why = "an older release of Fathom wrote it down and not which file it is; look at it, delete it, and delete the \
                   journal";
        return Err(ClusterError::NotOurs { what: what(), why: why.to_string() });
    }
    let now = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return gone(path, entry),
        other => other.map_err(|error| ClusterError::Undo { what: what(), why: error.to_string() })?,
    };
    let ours = is_ours(&now, entry.made.as_ref(), random_name(path, run), keeps_numbers(path));
    if !ours {
        return Unmade::left("it is another file than the run made, or something was written into it");
    }
    let removed = std::fs::remove_file(path).map(|()| Unmade::Undone);
    removed.map_err(|error| ClusterError::Undo { what: what(), why: error.to_string() })
}

fn random_name(path: &Path, run: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.strip_prefix(&format!(".fathom.{run}.")).is_some_and(|random| random.len() == 16)
}

/// Is it deleted, or only not to be seen, since its file system is not mounted where it was?
fn gone(path: &Path, entry: &JournalEntry) -> Result<Unmade, ClusterError> {
    let on = match &entry.made {
        Some(MadeThing::File { on, .. }) => on.as_ref(),
        _ => None,
    };
    let there = refuse_unmounted(path, on).map(|()| Unmade::Undone);
    there.map_err(|why| ClusterError::Undo { what: entry.change.what(), why })
}

/// A device has another number with the next mount (NFS, SMB, FUSE) or start of the host: it counts only where the name is not `random`, of the
/// run and of no other file. `numbered`: a file keeps its own number there.
fn is_ours(now: &Metadata, made: Option<&MadeThing>, random: bool, numbered: bool) -> bool {
    match made {
        Some(MadeThing::File { inode, .. }) if random => now.is_file() && (!numbered || now.ino() == *inode),
        Some(MadeThing::File { device, inode, .. }) => now.is_file() && (now.dev(), now.ino()) == (*device, *inode),
        _ => now.is_file() && now.len() == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::testing::RUN;
    use model::Change;
    use std::fs;

    const HERE: Trust = Trust { here: true, named: false };

    fn entry(path: &Path, made: Option<MadeThing>) -> JournalEntry {
        JournalEntry { made, ..JournalEntry::of(Change::file(None, path.to_path_buf(), 1)) }
    }

    fn unmade(path: &Path, made: Option<MadeThing>) -> Result<Unmade, ClusterError> {
        unmake(path, RUN, &entry(path, made), HERE)
    }

    #[test]
    fn what_took_the_place_of_our_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        fs::write(&path, "").unwrap();
        let told = fs::metadata(&path).unwrap();
        let ours = Some(MadeThing::File { device: told.dev(), inode: told.ino(), on: None });
        // Another file that the user moved there: the first one keeps its inode.
        fs::rename(&path, folder.path().join("kept")).unwrap();
        fs::write(&path, "theirs").unwrap();
        assert!(matches!(unmade(&path, ours.clone()), Ok(Unmade::Left(_))));
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        // A link to ours is not ours.
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(folder.path().join("kept"), &path).unwrap();
        assert!(matches!(unmade(&path, ours.clone()), Ok(Unmade::Left(_))));
        assert!(fs::symlink_metadata(&path).is_ok());
        fs::remove_file(&path).unwrap();
        fs::rename(folder.path().join("kept"), &path).unwrap();
        assert_eq!(unmade(&path, ours).unwrap(), Unmade::Undone);
        assert!(!path.exists());
    }

    #[test]
    fn a_file_is_known_again_under_the_next_mount_and_waited_for_without_one() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join(own_name(RUN));
        fs::write(&own, "").unwrap();
        let told = fs::metadata(&own).unwrap();
        let made =
            |inode: u64, on: &str| Some(MadeThing::File { device: told.dev() + 1, inode, on: Some(on.to_string()) });
        let here = crate::own_folders::mounted(&own).unwrap();
        assert!(matches!(unmade(&own, made(told.ino() + 1, &here)), Ok(Unmade::Left(_))));
        assert!(own.exists());
        assert_eq!(unmade(&own, made(told.ino(), &here)).unwrap(), Unmade::Undone);
        assert!(!own.exists());
        assert_eq!(unmade(&own, made(told.ino(), &here)).unwrap(), Unmade::Undone, "deleted since");
        let why = unmade(&own, made(told.ino(), "nas:/x (nfs4) at /mnt")).unwrap_err().to_string();
        assert!(
            why.contains("nas:/x (nfs4) at /mnt, which is not mounted there now; mount it, then: fathom restore"),
            "{why}"
        );
    }

    #[test]
    fn where_numbers_of_files_change_a_random_name_tells() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join(own_name(RUN));
        fs::write(&own, "").unwrap();
        let told = fs::metadata(&own).unwrap();
        let made = MadeThing::File { device: told.dev(), inode: told.ino() + 1, on: None };
        assert!(is_ours(&told, Some(&made), true, false));
        assert!(!is_ours(&told, Some(&made), false, false) && !is_ours(&told, Some(&made), true, true));
        assert!(!is_ours(&fs::metadata(folder.path()).unwrap(), Some(&made), true, false), "a folder");
    }

    #[test]
    fn what_was_not_confirmed_is_deleted_only_with_our_random_name_and_empty() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join(own_name(RUN));
        fs::write(&own, "").unwrap();
        unmade(&own, None).unwrap();
        assert!(!own.exists());
        fs::write(&own, "theirs").unwrap();
        unmade(&own, None).unwrap();
        assert!(own.exists());
        let other = folder.path().join("test.img");
        fs::write(&other, "").unwrap();
        let said = unmade(&other, None).unwrap_err().to_string();
        assert!(said.contains("test.img") && said.contains("delete the journal"), "{said}");
        assert!(unmade(Path::new("test.img"), None).is_err(), "a relative path means another file elsewhere");
        let there = Trust { here: false, named: true };
        assert!(unmake(&own, RUN, &entry(&own, None), there).unwrap_err().to_string().contains("another host"));
        assert!(other.exists() && own.exists());
    }
}
