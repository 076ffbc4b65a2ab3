//! What lies between disks and processors.

pub mod ctrl_raid_mode;
pub mod ctrl_trimode_nvme;
pub mod disk_queue_depth;
