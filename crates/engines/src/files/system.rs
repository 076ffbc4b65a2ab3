//! A mounted file system, by system calls.

use super::api::{AskedOf, FileSystem};
use crate::api::OpError;
use crate::disk::direct;
use model::Tree;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RawDir, StatxFlags};
use rustix::io::Errno;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

/// Size of the buffer into which names of a folder are read, as in C libraries.
const NAMES: usize = 32 * 1024;

pub struct System {
    folder: OwnedFd,
    /// Reads go past the page cache.
    direct: OFlags,
    names: Vec<MaybeUninit<u8>>,
}

impl System {
    /// # Errors
    /// The folder is not there, or may not be entered.
    pub fn open(folder: &Path) -> Result<System, OpError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(CWD, folder, flags, Mode::empty()).map_err(errno)?;
        let direct = if direct(folder) { OFlags::DIRECT } else { OFlags::empty() };
        Ok(System { folder: opened, direct, names: vec![MaybeUninit::uninit(); NAMES] })
    }
}

fn errno(errno: Errno) -> OpError {
    match errno {
        Errno::INVAL => OpError::saying(libc::EINVAL, "its file system refuses that (no direct I/O?)"),
        errno => OpError::of(errno.raw_os_error()),
    }
}

impl FileSystem for System {
    fn make_folder(&mut self, path: &str) -> Result<(), OpError> {
        rustix::fs::mkdirat(&self.folder, path, Mode::RWXU).map_err(errno)
    }

    fn create(&mut self, path: &str, content: &[u8], durable: bool) -> Result<(), OpError> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.folder, path, flags, Mode::RUSR | Mode::WUSR).map_err(errno)?;
        let mut rest = content;
        while !rest.is_empty() {
            match rustix::io::write(&file, rest).map_err(errno)? {
                0 => return Err(OpError::of(libc::EIO)),
                written => rest = &rest[written..],
            }
        }
        if durable {
            rustix::fs::fsync(&file).map_err(errno)?;
        }
        // NFS and FUSE tell only now that there is no room, or that a quota is used up.
        nix::unistd::close(file).map_err(|error| OpError::of(error as i32))
    }

    fn stat(&mut self, path: &str, of: AskedOf) -> Result<u64, OpError> {
        let sync = match of {
            AskedOf::Keeper => AtFlags::STATX_FORCE_SYNC,
            AskedOf::Cache => AtFlags::empty(),
        };
        let flags = AtFlags::SYMLINK_NOFOLLOW | sync;
        let told = rustix::fs::statx(&self.folder, path, flags, StatxFlags::BASIC_STATS).map_err(errno)?;
        Ok(told.stx_size)
    }

    fn read(&mut self, path: &str, into: &mut [u8]) -> Result<usize, OpError> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | self.direct;
        let file = rustix::fs::openat(&self.folder, path, flags, Mode::empty()).map_err(errno)?;
        let mut done = 0;
        while done < into.len() {
            match rustix::io::read(&file, &mut into[done..]).map_err(errno)? {
                0 => break,
                read => done += read,
            }
            // What is read past the page cache ends where the file does; from there on it would not be aligned.
            if !self.direct.is_empty() && !done.is_multiple_of(crate::buffers::ALIGN) {
                break;
            }
        }
        Ok(done)
    }

    fn list(&mut self, path: &str) -> Result<u64, OpError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let path = if path.is_empty() { "." } else { path };
        let folder = rustix::fs::openat(&self.folder, path, flags, Mode::empty()).map_err(errno)?;
        let mut names = RawDir::new(&folder, &mut self.names);
        let mut own = 0;
        while let Some(entry) = names.next() {
            own += u64::from(entry.map_err(errno)?.file_name().to_bytes().ends_with(Tree::OWN_ENDING.as_bytes()));
        }
        Ok(own)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), OpError> {
        rustix::fs::renameat(&self.folder, from, &self.folder, to).map_err(errno)
    }

    fn delete(&mut self, path: &str) -> Result<(), OpError> {
        rustix::fs::unlinkat(&self.folder, path, AtFlags::empty()).map_err(errno)
    }
}
