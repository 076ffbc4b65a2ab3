//! The working set of one lane: objects of one size, one after the other.

use model::working_set::object_size;
use model::workload::OBJECT_MOST;
use model::{Bytes, Workload};
use std::ffi::{CStr, CString};

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
pub struct LaneObjects {
    names: Vec<CString>,
    size: Bytes,
}

impl LaneObjects {
    /// `names` is not empty.
    pub fn new(names: Vec<CString>, size: Bytes) -> LaneObjects {
        assert!(!names.is_empty() && size > 0, "a working set has objects, and objects have bytes");
        LaneObjects { names, size }
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
    use model::workload::MIB;

    fn workload(span: Bytes) -> Workload {
        Workload::canonical(Pattern::WriteLatency, span, 1)
    }

    #[test]
    fn every_offset_lies_in_one_object() {
        let names = (0..3).map(|n| CString::new(format!("o{n}")).unwrap()).collect();
        let objects = LaneObjects::new(names, 8192);
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
