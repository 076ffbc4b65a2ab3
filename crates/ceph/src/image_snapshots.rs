//! Snapshots of an image, and its independence of a parent.

use crate::connect::c_text;
use crate::error::CephError;
use crate::image::{Image, check};
use crate::librados::{Handle, Text};
use libc::{c_int, c_void};

impl Image {
    /// Takes a snapshot of this name.
    ///
    /// # Errors
    /// The image was opened for reading, or has one of that name.
    pub fn snapshot(&self, name: &str) -> Result<(), CephError> {
        self.ask(self.handle().fns.rbd_snap_create, "take a snapshot of", name)
    }

    /// Removes the snapshot, which must not be protected. One that still has clones of the second format goes when these do.
    ///
    /// # Errors
    /// It is protected, or the image was opened for reading.
    pub fn remove_snapshot(&self, name: &str) -> Result<(), CephError> {
        self.ask(self.handle().fns.rbd_snap_remove, "remove a snapshot of", name)
    }

    /// Copies what still comes from the parent, so that the image has none any more. `go_on`: told how much of it is done, says whether it
    /// goes on.
    ///
    /// # Errors
    /// It has no parent, was opened for reading, or `go_on` said no.
    pub fn flatten(&self, mut go_on: impl FnMut(f64) -> bool) -> Result<(), CephError> {
        let handle = self.handle();
        let mut asked: &mut dyn FnMut(f64) -> bool = &mut go_on;
        let pointer = std::ptr::from_mut(&mut asked).cast();
        // SAFETY: the image is open; the callback gets the pointer to `asked`, which lives through the call, and is called by one thread at a
        // time while this one waits.
        let code = unsafe { (handle.fns.rbd_flatten_with_progress)(handle.raw, flattening, pointer) };
        check(&handle.context, code, "flatten", &handle.name)
    }

    fn ask(
        &self,
        function: unsafe extern "C" fn(Handle, Text) -> c_int,
        verb: &str,
        snapshot: &str,
    ) -> Result<(), CephError> {
        let (handle, name) = (self.handle(), c_text(snapshot)?);
        // SAFETY: the image is open and the name lives through the call.
        let code = unsafe { function(handle.raw, name.as_ptr()) };
        check(&handle.context, code, &format!("{verb} ({snapshot})"), &handle.name)
    }
}

/// # Safety
/// `pointer` is that of a `&mut dyn FnMut(f64) -> bool` which nobody else uses meanwhile.
unsafe extern "C" fn flattening(done: u64, all: u64, pointer: *mut c_void) -> c_int {
    // SAFETY: as above.
    let go_on = unsafe { &mut *pointer.cast::<&mut dyn FnMut(f64) -> bool>() };
    if go_on(done as f64 / all.max(1) as f64) { 0 } else { -libc::ECANCELED }
}
