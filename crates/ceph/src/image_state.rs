//! What an image is to its parent, its snapshots and other clients.

use crate::error::CephError;
use crate::image::{Image, check};
use crate::librbd::{ImageWatcher, SnapInfo};
use libc::timespec;
use std::ffi::CStr;

/// More snapshots or watchers than this are not counted.
const MOST: usize = 4096;

impl Image {
    /// Bytes that still come from the parent of which it is a clone; 0: it has none.
    ///
    /// # Errors
    /// The image does not answer.
    pub fn overlap(&self) -> Result<u64, CephError> {
        let (handle, mut bytes) = (self.handle(), 0);
        // SAFETY: the image is open; one number is filled.
        let code = unsafe { (handle.fns.rbd_get_overlap)(handle.raw, &mut bytes) };
        check(&handle.context, code, "ask for the parent of", &handle.name)?;
        Ok(bytes)
    }

    /// When each snapshot was taken, seconds since 1970.
    ///
    /// # Errors
    /// The image does not answer.
    pub fn snapshot_times(&self) -> Result<Vec<i64>, CephError> {
        self.of_snapshots(|info| self.taken(info.id))
    }

    /// # Errors
    /// The image does not answer.
    pub fn snapshots(&self) -> Result<Vec<String>, CephError> {
        // SAFETY: the library's texts end with zero, and live until the list is given back.
        self.of_snapshots(|info| Some(unsafe { CStr::from_ptr(info.name) }.to_string_lossy().into_owned()))
    }

    fn of_snapshots<T>(&self, of: impl Fn(&SnapInfo) -> Option<T>) -> Result<Vec<T>, CephError> {
        let handle = self.handle();
        let mut infos = vec![SnapInfo { id: 0, size: 0, name: std::ptr::null() }; 16];
        loop {
            let mut most = infos.len() as i32;
            // SAFETY: at most `most` entries are filled; `most` becomes how many there are.
            let code = unsafe { (handle.fns.rbd_snap_list)(handle.raw, infos.as_mut_ptr(), &mut most) };
            if code == -libc::ERANGE && infos.len() < MOST {
                infos.resize(infos.len() * 2, infos[0]);
                continue;
            }
            check(&handle.context, code, "list the snapshots of", &handle.name)?;
            let found = infos.iter().take(code as usize).filter_map(&of).collect();
            if code > 0 {
                // SAFETY: the entries were filled by the library, and are given back once.
                unsafe { (handle.fns.rbd_snap_list_end)(infos.as_mut_ptr()) };
            }
            return Ok(found);
        }
    }

    /// `None`: it is gone again.
    fn taken(&self, snapshot: u64) -> Option<i64> {
        let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the image is open; one time is filled.
        let code = unsafe { (self.handle().fns.rbd_snap_get_timestamp)(self.handle().raw, snapshot, &mut time) };
        (code >= 0).then_some(time.tv_sec)
    }

    /// How many clients have it open for writing.
    ///
    /// # Errors
    /// The image does not answer.
    pub fn writers(&self) -> Result<usize, CephError> {
        let handle = self.handle();
        let mut watchers = vec![ImageWatcher { address: std::ptr::null_mut(), id: 0, cookie: 0 }; 16];
        loop {
            let mut count = watchers.len();
            // SAFETY: at most `count` entries are filled; `count` becomes how many there are.
            let code = unsafe { (handle.fns.rbd_watchers_list)(handle.raw, watchers.as_mut_ptr(), &mut count) };
            if code == -libc::ERANGE && watchers.len() < MOST {
                watchers.resize(watchers.len() * 2, watchers[0]);
                continue;
            }
            check(&handle.context, code, "list who has open", &handle.name)?;
            // SAFETY: the entries were filled by the library, and are given back once.
            unsafe { (handle.fns.rbd_watchers_list_cleanup)(watchers.as_mut_ptr(), count) };
            return Ok(count);
        }
    }
}
