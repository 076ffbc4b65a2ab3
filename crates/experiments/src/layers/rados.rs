//! Steps of the rados layer: objects of a temporary or a named pool.

use crate::planner::draft::Draft;
use crate::planner::subset::subset;
use crate::planner::{groups, like};
use model::pattern::Family;
use model::workload::{GIB, KIB, MIB};
use model::{Bytes, Change, Failure, Layer, Place, Workload};

const SPAN: Bytes = 4 * GIB;
const LAB_SPAN: Bytes = 256 * MIB;
/// Thousands of objects, so that all placement groups take part.
const OBJECTS: Bytes = 4096;
/// The size that RBD and CephFS use.
const LARGE: Bytes = 4 * MIB;

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    let (pool, temporary) = pool_for(draft, "rados")?;
    let prefix = draft.name("");
    if !temporary {
        draft.change(Change::Objects { pool: pool.clone(), prefix: prefix.clone() });
    }
    let span = draft.fitting(if draft.small() { LAB_SPAN } else { SPAN });
    for (pattern, mut workload) in draft.workloads(Layer::Rados, span) {
        workload.object.get_or_insert(object_size(pattern.family(), &workload));
        // Sets of different object sizes must not share names.
        let prefix = format!("{prefix}{}k.", workload.object.unwrap_or(LARGE) / KIB);
        let place = |part: &str| Place::Pool { pool: pool.clone(), prefix: format!("{prefix}{part}") };
        let targets = draft.by_clients(Layer::Rados, &shown(draft, &pool, temporary), place);
        draft.step(pattern, targets, workload, true);
    }
    Ok(())
}

fn object_size(family: Family, workload: &Workload) -> Bytes {
    match family {
        Family::Linear => LARGE.max(workload.block),
        _ => (workload.span / OBJECTS).next_power_of_two().clamp(64 * KIB, LARGE).max(workload.block),
    }
}

/// The pool to load, and whether it is one of our own making.
pub fn pool_for(draft: &mut Draft, what: &str) -> Result<(String, bool), Failure> {
    if let Some(pool) = draft.request.targets.pool.clone() {
        if draft.options.pgs.is_some() {
            let text = format!("pool {pool} has the placement groups that it has; --pgs is for a pool of Fathom's own");
            return Err(Failure::Usage(text));
        }
        let scope = &draft.inventory.scope;
        if !scope.pools.iter().any(|one| one.name == pool) {
            return Err(Failure::Usage(format!("pool {pool} does not exist; there are: {}", scope.pools_to_name())));
        }
        return Ok((pool, false));
    }
    if draft.inventory.scope.osds.iter().all(|osd| !osd.up) {
        return Err(Failure::Failed("the cluster has no OSD that is up".to_string()));
    }
    if let Some(like) = draft.options.like.clone() {
        return like::pool(draft, what, like).map(|pool| (pool, true));
    }
    let part = |name: &str, number: Option<u32>| number.map_or(String::new(), |number| format!(".{name}{number}"));
    let (pgs, osds) = (part("pgs", draft.options.pgs), part("osds", draft.options.osds));
    let pool = draft.name(&format!("{what}{pgs}{osds}"));
    let (pg_num, size, on) = match (subset(draft), draft.options.pgs) {
        (Some(subset), wished) => (wished.unwrap_or(subset.pg_num), Some(subset.size), subset.sets),
        (None, Some(wished)) => (groups::asked(draft, &pool, wished, None)?, None, Vec::new()),
        (None, None) => (groups::of_replicas(draft, &pool)?, None, Vec::new()),
    };
    draft.change(Change::Pool { name: pool.clone(), pg_num, size, on, like: None });
    Ok((pool, true))
}

/// A temporary pool's name tells nobody anything; how many placement groups or OSDs were asked for does.
pub fn shown(draft: &Draft, pool: &str, temporary: bool) -> String {
    if !temporary {
        return format!("pool {pool}");
    }
    if let Some(like) = &draft.options.like {
        return format!("pool like {}", like.pool);
    }
    let groups = draft.options.pgs.map_or(String::new(), |groups| format!(" of {groups} PGs"));
    let osds = match draft.options.osds {
        None => String::new(),
        Some(1) => " on 1 OSD".to_string(),
        Some(osds) => format!(" on {osds} OSDs"),
    };
    format!("pool{groups}{osds}")
}
