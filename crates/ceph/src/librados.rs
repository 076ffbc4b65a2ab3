//! The functions of librados that are used.

use crate::library::functions;
use libc::{c_char, c_int, c_void, time_t};

pub type Handle = *mut c_void;
pub type Text = *const c_char;
/// Called by a thread of the library with the completion and our argument.
pub type Callback = unsafe extern "C" fn(Handle, *mut c_void);

functions! {
    Librados of "librados.so.2" in "librados2" {
        fn rados_version(*mut c_int, *mut c_int, *mut c_int);
        fn rados_create2(*mut Handle, Text, Text, u64) -> c_int;
        fn rados_conf_read_file(Handle, Text) -> c_int;
        fn rados_conf_parse_env(Handle, Text) -> c_int;
        fn rados_conf_set(Handle, Text, Text) -> c_int;
        fn rados_conf_get(Handle, Text, *mut c_char, usize) -> c_int;
        fn rados_connect(Handle) -> c_int;
        fn rados_shutdown(Handle);
        fn rados_cluster_fsid(Handle, *mut c_char, usize) -> c_int;
        fn rados_wait_for_latest_osdmap(Handle) -> c_int;
        fn rados_mon_command(Handle, *mut Text, usize, Text, usize, *mut *mut c_char, *mut usize, *mut *mut c_char, *mut usize) -> c_int;
        fn rados_mon_command_target(Handle, Text, *mut Text, usize, Text, usize, *mut *mut c_char, *mut usize, *mut *mut c_char, *mut usize) -> c_int;
        fn rados_mgr_command(Handle, *mut Text, usize, Text, usize, *mut *mut c_char, *mut usize, *mut *mut c_char, *mut usize) -> c_int;
        fn rados_osd_command(Handle, c_int, *mut Text, usize, Text, usize, *mut *mut c_char, *mut usize, *mut *mut c_char, *mut usize) -> c_int;
        fn rados_buffer_free(*mut c_char);
        fn rados_pool_list(Handle, *mut c_char, usize) -> c_int;
        fn rados_pool_lookup(Handle, Text) -> i64;
        fn rados_ioctx_create(Handle, Text, *mut Handle) -> c_int;
        fn rados_ioctx_destroy(Handle);
        fn rados_set_osdmap_full_try(Handle);
        fn rados_ioctx_set_namespace(Handle, Text);
        fn rados_exec(Handle, Text, Text, Text, Text, usize, *mut c_char, usize) -> c_int;
        fn rados_nobjects_list_open(Handle, *mut Handle) -> c_int;
        fn rados_nobjects_list_next(Handle, *mut Text, *mut Text, *mut Text) -> c_int;
        fn rados_nobjects_list_close(Handle);
        fn rados_write(Handle, Text, Text, usize, u64) -> c_int;
        fn rados_read(Handle, Text, *mut c_char, usize, u64) -> c_int;
        fn rados_remove(Handle, Text) -> c_int;
        fn rados_stat(Handle, Text, *mut u64, *mut time_t) -> c_int;
        fn rados_aio_create_completion2(*mut c_void, Option<Callback>, *mut Handle) -> c_int;
        fn rados_aio_wait_for_complete(Handle) -> c_int;
        fn rados_aio_is_complete(Handle) -> c_int;
        fn rados_aio_get_return_value(Handle) -> c_int;
        fn rados_aio_release(Handle);
        fn rados_aio_write(Handle, Text, Handle, Text, usize, u64) -> c_int;
        fn rados_aio_read(Handle, Text, Handle, *mut c_char, usize, u64) -> c_int;
        fn rados_aio_cancel(Handle, Handle) -> c_int;
    }
}
