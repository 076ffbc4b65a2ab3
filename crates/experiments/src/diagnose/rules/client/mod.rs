//! What clients bring with them.

pub mod cl_journaling;
pub mod cl_objecter_throttle;
pub mod cl_old_release;
pub mod cl_rbd_cache_flash;
pub mod cl_rbd_qos;
pub mod cl_wt_until_flush;
pub mod folklore_debug_objecter;
pub mod rbd_clone;
pub mod rbd_other_writer;
pub mod rbd_snapshots_often;
pub mod vm_cache_mode;
pub mod vm_emulated_disk;
pub mod vm_iotune;
pub mod vm_no_iothread;
pub mod vm_steal;
pub mod vm_vcpu_small;
