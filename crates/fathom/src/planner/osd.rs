//! Steps of the osd layer: each OSD through a pool of size 1, in objects that map to it.

use super::draft::Draft;
use crate::failure::Failure;
use model::pattern::Family;
use model::workload::{GIB, MIB};
use model::{Bytes, Change, Layer, Pattern, Place, Target, Workload};

const SPAN: Bytes = GIB;
const LAB_SPAN: Bytes = 64 * MIB;
/// So many placement groups for each OSD that everyone gets some by any CRUSH map.
const GROUPS_PER_OSD: usize = 8;

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    check_wished(draft)?;
    let pool = draft.name("osd");
    let groups = (draft.ground.scope.osds.len() * GROUPS_PER_OSD).next_power_of_two().clamp(16, 1024);
    draft.change(Change::Pool { name: pool.clone(), pg_num: groups as u32, size: Some(1), on: Vec::new() });
    let span = if draft.small() { LAB_SPAN } else { SPAN };
    for (pattern, workload) in draft.workloads(Layer::Osd, span) {
        group(draft, Layer::Osd, |osd| Place::Osd { osd, pool: pool.clone() }, pattern, workload);
    }
    Ok(())
}

/// Each OSD alone, all at once, or both (see [`super::Wishes::thorough`]).
pub fn group(draft: &mut Draft, layer: Layer, place: impl Fn(u32) -> Place, pattern: Pattern, workload: Workload) {
    let targets: Vec<Target> = draft
        .osds()
        .iter()
        .map(|osd| Target {
            host: Some(osd.host.clone()),
            ..Target::new(layer, format!("osd.{}", osd.id), place(osd.id))
        })
        .collect();
    let wishes = draft.wishes;
    let alone = match wishes.axes.is_empty() {
        true => wishes.thorough || pattern.family() == Family::Latency || targets.len() == 1,
        // A point of a sweep is one figure: all at once, unless each is asked for.
        false => wishes.alone || targets.len() == 1,
    };
    if alone {
        for target in &targets {
            draft.step(pattern, vec![target.clone()], workload.clone(), true);
        }
    }
    let both = wishes.thorough && wishes.axes.is_empty();
    if targets.len() > 1 && !wishes.alone && (both || !alone) {
        draft.step(pattern, targets, workload, !alone);
    }
}

/// An OSD that was asked for must be there and up.
pub fn check_wished(draft: &Draft) -> Result<(), Failure> {
    let known = &draft.ground.scope.osds;
    for id in &draft.wishes.osds {
        match known.iter().find(|osd| osd.id == *id) {
            None => {
                let ids: Vec<String> = known.iter().map(|osd| format!("osd.{}", osd.id)).collect();
                return Err(Failure::Usage(format!("osd.{id} does not exist; there are: {}", ids.join(", "))));
            }
            Some(osd) if !osd.up => return Err(Failure::Failed(format!("osd.{id} on host {} is down", osd.host))),
            Some(_) => {}
        }
    }
    if draft.osds().is_empty() {
        return Err(Failure::Failed("the cluster has no OSD that is up".to_string()));
    }
    Ok(())
}
