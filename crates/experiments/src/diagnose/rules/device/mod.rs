//! What slows disks, each by itself or together.

pub mod device_slow;
pub mod disk_cache_on_plp;
pub mod disk_db_on_hdd;
pub mod disk_firmware;
pub mod disk_hdd_cache_on;
pub mod disk_misaligned;
pub mod disk_outlier;
pub mod disk_pcie_link;
pub mod disk_qlc_iu;
pub mod disk_sata_speed;
pub mod disk_shared_with_os;
pub mod disk_smart_bad;
pub mod disk_smr;
pub mod disk_sysfs_lies;
pub mod disks_share_a_ceiling;
