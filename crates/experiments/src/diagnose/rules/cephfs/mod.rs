//! File systems: their pools, their metadata servers.

pub mod fs_async_dirops_off;
pub mod fs_cache_oversized;
pub mod fs_caps_held;
pub mod fs_caps_many;
pub mod fs_caps_recall;
pub mod fs_data_pool_first;
pub mod fs_default_balancer;
pub mod fs_fuse_serial;
pub mod fs_mds_cache;
pub mod fs_mds_cache_full;
pub mod fs_mds_cpu;
pub mod fs_mds_slow;
pub mod fs_mds_trim;
pub mod fs_meta_on_hdd;
pub mod fs_mount_opts;
pub mod fs_nfs_depth;
pub mod fs_no_standby;
pub mod fs_rename_stall;
