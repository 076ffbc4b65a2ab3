//! The two sides of each step: the same workload, and where they may not share it, a target of the same make for fio.

use super::job::plain;
use super::request::Check;
use crate::Ready;
use ceph::{Cache, OpenFor};
use model::{Access, Change, Durability, Failure, Place, Plan, Step, StepId, Target};

/// One step, by both.
pub struct PairedLoads {
    pub ours: Step,
    pub theirs: Step,
    pub our_engine: String,
    pub their_engine: String,
    pub tolerance: f64,
}

/// Names of images and objects are `fathom.RUN.…`; those of fio's side are so:
const OURS: &str = "fathom.";
const THEIRS: &str = ".fio";

/// The steps of a plan as paired loads; what fio needs of its own is added to the plan, to be made, filled and undone with ours.
pub fn set_up(plan: &mut Plan, check: &Check) -> Result<Vec<PairedLoads>, Failure> {
    // Both programs load what stands in the paired loads.
    plan.may_shrink = false;
    let duels =
        plan.steps.iter().map(|step| paired_loads(step, check)).collect::<Result<Vec<PairedLoads>, Failure>>()?;
    let images: Vec<Change> = plan.changes.iter().filter_map(twin_image).collect();
    plan.changes.extend(images);
    plan.steps = duels.iter().map(|paired_loads| paired_loads.ours.clone()).collect();
    let further = duels
        .iter()
        .filter(|paired_loads| paired_loads.theirs.targets != paired_loads.ours.targets)
        .map(|paired_loads| paired_loads.theirs.clone());
    plan.steps.extend(further.collect::<Vec<Step>>());
    (0..).zip(&mut plan.steps).for_each(|(id, step)| step.id = StepId(id));
    Ok(duels)
}

fn paired_loads(step: &Step, check: &Check) -> Result<PairedLoads, Failure> {
    let mut ours = step.clone();
    let (our_engine, their_engine) = match check.own_engine_of_fio() {
        Some(of_fio) => (engines::engine_for(step)?.name().to_string(), of_fio.to_string()),
        None => {
            let own = own_engine(step)?;
            let peer = check.peer_engine.clone().unwrap_or_else(|| own.clone());
            ours.workload.engine = Some(own.clone());
            (own, peer)
        }
    };
    if step.layer.of_pools() {
        // Each job of fio's engines is a client of its own: OSDs answer one with several jobs in fewer, larger messages.
        ours.workload.clients = ours.workload.jobs.max(1);
    }
    refuse(&ours, [&our_engine, &their_engine])?;
    let mut theirs = ours.clone();
    for target in &mut theirs.targets {
        target.name += " for fio";
        target.place = twin(&target.place);
    }
    let tolerance = check.tolerance_at(step.workload.depth);
    Ok(PairedLoads { ours, theirs, our_engine, their_engine, tolerance })
}

/// io_uring, where both make the same two system calls for an operation. Of files in memory what the layer chooses (a ring
/// is a detour there), but that psync gets no queue in front of it: fio's has none.
fn own_engine(step: &Step) -> Result<String, Failure> {
    let chosen = engines::engine_for(step)?.name();
    let on_disk =
        |target: &Target| matches!(&target.place, Place::Path { path, .. } if !engines::disk::in_memory(path));
    let ring = || step.workload.lane_depth(0) > 1 || (engines::disk::has_ring() && step.targets.iter().all(on_disk));
    let free = chosen == "psync" && step.workload.engine.is_none();
    Ok(if free && ring() { "io_uring" } else { chosen }.to_string())
}

/// What the two would not do alike.
fn refuse(step: &Step, engines: [&String; 2]) -> Result<(), Failure> {
    for target in &step.targets {
        if let Place::Path { path, .. } = &target.place {
            plain(path).map_err(Failure::Usage)?;
        }
    }
    let load = &step.workload;
    let mixed = load.reads() && load.writes();
    let text = match load.access {
        Access::Zipf(_) => {
            "--access zipf: the two programs draw hot blocks differently; random and sequential can be compared"
        }
        Access::Sequential if mixed => {
            "a sequential mix: fio reads and writes at places of their own; use random access"
        }
        _ if !load.depth.is_multiple_of(load.jobs.max(1)) => {
            "fio gives each job the same depth; use a depth that is a multiple of --jobs"
        }
        _ if matches!(load.durability, Durability::Fsync | Durability::Fdatasync | Durability::GroupCommit) => {
            "--sync fsync, fdatasync, group-commit: fio times the sync apart from the write; none, sync and dsync can be compared"
        }
        _ if load.lane_depth(0) > 1 && engines.iter().any(|engine| *engine == "psync") => {
            "psync has one operation in flight for each job; use io_uring or libaio, or as many --jobs as --depth"
        }
        _ if step.layer.can().objects && load.jobs > 1 => "objects are compared with one job; leave --jobs out",
        _ => return Ok(()),
    };
    Err(Failure::Usage(text.to_string()))
}

/// The same bytes of a device; images and objects of its own.
fn twin(place: &Place) -> Place {
    match place {
        Place::Images { pool, data_pool, images } => {
            let images = images.iter().map(|image| image.clone() + THEIRS).collect();
            Place::Images { pool: pool.clone(), data_pool: data_pool.clone(), images }
        }
        // Still beginning with `fathom.RUN.`, so that the journal knows them.
        Place::Pool { pool, prefix } => Place::Pool { pool: pool.clone(), prefix: format!("{prefix}fio.") },
        same => same.clone(),
    }
}

fn twin_image(change: &Change) -> Option<Change> {
    match change {
        Change::Image { pool, data_pool, name, bytes } if name.starts_with(OURS) => {
            let (pool, data_pool) = (pool.clone(), data_pool.clone());
            Some(Change::Image { pool, data_pool, name: name.clone() + THEIRS, bytes: *bytes })
        }
        _ => None,
    }
}

/// librbd's cache off for whoever opens fio's images: fio has no option for it, and a user's configuration may have it on.
pub fn without_cache(duels: &[PairedLoads], ready: &Ready) -> Result<(), Failure> {
    let Some(rados) = &ready.host.context.rados else { return Ok(()) };
    for target in duels.iter().flat_map(|paired_loads| &paired_loads.theirs.targets) {
        let Place::Images { pool, images, .. } = &target.place else { continue };
        for image in images {
            let opened = rados.open_pool(pool)?.open_image(image, OpenFor::Writing, Cache::Off)?;
            opened.set_option("rbd_cache", "false")?;
        }
    }
    Ok(())
}
