//! A device that is a file with holes: what is written to it takes room from the file's file system.

use super::stack::{Id, Stack, loops};
use model::{Bytes, Holes};
use nix::sys::statvfs::statvfs;
use std::fs::metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// `stat` counts a file's blocks in these, whatever the file system's are (POSIX leaves it open; Linux, stat(2)).
const BLOCK: Bytes = 512;

/// Of a loop device, of what lies on one, or of a file. `None`: it has none, or lies in no file. What a thin volume (dm-thin) lacks is not known.
pub fn holes(path: &Path) -> Option<Holes> {
    let file = match Id::at(path)? {
        device @ Id::Device(_) => file_of_loop(device)?,
        Id::File(..) => path.to_path_buf(),
    };
    let there = metadata(&file).ok().filter(|there| there.is_file())?;
    let bytes = there.len().saturating_sub(there.blocks() * BLOCK);
    let below = statvfs(&file).ok()?;
    let free = below.blocks_available().saturating_mul(below.fragment_size());
    (bytes > 0).then(|| Holes { file: file.display().to_string(), bytes, free })
}

/// Of the loop device that it is, or lies on: its path, if that still leads to it.
fn file_of_loop(device: Id) -> Option<PathBuf> {
    let below = Stack::of(device).related;
    let own = loops().into_iter().find(|own| below.contains(&Id::Device(own.number)))?;
    (Id::at(&own.path) == Some(own.backing)).then_some(own.path)
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
        assert!(seen.free > 0);
        file.write_all(&[1; 1 << 20]).unwrap();
        file.sync_all().unwrap();
        assert_eq!(holes(&path), None);
        assert_eq!((holes(folder.path()), holes(&folder.path().join("none"))), (None, None));
    }
}
