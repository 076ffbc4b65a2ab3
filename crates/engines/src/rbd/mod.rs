//! The `rbd` engine: images of a pool, through librbd: an image for each lane, or, of fewer images, a part of one.

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
        for lane in 0..workload.jobs.max(1) {
            // What is filled is to be in the cluster at the end, and in no cache.
            let image = open_image(context, target, workload, lane, (OpenFor::Writing, CacheWish::OFF))?;
            let part = Part::of(images.len(), workload, lane);
            let mut slots = ImageSlots::new(image, part.base, IN_FLIGHT, PART as usize)?;
            let (before, mut wanted) = (u64::from(lane) * span, true);
            let mut report = |done| {
                wanted = progress(before + done);
                wanted
            };
            let region = region(target, workload, lane)?;
            let stamper = Stamper::of(&context.verify, workload, || region);
            fill(&mut slots, PART, span, workload.seed ^ u64::from(lane), stamper.as_ref(), &mut report)?;
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
        let (_, images) = images_of(target).map_err(EngineError::Refused)?;
        let base = Part::of(images.len(), workload, lane).base;
        let slots = match workload.cache_answers_writes() && workload.durability == Durability::GroupCommit {
            true => ImageSlots::flushed(image, base, depth, bytes)?,
            false => ImageSlots::new(image, base, depth, bytes)?,
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

/// Where a lane's part lies: of as many images as lanes, all of one.
#[derive(Debug, PartialEq)]
struct Part {
    /// Its number in the list.
    image: usize,
    /// Where in the image it begins.
    base: Bytes,
    /// How much of the image all of its lanes take.
    of_all: Bytes,
}

impl Part {
    fn of(images: usize, workload: &Workload, lane: u32) -> Part {
        let (lane, jobs, span) = (lane as usize, workload.jobs.max(1) as usize, workload.lane_span());
        let image = lane % images;
        let lanes = (jobs.saturating_sub(image)).div_ceil(images).max(1) as u64;
        Part { image, base: (lane / images) as u64 * span, of_all: lanes * span }
    }
}

fn region(target: &Target, workload: &Workload, lane: u32) -> Result<Region, EngineError> {
    let (pool, images) = images_of(target).map_err(EngineError::Refused)?;
    let part = Part::of(images.len(), workload, lane);
    let place = format!("image {pool}/{}", images[part.image]);
    Ok(Region { place, bytes: part.of_all, base: part.base, names: PlaceNames::Whole })
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
    let part = Part::of(images.len(), workload, lane);
    let name = &images[part.image];
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
    let (size, needed) = (image.size().map_err(broken)?, part.of_all);
    if size < needed {
        return Err(EngineError::Refused(format!(
            "image {pool}/{name} has {size} bytes and {needed} are needed; choose a smaller working set or a larger image"
        )));
    }
    Ok(image)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Pattern;
    use model::workload::GIB;

    #[test]
    fn lanes_of_one_image_have_parts_that_do_not_overlap_and_are_all_of_it() {
        let workload = |jobs| Workload { jobs, depth: 64, ..Workload::canonical(Pattern::ReadParallel, 8 * GIB, 1) };
        let parts =
            |images, jobs: u32| (0..jobs).map(|lane| Part::of(images, &workload(jobs), lane)).collect::<Vec<_>>();
        let bases: Vec<Bytes> = parts(1, 4).iter().map(|part| part.base).collect();
        assert_eq!(bases, [0, 2 * GIB, 4 * GIB, 6 * GIB]);
        assert!(parts(1, 4).iter().all(|part| part.image == 0 && part.of_all == 8 * GIB));
        let own = |image| Part { image, base: 0, of_all: 2 * GIB };
        assert_eq!(parts(4, 4), [0, 1, 2, 3].map(own));
        let uneven: Vec<(usize, Bytes)> = parts(3, 4).iter().map(|part| (part.image, part.of_all)).collect();
        assert_eq!(uneven, [(0, 4 * GIB), (1, 2 * GIB), (2, 2 * GIB), (0, 4 * GIB)]);
    }
}
