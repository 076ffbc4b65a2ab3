//! A file system of a cluster, mounted within this program by libcephfs.

use crate::connect::c_text;
use crate::error::CephError;
use crate::libcephfs::{BASIC_STATS, Directory, Libcephfs, Mount, Statx};
use crate::rados::Rados;
use libc::{O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR, O_WRONLY, c_int};
use std::ffi::{CStr, CString};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// How long mounting may take.
const MOUNT: Duration = Duration::from_secs(20);
/// How long unmounting may take before it is left to itself: it speaks with daemons, which may be gone.
const UNMOUNT: Duration = Duration::from_secs(3);

/// The library's cache of data is off: a write has ended when the OSDs have it, and a read comes from them.
const OPTIONS: [(&CStr, &CStr); 1] = [(c"client_oc", c"false")];

/// Unmounted when it is dropped. Calls block, of any number of threads at once.
pub struct FileSystem {
    mounted: Option<Mounted>,
}

struct Mounted {
    fns: &'static Libcephfs,
    raw: Mount,
    /// Its connection's configuration and keys.
    rados: Arc<Rados>,
}

// SAFETY: libcephfs.h: a mount may be used by any thread, by several at once.
unsafe impl Send for Mounted {}
// SAFETY: as above.
unsafe impl Sync for Mounted {}

impl Mounted {
    /// The library's results are negative error numbers.
    fn check(&self, code: c_int, what: impl FnOnce() -> String) -> Result<c_int, CephError> {
        if code >= 0 { Ok(code) } else { Err(CephError::from_code(what(), self.rados.entity(), code, "")) }
    }

    /// Told of each name in an open folder, which is closed then.
    fn each_name(&self, open: Directory, path: &str, mut tell: impl FnMut(&CStr, Kind)) -> Result<(), CephError> {
        // SAFETY: plain numbers and characters, all of which may be zero.
        let mut entry: libc::dirent = unsafe { std::mem::zeroed() };
        let end = loop {
            // SAFETY: the folder is open; the entry is filled where 1 is returned, its name ends with a zero.
            match unsafe { (self.fns.ceph_readdir_r)(self.raw, open, &mut entry) } {
                1 => {
                    // SAFETY: as above.
                    let name = unsafe { CStr::from_ptr(entry.d_name.as_ptr()) };
                    if ![c".", c".."].contains(&name) {
                        tell(name, Kind::of(entry.d_type));
                    }
                }
                code => break self.check(code, || format!("list {path}")).map(drop),
            }
        };
        // SAFETY: it is open and used no more.
        unsafe { (self.fns.ceph_closedir)(self.raw, open) };
        end
    }

    fn mount(fns: &'static Libcephfs, rados: &Arc<Rados>, name: &str, root: &str) -> Result<Mounted, CephError> {
        let mut raw: Mount = std::ptr::null_mut();
        // SAFETY: the cluster's handle is valid; `raw` is filled on success.
        let code = unsafe { (fns.ceph_create_from_rados)(&mut raw, rados.cluster().raw) };
        rados.check(code, || format!("prepare to mount file system {name}"))?;
        let mounted = Mounted { fns, raw, rados: rados.clone() };
        let (c_name, c_root) = (c_text(name)?, c_text(root)?);
        // SAFETY: the mount is valid and not mounted yet, and the texts live through the calls.
        unsafe {
            for (option, value) in OPTIONS {
                (fns.ceph_conf_set)(raw, option.as_ptr(), value.as_ptr());
            }
            (fns.ceph_set_mount_timeout)(raw, MOUNT.as_secs() as u32);
            mounted.check((fns.ceph_select_filesystem)(raw, c_name.as_ptr()), || format!("file system {name}"))?;
            let code = (fns.ceph_mount)(raw, c_root.as_ptr());
            mounted.check(code, || format!("mount file system {name}"))?;
        }
        Ok(mounted)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // SAFETY: nobody uses it any more; what is not mounted says so, and is released all the same.
        unsafe {
            (self.fns.ceph_unmount)(self.raw);
            (self.fns.ceph_release)(self.raw);
        }
    }
}

impl Drop for FileSystem {
    fn drop(&mut self) {
        let Some(mounted) = self.mounted.take() else { return };
        let (done, is_done) = mpsc::sync_channel::<()>(1);
        let unmount = move || {
            drop(mounted);
            drop(done);
        };
        // If no thread can be had, it stays mounted until the program ends.
        if std::thread::Builder::new().name("ceph-unmount".into()).spawn(unmount).is_ok() {
            // Ends with an error when `done` is dropped: that is the signal.
            let _unmounted_or_late = is_done.recv_timeout(UNMOUNT);
        }
    }
}

/// Longer than any name of a pool.
const POOL_NAME_MOST: usize = 1024;

impl FileSystem {
    /// # Errors
    /// The library is missing, there is no such file system, this user has no right to it, or no metadata server answers in time.
    pub fn mount(rados: &Arc<Rados>, name: &str) -> Result<FileSystem, CephError> {
        FileSystem::mount_in(rados, name, "/")
    }

    /// The same, with this folder of it as its root.
    ///
    /// # Errors
    /// As [`FileSystem::mount`]; or there is no such folder.
    pub fn mount_in(rados: &Arc<Rados>, name: &str, root: &str) -> Result<FileSystem, CephError> {
        let fns = Libcephfs::get()?;
        let (answer, answers) = mpsc::sync_channel(1);
        let (rados, own, root) = (rados.clone(), name.to_owned(), root.to_owned());
        let mount = move || drop(answer.send(Mounted::mount(fns, &rados, &own, &root)));
        let spawned = std::thread::Builder::new().name("ceph-mount".into()).spawn(mount);
        spawned.map_err(|error| CephError::Errno {
            what: "start a thread to mount".into(),
            errno: error.raw_os_error().unwrap_or(libc::EAGAIN),
        })?;
        let late = || CephError::TimedOut { what: format!("mount file system {name}"), status: String::new() };
        let mounted = answers.recv_timeout(MOUNT + UNMOUNT).map_err(|_| late())??;
        Ok(FileSystem { mounted: Some(mounted) })
    }

    fn with<T>(
        &self,
        path: &str,
        call: impl FnOnce(&Mounted, &CString) -> Result<T, CephError>,
    ) -> Result<T, CephError> {
        let path = c_text(path)?;
        match &self.mounted {
            Some(mounted) => call(mounted, &path),
            None => Err(CephError::Errno { what: "use a file system".into(), errno: libc::ENOTCONN }),
        }
    }

    pub fn make_folder(&self, path: &str) -> Result<(), CephError> {
        self.with(path, |on, c_path| {
            // SAFETY: mounted, and the path lives through the call.
            let code = unsafe { (on.fns.ceph_mkdir)(on.raw, c_path.as_ptr(), 0o700) };
            on.check(code, || format!("make folder {path}")).map(drop)
        })
    }

    /// Where new files in this folder have their bytes, if that is said of this very folder; of a file system's root it is.
    pub fn data_pool(&self, path: &str) -> Result<String, CephError> {
        self.with(path, |on, c_path| {
            let (name, mut value) = (c"ceph.dir.layout.pool".as_ptr(), [0u8; POOL_NAME_MOST]);
            let into = value.as_mut_ptr().cast();
            // SAFETY: mounted, the texts live through the call, which fills no more bytes of the value than there are.
            let code = unsafe { (on.fns.ceph_getxattr)(on.raw, c_path.as_ptr(), name, into, value.len()) };
            let length = on.check(code, || format!("ask in which pool the data of {path} are"))?;
            let told = value.get(..length as usize).unwrap_or_default();
            Ok(String::from_utf8_lossy(told).into_owned())
        })
    }

    /// New files in this folder have their bytes in this data pool of the file system. Needs a right of its own (`p`).
    pub fn set_data_pool(&self, path: &str, pool: &str) -> Result<(), CephError> {
        self.with(path, |on, c_path| {
            let (name, value) = (c"ceph.dir.layout.pool".as_ptr(), pool.as_ptr().cast());
            // SAFETY: mounted, and the texts live through the call, which reads as many bytes of the value as it has.
            let code = unsafe { (on.fns.ceph_setxattr)(on.raw, c_path.as_ptr(), name, value, pool.len(), 0) };
            on.check(code, || format!("keep the data of {path} in pool {pool}")).map(drop)
        })
    }

    pub fn remove_folder(&self, path: &str) -> Result<(), CephError> {
        self.with(path, |on, c_path| {
            // SAFETY: as above.
            let code = unsafe { (on.fns.ceph_rmdir)(on.raw, c_path.as_ptr()) };
            on.check(code, || format!("remove folder {path}")).map(drop)
        })
    }

    pub fn remove(&self, path: &str) -> Result<(), CephError> {
        self.with(path, |on, c_path| {
            // SAFETY: as above.
            let code = unsafe { (on.fns.ceph_unlink)(on.raw, c_path.as_ptr()) };
            on.check(code, || format!("delete {path}")).map(drop)
        })
    }

    pub fn rename(&self, from: &str, to: &str) -> Result<(), CephError> {
        let c_to = c_text(to)?;
        self.with(from, |on, c_from| {
            // SAFETY: mounted, and both paths live through the call.
            let code = unsafe { (on.fns.ceph_rename)(on.raw, c_from.as_ptr(), c_to.as_ptr()) };
            on.check(code, || format!("rename {from}")).map(drop)
        })
    }

    /// How large it is, as far as this client knows.
    pub fn size(&self, path: &str) -> Result<u64, CephError> {
        self.with(path, |on, c_path| {
            // SAFETY: plain numbers, all of which may be zero.
            let mut told: Statx = unsafe { std::mem::zeroed() };
            let nofollow = libc::AT_SYMLINK_NOFOLLOW as libc::c_uint;
            // SAFETY: mounted, the path lives through the call, which fills what is told.
            let code = unsafe { (on.fns.ceph_statx)(on.raw, c_path.as_ptr(), &mut told, BASIC_STATS, nofollow) };
            on.check(code, || format!("stat {path}")).map(|_| told.size)
        })
    }

    /// Told of each name in a folder, without `.` and `..`, and what it is.
    pub fn each_name(&self, path: &str, tell: impl FnMut(&CStr, Kind)) -> Result<(), CephError> {
        self.with(path, |on, c_path| {
            let mut open: Directory = std::ptr::null_mut();
            // SAFETY: mounted, the path lives through the call, `open` is filled on success.
            let code = unsafe { (on.fns.ceph_opendir)(on.raw, c_path.as_ptr(), &mut open) };
            on.check(code, || format!("list {path}"))?;
            on.each_name(open, path, tell)
        })
    }

    /// A folder by itself, whatever has its name later; what is a link is none.
    pub fn folder(self: &Arc<Self>, path: &str) -> Result<Folder, CephError> {
        self.open_with(path, O_RDONLY | O_DIRECTORY).map(|file| Folder { file })
    }

    /// Opened, read as far as `into` reaches, closed. How much that was.
    pub fn read(self: &Arc<Self>, path: &str, into: &mut [u8]) -> Result<usize, CephError> {
        let file = self.open_with(path, O_RDONLY)?;
        let mut done = 0;
        while done < into.len() {
            match file.read_at(&mut into[done..], done as u64)? {
                0 => break,
                read => done += read,
            }
        }
        Ok(done)
    }

    /// For reading and writing; made if it is not there.
    pub fn open(self: &Arc<Self>, path: &str) -> Result<File, CephError> {
        self.open_with(path, O_RDWR | O_CREAT)
    }

    fn open_with(self: &Arc<Self>, path: &str, flags: c_int) -> Result<File, CephError> {
        self.with(path, |on, c_path| {
            // SAFETY: mounted, and the path lives through the call.
            let code = unsafe { (on.fns.ceph_open)(on.raw, c_path.as_ptr(), flags | O_NOFOLLOW, 0o600) };
            on.check(code, || format!("open {path}"))
        })
        .map(|open| File { on: self.clone(), open })
    }
}

/// What a name in a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    /// A link, a pipe, and the like.
    Other,
}

impl Kind {
    fn of(d_type: u8) -> Kind {
        match d_type {
            libc::DT_REG => Kind::File,
            libc::DT_DIR => Kind::Folder,
            _ => Kind::Other,
        }
    }
}

/// An open folder, not followed through links; closed when it is dropped.
pub struct Folder {
    file: File,
}

impl Folder {
    /// Names in it, without `.` and `..`, and what each is. Not by several threads of one mount at once: who closes what a listing has opened
    /// differs by release.
    pub fn names(&self) -> Result<Vec<(CString, Kind)>, CephError> {
        // Opened once more: since 18.2 the end of a listing closes what was listed, before that (16.2) it does not.
        let listed = self.folder(c".")?;
        listed.file.on.with("", |on, _| {
            let mut open: Directory = std::ptr::null_mut();
            // SAFETY: mounted, the folder is open, `open` is filled on success.
            let code = unsafe { (on.fns.ceph_fdopendir)(on.raw, listed.file.open, &mut open) };
            on.check(code, || "list a folder".to_owned())?;
            let mut names = Vec::new();
            on.each_name(open, "a folder", |name, kind| names.push((name.to_owned(), kind)))?;
            Ok(names)
        })
    }

    /// A folder in it; what is a link is none.
    pub fn folder(&self, name: &CStr) -> Result<Folder, CephError> {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
        let what = || format!("open {}", name.to_string_lossy());
        let open = self.file.on.with("", |on, _| {
            // SAFETY: mounted, the folder is open, and the name lives through the call.
            on.check(unsafe { (on.fns.ceph_openat)(on.raw, self.file.open, name.as_ptr(), flags, 0) }, what)
        })?;
        Ok(Folder { file: File { on: self.file.on.clone(), open } })
    }

    pub fn make_folder(&self, name: &CStr) -> Result<(), CephError> {
        self.file.on.with("", |on, _| {
            // SAFETY: mounted, the folder is open, and the name lives through the call.
            let code = unsafe { (on.fns.ceph_mkdirat)(on.raw, self.file.open, name.as_ptr(), 0o700) };
            on.check(code, || format!("make folder {}", name.to_string_lossy())).map(drop)
        })
    }

    /// A file in it, for reading and writing; made if it is not there.
    pub fn open(&self, name: &CStr) -> Result<File, CephError> {
        self.file_of(name, O_RDWR | O_CREAT)
    }

    /// A file that was not there, written and closed. `durable`: synced before it is closed.
    pub fn create(&self, name: &CStr, content: &[u8], durable: bool) -> Result<(), CephError> {
        self.file_of(name, O_WRONLY | O_CREAT | O_EXCL)?.written_and_closed(content, false, durable)
    }

    /// Opens a file in it, writes to its end, or instead of all that it holds, and closes it; synced before, if it is to be durable.
    ///
    /// # Errors
    /// Also: what is there is no file, or has another name as well.
    pub fn write(&self, name: &CStr, content: &[u8], at_end: bool, durable: bool) -> Result<(), CephError> {
        let file = self.file_of(name, O_WRONLY | if at_end { O_APPEND } else { 0 })?;
        file.only_name()?;
        if !at_end {
            file.emptied()?;
        }
        file.written_and_closed(content, at_end, durable)
    }

    /// What is a link is none.
    fn file_of(&self, name: &CStr, flags: c_int) -> Result<File, CephError> {
        let what = || format!("open {}", name.to_string_lossy());
        let open = self.file.on.with("", |on, _| {
            let flags = flags | O_NOFOLLOW;
            // SAFETY: mounted, the folder is open, and the name lives through the call.
            on.check(unsafe { (on.fns.ceph_openat)(on.raw, self.file.open, name.as_ptr(), flags, 0o600) }, what)
        })?;
        Ok(File { on: self.file.on.clone(), open })
    }

    /// Removes a file, or an empty folder, in it.
    pub fn remove(&self, name: &CStr, folder: bool) -> Result<(), CephError> {
        let flags = if folder { libc::AT_REMOVEDIR } else { 0 };
        self.file.on.with("", |on, _| {
            // SAFETY: mounted, the folder is open, and the name lives through the call.
            let code = unsafe { (on.fns.ceph_unlinkat)(on.raw, self.file.open, name.as_ptr(), flags) };
            on.check(code, || format!("delete {}", name.to_string_lossy())).map(drop)
        })
    }
}

/// An open file; closed when it is dropped.
pub struct File {
    on: Arc<FileSystem>,
    open: c_int,
}

impl File {
    fn call(&self, what: &str, call: impl FnOnce(&Mounted) -> c_int) -> Result<usize, CephError> {
        self.on.with("", |on, _| on.check(call(on), || what.to_owned()).map(|done| done as usize))
    }

    /// How many bytes were read.
    pub fn read_at(&self, into: &mut [u8], offset: u64) -> Result<usize, CephError> {
        let (at, bytes) = (into.as_mut_ptr().cast(), into.len() as i64);
        // SAFETY: the file is open, and `into` is that long.
        self.call("read", |on| unsafe { (on.fns.ceph_read)(on.raw, self.open, at, bytes, offset as i64) })
    }

    /// How many bytes were written.
    pub fn write_at(&self, from: &[u8], offset: u64) -> Result<usize, CephError> {
        self.written(from, offset as i64)
    }

    /// A negative offset: where the file is at, which is its end if it was opened to be appended to.
    fn written(&self, from: &[u8], offset: i64) -> Result<usize, CephError> {
        let (at, bytes) = (from.as_ptr().cast(), from.len() as i64);
        // SAFETY: the file is open, and `from` is that long.
        self.call("write", |on| unsafe { (on.fns.ceph_write)(on.raw, self.open, at, bytes, offset) })
    }

    /// # Errors
    /// It is no file, or has another name as well: then it may be somebody else's.
    fn only_name(&self) -> Result<(), CephError> {
        // SAFETY: plain numbers, all of which may be zero.
        let mut told: Statx = unsafe { std::mem::zeroed() };
        // SAFETY: the file is open, and the call fills what is told.
        self.call("stat", |on| unsafe { (on.fns.ceph_fstatx)(on.raw, self.open, &mut told, BASIC_STATS, 0) })?;
        let regular = u32::from(told.mode) & libc::S_IFMT == libc::S_IFREG;
        if regular && told.nlink == 1 {
            return Ok(());
        }
        self.call("write to what is no file of its own", |_| -libc::EMLINK).map(drop)
    }

    fn emptied(&self) -> Result<(), CephError> {
        // SAFETY: the file is open.
        self.call("truncate", |on| unsafe { (on.fns.ceph_ftruncate)(on.raw, self.open, 0) }).map(drop)
    }

    fn written_and_closed(self, content: &[u8], at_end: bool, durable: bool) -> Result<(), CephError> {
        let mut done = 0;
        while done < content.len() {
            done += self.written(&content[done..], if at_end { -1 } else { done as i64 })?;
        }
        if durable {
            self.sync(false)?;
        }
        self.close()
    }

    /// What could not be written until now is told here at last.
    pub fn close(self) -> Result<(), CephError> {
        let file = std::mem::ManuallyDrop::new(self);
        // SAFETY: the file is open and used no more.
        let closed = file.call("close", |on| unsafe { (on.fns.ceph_close)(on.raw, file.open) }).map(drop);
        // SAFETY: taken once, and what held it is never dropped.
        drop(unsafe { std::ptr::read(&file.on) });
        closed
    }

    /// `data`: without what is known of the file.
    pub fn sync(&self, data: bool) -> Result<(), CephError> {
        // SAFETY: the file is open.
        self.call("sync", |on| unsafe { (on.fns.ceph_fsync)(on.raw, self.open, data.into()) }).map(drop)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the file is open and used no more.
        let _ = self.call("close", |on| unsafe { (on.fns.ceph_close)(on.raw, self.open) });
    }
}
