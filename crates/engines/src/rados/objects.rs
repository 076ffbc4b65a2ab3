//! The working set of one lane: objects of one size, one after the other.

use model::workload::{MIB, OBJECT_MOST};
use model::{Access, Bytes, Workload};
use std::ffi::{CStr, CString};

/// Thousands of objects, so that every placement group gets its share: with fewer, a few OSDs get more than the others.
const OBJECTS_WANTED: Bytes = 4096;
const SMALLEST: Bytes = MIB / 16;
const LARGEST: Bytes = 4 * MIB;

/// Size of the objects of a workload's working set.
pub fn object_size(workload: &Workload) -> Bytes {
    let fitting = (workload.span / OBJECTS_WANTED).clamp(SMALLEST, LARGEST).next_power_of_two();
    workload.object.unwrap_or(fitting).max(workload.block)
}

/// How many objects one lane has. Lanes have objects of their own: two writers to one object wait for each other.
pub fn objects_per_lane(workload: &Workload) -> u64 {
    workload.lane_span().div_ceil(object_size(workload)).max(1)
}

/// Large blocks one after the other have objects that nothing else writes to: after random overwrites an object lies in pieces, and
/// is read several times slower.
pub fn family(workload: &Workload) -> &'static str {
    if workload.access == Access::Sequential { "linear." } else { "" }
}

/// Which objects a workload needs: those of one size and family are numbered from 0 on, whatever else the workload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needed {
    pub size: Bytes,
    pub family: &'static str,
    pub count: u64,
}

impl Needed {
    pub fn by(workload: &Workload) -> Needed {
        let count = objects_per_lane(workload) * u64::from(workload.jobs.max(1));
        Needed { size: object_size(workload), family: family(workload), count }
    }

    pub fn bytes(&self) -> Bytes {
        self.size * self.count
    }
}

/// What a working set of objects cannot be.
pub fn refusal(workload: &Workload) -> Option<String> {
    let size = object_size(workload);
    if workload.block == 0 {
        return Some("operations of 0 bytes measure nothing; choose a block size".into());
    }
    if size > OBJECT_MOST {
        return Some(format!(
            "objects of {size} bytes are too large (at most {OBJECT_MOST}); choose a smaller object or block size"
        ));
    }
    if !size.is_multiple_of(workload.block) {
        return Some(format!(
            "objects of {size} bytes do not hold a whole number of blocks of {} bytes; choose another object size",
            workload.block
        ));
    }
    None
}

/// The objects of one lane, by name.
#[derive(Clone, Debug)]
pub struct Objects {
    names: Vec<CString>,
    size: Bytes,
}

impl Objects {
    /// `names` is not empty.
    pub fn new(names: Vec<CString>, size: Bytes) -> Objects {
        assert!(!names.is_empty() && size > 0, "a working set has objects, and objects have bytes");
        Objects { names, size }
    }

    /// Bytes of each object.
    pub fn size(&self) -> Bytes {
        self.size
    }

    pub fn bytes(&self) -> Bytes {
        self.size * self.names.len() as u64
    }

    /// The object at an offset of the lane's span, and the offset inside it. Offsets beyond the set begin anew.
    #[inline]
    pub fn at(&self, offset: u64) -> (&CStr, u64) {
        let object = (offset / self.size) as usize % self.names.len();
        (&self.names[object], offset % self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Pattern;

    fn workload(span: Bytes) -> Workload {
        Workload::canonical(Pattern::WriteLatency, span, 1)
    }

    #[test]
    fn small_sets_have_small_objects_and_large_sets_large_ones() {
        assert_eq!(object_size(&workload(64 * MIB)), MIB / 16);
        assert_eq!(object_size(&workload(1024 * MIB)), MIB / 4);
        assert_eq!(object_size(&workload(1 << 40)), 4 * MIB);
        assert_eq!(object_size(&Workload { block: 4 * MIB, ..workload(64 * MIB) }), 4 * MIB);
        assert_eq!(object_size(&Workload { object: Some(4096), ..workload(64 * MIB) }), 4096);
    }

    #[test]
    fn every_offset_lies_in_one_object() {
        let names = (0..3).map(|n| CString::new(format!("o{n}")).unwrap()).collect();
        let objects = Objects::new(names, 8192);
        let at = |offset| (objects.at(offset).0.to_str().unwrap(), objects.at(offset).1);
        assert_eq!(objects.bytes(), 24_576);
        assert_eq!(at(0), ("o0", 0));
        assert_eq!(at(4096), ("o0", 4096));
        assert_eq!(at(8192), ("o1", 0));
        assert_eq!(at(24_576), ("o0", 0));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_mend() {
        assert_eq!(refusal(&workload(MIB)), None);
        let odd = Workload { object: Some(10_000), ..workload(MIB) };
        assert!(refusal(&odd).unwrap().contains("choose another object size"));
        let huge = Workload { block: 1 << 30, ..workload(1 << 32) };
        assert!(refusal(&huge).unwrap().contains("too large"));
    }
}
