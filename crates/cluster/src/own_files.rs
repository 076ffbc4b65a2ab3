//! Files that a run gave a name for a moment, and how they are known as its own when it was killed just then.

use crate::apply::{Trust, Unmade};
use crate::entry::{JournalEntry, MadeThing};
use crate::errors::ClusterError;
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
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Unmade::Undone),
        other => other.map_err(|error| ClusterError::Undo { what: what(), why: error.to_string() })?,
    };
    if !is_ours(&now, entry.made.as_ref()) {
        return Unmade::left("it is another file than the run made, or something was written into it");
    }
    let removed = std::fs::remove_file(path).map(|()| Unmade::Undone);
    removed.map_err(|error| ClusterError::Undo { what: what(), why: error.to_string() })
}

fn random_name(path: &Path, run: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.strip_prefix(&format!(".fathom.{run}.")).is_some_and(|random| random.len() == 16)
}

fn is_ours(now: &Metadata, made: Option<&MadeThing>) -> bool {
    match made {
        Some(MadeThing::File { device, inode }) => now.is_file() && (now.dev(), now.ino()) == (*device, *inode),
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
        let ours = Some(MadeThing::File { device: told.dev(), inode: told.ino() });
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
