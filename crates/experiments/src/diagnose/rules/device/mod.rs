//! What slows disks, each by itself or together.

pub mod device_slow;
pub mod disks_share_a_ceiling;
