//! Files of our own without a name: nothing is left of them, however the run ends. Where a file that is open can't lose its name, it is in the
//! journal as long as it has one.

use super::Journal;
use crate::entry::MadeThing;
use crate::errors::ClusterError;
use crate::here::mounts::mount_of;
use crate::own_files::own_name;
use crate::own_folders::mounted;
use model::Change;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A file of our own, open for reading and writing.
pub struct OwnFile {
    pub file: File,
    /// It has a name: this stands in the journal, and undoing it deletes the file.
    pub named: Option<Change>,
}

/// A new file on the file system on which one at `path` would be, without a name where it can be. `journal`: that of this host, asked for
/// where the file has a name, be it for a moment.
///
/// # Errors
/// Its folder is not there or may not be written to, or there is no journal.
pub fn nameless<'j>(
    path: &Path,
    journal: impl FnOnce() -> Result<&'j mut Journal, ClusterError>,
) -> Result<OwnFile, ClusterError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = std::fs::canonicalize(folder).map_err(|error| failed(path, &error))?;
    match open(&folder, OFlag::O_TMPFILE | OFlag::O_RDWR | OFlag::O_CLOEXEC, Mode::from_bits_truncate(0o600)) {
        Ok(file) => Ok(OwnFile { file: file.into(), named: None }),
        // Its file system has no such files (NFS, FAT), or the kernel is older than they are.
        Err(nix::Error::EOPNOTSUPP | nix::Error::EISDIR | nix::Error::EINVAL | nix::Error::ENOENT) => {
            let journal = journal()?;
            let (file, change) = named(journal, &folder)?;
            if keeps_names(mount_of(&folder).as_ref().map_or("", |mount| &mount.kind)) {
                return Ok(OwnFile { file, named: Some(change) });
            }
            journal.undo_one(&change)?;
            Ok(OwnFile { file, named: None })
        }
        Err(error) => Err(failed(path, &std::io::Error::from(error))),
    }
}

/// Does a file that is open get another name there when it is deleted (`.nfs0000…`, `.fuse_hidden…`), which only this client removes, and
/// nobody if this host ends? Metadata servers of CephFS keep a file without a name for its client, and no longer.
fn keeps_names(kind: &str) -> bool {
    let served = ["nfs", "cifs", "smb", "fuse"].iter().any(|own| kind.starts_with(own));
    served && kind != "fuse.ceph-fuse"
}

/// The name is in the journal before it is in the folder.
fn named(journal: &mut Journal, folder: &Path) -> Result<(File, Change), ClusterError> {
    let path = folder.join(own_name(journal.run()));
    let change = Change::file(None, path.clone(), 0);
    let mut file = None;
    journal.make_with(change.clone(), |_| {
        let made = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        let made = made.map_err(|error| failed(&path, &error))?;
        let told = made.metadata().map_err(|error| failed(&path, &error))?;
        file = Some(made);
        Ok(MadeThing::File { device: told.dev(), inode: told.ino(), on: mounted(&path) })
    })?;
    let file = file.ok_or_else(|| failed(folder, &"no file was made"))?;
    Ok((file, change))
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
        let own = nameless(&folder.path().join("x"), || Ok(&mut journal)).unwrap();
        assert!(own.named.is_none() && own.file.metadata().unwrap().nlink() == 0);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // One that keeps its name is in the journal, and goes by it.
        let (file, change) = named(&mut journal, folder.path()).unwrap();
        assert!(journal.stands(&change) && file.metadata().unwrap().nlink() == 1);
        assert!(journal.roll_back().1.is_empty());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(fs::read_dir(journals.path()).unwrap().count(), 0);
    }

    #[test]
    fn where_a_deleted_file_gets_another_name_it_keeps_its_own() {
        assert!(["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "fuse"].into_iter().all(keeps_names));
        assert!(!["ext4", "xfs", "ceph", "fuse.ceph-fuse", "tmpfs", "vfat", ""].into_iter().any(keeps_names));
    }
}
