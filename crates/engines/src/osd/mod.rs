//! The `osd` engine: one OSD through librados, in objects of a size-1 pool that lie on it; or a primary with certain replicas.

mod choose;
mod mapping;
mod placed;

pub use placed::PoolsPlaced;

use crate::api::{Context, Engine, EngineError, Session};
use crate::rados::{LaneObjects, fill_objects, open_objects, open_pool, open_pool_as, refusal};
use crate::verify::{Marks, Region, Stamper, refusal as unverifiable};
use model::working_set::{family, object_size, objects_per_lane};
use model::{Bytes, Place, Target, Workload};

pub struct OsdEngine;

impl Engine for OsdEngine {
    fn name(&self) -> &'static str {
        "librados"
    }

    fn refuse(&self, target: &Target, workload: &Workload) -> Option<String> {
        match osds_of(target) {
            Err(why) => Some(why),
            Ok(_) => unverifiable(self, workload, true).or_else(|| refusal(workload)),
        }
    }

    fn prepare(
        &self,
        context: &Context,
        target: &Target,
        workload: &Workload,
        progress: &mut dyn FnMut(Bytes) -> bool,
    ) -> Result<(), EngineError> {
        let (osds, pool) = osds_of(target).map_err(EngineError::Refused)?;
        let objects = objects(context, &osds, pool, workload, 0..workload.jobs.max(1))?;
        let stamper = Stamper::of(&context.verify, workload, || {
            Region::objects(set(&osds, pool, workload), workload, 0, &objects)
        });
        fill_objects(open_pool(context, pool)?, objects, workload.seed, stamper, progress)
    }

    fn open(
        &self,
        context: &Context,
        target: &Target,
        workload: &Workload,
        lane: u32,
    ) -> Result<Box<dyn Session>, EngineError> {
        let (osds, pool) = osds_of(target).map_err(EngineError::Refused)?;
        let objects = objects(context, &osds, pool, workload, lane..lane + 1)?;
        let first = u64::from(lane) * objects_per_lane(workload);
        let region = || Region::objects(set(&osds, pool, workload), workload, first, &objects);
        let marks = Marks::of(&context.verify, target, workload, lane, region);
        open_objects(open_pool_as(context, pool, workload, lane)?, objects, workload, lane, marks)
    }
}

/// The primary and its replicas, and the pool.
fn osds_of(target: &Target) -> Result<(Vec<u32>, &str), String> {
    match &target.place {
        Place::Osd { osd, pool, replicas } => Ok(([&[*osd][..], replicas].concat(), pool)),
        _ => Err(format!("{} is no OSD: the osd layer works on one OSD through a pool of size 1", target.name)),
    }
}

/// The working set's name in what is verified.
fn set(osds: &[u32], pool: &str, workload: &Workload) -> String {
    format!("{}objects of {} bytes on osd.{} in pool {pool}", family(workload), object_size(workload), joined(osds))
}

/// `2`, with replicas `2-4`.
fn joined(osds: &[u32]) -> String {
    osds.iter().map(u32::to_string).collect::<Vec<_>>().join("-")
}

/// The objects of some lanes.
fn objects(
    context: &Context,
    osds: &[u32],
    pool: &str,
    workload: &Workload,
    lanes: std::ops::Range<u32>,
) -> Result<LaneObjects, EngineError> {
    let (size, each) = (object_size(workload), objects_per_lane(workload));
    let (first, end) = (u64::from(lanes.start) * each, u64::from(lanes.end) * each);
    let prefix = format!("fathom.osd{}.{}{size}.", joined(osds), family(workload));
    let names = choose::names_on(context, pool, osds, &prefix, end)?;
    Ok(LaneObjects::new(choose::c_names(&names[first as usize..])?, size))
}
