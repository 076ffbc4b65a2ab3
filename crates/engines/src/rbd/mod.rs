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
        match images_of(target) {
            Err(why) => Some(why),
            Ok((_, images)) => {
                let own = images.iter().all(|image| ours(image));
                refusal(self, workload, own).or_else(|| match CacheWish::of(workload) {
                    Err(why) => Some(why),
                    Ok(wish) => wish.policy().filter(|_| !own).map(|policy| {
                        format!(
                            "{IMAGE_CACHE}={policy} would be set in an image that is not Fathom's; choose on (as it is configured) or off"
                        )
                    }),
                })
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
        let (_, images) = images_of(target).map_err(EngineError::Refused)?;
        let span = workload.lane_span();
        let used = images.len().min(workload.jobs.max(1) as usize);
        for n in 0..used {
            // What is filled is to be in the cluster at the end, and in no cache.
            let image = open_image(context, target, workload, n as u32, (OpenFor::Writing, CacheWish::OFF))?;
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
        let wish = CacheWish::of(workload).map_err(EngineError::Refused)?;
        let image = open_image(context, target, workload, lane, (open_for, wish))?;
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
        Place::Images { pool, images, .. } if !images.is_empty() => Ok((pool, images)),
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

/// What librbd's cache is to do.
#[derive(Clone, Copy)]
struct CacheWish<'w> {
    cache: Cache,
    /// As asked for. `None`: an image of ours is made with its cache off.
    asked: Option<&'w str>,
}

impl<'w> CacheWish<'w> {
    const OFF: CacheWish<'static> = CacheWish { cache: Cache::Off, asked: Some("off") };

    fn of(workload: &'w Workload) -> Result<CacheWish<'w>, String> {
        let asked = workload.options.get(IMAGE_CACHE).map(String::as_str);
        match asked {
            None | Some("off") => Ok(CacheWish { cache: Cache::Off, asked }),
            Some(known) if known == "on" || IMAGE_CACHES.contains(&known) => Ok(CacheWish { cache: Cache::On, asked }),
            Some(other) => {
                Err(format!("{IMAGE_CACHE}={other} is not known; choose on or one of {}", IMAGE_CACHES.join(", ")))
            }
        }
    }

    fn policy(&self) -> Option<&'w str> {
        self.asked.filter(|asked| !["on", "off"].contains(asked))
    }

    /// In an image of ours: what is set there is stronger than what is set for its pool, and that than what a client has. An image reads it
    /// when it is opened.
    fn set(&self, image: &Image) -> Result<(), EngineError> {
        let on = if self.cache == Cache::On { "true" } else { "false" };
        image.set_option("rbd_cache", on).map_err(broken)?;
        self.policy().map_or(Ok(()), |policy| image.set_option("rbd_cache_policy", policy).map_err(broken))
    }

    /// Why an image that is not ours will do something else.
    fn contradicted(&self, image: &Image) -> Option<String> {
        // Who may not ask is told nothing.
        let set = image.set_to("rbd_cache").ok()?;
        let on = set.as_deref().map(|value| ["true", "1", "yes", "on"].contains(&value));
        on.filter(|on| *on != (self.cache == Cache::On)).map(|on| {
            let (is, choose) = if on { ("true", "on") } else { ("false", "off") };
            format!(
                "image {}/{}: rbd_cache={is} is set for it or for its pool (`rbd config image ls {}/{}`), which is stronger than what a client \
                 says; choose --option {IMAGE_CACHE}={choose}",
                image.pool(),
                image.name(),
                image.pool(),
                image.name()
            )
        })
    }
}

fn ours(image: &str) -> bool {
    image.starts_with("fathom.")
}

fn open_image(
    context: &Context,
    target: &Target,
    workload: &Workload,
    lane: u32,
    (open_for, wish): (OpenFor, CacheWish),
) -> Result<Image, EngineError> {
    let (pool, images) = images_of(target).map_err(EngineError::Refused)?;
    let name = &images[lane as usize % images.len()];
    // Writes that wait until the pool is no longer full would keep the image's lock, and it could not be removed.
    let pool_of_lane = open_pool_as(context, pool, workload, lane)?.although_full();
    let open = |how, cache| pool_of_lane.open_image(name, how, cache).map_err(broken);
    // Else it is as it was made.
    if workload.options.contains_key(IMAGE_CACHE) && ours(name) {
        wish.set(&open(OpenFor::Writing, Cache::Off)?)?;
    }
    let image = open(open_for, wish.cache)?;
    if !ours(name)
        && let Some(why) = wish.contradicted(&image)
    {
        return Err(EngineError::Refused(why));
    }
    let (size, needed) = (image.size().map_err(broken)?, workload.lane_span());
    if size < needed {
        return Err(EngineError::Refused(format!(
            "image {pool}/{name} has {size} bytes and {needed} are needed; choose a smaller working set or a larger image"
        )));
    }
    Ok(image)
}
