//! The `rados` engine: objects of a pool, through librados.

mod fill;
mod objects;
mod session;
mod slots;

pub(crate) use fill::{IN_FLIGHT, PART, fill};
pub(crate) use objects::{LaneObjects, refusal};
pub(crate) use session::{SlotSession, room};
pub(crate) use slots::{ObjectSlots, Slots, broken, hopeless_anywhere};

use crate::api::{Context, Engine, EngineError, Session};
use crate::verify::{Marks, Region, Stamper, refusal as unverifiable};
use ceph::Pool;
use model::working_set::{ObjectsNeeded, family, object_size, objects_per_lane};
use model::{Bytes, Place, Target, Workload};
use std::ffi::CString;
use std::sync::Arc;

pub struct RadosEngine;

impl Engine for RadosEngine {
    fn name(&self) -> &'static str {
        "librados"
    }

    fn refuse(&self, target: &Target, workload: &Workload) -> Option<String> {
        match pool_of(target) {
            Err(why) => Some(why),
            Ok((_, prefix)) => {
                unverifiable(self, workload, prefix.starts_with("fathom.")).or_else(|| refusal(workload))
            }
        }
    }

    fn prepare(
        &self,
        context: &Context,
        target: &Target,
        workload: &Workload,
        progress: &mut dyn FnMut(Bytes) -> bool,
    ) -> Result<(), EngineError> {
        let (pool, prefix) = pool_of(target).map_err(EngineError::Refused)?;
        let objects =
            LaneObjects::new(names(prefix, workload, 0..ObjectsNeeded::by(workload).count)?, object_size(workload));
        let stamper = Stamper::of(&context.verify, workload, || {
            Region::objects(set(pool, prefix, workload), workload, 0, &objects)
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
        let (pool, prefix) = pool_of(target).map_err(EngineError::Refused)?;
        let count = objects_per_lane(workload);
        let first = u64::from(lane) * count;
        let objects = LaneObjects::new(names(prefix, workload, first..first + count)?, object_size(workload));
        let region = || Region::objects(set(pool, prefix, workload), workload, first, &objects);
        let marks = Marks::of(&context.verify, target, workload, lane, region);
        open_objects(open_pool_as(context, pool, workload, lane)?, objects, workload, lane, marks)
    }
}

fn pool_of(target: &Target) -> Result<(&str, &str), String> {
    match &target.place {
        Place::Pool { pool, prefix } => Ok((pool, prefix)),
        _ => Err(format!("{} is no pool: the rados layer works on objects of a pool", target.name)),
    }
}

/// The working set's name in what is verified.
fn set(pool: &str, prefix: &str, workload: &Workload) -> String {
    format!("objects {prefix}{}{}.* of pool {pool}", family(workload), object_size(workload))
}

/// `<prefix><family><object size>.<number>`: sets with objects of different sizes never share one.
fn names(prefix: &str, workload: &Workload, numbers: std::ops::Range<u64>) -> Result<Vec<CString>, EngineError> {
    let (family, size) = (family(workload), object_size(workload));
    numbers.map(|number| c_name(format!("{prefix}{family}{size}.{number}"))).collect()
}

pub(crate) fn c_name(name: String) -> Result<CString, EngineError> {
    CString::new(name).map_err(|_| EngineError::Refused("an object's name cannot have a zero byte in it".into()))
}

pub(crate) fn connection(context: &Context) -> Result<&Arc<ceph::Rados>, EngineError> {
    context.rados.as_ref().ok_or_else(|| {
        EngineError::Refused("there is no connection to a cluster; name its ceph.conf with --conf".into())
    })
}

/// The pool through the connection of this lane's client: clients share the lanes in turns.
pub(crate) fn open_pool_as(context: &Context, pool: &str, workload: &Workload, lane: u32) -> Result<Pool, EngineError> {
    let client = match lane % workload.clients.max(1) {
        0 => connection(context)?,
        further => context.more_clients.get(further as usize - 1).ok_or_else(|| {
            EngineError::Refused(format!("there is no connection for client {} of {}", further + 1, workload.clients))
        })?,
    };
    client.open_pool(pool).map_err(broken)
}

pub(crate) fn open_pool(context: &Context, pool: &str) -> Result<Pool, EngineError> {
    connection(context)?.open_pool(pool).map_err(broken)
}

pub(crate) fn open_objects(
    pool: Pool,
    objects: LaneObjects,
    workload: &Workload,
    lane: u32,
    marks: Marks,
) -> Result<Box<dyn Session>, EngineError> {
    let (depth, bytes) = room(workload, lane);
    let slots = ObjectSlots::new(pool, objects, depth, bytes)?;
    Ok(Box::new(SlotSession::new(slots, workload, lane, marks)))
}

pub(crate) fn fill_objects(
    pool: Pool,
    objects: LaneObjects,
    seed: u64,
    stamper: Option<Stamper>,
    progress: &mut dyn FnMut(Bytes) -> bool,
) -> Result<(), EngineError> {
    let (unit, total) = (objects.size(), objects.bytes());
    let mut slots = ObjectSlots::new(pool, objects, IN_FLIGHT, unit.min(PART) as usize)?;
    fill(&mut slots, unit, total, seed, stamper.as_ref(), progress)
}
