//! What slows OSDs and their object stores.

pub mod compaction_dips;
pub mod osd_slow;
