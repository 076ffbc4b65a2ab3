//! Files of our own without a name: nothing is left of them, however the run ends.

use super::Journal;
use crate::entry::MadeThing;
use crate::errors::ClusterError;
use crate::own_files::own_name;
use model::Change;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A new file on the file system on which one at `path` would be, open for reading and writing, without a name. `journal`: that of this
/// host, asked for where the file has to have a name for a moment.
///
/// # Errors
/// Its folder is not there or may not be written to, or there is no journal.
pub fn nameless<'j>(
    path: &Path,
    journal: impl FnOnce() -> Result<&'j mut Journal, ClusterError>,
) -> Result<File, ClusterError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = std::fs::canonicalize(folder).map_err(|error| failed(path, &error))?;
    match open(&folder, OFlag::O_TMPFILE | OFlag::O_RDWR | OFlag::O_CLOEXEC, Mode::from_bits_truncate(0o600)) {
        Ok(file) => Ok(file.into()),
        // Its file system has no such files (NFS, FAT), or the kernel is older than they are.
        Err(nix::Error::EOPNOTSUPP | nix::Error::EISDIR | nix::Error::EINVAL | nix::Error::ENOENT) => {
            named_for_a_moment(journal()?, &folder)
        }
        Err(error) => Err(failed(path, &std::io::Error::from(error))),
    }
}

/// The name is in the journal before it is in the folder, and gone from both when this returns.
fn named_for_a_moment(journal: &mut Journal, folder: &Path) -> Result<File, ClusterError> {
    let path = folder.join(own_name(journal.run()));
    let change = Change::file(None, path.clone(), 0);
    let mut file = None;
    journal.make_with(change.clone(), |_| {
        let made = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        let made = made.map_err(|error| failed(&path, &error))?;
        let told = made.metadata().map_err(|error| failed(&path, &error))?;
        file = Some(made);
        Ok(MadeThing::File { device: told.dev(), inode: told.ino() })
    })?;
    journal.undo_one(&change)?;
    file.ok_or_else(|| failed(folder, &"no file was made"))
}

fn failed(path: &Path, why: &dyn std::fmt::Display) -> ClusterError {
    ClusterError::Make { what: format!("file {}", path.display()), why: why.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::testing::head;
    use std::fs;

    #[test]
    fn a_file_has_no_name_on_any_file_system() {
        let (folder, journals) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut journal = Journal::begin(journals.path(), head(), None).unwrap();
        let own = [
            nameless(&folder.path().join("x"), || Ok(&mut journal)).unwrap(),
            named_for_a_moment(&mut journal, folder.path()).unwrap(),
        ];
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(own.iter().all(|file| file.metadata().unwrap().nlink() == 0));
        assert!(journal.roll_back().1.is_empty());
        assert_eq!(fs::read_dir(journals.path()).unwrap().count(), 0);
    }
}
