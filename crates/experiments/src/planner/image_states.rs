//! The states of an image: images that are filled before, and how many rounds there are at least and at most.

use super::draft::Draft;
use super::osd_room::{PART, Tightest, tightest};
use super::redundancy::Redundancy;
use crate::Request;
use crate::layers::rados::pool_for;
use crate::layers::rbd::data_pool;
use model::workload::{KIB, MIB};
use model::{Bytes, Failure, ImageStates, Inventory, PoolScope};

/// Size of the objects with an image's data, unless the cluster says otherwise.
const OBJECT: Bytes = 4 * MIB;
/// Each is written for the first time once in a round.
const OBJECTS: Bytes = 64;
const LAB_OBJECTS: Bytes = 16;
/// With fewer, a round says next to nothing.
const OBJECTS_LEAST: Bytes = 8;
const BLOCK: Bytes = 4 * KIB;
const ROUNDS_MIN: u32 = 5;
const ROUNDS_MAX: u32 = 24;
/// Of a quick run.
const QUICK_MIN: u32 = 3;
const QUICK_MAX: u32 = 6;

/// Images that stand at once, at most, each with all its objects: the lasting ones, the flattened one, a fresh one, a clone, and what a
/// snapshot keeps.
const IMAGES: Bytes = 8;

/// The pool with the images' data, if it was there before; `None`: the run makes one as the cluster's default is.
#[derive(Clone, Copy)]
struct ImagePool<'a> {
    inventory: &'a Inventory,
    there: Option<&'a PoolScope>,
}

impl<'a> ImagePool<'a> {
    fn of(inventory: &'a Inventory, name: Option<&str>) -> ImagePool<'a> {
        let there = inventory.scope.pools.iter().find(|known| Some(known.name.as_str()) == name);
        ImagePool { inventory, there }
    }

    /// As many of the usual objects as OSDs have room for.
    ///
    /// # Errors
    /// Even the least do not fit.
    fn objects_fitting(self) -> Result<Bytes, Failure> {
        let halves = std::iter::successors(Some(usual_objects(self.inventory)), |objects| Some(objects / 2));
        let mut possible = halves.take_while(|objects| *objects >= OBJECTS_LEAST);
        let fitting = possible.find(|objects| self.without_room(*objects).is_none());
        fitting.map_or_else(|| self.refuse(OBJECTS_LEAST).map(|()| OBJECTS_LEAST), Ok)
    }

    /// The OSD on which they would take more than their part.
    fn without_room(self, objects: Bytes) -> Option<Tightest> {
        let bytes = (objects + 1).saturating_mul(OBJECT * IMAGES);
        let filled = Redundancy::of(self.there).on_osds(self.inventory, self.there, bytes);
        tightest(self.inventory, &filled).filter(|osd| osd.takes_more_than(PART))
    }

    fn refuse(self, objects: Bytes) -> Result<(), Failure> {
        let Some(osd) = self.without_room(objects) else { return Ok(()) };
        Err(Failure::Refused(format!(
            "--working-set: {IMAGES} images of {} in {} put {} on osd.{}, which has room for {} until it is nearly full, of which half may \
             be taken; give a smaller one (32 MiB at least), or make room",
            model::units::bytes((objects + 1).saturating_mul(OBJECT)),
            Redundancy::of(self.there).words(),
            model::units::bytes(osd.needed),
            osd.id,
            model::units::bytes(osd.room)
        )))
    }
}

fn usual_objects(inventory: &Inventory) -> Bytes {
    if inventory.lab.is_some() { LAB_OBJECTS } else { OBJECTS }
}

/// Said where images are smaller than usual.
pub fn note(inventory: &Inventory, request: &Request) -> Option<String> {
    let pool = ImagePool::of(inventory, request.targets.data_pool.as_deref().or(request.targets.pool.as_deref()));
    let (usual, objects) = (usual_objects(inventory), pool.objects_fitting().ok()?);
    let osd = pool.without_room(usual).filter(|_| objects < usual && request.workload.working_set.is_none())?;
    Some(format!(
        "osd.{} has room for {} until it is nearly full: images are of {} instead of {} (--working-set for others)",
        osd.id,
        model::units::bytes(osd.room),
        model::units::bytes(objects * OBJECT),
        model::units::bytes(usual * OBJECT)
    ))
}

pub fn add(draft: &mut Draft) -> Result<ImageStates, Failure> {
    if draft.inventory.clients().next().is_some() {
        return Err(Failure::Usage(
            "--states: images in their states are asked by this host alone; leave --hosts out".to_string(),
        ));
    }
    let (pool, _) = pool_for(draft, "rbd")?;
    let data_pool = data_pool(draft, &pool)?;
    let of_images = ImagePool::of(draft.inventory, Some(data_pool.as_ref().unwrap_or(&pool)));
    let block = draft.options.block_size.unwrap_or(BLOCK);
    let wished = match draft.options.working_set {
        Some(bytes) => bytes.div_ceil(OBJECT).saturating_mul(OBJECT),
        None => of_images.objects_fitting()? * OBJECT,
    };
    if wished < OBJECTS_LEAST * OBJECT {
        return Err(Failure::Usage(format!(
            "--working-set: the first write to an object is one for each 4 MiB, and fewer than {OBJECTS_LEAST} say nothing; give 32 MiB or more"
        )));
    }
    of_images.refuse(wished / OBJECT)?;
    if block == 0 || !OBJECT.is_multiple_of(block) {
        return Err(Failure::Usage(format!(
            "--block-size {}: an operation lies within one object of 4 MiB; give a size that divides it: 4k, 64k, 1M, at most 4M",
            model::units::bytes(block)
        )));
    }
    let quick = draft.request.goal.passes_max == 1;
    let (rounds_min, rounds_max) = if quick { (QUICK_MIN, QUICK_MAX) } else { (ROUNDS_MIN, ROUNDS_MAX) };
    // One object more: the first write of all takes the image's lock, and is not counted.
    let (prefix, bytes) = (draft.name("state."), wished + OBJECT);
    let layer = draft.request.layers[0];
    let plan = ImageStates { layer, pool, data_pool, prefix, bytes, block, rounds_min, rounds_max };
    plan.lasting().into_iter().for_each(|name| {
        draft.change(plan.made(name));
    });
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Experiment;
    use crate::planner::{plan, testing};
    use model::{Change, Plan, PlannedExperiment};

    fn planned(change: impl Fn(&mut Request)) -> Result<Plan, Failure> {
        let mut request = testing::request(&[model::testing::images()]);
        request.experiment = Experiment::ImageStates;
        change(&mut request);
        plan(&testing::inventory(3), &request)
    }

    #[test]
    fn four_images_stand_through_the_run_and_nothing_is_a_step() {
        let plan = planned(|_| ()).unwrap();
        let PlannedExperiment::ImageStates(states) = &plan.experiment else { panic!("{:?}", plan.experiment) };
        assert!(plan.steps.is_empty());
        assert_eq!((states.bytes, states.rounds_min), ((OBJECTS + 1) * OBJECT, ROUNDS_MIN));
        let images: Vec<&String> = plan
            .changes
            .iter()
            .filter_map(|change| match change {
                Change::Image { name, bytes, .. } if *bytes == states.bytes => Some(name),
                _ => None,
            })
            .collect();
        assert_eq!(images, states.lasting().iter().collect::<Vec<_>>());
        assert!(images.iter().all(|name| name.starts_with("fathom.") && name.contains(".state.")), "{images:?}");
    }

    /// Room for 8 images of 17 objects in three copies, and not in six; and of 2+1 chunks half as much comes to OSDs.
    #[test]
    fn room_is_what_the_pool_of_the_images_takes() {
        let mut inventory = testing::inventory(8);
        let each = |osd: &mut model::OsdScope| (osd.bytes, osd.bytes_used) = (Some(1400 * MIB), Some(0));
        inventory.scope.osds.iter_mut().for_each(each);
        let pool = |name: &str, size, erasure_k| model::PoolScope {
            name: name.into(),
            size,
            erasure_k,
            overwrites: Some(true),
            ..model::PoolScope::default()
        };
        inventory.scope.pools = vec![pool("three", 3, None), pool("six", 6, None), pool("chunks", 3, Some(2))];
        let bytes = |of: &str, data: Option<&str>| {
            let mut request = testing::request(&[model::testing::images()]);
            request.experiment = Experiment::ImageStates;
            request.targets.pool = Some(of.to_string());
            request.targets.data_pool = data.map(str::to_string);
            plan(&inventory, &request).unwrap().experiment.image_states().unwrap().bytes
        };
        assert_eq!(bytes("three", None), (OBJECTS / 2 + 1) * OBJECT);
        assert_eq!(bytes("six", None), (OBJECTS / 4 + 1) * OBJECT);
        assert_eq!(bytes("six", Some("chunks")), (OBJECTS + 1) * OBJECT);
    }

    #[test]
    fn what_says_nothing_is_refused() {
        let why = |change: fn(&mut Request)| planned(change).unwrap_err().to_string();
        assert!(why(|request| request.workload.working_set = Some(8 * MIB)).contains("32 MiB or more"));
        assert!(why(|request| request.workload.block_size = Some(3 * KIB)).contains("divides it"));
        assert!(why(|request| request.targets.pool = Some("none".into())).contains("pool none does not exist"));
    }
}
