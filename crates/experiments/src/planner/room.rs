//! What a run fills never fills what it measures: working sets follow the room that OSDs have, and the quota of a pool that is named.

use super::ab::on_side;
use super::draft::Draft;
use super::redundancy::{Redundancy, osds};
use super::{image_states, others_pools};
use crate::ab::Side;
use crate::layers;
use crate::{Experiment, Request};
use model::units::bytes as bytes_shown;
use model::workload::MIB;
use model::{Bytes, Change, Failure, Inventory, Layer, ObjectsNeeded, OsdScope, Place, Plan, PoolScope, Step};
use std::collections::BTreeMap;

/// How full an OSD may be, as a share: beyond it monitors warn, and a run writes no more (`mon_osd_nearfull_ratio`).
const NEARLY_FULL: f64 = 0.85;
/// All data of a run take at most this share of what is free below that: placement is uneven, stores keep what was overwritten for a
/// while, and the OSD's own bench and others write, too.
pub const PART: f64 = 0.5;
/// An OSD's store reserves its next log ahead, and aborts where it can't: 282 MB of one of 1 GiB (Ceph 16.2, `bluefs _allocate`).
const LOG_AHEAD: Bytes = 300 * MIB;
/// Working sets are halved at most this often: much smaller ones would measure nothing but caches.
const HALVINGS_MOST: u32 = 8;

/// How often the usual working sets are halved so that all of them fit; where even that is too much, the guard ends what fills OSDs, and
/// what fills a quota is refused.
pub fn halvings(inventory: &Inventory, request: &Request) -> Result<u32, Failure> {
    let sides = sides(request);
    if matches!(request.experiment, Experiment::ImageStates) {
        return Ok(0);
    }
    let limited = tightest(inventory).is_some() || sides.iter().any(|side| has_quota(inventory, side));
    if request.fixes_working_sets() || !limited {
        return Ok(0);
    }
    for halvings in 0..HALVINGS_MOST {
        if short(&drafts(inventory, &sides, halvings)?).is_none() {
            return Ok(halvings);
        }
    }
    Ok(HALVINGS_MOST)
}

/// Of a comparison both sides, whose data lie there together and are to be of one size.
fn sides(request: &Request) -> Vec<Request> {
    match request.experiment.pair() {
        Some(setting) => [Side::A, Side::B].map(|side| on_side(request, &setting.varied, side)).into(),
        None => vec![request.clone()],
    }
}

fn has_quota(inventory: &Inventory, request: &Request) -> bool {
    let targets = &request.targets;
    let named = |pool: &&PoolScope| [&targets.pool, &targets.data_pool].contains(&&Some(pool.name.clone()));
    let limited = |pool: &PoolScope| pool.quota_bytes.is_some() || pool.quota_objects.is_some();
    inventory.scope.pools.iter().filter(named).any(limited)
}

/// Said where working sets are smaller than usual.
pub fn note(inventory: &Inventory, request: &Request) -> Option<String> {
    if matches!(request.experiment, Experiment::ImageStates) {
        return image_states::note(inventory, request);
    }
    let halvings = halvings(inventory, request).ok().filter(|halvings| *halvings > 0)?;
    let of = |halvings| short(&drafts(inventory, &sides(request), halvings).ok()?);
    if let Some(short) = of(halvings) {
        return Some(format!(
            "{short}: the working sets are 1/{} of the usual ones, and all data of the run take more than half of it even so; the run ends \
             before an OSD is nearly full (less is written with a smaller --depth, --block-size or --working-set)",
            1u64 << halvings
        ));
    }
    let short = of(halvings - 1)?;
    Some(format!(
        "{short}: the working sets are 1/{} of the usual ones, so that all data of the run take at most half of it (--working-set for others)",
        1u64 << halvings
    ))
}

fn drafts<'a>(inventory: &'a Inventory, sides: &'a [Request], halvings: u32) -> Result<Vec<Draft<'a>>, Failure> {
    sides.iter().map(|side| draft(inventory, side, halvings)).collect()
}

/// What layers plan that fill OSDs or pools.
fn draft<'a>(inventory: &'a Inventory, request: &'a Request, halvings: u32) -> Result<Draft<'a>, Failure> {
    let mut draft = Draft { halvings, ..Draft::new(inventory, request) };
    let named_image = request.targets.image.is_some();
    let fills = |layer: &&Layer| layer.can().data_in_osds && !(layer.can().images && named_image);
    request.layers.iter().filter(fills).try_for_each(|layer| layers::add(*layer, &mut draft))?;
    Ok(draft)
}

/// What has too little room for all of it, and how much it has.
fn short(drafts: &[Draft]) -> Option<String> {
    let osd = tightest(drafts.first()?.inventory).filter(|(_, room)| needed(drafts) as f64 > *room as f64 * PART);
    let osd =
        osd.map(|(osd, room)| format!("osd.{} has room for {} until it is nearly full", osd.id, bytes_shown(room)));
    let of_pools = |draft: &Draft| others_pools::short(&draft.inventory.scope, &draft.changes, &draft.steps);
    osd.or_else(|| drafts.iter().find_map(of_pools))
}

/// What a store takes at least for an object: as much as it allots at once (`bluestore_min_alloc_size` since 16.2), and its name in the
/// bucket's index, and its attributes.
const ALLOTTED: Bytes = 4096;
const BESIDE_OBJECT: Bytes = 2048;

/// As many objects as were asked for, and no fewer: where they would take more than their part of an OSD's room, none are put.
pub fn refuse_objects(inventory: &Inventory, request: &Request, plan: &Plan) -> Result<(), Failure> {
    let Some((osd, room)) = tightest(inventory).filter(|_| request.fixes_objects()) else { return Ok(()) };
    let put = model::working_set::put_before(&plan.steps);
    let stored = |set: &ObjectsNeeded| {
        let size = (set.bytes / set.count.max(1)).next_multiple_of(ALLOTTED);
        set.count.saturating_mul(size + BESIDE_OBJECT)
    };
    let (objects, all): (u64, Bytes) = (put.iter().map(|set| set.count).sum(), put.iter().map(stored).sum());
    // In which pool a gateway puts them nobody tells who is no administrator of it.
    let of_objects = Redundancy::of(None);
    let each = of_objects.on_each(all, osds(inventory));
    if each as f64 <= room as f64 * PART {
        return Ok(());
    }
    Err(Failure::Refused(format!(
        "--objects: {objects} objects in {} take about {} on each OSD, and osd.{} has room for {} until it is nearly full, of which a run takes at \
         most half; choose fewer or smaller ones",
        of_objects.words(),
        bytes_shown(each),
        osd.id,
        bytes_shown(room)
    )))
}

/// The OSD with the least room, and how much it is; `None`: it is not known of any.
pub fn tightest(inventory: &Inventory) -> Option<(&OsdScope, Bytes)> {
    let room = |osd: &OsdScope| {
        let below = (osd.bytes? as f64 * NEARLY_FULL) as Bytes;
        Some(below.saturating_sub(osd.bytes_used?).saturating_sub(LOG_AHEAD))
    };
    let osds = inventory.scope.osds.iter().filter(|osd| osd.up && osd.inside);
    osds.filter_map(|osd| Some((osd, room(osd)?))).min_by_key(|(_, room)| *room)
}

/// Bytes that come to each OSD, if all is placed evenly.
fn needed(drafts: &[Draft]) -> Bytes {
    let mut sets: BTreeMap<String, Bytes> = BTreeMap::new();
    for (draft, step) in drafts.iter().flat_map(|draft| draft.steps.iter().map(move |step| (draft, step))) {
        for (name, bytes) in data(draft, step) {
            let known = sets.entry(name).or_default();
            *known = bytes.max(*known);
        }
    }
    sets.values().sum()
}

/// The data of a step by name, and how much of each comes to an OSD.
fn data(draft: &Draft, step: &Step) -> Vec<(String, Bytes)> {
    let objects = model::ObjectsNeeded::of(step.layer, &step.workload);
    let mut found = Vec::new();
    for target in &step.targets {
        match (&target.place, &objects) {
            // As much on each: one stands for all.
            (Place::Osd { pool, .. }, Some(objects)) => {
                return vec![(format!("{pool} {} {}", objects.family, objects.size), objects.bytes)];
            }
            (Place::Pool { pool, prefix }, Some(objects)) => {
                let name = format!("{pool} {prefix} {} {}", objects.family, objects.size);
                found.push((name, each(draft, pool, objects.bytes)));
            }
            (Place::Bucket { bucket, .. }, Some(objects)) => {
                let name = format!("{bucket} {} {}", objects.family, objects.size);
                found.push((name, each(draft, bucket, objects.bytes)));
            }
            (place @ Place::Images { pool, images, .. }, _) => {
                let bytes = step.workload.span / images.len().max(1) as u64;
                let each = each(draft, place.data_pool().unwrap_or(pool), bytes);
                found.extend(images.iter().map(|image| (format!("{pool} {image}"), each)));
            }
            _ => {}
        }
    }
    found
}

/// What each OSD gets of `bytes` bytes in a pool.
fn each(draft: &Draft, pool: &str, bytes: Bytes) -> Bytes {
    let made = draft.changes.iter().find_map(|change| match change {
        Change::Pool { name, size, .. } if name == pool => *size,
        _ => None,
    });
    Redundancy::of_name(draft.inventory, pool, made).on_each(bytes, osds(draft.inventory))
}

impl Draft<'_> {
    /// The usual working set, as far as there is room for it.
    pub fn fitting(&self, usual: Bytes) -> Bytes {
        (usual >> self.halvings).max(4 * MIB)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::{notes, plan, testing};

    fn layers() -> [Layer; 3] {
        [testing::osds(), testing::pools(), testing::images()]
    }
    const GIB: Bytes = 1 << 30;

    fn with(osds: u32, bytes: Bytes, used: Bytes) -> Inventory {
        let mut inventory = testing::inventory(osds);
        inventory.scope.osds.iter_mut().for_each(|osd| (osd.bytes, osd.bytes_used) = (Some(bytes), Some(used)));
        inventory
    }

    #[test]
    fn what_a_run_writes_leaves_half_of_the_room_on_every_osd() {
        for (osds, bytes, used, expected) in [
            (3, 4000 * GIB, 0, 0),
            // 1 + 1 on each OSD, 4 + 4 and 4 + 1 of pools whose replicas lie on all three.
            (3, 36 * GIB, 0, 0),
            (3, 34 * GIB, 0, 1),
            (3, 10 * GIB, GIB / 4, 2),
            (3, 2 * GIB, GIB / 4, 5),
            (30, 10 * GIB, GIB / 4, 0),
            (3, 4000 * GIB, 3390 * GIB, 2),
            (3, GIB, GIB, HALVINGS_MOST),
        ] {
            let (inventory, request) = (with(osds, bytes, used), testing::request(&layers()));
            assert_eq!(halvings(&inventory, &request).unwrap(), expected, "{osds} OSDs of {bytes}, {used} used");
            let plan = plan(&inventory, &request).unwrap();
            let spans: Vec<Bytes> = plan.steps.iter().map(|step| step.workload.span).collect();
            let largest = spans.iter().max().unwrap();
            assert!(*largest >= 16 * MIB && *largest <= ((4 * GIB) >> expected).max(16 * MIB), "{spans:?}");
            let said = notes(&inventory, &request, &plan).join(" ");
            assert_eq!(said.contains(&format!("1/{} of the usual", 1 << expected)), expected > 0, "{said}");
        }
    }

    #[test]
    fn the_least_room_counts_and_what_is_asked_for_stands() {
        let mut inventory = with(3, 4000 * GIB, 0);
        inventory.scope.osds[1].bytes = Some(10 * GIB);
        let mut request = testing::request(&layers());
        assert_eq!(halvings(&inventory, &request).unwrap(), 2);
        assert!(note(&inventory, &request).unwrap().starts_with("osd.1 has room for 8.2"));
        inventory.scope.osds[1].inside = false;
        assert_eq!(halvings(&inventory, &request).unwrap(), 0);
        inventory.scope.osds[1].inside = true;
        request.workload.working_set = Some(GIB);
        assert_eq!(halvings(&inventory, &request).unwrap(), 0);
        // Nothing is known, or nothing is written.
        assert_eq!(halvings(&testing::inventory(3), &testing::request(&layers())).unwrap(), 0);
        assert_eq!(halvings(&inventory, &testing::request(&[testing::stores()])).unwrap(), 0);
    }
}
