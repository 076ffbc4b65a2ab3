//! Steps of the rbd layer: images in a temporary or a named pool, one a job.

use super::rados::{pool_for, shown};
use crate::planner::draft::Draft;
use model::change::data_in;
use model::inventory::ImageSeen;
use model::pattern::Family;
use model::working_set::family;
use model::workload::{GIB, IMAGE_CACHE, MIB};
use model::{Bytes, Change, Durability, Failure, Layer, Place, Plan, Workload};

const IMAGE: Bytes = GIB;
const LAB_IMAGE: Bytes = 64 * MIB;
/// Several writers to one image measure its object map: the parallel patterns get several images.
const IMAGES: u32 = 4;

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    if let Some(image) = draft.request.targets.image.clone() {
        return add_named(draft, image);
    }
    let (pool, temporary) = pool_for(draft, "rbd")?;
    let bytes = draft.fitting(if draft.small() { LAB_IMAGE } else { IMAGE });
    let mut steps = draft.workloads(Layer::Rbd, bytes * Bytes::from(IMAGES));
    for (pattern, workload) in &mut steps {
        if draft.options.jobs.is_none() && pattern.family() == Family::Parallel {
            workload.jobs = match draft.request.experiment.clients_most() {
                Some(most) => IMAGES * most,
                None => IMAGES.max(workload.clients).min(workload.depth),
            };
        }
    }
    let images = steps.iter().map(|(_, workload)| workload.jobs).max().unwrap_or(1);
    // More clients share the same data.
    let shared = draft.request.experiment.clients_most().unwrap_or(1);
    let span = draft.options.working_set.unwrap_or(bytes * Bytes::from(images / shared));
    let bytes = (span / Bytes::from(images)).next_multiple_of(4 * MIB);
    let data_pool = data_pool(draft, &pool)?;
    // Of a comparison both sides may have their images in one pool.
    let number = |name: &String| draft.inventory.scope.pools.iter().find(|pool| pool.name == *name).map(|pool| pool.id);
    let part = data_pool.as_ref().and_then(number).map_or(String::new(), |id| format!("data{id}."));
    let run = draft.name(&part);
    // An axis is told beside each figure.
    let given = draft.request.workload.engine_options.get(IMAGE_CACHE).filter(|policy| *policy != "off");
    let cache = given.map_or(String::new(), |policy| format!(", {IMAGE_CACHE}={policy}"));
    for (pattern, mut workload) in steps {
        let jobs = workload.jobs.min(images);
        workload.span = bytes * Bytes::from(jobs);
        let name = |part: &str, number: u32| format!("{run}{part}{}{number}", family(&workload));
        let names = |part: &str| (0..jobs).map(|number| name(part, number)).collect::<Vec<_>>();
        for name in draft.clients_parts().iter().flat_map(|part| names(part)) {
            draft.change(Change::Image { pool: pool.clone(), data_pool: data_pool.clone(), name, bytes });
        }
        let place = |part: &str| {
            let (pool, data_pool) = (pool.clone(), data_pool.clone());
            Place::Images { pool, data_pool, images: names(part) }
        };
        let data = data_in(data_pool.as_deref());
        let targets = draft.by_clients(Layer::Rbd, &format!("{}{data}{cache}", shown(draft, &pool, temporary)), place);
        draft.step(pattern, targets, workload, true);
    }
    Ok(())
}

/// Where the bytes of images lie, if not in their pool.
///
/// # Errors
/// There is no such pool.
pub fn data_pool(draft: &Draft, pool: &str) -> Result<Option<String>, Failure> {
    let Some(named) = draft.request.targets.data_pool.clone() else { return Ok(None) };
    if draft.request.targets.pool.is_none() {
        return Err(Failure::Usage(format!(
            "--data-pool {named}: the names of the images lie in a replicated pool that is there; name it by --pool"
        )));
    }
    let scope = &draft.inventory.scope;
    match scope.pools.iter().any(|one| one.name == named) {
        true if named == pool && scope.pools.iter().any(|one| one.name == named && one.erasure_k.is_some()) => {
            Err(Failure::Usage(format!(
                "--data-pool {named}: --pool is the same erasure-coded pool, which keeps no names of images; name a replicated one by --pool"
            )))
        }
        true => Ok(Some(named).filter(|named| named != pool)),
        false => Err(Failure::Usage(format!(
            "--data-pool {named}: there is no such pool; there are: {}",
            scope.pools_to_name()
        ))),
    }
}

/// What a figure through librbd's cache is of.
pub fn notes(plan: &Plan) -> Vec<String> {
    let loads = || plan.steps.iter().filter(|step| step.layer == Layer::Rbd).map(|step| &step.workload);
    let reads = "librbd's cache lies in this program's memory (rbd_cache_size, 32 MiB by default). It is empty when a slice begins; what was read \
                 once may be answered from it, and the OSDs do not see that. A working set that is smaller measures the cache, a far larger one the \
                 cluster";
    let writes = "a write through librbd's cache counts when it has been flushed; one flush takes all writes that wait for it. The cache answers no \
                  write before the first flush, which is done before each slice";
    let unflushed = |load: &Workload| load.cache_answers_writes() && load.durability != Durability::GroupCommit;
    let alone = "librbd's cache answers writes before any OSD has them, and none is flushed: how long they take is the cache's time";
    let flushed = |load: &Workload| load.cache_answers_writes() && !unflushed(load);
    [
        (loads().any(|load| load.through_cache() && load.reads()), reads),
        (loads().any(flushed), writes),
        (loads().any(unflushed), alone),
    ]
    .into_iter()
    .filter(|(is, _)| *is)
    .map(|(_, says)| says.to_string())
    .collect()
}

/// An image that is not ours is only read.
fn add_named(draft: &mut Draft, image: String) -> Result<(), Failure> {
    let (pool, _) = pool_for(draft, "rbd")?;
    let ImageSeen { bytes, data_pool } = draft.inventory.image.clone().ok_or_else(|| {
        Failure::Usage(format!("image {image} does not exist in pool {pool}; `rbd ls {pool}` lists those that do"))
    })?;
    let data = data_in(data_pool.as_deref());
    let place = |_: &str| {
        let (pool, data_pool) = (pool.clone(), data_pool.clone());
        Place::Images { pool, data_pool, images: vec![image.clone()] }
    };
    let targets = draft.by_clients(Layer::Rbd, &format!("{pool}/{image}{data}"), place);
    let asked = !draft.options.patterns.is_empty();
    for (pattern, workload) in draft.workloads(Layer::Rbd, bytes / (4 * MIB) * (4 * MIB)) {
        if !workload.writes() {
            draft.step(pattern, targets.clone(), workload, true);
        } else if asked {
            let text = format!("image {pool}/{image} is not Fathom's: it is only read (--patterns read-latency,…)");
            return Err(Failure::Refused(text));
        }
    }
    Ok(())
}
