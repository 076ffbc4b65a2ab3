//! A device that is a file with holes: what is written to it takes room from the file's file system.

use super::stack::{Id, Stack, loops};
use model::{Bytes, Holes};
use nix::sys::statvfs::statvfs;
use std::collections::BTreeSet;
use std::fs::{Metadata, metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// `stat` counts a file's blocks in these, whatever the file system's are (POSIX leaves it open; Linux, stat(2)).
const BLOCK: Bytes = 512;

/// Of a loop device, of what lies on one, or of a file; through as many loop devices as lie on each other's file systems, that of the least
/// room. `None`: there are no holes, or no file. What a thin volume (dm-thin) lacks is not known.
pub fn holes(path: &Path) -> Option<Holes> {
    let mut at = Id::at(path)?;
    let mut file = matches!(at, Id::File(..)).then(|| path.to_path_buf());
    let (mut found, mut seen): (Vec<Holes>, BTreeSet<Id>) = (Vec::new(), BTreeSet::new());
    while seen.insert(at) {
        let own = match file.take() {
            Some(file) => file,
            None => match file_of_loop(at) {
                None => break,
                Some(Ok(file)) => file,
                Some(Err(unknown)) => return Some(unknown),
            },
        };
        let there = metadata(&own).ok().filter(|there| there.is_file())?;
        found.extend(of_file(&own, &there));
        at = Id::Device(there.dev());
    }
    found.into_iter().filter(|holes| holes.bytes > 0).min_by_key(|holes| holes.free)
}

fn of_file(path: &Path, there: &Metadata) -> Option<Holes> {
    let bytes = there.len().saturating_sub(there.blocks() * BLOCK);
    let below = statvfs(path).ok()?;
    let free = below.blocks_available().saturating_mul(below.fragment_size());
    Some(Holes { file: path.display().to_string(), bytes, free: Some(free), file_system: there.dev() })
}

/// Of the loop device that it is, or lies on. Error: its path does not lead to it any more, so that nothing is known of its room.
fn file_of_loop(device: Id) -> Option<Result<PathBuf, Holes>> {
    let below = Stack::of(device).related;
    let own = loops().into_iter().find(|own| below.contains(&Id::Device(own.number)))?;
    let file = own.path.display().to_string();
    Some(match Id::at(&own.path) == Some(own.backing) {
        true => Ok(own.path),
        false => Err(Holes { file, bytes: Bytes::MAX, free: None, file_system: 0 }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Write;

    #[test]
    fn a_file_has_holes_until_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut file = File::create(&path).unwrap();
        file.set_len(1 << 20).unwrap();
        let seen = holes(&path).unwrap();
        assert_eq!((seen.bytes, seen.file), (1 << 20, path.display().to_string()));
        assert!(seen.free.is_some_and(|free| free > 0));
        file.write_all(&[1; 1 << 20]).unwrap();
        file.sync_all().unwrap();
        assert_eq!(holes(&path), None);
        assert_eq!((holes(folder.path()), holes(&folder.path().join("none"))), (None, None));
    }
}
