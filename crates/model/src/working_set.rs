//! Which objects a workload needs: how many, how large, of which family.

use crate::layer::Layer;
use crate::workload::{Access, Bytes, MIB, Workload};

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

/// Large blocks one after the other have objects and images that nothing else writes to: after random overwrites these lie in pieces, and
/// are read several times slower.
pub fn family(workload: &Workload) -> &'static str {
    if workload.access == Access::Sequential { "linear." } else { "" }
}

/// What each of several buckets is called; the first one has the name itself.
pub fn bucket(first: &str, number: u32) -> String {
    match number {
        0 => first.to_string(),
        more => format!("{first}-b{}", more + 1),
    }
}

/// Which objects a workload needs: those of one size and family are numbered from 0 on, whatever else the workload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectsNeeded {
    pub size: Bytes,
    pub family: &'static str,
    pub count: u64,
    /// Of all of them.
    pub bytes: Bytes,
}

impl ObjectsNeeded {
    /// `None`: the layer has no objects.
    pub fn of(layer: Layer, workload: &Workload) -> Option<ObjectsNeeded> {
        layer.can().objects.then(|| ObjectsNeeded::by(workload))
    }

    pub fn by(workload: &Workload) -> ObjectsNeeded {
        let (size, each, jobs) = (object_size(workload), objects_per_lane(workload), u64::from(workload.jobs.max(1)));
        let bytes = workload.sizes.as_ref().map_or(size * each, |sizes| sizes.total(each)) * jobs;
        ObjectsNeeded { size, family: family(workload), count: each * jobs, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Pattern;

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
}
