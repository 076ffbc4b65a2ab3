//! What a run fills never fills what it measures: working sets follow the room that OSDs have, and the quota of a pool that is named.

use super::ab::on_side;
use super::draft::Draft;
use super::osd_room::{PART, Tightest, rooms, tightest};
use super::redundancy::{Filled, Redundancy};
use super::{add_layers, image_states, others_pools, sweep};
use crate::ab::Side;
use crate::{Experiment, Request};
use model::units::bytes as bytes_shown;
use model::workload::MIB;
use model::{Bytes, Change, Failure, Inventory, ObjectsNeeded, Place, Plan, PoolScope, Step};
use std::collections::{BTreeMap, BTreeSet};

/// Working sets are halved at most this often: much smaller ones would measure nothing but caches.
const HALVINGS_MOST: u32 = 8;

/// How often the usual working sets are halved so that all of them fit; where even that is too much, the guard ends what fills OSDs, and
/// what fills a quota is refused.
pub fn halvings(inventory: &Inventory, request: &Request) -> Result<u32, Failure> {
    let sides = sides(request);
    if matches!(request.experiment, Experiment::ImageStates) {
        return Ok(0);
    }
    let limited = !rooms(inventory).is_empty() || sides.iter().any(|side| has_quota(inventory, side));
    if fixed(request) || !limited {
        return Ok(0);
    }
    for halvings in 0..HALVINGS_MOST {
        if short(&drafts(inventory, &sides, halvings)?).is_none() {
            return Ok(halvings);
        }
    }
    Ok(HALVINGS_MOST)
}

/// Sizes are said, by an option or in a job file, and stand.
fn fixed(request: &Request) -> bool {
    request.fixes_working_sets() || !request.experiment.batches().is_empty()
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

/// What is planned at this size.
fn draft<'a>(inventory: &'a Inventory, request: &'a Request, halvings: u32) -> Result<Draft<'a>, Failure> {
    let mut draft = Draft { halvings, ..Draft::new(inventory, request) };
    match &request.experiment {
        Experiment::Sweep { axes } => sweep::add_points(&mut draft, axes).map(drop)?,
        _ => add_layers(&mut draft)?,
    }
    Ok(draft)
}

/// What has too little room for all of it, and how much it has.
fn short(drafts: &[Draft]) -> Option<String> {
    let first = drafts.first()?;
    let planned: Vec<Planned> = drafts.iter().map(|draft| (&draft.changes[..], &draft.steps[..])).collect();
    let filled = filled(first.inventory, &planned, first.request.sets_twice);
    let osd = tightest(first.inventory, &filled).filter(|tightest| tightest.takes_more_than(PART));
    let osd = osd.map(|osd| format!("osd.{} has room for {} until it is nearly full", osd.id, bytes_shown(osd.room)));
    let of_pools = |draft: &Draft| others_pools::short(&draft.inventory.scope, &draft.changes, &draft.steps);
    osd.or_else(|| drafts.iter().find_map(of_pools))
}

/// Sizes that are said stand, as long as OSDs have room for them at all.
///
/// # Errors
/// One has not, or would be nearly full.
pub fn refuse_too_much(inventory: &Inventory, request: &Request, plan: &Plan) -> Result<(), Failure> {
    if !fixed(request) {
        return Ok(());
    }
    let Some(osd) = without_room(inventory, &plan.changes, &plan.steps, request.sets_twice) else { return Ok(()) };
    let smaller = match request.experiment.batches().is_empty() {
        true => "choose smaller working sets (--working-set), or fewer",
        false => "write less (size=)",
    };
    Err(too_much(&osd, smaller))
}

/// Before a plan of an earlier run is taken up again: what its data have too little room for by now, all of them counted.
///
/// # Errors
/// The quota of a pool has no room for them.
pub fn look_again(inventory: &Inventory, plan: &Plan) -> Result<Option<String>, Failure> {
    others_pools::refuse(&inventory.scope, plan)?;
    let osd = without_room(inventory, &plan.changes, &plan.steps, false);
    Ok(osd.map(|osd| {
        format!(
            "the run's data take about {} on osd.{}, which has room for {} until it is nearly full: the run ends before that (a new run has smaller \
             working sets)",
            bytes_shown(osd.needed),
            osd.id,
            bytes_shown(osd.room)
        )
    }))
}

fn without_room(inventory: &Inventory, changes: &[Change], steps: &[Step], twice: bool) -> Option<Tightest> {
    let filled = filled(inventory, &[(changes, steps)], twice);
    tightest(inventory, &filled).filter(|osd| osd.needed > 0 && osd.takes_more_than(1.0))
}

fn too_much(osd: &Tightest, mend: &str) -> Failure {
    Failure::Refused(format!(
        "the run's data take about {} on osd.{}, which has room for {} until it is nearly full; {mend}, or make room",
        bytes_shown(osd.needed),
        osd.id,
        bytes_shown(osd.room)
    ))
}

/// What a store takes at least for an object: as much as it allots at once (`bluestore_min_alloc_size` since 16.2), and its name in the
/// bucket's index, and its attributes.
const ALLOTTED: Bytes = 4096;
const BESIDE_OBJECT: Bytes = 2048;

/// As many objects as were asked for, and no fewer: where they would take more than their part of an OSD's room, none are put.
pub fn refuse_objects(inventory: &Inventory, request: &Request, plan: &Plan) -> Result<(), Failure> {
    if !request.fixes_objects() {
        return Ok(());
    }
    let put = model::working_set::put_before(&plan.steps);
    let stored = |set: &ObjectsNeeded| {
        let size = (set.bytes / set.count.max(1)).next_multiple_of(ALLOTTED);
        set.count.saturating_mul(size + BESIDE_OBJECT)
    };
    let (objects, all): (u64, Bytes) = (put.iter().map(|set| set.count).sum(), put.iter().map(stored).sum());
    // In which pool a gateway puts them nobody tells who is no administrator of it.
    let of_objects = Redundancy::of(None);
    let filled = of_objects.on_osds(inventory, None, all);
    let Some(osd) = tightest(inventory, &filled).filter(|osd| osd.takes_more_than(PART)) else { return Ok(()) };
    Err(Failure::Refused(format!(
        "--objects: {objects} objects in {} take about {} on osd.{}, which has room for {} until it is nearly full, of which a run takes at \
         most half; choose fewer or smaller ones",
        of_objects.words(),
        bytes_shown(osd.needed),
        osd.id,
        bytes_shown(osd.room)
    )))
}

type Planned<'p> = (&'p [Change], &'p [Step]);

/// Bytes that come to each OSD, by CRUSH's weights. `twice`: another program has as much.
fn filled(inventory: &Inventory, planned: &[Planned], twice: bool) -> Filled {
    let mut sets: BTreeMap<(String, u32), Bytes> = BTreeMap::new();
    for (changes, step) in planned.iter().flat_map(|(changes, steps)| steps.iter().map(move |step| (changes, step))) {
        for (name, osds) in data(inventory, changes, step) {
            for (osd, bytes) in osds {
                let known = sets.entry((name.clone(), osd)).or_default();
                *known = bytes.max(*known);
            }
        }
    }
    let times = if twice { 2 } else { 1 };
    let mut filled = Filled::new();
    for ((_, osd), bytes) in sets {
        let all = filled.entry(osd).or_default();
        *all = bytes.saturating_mul(times).saturating_add(*all);
    }
    filled
}

/// The data of a step by name, and how much of each comes to which OSD.
fn data(inventory: &Inventory, changes: &[Change], step: &Step) -> Vec<(String, Filled)> {
    let objects = model::ObjectsNeeded::of(step.layer, &step.workload);
    let on_osds = |pool: &str, bytes| on_osds((inventory, changes), pool, bytes);
    let made =
        |image: &String| changes.iter().any(|change| matches!(change, Change::Image { name, .. } if name == image));
    let mut found = Vec::new();
    for target in &step.targets {
        match (&target.place, &objects) {
            (Place::Osd { osd, pool, replicas }, Some(objects)) => {
                let on = std::iter::once(osd).chain(replicas).map(|osd| (*osd, objects.bytes)).collect();
                found.push((format!("{pool} {osd} {replicas:?} {} {}", objects.family, objects.size), on));
            }
            (Place::Pool { pool, prefix }, Some(objects)) => {
                let name = format!("{pool} {prefix} {} {}", objects.family, objects.size);
                found.push((name, on_osds(pool, objects.bytes)));
            }
            (Place::Bucket { bucket, .. }, Some(objects)) => {
                let name = format!("{bucket} {} {}", objects.family, objects.size);
                found.push((name, on_osds(bucket, objects.bytes)));
            }
            (place @ Place::Images { pool, images, .. }, _) => {
                let bytes = step.workload.span / images.len().max(1) as u64;
                let on = on_osds(place.data_pool().unwrap_or(pool), bytes);
                // One that was there has its bytes.
                found.extend(
                    images.iter().filter(|image| made(image)).map(|image| (format!("{pool} {image}"), on.clone())),
                );
            }
            _ => {}
        }
    }
    found
}

/// What each OSD gets of `bytes` bytes in a pool.
fn on_osds((inventory, changes): (&Inventory, &[Change]), pool: &str, bytes: Bytes) -> Filled {
    let known = |name: &str| inventory.scope.pools.iter().find(|known| known.name == name);
    let made = changes.iter().find(|change| matches!(change, Change::Pool { name, .. } if name == pool));
    let Some(Change::Pool { size, on, like, .. }) = made else {
        return Redundancy::of(known(pool)).on_osds(inventory, known(pool), bytes);
    };
    // Its placement groups are bound to these sets of OSDs, as many to each.
    if !on.is_empty() {
        let sets = |osd: &u32| on.iter().filter(|set| set.contains(osd)).count() as u64;
        let osds: BTreeSet<u32> = on.iter().flatten().copied().collect();
        return osds.into_iter().map(|osd| (osd, bytes.saturating_mul(sets(&osd)).div_ceil(on.len() as u64))).collect();
    }
    let like = like.as_ref().and_then(|like| known(&like.pool));
    size.map_or_else(|| Redundancy::of(like), Redundancy::copies).on_osds(inventory, like, bytes)
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
    use model::Layer;

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
            (36, 10 * GIB, GIB / 4, 0),
            // Six OSDs of a third host hold as much as the twelve of each of the others.
            (30, 10 * GIB, GIB / 4, 1),
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
