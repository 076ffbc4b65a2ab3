//! Images of a pool: made, listed, opened, removed.

use crate::connect::c_text;
use crate::error::CephError;
use crate::image_io::ImageIo;
use crate::librados::Handle;
use crate::librbd::{ImageInfo, ImageSpec, Librbd};
use crate::pool::{IoContext, Pool};
use std::ffi::{CStr, c_int};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// How long closing an image may take before it is left to itself: it speaks with OSDs, which may be gone.
const CLOSE: Duration = Duration::from_secs(3);

/// How long opening an image may take.
const OPEN: Duration = Duration::from_secs(30);

/// librbd's cache in this program's memory. With it, a write is done before any OSD has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    Off,
    On,
}

/// What an image is opened for. Reading alone leaves nothing in it, no lock and no watch, and needs no right to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenFor {
    Reading,
    Writing,
}

/// An open image of librbd; closed when the last of its holders is gone.
pub(crate) struct ImageHandle {
    pub fns: &'static Librbd,
    pub raw: Handle,
    pub context: Arc<IoContext>,
    pub name: String,
}

// SAFETY: librbd's images may be used by any thread, by several at once.
unsafe impl Send for ImageHandle {}
// SAFETY: as above.
unsafe impl Sync for ImageHandle {}

/// What is left of an image while it is closed.
struct Closing {
    fns: &'static Librbd,
    raw: Handle,
    context: Arc<IoContext>,
}

// SAFETY: as for `ImageHandle`.
unsafe impl Send for Closing {}

impl Closing {
    fn close(self) {
        // SAFETY: the image is open and nobody uses it any more.
        unsafe { (self.fns.rbd_close)(self.raw) };
        drop(self.context);
    }
}

impl Drop for ImageHandle {
    fn drop(&mut self) {
        let closing = Closing { fns: self.fns, raw: self.raw, context: self.context.clone() };
        let (done, is_done) = mpsc::sync_channel::<()>(1);
        let close = move || {
            closing.close();
            drop(done);
        };
        // If no thread can be had, the image stays open until the program ends.
        if std::thread::Builder::new().name("ceph-close".into()).spawn(close).is_ok() {
            // Ends with an error when `done` is dropped: that is the signal.
            let _closed_or_late = is_done.recv_timeout(CLOSE);
        }
    }
}

/// An open image. Clones are the same handle.
#[derive(Clone)]
pub struct Image {
    handle: Arc<ImageHandle>,
}

impl Image {
    pub fn name(&self) -> &str {
        &self.handle.name
    }

    /// The pool's name.
    pub fn pool(&self) -> &str {
        &self.handle.context.name
    }

    /// The user that is connected: `client.admin`.
    pub fn user(&self) -> &str {
        self.handle.context.rados.entity()
    }

    pub(crate) fn handle(&self) -> &Arc<ImageHandle> {
        &self.handle
    }

    /// Size in bytes.
    pub fn size(&self) -> Result<u64, CephError> {
        let mut size = 0;
        // SAFETY: the image is open; one number is filled.
        let code = unsafe { (self.handle.fns.rbd_get_size)(self.handle.raw, &mut size) };
        check(&self.handle.context, code, "ask for the size of", &self.handle.name)?;
        Ok(size)
    }

    /// The pool in which its bytes lie.
    ///
    /// # Errors
    /// The image does not answer.
    pub fn data_pool_id(&self) -> Result<u64, CephError> {
        // SAFETY: the image is open.
        let id = unsafe { (self.handle.fns.rbd_get_data_pool_id)(self.handle.raw) };
        check(
            &self.handle.context,
            c_int::try_from(id.min(0)).unwrap_or(-libc::EIO),
            "ask for the data pool of",
            &self.handle.name,
        )?;
        Ok(id.unsigned_abs())
    }

    /// Bytes of the objects that hold its data, each of which holds that many in a row.
    ///
    /// # Errors
    /// The image does not answer, or its data are striped over several objects.
    pub fn object_size(&self) -> Result<u64, CephError> {
        let (handle, mut stripes) = (&self.handle, 0);
        // SAFETY: an image's description is plain numbers and characters, for which zeros are valid.
        let mut info: ImageInfo = unsafe { std::mem::zeroed() };
        // SAFETY: the image is open; the description is as long as it is said to be.
        let code = unsafe { (handle.fns.rbd_stat)(handle.raw, &mut info, size_of::<ImageInfo>()) };
        check(&handle.context, code, "ask for the objects of", &handle.name)?;
        // SAFETY: the image is open; one number is filled.
        let code = unsafe { (handle.fns.rbd_get_stripe_count)(handle.raw, &mut stripes) };
        check(&handle.context, code, "ask for the stripes of", &handle.name)?;
        match stripes {
            0 | 1 => Ok(info.object_size),
            _ => Err(CephError::Errno {
                what: format!("image {}/{} is striped over several objects", handle.context.name, handle.name),
                errno: libc::EOPNOTSUPP,
            }),
        }
    }

    /// An option of librbd for this image alone, whoever opens it from now on: stronger than pool and configuration.
    ///
    /// # Errors
    /// It was opened for reading, or there is no such option.
    pub fn set_option(&self, name: &str, value: &str) -> Result<(), CephError> {
        let (key, c_value) = (c_text(&format!("conf_{name}"))?, c_text(value)?);
        // SAFETY: the image is open; both texts live through the call.
        let code = unsafe { (self.handle.fns.rbd_metadata_set)(self.handle.raw, key.as_ptr(), c_value.as_ptr()) };
        check(&self.handle.context, code, &format!("set {name} of"), &self.handle.name)
    }

    /// What an option of librbd is set to for this image, or else for all of its pool: both are stronger than what a client has. `None`: for
    /// neither.
    ///
    /// # Errors
    /// The pool does not answer, or no right.
    pub fn set_to(&self, name: &str) -> Result<Option<String>, CephError> {
        let key = c_text(&format!("conf_{name}"))?;
        let (fns, context) = (self.handle.fns, &self.handle.context);
        let of_image = (fns.rbd_metadata_get, self.handle.raw);
        for (get, handle) in [of_image, (fns.rbd_pool_metadata_get, context.raw)] {
            let mut text = [0u8; 256];
            let mut length = text.len();
            // SAFETY: the handle is open; the key lives through the call, which writes no more than the length.
            let code = unsafe { get(handle, key.as_ptr(), text.as_mut_ptr().cast(), &mut length) };
            if code == -libc::ENOENT {
                continue;
            }
            check(context, code, &format!("ask for {name} of"), &self.handle.name)?;
            let text = text.get(..length).unwrap_or_default();
            return Ok(Some(String::from_utf8_lossy(text).trim_end_matches('\0').to_string()));
        }
        Ok(None)
    }

    /// Room for `slots` operations in flight at once, each with a buffer of `bytes`.
    ///
    /// # Errors
    /// The memory cannot be had.
    pub fn io(&self, slots: u32, bytes: usize) -> Result<ImageIo, CephError> {
        ImageIo::new(self, slots, bytes)
    }
}

/// `RBD_IMAGE_OPTION_DATA_POOL` of librbd.h.
const DATA_POOL: i32 = 10;
/// `RBD_IMAGE_OPTION_CLONE_FORMAT` of librbd.h.
const CLONE_FORMAT: i32 = 12;

/// What an image is made with, where it is not what the configuration says.
struct ImageOptions {
    fns: &'static Librbd,
    raw: Handle,
}

impl ImageOptions {
    fn new(fns: &'static Librbd) -> ImageOptions {
        let mut raw: Handle = std::ptr::null_mut();
        // SAFETY: `raw` is filled.
        unsafe { (fns.rbd_image_options_create)(&mut raw) };
        ImageOptions { fns, raw }
    }

    /// A negative number tells of an error.
    fn set_number(&self, option: i32, value: u64) -> i32 {
        // SAFETY: the options are valid.
        unsafe { (self.fns.rbd_image_options_set_uint64)(self.raw, option, value) }
    }

    /// A negative number tells of an error.
    fn set(&self, option: i32, value: &CStr) -> i32 {
        // SAFETY: the options are valid and the text lives through the call, which copies it.
        unsafe { (self.fns.rbd_image_options_set_string)(self.raw, option, value.as_ptr()) }
    }
}

impl Drop for ImageOptions {
    fn drop(&mut self) {
        // SAFETY: they are valid and used no more.
        unsafe { (self.fns.rbd_image_options_destroy)(self.raw) }
    }
}

pub(crate) fn check(context: &IoContext, code: i32, verb: &str, image: &str) -> Result<(), CephError> {
    context.rados.check(code, || format!("{verb} image {}/{image}", context.name))
}

impl Pool {
    /// Makes an image with the cluster's default features, and its data in `data_pool`, or in this pool: `rbd_default_data_pool` names one of
    /// others'.
    ///
    /// # Errors
    /// librbd is missing, the name is taken, or no right.
    pub fn create_image(&self, name: &str, bytes: u64, data_pool: Option<&str>) -> Result<(), CephError> {
        let (fns, c_name) = (Librbd::get()?, c_text(name)?);
        let options = ImageOptions::new(fns);
        let code = options.set(DATA_POOL, &c_text(data_pool.unwrap_or(self.name()))?);
        check(self.context(), code, "choose the data pool of", name)?;
        // SAFETY: the name and the options live through the call.
        let code = unsafe { (fns.rbd_create4)(self.context().raw, c_name.as_ptr(), bytes, options.raw) };
        check(self.context(), code, "make", name)
    }

    /// Makes a clone of an image of this pool as it was when the snapshot was taken, with its data as of a new image. It is of the second format
    /// (Mimic and newer), which needs no protected snapshot: letting go of one may wait for ever in librbd 16.2, which then asks the cluster
    /// from the very thread that would take the answer.
    ///
    /// # Errors
    /// librbd is missing, the name is taken, there is no such snapshot, or no right.
    pub fn clone_image(
        &self,
        (parent, snapshot): (&str, &str),
        name: &str,
        data_pool: Option<&str>,
    ) -> Result<(), CephError> {
        let (fns, c_name, raw) = (Librbd::get()?, c_text(name)?, self.context().raw);
        let (c_parent, c_snapshot) = (c_text(parent)?, c_text(snapshot)?);
        let options = ImageOptions::new(fns);
        let code = options.set(DATA_POOL, &c_text(data_pool.unwrap_or(self.name()))?);
        check(self.context(), code, "choose the data pool of", name)?;
        check(self.context(), options.set_number(CLONE_FORMAT, 2), "choose the format of", name)?;
        let texts = [&c_parent, &c_snapshot, &c_name].map(|text| text.as_ptr());
        // SAFETY: the texts and the options live through the call.
        let code = unsafe { (fns.rbd_clone3)(raw, texts[0], texts[1], raw, texts[2], options.raw) };
        check(self.context(), code, &format!("make a clone of {parent}@{snapshot} as"), name)
    }

    /// # Errors
    /// librbd is missing, there is no such image, or it is in use.
    pub fn remove_image(&self, name: &str) -> Result<(), CephError> {
        let (fns, c_name) = (Librbd::get()?, c_text(name)?);
        // SAFETY: the name lives through the call.
        let code = unsafe { (fns.rbd_remove)(self.context().raw, c_name.as_ptr()) };
        check(self.context(), code, "remove", name)
    }

    /// Removes an image from the pool's trash, to which removing it moves it where `rbd_move_to_trash_on_remove` is set. False: none of this
    /// id is there.
    ///
    /// # Errors
    /// librbd is missing, it has snapshots or is in use, or no right.
    pub fn remove_from_trash(&self, id: &str) -> Result<bool, CephError> {
        let (fns, c_id) = (Librbd::get()?, c_text(id)?);
        // SAFETY: the id lives through the call.
        match unsafe { (fns.rbd_trash_remove)(self.context().raw, c_id.as_ptr(), true) } {
            code if code == -libc::ENOENT => Ok(false),
            code => check(self.context(), code, "remove from the trash", id).map(|()| true),
        }
    }

    /// The names of all images.
    pub fn images(&self) -> Result<Vec<String>, CephError> {
        let fns = Librbd::get()?;
        let empty = ImageSpec { id: std::ptr::null_mut(), name: std::ptr::null_mut() };
        let mut specs = vec![empty; 64];
        loop {
            let mut count = specs.len();
            // SAFETY: at most `count` entries are filled; `count` becomes how many there are.
            let code = unsafe { (fns.rbd_list2)(self.context().raw, specs.as_mut_ptr(), &mut count) };
            if code == -libc::ERANGE {
                specs.resize(count.max(specs.len() * 2), empty);
                continue;
            }
            self.rados().check(code, || format!("list the images of pool {}", self.name()))?;
            // SAFETY: filled entries hold texts that end with zero.
            let name = |spec: &ImageSpec| unsafe { CStr::from_ptr(spec.name) }.to_string_lossy().into_owned();
            let names = specs[..count].iter().map(name).collect();
            // SAFETY: the entries were filled by the library and are given back once.
            unsafe { (fns.rbd_image_spec_list_cleanup)(specs.as_mut_ptr(), count) };
            return Ok(names);
        }
    }

    /// # Errors
    /// librbd is missing, there is no such image, no right, or its placement groups do not answer.
    pub fn open_image(&self, name: &str, open_for: OpenFor, cache: Cache) -> Result<Image, CephError> {
        let (fns, c_name) = (Librbd::get()?, c_text(name)?);
        // librbd reads the option when it opens an image.
        self.rados().cluster().set("rbd_cache", if cache == Cache::On { "true" } else { "false" })?;
        let what = || format!("open image {}/{name}", self.name());
        let (context, (answer, answers)) = (self.context().clone(), mpsc::sync_channel(1));
        let own_name = name.to_owned();
        let rbd_open = match open_for {
            OpenFor::Reading => fns.rbd_open_read_only,
            OpenFor::Writing => fns.rbd_open,
        };
        let open = move || {
            let mut raw: Handle = std::ptr::null_mut();
            // SAFETY: the name lives through the call; `raw` is filled on success; null stands for no snapshot.
            let code = unsafe { rbd_open(context.raw, c_name.as_ptr(), &mut raw, std::ptr::null()) };
            let handle = (code >= 0).then(|| ImageHandle { fns, raw, context, name: own_name });
            // If nobody waits any more, the image comes back with the error and is closed here.
            drop(answer.send((code, handle)));
        };
        // The library has no time limit of its own, and an OSD may be gone.
        let spawned = std::thread::Builder::new().name("ceph-open".into()).spawn(open);
        spawned
            .map_err(|error| CephError::Errno { what: what(), errno: error.raw_os_error().unwrap_or(libc::EAGAIN) })?;
        match answers.recv_timeout(OPEN) {
            Ok((_, Some(handle))) => Ok(Image { handle: Arc::new(handle) }),
            Ok((code, None)) => Err(CephError::from_code(what(), self.rados().entity(), code, "")),
            Err(_) => Err(CephError::TimedOut { what: what(), status: "its placement groups may be inactive".into() }),
        }
    }
}
