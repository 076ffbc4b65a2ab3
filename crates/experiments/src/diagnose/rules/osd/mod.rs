//! What slows OSDs and their object stores.

pub mod by_position;
pub mod compaction_dips;
pub mod osd_process_slow;
pub mod osd_slow;
pub mod osd_store_slow;
pub mod osd_way_slow;
