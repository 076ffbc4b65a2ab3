//! The functions of librbd that are used.

use crate::librados::{Callback, Handle, Text};
use crate::library::functions;
use libc::{c_char, c_int, c_void, timespec};

/// `rbd_image_info_t`: what an image is made of. A parent's fields are no longer filled by the library.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ImageInfo {
    pub size: u64,
    pub object_size: u64,
    pub objects: u64,
    pub order: c_int,
    pub block_name_prefix: [c_char; 24],
    pub parent_pool: i64,
    pub parent_name: [c_char; 96],
}

/// `librbd_progress_fn_t`: how much of how much is done; what is not zero ends the work.
pub type ProgressCallback = unsafe extern "C" fn(u64, u64, *mut c_void) -> c_int;

/// An entry of a list of images; both texts belong to the library.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ImageSpec {
    pub id: *mut c_char,
    pub name: *mut c_char,
}

/// A snapshot; the text belongs to the library.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SnapInfo {
    pub id: u64,
    pub size: u64,
    pub name: Text,
}

/// Who watches an image, as all do that have it open for writing; the address belongs to the library.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ImageWatcher {
    pub address: *mut c_char,
    pub id: i64,
    pub cookie: u64,
}

functions! {
    Librbd of "librbd.so.1" in "librbd1" {
        fn rbd_image_options_create(*mut Handle);
        fn rbd_image_options_set_string(Handle, c_int, Text) -> c_int;
        fn rbd_image_options_set_uint64(Handle, c_int, u64) -> c_int;
        fn rbd_image_options_destroy(Handle);
        fn rbd_create4(Handle, Text, u64, Handle) -> c_int;
        fn rbd_remove(Handle, Text) -> c_int;
        fn rbd_trash_remove(Handle, Text, bool) -> c_int;
        fn rbd_list2(Handle, *mut ImageSpec, *mut usize) -> c_int;
        fn rbd_image_spec_list_cleanup(*mut ImageSpec, usize);
        fn rbd_open(Handle, Text, *mut Handle, Text) -> c_int;
        fn rbd_open_read_only(Handle, Text, *mut Handle, Text) -> c_int;
        fn rbd_close(Handle) -> c_int;
        fn rbd_get_data_pool_id(Handle) -> i64;
        fn rbd_get_size(Handle, *mut u64) -> c_int;
        fn rbd_stat(Handle, *mut ImageInfo, usize) -> c_int;
        fn rbd_get_stripe_count(Handle, *mut u64) -> c_int;
        fn rbd_get_overlap(Handle, *mut u64) -> c_int;
        fn rbd_snap_list(Handle, *mut SnapInfo, *mut c_int) -> c_int;
        fn rbd_snap_list_end(*mut SnapInfo);
        fn rbd_snap_get_timestamp(Handle, u64, *mut timespec) -> c_int;
        fn rbd_snap_create(Handle, Text) -> c_int;
        fn rbd_snap_remove(Handle, Text) -> c_int;
        fn rbd_clone3(Handle, Text, Text, Handle, Text, Handle) -> c_int;
        fn rbd_flatten_with_progress(Handle, ProgressCallback, *mut c_void) -> c_int;
        fn rbd_watchers_list(Handle, *mut ImageWatcher, *mut usize) -> c_int;
        fn rbd_watchers_list_cleanup(*mut ImageWatcher, usize);
        fn rbd_metadata_set(Handle, Text, Text) -> c_int;
        fn rbd_metadata_get(Handle, Text, *mut c_char, *mut usize) -> c_int;
        fn rbd_pool_metadata_get(Handle, Text, *mut c_char, *mut usize) -> c_int;
        fn rbd_aio_create_completion(*mut c_void, Option<Callback>, *mut Handle) -> c_int;
        fn rbd_aio_get_return_value(Handle) -> isize;
        fn rbd_aio_release(Handle);
        fn rbd_aio_write(Handle, u64, usize, Text, Handle) -> c_int;
        fn rbd_aio_flush(Handle, Handle) -> c_int;
        fn rbd_aio_read(Handle, u64, usize, *mut c_char, Handle) -> c_int;
    }
}
