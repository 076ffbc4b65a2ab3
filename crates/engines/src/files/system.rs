//! A mounted file system, by system calls.

use super::api::{AskedOf, FileSystem, WrittenTo};
use crate::api::OpError;
use crate::disk::direct;
use model::Tree;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RawDir, ResolveFlags, StatxFlags};
use rustix::io::Errno;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

/// How a folder is opened from which paths begin.
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// How the one around it is.
const AROUND: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
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
        let opened = match (folder.parent(), folder.file_name()) {
            // Where it lies is whoever named it's own affair, and links there are followed.
            (Some(around), Some(name)) => {
                let around = rustix::fs::openat(CWD, around, AROUND, Mode::empty()).map_err(errno)?;
                within(&around, Path::new(name), FOLDER, Mode::empty())?
            }
            _ => rustix::fs::openat(CWD, folder, FOLDER, Mode::empty()).map_err(errno)?,
        };
        let direct = if direct(folder) { OFlags::DIRECT } else { OFlags::empty() };
        Ok(System { folder: opened, direct, names: vec![MaybeUninit::uninit(); NAMES] })
    }

    /// A file that is made is its owner's.
    fn opened(&self, path: &str, flags: OFlags) -> Result<OwnedFd, OpError> {
        let mode = if flags.contains(OFlags::CREATE) { Mode::RUSR | Mode::WUSR } else { Mode::empty() };
        within(&self.folder, Path::new(path), flags, mode)
    }
}

/// Whatever has been put in the place of a file or folder of ours: no link is followed, in no part of the path, and nothing that is mounted
/// there is entered.
fn within(folder: &OwnedFd, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, OpError> {
    let ours = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    rustix::fs::openat2(folder, path, flags, mode, ours).map_err(errno)
}

fn written_and_closed(file: OwnedFd, content: &[u8], durable: bool) -> Result<(), OpError> {
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

fn errno(errno: Errno) -> OpError {
    match errno {
        Errno::NOSYS => {
            OpError::saying(libc::ENOSYS, "this kernel has no openat2, which keeps from following links (Linux 5.6)")
        }
        Errno::LOOP | Errno::XDEV => OpError::saying(errno.raw_os_error(), super::NOT_OURS),
        Errno::INVAL => OpError::saying(libc::EINVAL, "its file system refuses that (no direct I/O?)"),
        errno => OpError::of(errno.raw_os_error()),
    }
}

impl FileSystem for System {
    fn enter(&mut self, path: &str) -> Result<(), OpError> {
        self.folder = self.opened(path, FOLDER)?;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), OpError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::openat(&self.folder, ".", flags, Mode::empty()).map_err(errno)?;
        rustix::fs::syncfs(&folder).map_err(errno)
    }

    fn make_folder(&mut self, path: &str) -> Result<(), OpError> {
        match path.rsplit_once('/') {
            Some((outer, name)) => rustix::fs::mkdirat(self.opened(outer, FOLDER)?, name, Mode::RWXU),
            None => rustix::fs::mkdirat(&self.folder, path, Mode::RWXU),
        }
        .map_err(errno)
    }

    fn create(&mut self, path: &str, content: &[u8], durable: bool) -> Result<(), OpError> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        written_and_closed(self.opened(path, flags)?, content, durable)
    }

    fn write(&mut self, path: &str, content: &[u8], to: WrittenTo, durable: bool) -> Result<(), OpError> {
        let at = if to == WrittenTo::End { OFlags::APPEND } else { OFlags::empty() };
        // A pipe must not wait for a reader.
        let file = self.opened(path, at | OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC)?;
        let told = rustix::fs::fstat(&file).map_err(errno)?;
        if told.st_mode & libc::S_IFMT != libc::S_IFREG || told.st_nlink != 1 {
            return Err(OpError::saying(libc::EMLINK, super::NOT_OURS));
        }
        if to == WrittenTo::Nothing {
            rustix::fs::ftruncate(&file, 0).map_err(errno)?;
        }
        written_and_closed(file, content, durable)
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
        let file = self.opened(path, flags)?;
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
        let folder = self.opened(path, flags)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_others_put_in_the_place_of_a_file_of_ours_is_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let (own, theirs) = (folder.path().join("own"), folder.path().join("theirs"));
        for made in [&own, &theirs] {
            fs::create_dir_all(made.join("0")).unwrap();
        }
        fs::write(theirs.join("precious"), "theirs").unwrap();
        fs::write(theirs.join("0/file"), "theirs").unwrap();
        fs::write(own.join("0/file"), "ours").unwrap();
        symlink(theirs.join("precious"), own.join("link")).unwrap();
        fs::hard_link(theirs.join("precious"), own.join("hard")).unwrap();
        symlink(theirs.join("0"), own.join("1")).unwrap();
        nix::unistd::mkfifo(&own.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let mut system = System::open(&own).unwrap();
        for path in ["link", "hard", "1/file", "pipe", "../theirs/precious"] {
            for to in [WrittenTo::Nothing, WrittenTo::End] {
                assert!(system.write(path, b"written", to, false).is_err(), "{path} {to:?}");
            }
        }
        assert!(system.create("1/new", b"written", false).is_err() && system.list("1").is_err());
        assert!(system.read("link", &mut [0; 512]).is_err());
        assert_eq!(fs::read(theirs.join("precious")).unwrap(), b"theirs");
        assert_eq!(fs::read(theirs.join("0/file")).unwrap(), b"theirs");
        assert_eq!(fs::read_dir(theirs.join("0")).unwrap().count(), 1);
        system.write("0/file", b"new", WrittenTo::Nothing, true).unwrap();
        system.write("0/file", b"er", WrittenTo::End, false).unwrap();
        assert_eq!(fs::read(own.join("0/file")).unwrap(), b"newer");
    }

    #[test]
    fn nothing_below_a_link_is_entered_or_made() {
        let folder = tempfile::tempdir().unwrap();
        let (own, theirs) = (folder.path().join("own"), folder.path().join("theirs"));
        fs::create_dir_all(theirs.join("job0")).unwrap();
        fs::create_dir(&own).unwrap();
        symlink(&theirs, own.join("tree")).unwrap();
        let mut system = System::open(&own).unwrap();
        assert!(system.enter("tree/job0").is_err() && system.enter("tree").is_err());
        assert!(system.make_folder("tree/job1").is_err() && !theirs.join("job1").exists());
        system.make_folder("own").unwrap();
        system.make_folder("own/job0").unwrap();
        system.enter("own/job0").unwrap();
        symlink(&theirs, folder.path().join("link")).unwrap();
        assert!(System::open(&folder.path().join("link")).is_err(), "the run's own folder");
        assert!(System::open(&folder.path().join("link/job0")).is_ok(), "where the user's link leads");
    }
}
