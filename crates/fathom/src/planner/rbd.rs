//! Steps of the rbd layer: images in a temporary or a named pool, one a job.

use super::draft::Draft;
use super::objects::{pool_for, shown};
use crate::failure::Failure;
use model::pattern::Family;
use model::workload::{GIB, MIB};
use model::{Bytes, Change, Layer, Place, Target};

const IMAGE: Bytes = GIB;
const LAB_IMAGE: Bytes = 64 * MIB;
/// Several writers to one image measure its object map: the parallel patterns get several images.
const IMAGES: u32 = 4;

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    if let Some(image) = draft.wishes.image.clone() {
        return add_named(draft, image);
    }
    let (pool, temporary) = pool_for(draft, "rbd")?;
    let bytes = if draft.small() { LAB_IMAGE } else { IMAGE };
    let mut steps = draft.workloads(Layer::Rbd, bytes * Bytes::from(IMAGES));
    for (pattern, workload) in &mut steps {
        if draft.knobs.jobs.is_none() && pattern.family() == Family::Parallel {
            workload.jobs = IMAGES.max(workload.clients).min(workload.depth);
        }
    }
    let images = steps.iter().map(|(_, workload)| workload.jobs).max().unwrap_or(1);
    let span = draft.knobs.working_set.unwrap_or(bytes * Bytes::from(images));
    let bytes = (span / Bytes::from(images)).next_multiple_of(4 * MIB);
    let names: Vec<String> = (0..images).map(|n| draft.name(&n.to_string())).collect();
    for name in &names {
        draft.change(Change::Image { pool: pool.clone(), name: name.clone(), bytes });
    }
    for (pattern, mut workload) in steps {
        let images: Vec<String> = names.iter().take(workload.jobs as usize).cloned().collect();
        workload.span = bytes * images.len() as Bytes;
        let place = Place::Images { pool: pool.clone(), images };
        let target = Target { layer: Layer::Rbd, name: shown(draft, &pool, temporary), host: None, place };
        draft.step(pattern, vec![target], workload, true);
    }
    Ok(())
}

/// An image that is not ours is only read.
fn add_named(draft: &mut Draft, image: String) -> Result<(), Failure> {
    let (pool, _) = pool_for(draft, "rbd")?;
    let bytes = draft.ground.image_bytes.ok_or_else(|| {
        Failure::Usage(format!("image {image} does not exist in pool {pool}; `rbd ls {pool}` lists those that do"))
    })?;
    let place = Place::Images { pool: pool.clone(), images: vec![image.clone()] };
    let name = format!("{pool}/{image}");
    let target = Target { layer: Layer::Rbd, name, host: None, place };
    let asked = !draft.knobs.patterns.is_empty();
    for (pattern, workload) in draft.workloads(Layer::Rbd, bytes / (4 * MIB) * (4 * MIB)) {
        if !workload.writes() {
            draft.step(pattern, vec![target.clone()], workload, true);
        } else if asked {
            let text = format!("image {pool}/{image} is not Fathom's: it is only read (--patterns read-latency,…)");
            return Err(Failure::Refused(text));
        }
    }
    Ok(())
}
