//! The `rbd` engine: images of a pool, through librbd; one image per lane.

mod flushes;
mod slots;

use crate::api::{Context, Engine, EngineError, Session};
use crate::rados::{IN_FLIGHT, PART, SlotSession, broken, fill, open_pool_as, room};
use crate::verify::{Marks, PlaceNames, Region, Stamper, refusal};
use ceph::{Cache, Image, OpenFor};
use model::workload::{IMAGE_CACHE, IMAGE_CACHES};
use model::{Bytes, Durability, Place, Target, Workload};
use slots::ImageSlots;

pub struct RbdEngine;

impl Engine for RbdEngine {
    fn name(&self) -> &'static str {
        "librbd"
    }

    fn refuse(&self, target: &Target, workload: &Workload) -> Option<String> {
        if workload.block == 0 {
            return Some("operations of 0 bytes measure nothing; choose a block size".into());
        }
        let ours = |images: &[String]| images.iter().all(|image| image.starts_with("fathom."));
        match images_of(target) {
            Err(why) => Some(why),
            Ok((_, images)) => refusal(self, workload, ours(images)).or_else(|| {
                match cache(workload) {
                    Err(why) => Some(why),
                    Ok((_, Some(policy))) if !ours(images) => Some(format!(
                        "{IMAGE_CACHE}={policy} would be set in an image that is not Fathom's; choose on (what is configured) or off"
                    )),
                    Ok(_) => None,
                }
            }),
        }
    }

    fn prepare(
        &self,
        context: &Context,
        target: &Target,
        workload: &Workload,
        progress: &mut dyn FnMut(Bytes) -> bool,
    ) -> Result<(), EngineError> {
        let (_, images) = images_of(target).map_err(EngineError::Refused)?;
        let span = workload.lane_span();
        let used = images.len().min(workload.jobs.max(1) as usize);
        for n in 0..used {
            // What is filled is to be in the cluster at the end, and in no cache.
            let image = open_image(context, target, workload, n as u32, (OpenFor::Writing, (Cache::Off, None)))?;
            let mut slots = ImageSlots::new(image, IN_FLIGHT, PART as usize)?;
            let (before, mut wanted) = (n as u64 * span, true);
            let mut report = |done| {
                wanted = progress(before + done);
                wanted
            };
            let region = region(target, workload, n as u32)?;
            let stamper = Stamper::of(&context.verify, workload, || region);
            fill(&mut slots, PART, span, workload.seed ^ n as u64, stamper.as_ref(), &mut report)?;
            if !wanted {
                break;
            }
        }
        Ok(())
    }

    fn open(
        &self,
        context: &Context,
        target: &Target,
        workload: &Workload,
        lane: u32,
    ) -> Result<Box<dyn Session>, EngineError> {
        let (depth, bytes) = room(workload, lane);
        let open_for = if workload.writes() { OpenFor::Writing } else { OpenFor::Reading };
        let cache = cache(workload).map_err(EngineError::Refused)?;
        let image = open_image(context, target, workload, lane, (open_for, cache))?;
        let slots = match workload.cache_answers_writes() && workload.durability == Durability::GroupCommit {
            true => ImageSlots::flushed(image, depth, bytes)?,
            false => ImageSlots::new(image, depth, bytes)?,
        };
        let region = region(target, workload, lane)?;
        let marks = Marks::of(&context.verify, target, workload, lane, || region);
        Ok(Box::new(SlotSession::new(slots, workload, lane, marks)))
    }
}

fn images_of(target: &Target) -> Result<(&str, &[String]), String> {
    match &target.place {
        Place::Images { pool, images } if !images.is_empty() => Ok((pool, images)),
        Place::Images { pool, .. } => {
            Err(format!("no image of pool {pool} is named; the rbd layer needs at least one"))
        }
        _ => Err(format!("{} is no image: the rbd layer works on images of a pool", target.name)),
    }
}

/// A lane's image, from its beginning.
fn region(target: &Target, workload: &Workload, lane: u32) -> Result<Region, EngineError> {
    let (pool, images) = images_of(target).map_err(EngineError::Refused)?;
    let place = format!("image {pool}/{}", images[lane as usize % images.len()]);
    Ok(Region { place, bytes: workload.lane_span(), base: 0, names: PlaceNames::Whole })
}

/// Off, or on; and the policy, if it is not to be as the library is configured.
fn cache(workload: &Workload) -> Result<(Cache, Option<&str>), String> {
    match workload.options.get(IMAGE_CACHE).map(String::as_str) {
        None | Some("off") => Ok((Cache::Off, None)),
        Some("on") => Ok((Cache::On, None)),
        Some(policy) if IMAGE_CACHES.contains(&policy) => Ok((Cache::On, Some(policy))),
        Some(other) => {
            Err(format!("{IMAGE_CACHE}={other} is not known; choose on or one of {}", IMAGE_CACHES.join(", ")))
        }
    }
}

fn open_image(
    context: &Context,
    target: &Target,
    workload: &Workload,
    lane: u32,
    (open_for, cache): (OpenFor, (Cache, Option<&str>)),
) -> Result<Image, EngineError> {
    let (pool, images) = images_of(target).map_err(EngineError::Refused)?;
    let name = &images[lane as usize % images.len()];
    // Writes that wait until the pool is no longer full would keep the image's lock, and it could not be removed.
    let pool_of_lane = open_pool_as(context, pool, workload, lane)?.although_full();
    let open = |how, cache| pool_of_lane.open_image(name, how, cache).map_err(broken);
    let (cache, policy) = cache;
    if let Some(policy) = policy {
        // A connection takes no other policy up, an image that is opened does.
        open(OpenFor::Writing, Cache::Off)?.set_option("rbd_cache_policy", policy).map_err(broken)?;
    }
    let image = open(open_for, cache)?;
    let (size, needed) = (image.size().map_err(broken)?, workload.lane_span());
    if size < needed {
        return Err(EngineError::Refused(format!(
            "image {pool}/{name} has {size} bytes and {needed} are needed; choose a smaller working set or a larger image"
        )));
    }
    Ok(image)
}
