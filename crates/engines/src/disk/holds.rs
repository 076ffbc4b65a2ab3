//! Devices and files that are held from the proof that they are free to the end of the run: sessions go through the descriptor.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, read_to_string};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// All that this process holds, by the path under which it was named.
#[derive(Clone, Debug, Default)]
pub struct Holds(Arc<Mutex<BTreeMap<PathBuf, Arc<Hold>>>>);

impl Holds {
    /// `file`: opened for this process alone, and proven to be free; `beneath`: what it lies on, held as well.
    ///
    /// # Errors
    /// It can't be looked at.
    pub fn keep(&self, path: &Path, file: File, beneath: Vec<File>) -> std::io::Result<()> {
        let hold =
            Hold { path: path.to_path_buf(), seen: Identity::of(&file.metadata()?, &file), file, _beneath: beneath };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_path_buf(), Arc::new(hold));
        Ok(())
    }

    pub fn of(&self, path: &Path) -> Option<Arc<Hold>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }
}

/// One of them.
#[derive(Debug)]
pub struct Hold {
    path: PathBuf,
    file: File,
    /// Never read: they are open.
    _beneath: Vec<File>,
    seen: Identity,
}

/// What must not change while it is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Identity {
    /// A device's number; for a file, the number of its file system and its inode.
    node: (u64, u64),
    /// 0 of files, which may grow.
    bytes: u64,
    /// The kernel counts up with each disk that it puts behind a number (`diskseq`); empty before Linux 5.15.
    sequence: String,
    /// Of RAID and LVM: what they are made of.
    slaves: Vec<String>,
}

impl Identity {
    fn of(metadata: &Metadata, file: &File) -> Identity {
        if !metadata.file_type().is_block_device() {
            let node = (metadata.dev(), metadata.ino());
            return Identity { node, bytes: 0, sequence: String::new(), slaves: Vec::new() };
        }
        let number = metadata.rdev();
        let (major, minor) = (nix::sys::stat::major(number), nix::sys::stat::minor(number));
        let folder = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
        // A partition has its disk's.
        let sequence = ["diskseq", "../diskseq"].iter().find_map(|name| read_to_string(folder.join(name)).ok());
        let slaves = fs::read_dir(folder.join("slaves")).into_iter().flatten().flatten();
        let mut slaves: Vec<String> = slaves.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        slaves.sort();
        Identity { node: (number, 0), bytes: size(&folder, file), sequence: sequence.unwrap_or_default(), slaves }
    }
}

/// The kernel's own count of sectors; where it is not to be seen, whether there is a first one.
fn size(folder: &Path, file: &File) -> u64 {
    let sectors = read_to_string(folder.join("size")).ok().and_then(|text| text.trim().parse::<u64>().ok());
    sectors.map_or_else(|| u64::from(file.read_at(&mut [0; 512], 0).is_ok()), |sectors| sectors * 512)
}

impl Hold {
    /// Where this process opens it again: never what else may be called by its path now.
    pub fn open_path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()))
    }

    /// Is the path still what was proven, and that the same disk?
    ///
    /// # Errors
    /// What has changed, in words.
    pub fn unchanged(&self) -> Result<(), String> {
        let path = self.path.display();
        let there = |error| format!("{path}: is not there any more ({error}); nothing more was written to it");
        let named = fs::metadata(&self.path).map_err(there)?;
        let now = Identity::of(&named, &self.file);
        let what = match () {
            () if now.node != self.seen.node => "leads to something else now than when it was proven to be free",
            () if now.sequence != self.seen.sequence => "is another disk now than when it was proven to be free",
            () if now.bytes != self.seen.bytes => "has another size now than when it was proven to be free",
            () if now.slaves != self.seen.slaves => "is made of other devices now than when it was proven to be free",
            () => return Ok(()),
        };
        Err(format!("{path}: {what}; nothing more was written to it"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leads_elsewhere_is_noticed_and_the_held_file_is_what_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("disk");
        fs::write(&path, "mine").unwrap();
        let holds = Holds::default();
        holds.keep(&path, File::open(&path).unwrap(), Vec::new()).unwrap();
        let hold = holds.of(&path).unwrap();
        assert_eq!(hold.unchanged(), Ok(()));
        let other = folder.path().join("other");
        fs::write(&other, "foreign").unwrap();
        fs::rename(&other, &path).unwrap();
        assert!(hold.unchanged().unwrap_err().contains("leads to something else"));
        assert_eq!(fs::read_to_string(hold.open_path()).unwrap(), "mine");
        fs::remove_file(&path).unwrap();
        assert!(hold.unchanged().unwrap_err().contains("not there any more"));
    }
}
