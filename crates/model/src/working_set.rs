//! Which objects a workload needs: how many, how large, of which family.

use crate::layer::Layer;
use crate::plan::Step;
use crate::target::Place;
use crate::workload::{Access, Bytes, MIB, Workload};
use std::collections::BTreeMap;

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

/// What a bucket is called that has the objects of one working set and no others: `FIRST-o1000x4096`, a thousand of 4 KiB; `-l` if large
/// blocks go one after the other.
pub fn bucket_of_set(first: &str, workload: &Workload) -> String {
    let ObjectsNeeded { size, family, count, .. } = ObjectsNeeded::by(workload);
    let kind = if family.is_empty() { 'o' } else { 'l' };
    format!("{first}-{kind}{count}x{size}")
}

/// Is it how the name of such a bucket goes on, without the line before it?
pub fn is_bucket_of_set(name: &str) -> bool {
    let number = |text: &str| text.parse::<u64>().is_ok_and(|number| number > 0 && number.to_string() == text);
    let numbers = name.strip_prefix(['o', 'l']).and_then(|rest| rest.split_once('x'));
    numbers.is_some_and(|(count, size)| number(count) && number(size))
}

/// What is put into buckets before steps load them: each set once, for the step that needs most of it.
pub fn put_before(steps: &[Step]) -> Vec<ObjectsNeeded> {
    let mut sets: BTreeMap<_, ObjectsNeeded> = BTreeMap::new();
    for step in steps {
        let needed = ObjectsNeeded::by(&step.workload);
        for target in &step.targets {
            let Place::Bucket { bucket, prefix, .. } = &target.place else { continue };
            let set = sets.entry((bucket, prefix, needed.family, needed.size)).or_insert(needed);
            if set.count < needed.count {
                *set = needed;
            }
        }
    }
    sets.into_values().collect()
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
        let bytes = workload.sizes.as_ref().map_or(size.saturating_mul(each), |sizes| sizes.total(each));
        let (count, bytes) = (each.saturating_mul(jobs), bytes.saturating_mul(jobs));
        ObjectsNeeded { size, family: family(workload), count, bytes }
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
    fn a_bucket_of_one_set_is_known_by_its_name() {
        let small = Workload { object: Some(4096), ..Workload::canonical(Pattern::List, 1000 * 4096, 1) };
        let large = Workload { object: Some(4 * MIB), ..Workload::canonical(Pattern::ReadLinear, 64 * MIB, 1) };
        for (load, name) in [(small, "o1000x4096"), (large, "l16x4194304")] {
            assert_eq!(bucket_of_set("b", &load), format!("b-{name}"));
            assert!(is_bucket_of_set(name));
        }
        for other in ["", "o", "o1x", "ox1", "o01x4096", "o0x4096", "o+1x4096", "p1x4096", "o1x4096x2", "1x4096"] {
            assert!(!is_bucket_of_set(other), "{other}");
        }
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
