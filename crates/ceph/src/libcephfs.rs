//! The functions of libcephfs that are used.

use crate::librados::{Handle, Text};
use crate::library::functions;
use libc::{c_char, c_int, c_uint, c_void, dev_t, dirent, mode_t, timespec};

/// A mounted file system, and an open folder of one; both belong to the library.
#[repr(C)]
pub struct MountInfo {
    _private: [u8; 0],
}

#[repr(C)]
pub struct DirResult {
    _private: [u8; 0],
}

pub type Mount = *mut MountInfo;
pub type Directory = *mut DirResult;

/// What is known of a file.
#[repr(C)]
pub struct Statx {
    pub mask: u32,
    pub blksize: u32,
    pub nlink: u32,
    pub uid: u32,
    pub gid: u32,
    pub mode: u16,
    pub ino: u64,
    pub size: u64,
    pub blocks: u64,
    pub dev: dev_t,
    pub rdev: dev_t,
    pub atime: timespec,
    pub ctime: timespec,
    pub mtime: timespec,
    pub btime: timespec,
    pub version: u64,
}

/// Wanted of [`Statx`]: all that a file has (CEPH_STATX_BASIC_STATS).
pub const BASIC_STATS: c_uint = 0x7ff;

functions! {
    Libcephfs of "libcephfs.so.2" in "libcephfs2" {
        fn ceph_create_from_rados(*mut Mount, Handle) -> c_int;
        fn ceph_init(Mount) -> c_int;
        fn ceph_mds_command(Mount, Text, *mut Text, usize, Text, usize, *mut *mut c_char, *mut usize, *mut *mut c_char, *mut usize) -> c_int;
        fn ceph_buffer_free(*mut c_char);
        fn ceph_conf_set(Mount, Text, Text) -> c_int;
        fn ceph_set_mount_timeout(Mount, u32) -> c_int;
        fn ceph_select_filesystem(Mount, Text) -> c_int;
        fn ceph_mount(Mount, Text) -> c_int;
        fn ceph_unmount(Mount) -> c_int;
        fn ceph_release(Mount) -> c_int;
        fn ceph_mkdir(Mount, Text, mode_t) -> c_int;
        fn ceph_rmdir(Mount, Text) -> c_int;
        fn ceph_getxattr(Mount, Text, Text, *mut c_void, usize) -> c_int;
        fn ceph_setxattr(Mount, Text, Text, *const c_void, usize, c_int) -> c_int;
        fn ceph_unlink(Mount, Text) -> c_int;
        fn ceph_rename(Mount, Text, Text) -> c_int;
        fn ceph_statx(Mount, Text, *mut Statx, c_uint, c_uint) -> c_int;
        fn ceph_open(Mount, Text, c_int, mode_t) -> c_int;
        fn ceph_close(Mount, c_int) -> c_int;
        fn ceph_read(Mount, c_int, *mut c_char, i64, i64) -> c_int;
        fn ceph_write(Mount, c_int, Text, i64, i64) -> c_int;
        fn ceph_fsync(Mount, c_int, c_int) -> c_int;
        fn ceph_fstatx(Mount, c_int, *mut Statx, c_uint, c_uint) -> c_int;
        fn ceph_ftruncate(Mount, c_int, i64) -> c_int;
        fn ceph_openat(Mount, c_int, Text, c_int, mode_t) -> c_int;
        fn ceph_mkdirat(Mount, c_int, Text, mode_t) -> c_int;
        fn ceph_unlinkat(Mount, c_int, Text, c_int) -> c_int;
        fn ceph_fdopendir(Mount, c_int, *mut Directory) -> c_int;
        fn ceph_opendir(Mount, Text, *mut Directory) -> c_int;
        fn ceph_readdir_r(Mount, Directory, *mut dirent) -> c_int;
        fn ceph_closedir(Mount, Directory) -> c_int;
    }
}
