//! The `s3` engine: objects of a bucket, through a gateway. A write puts an object, a read gets it, or a part of it, and looks whether it is
//! whole; others are put beside the working set and deleted, looked for (HEAD), and listed.

mod answers;
mod names;
mod parts;
mod session;
mod slot;
mod spread;
#[cfg(test)]
mod tests;

use crate::api::{Context, Engine, EngineError, Op, Session};
use crate::content;
use model::working_set::{ObjectsNeeded, object_size};
use model::workload::OBJECT_MOST;
use model::{Bytes, OpClass, OpMix, Place, Sizes, Target, Workload};
use names::Names;
use s3::Requests;
use session::GatewaySession;
use spread::Spread;
use std::time::Duration;

pub struct GatewayEngine;

/// Requests in flight while a bucket is filled.
const FILLING: u32 = 16;
/// Bytes of all requests that are in flight, which lie in memory, once to be sent and once as received.
const IN_FLIGHT_MOST: Bytes = 2 << 30;
/// Each request in flight has a connection of its own, of which gateways have some thousands.
const CONNECTIONS_MOST: u32 = 4096;
/// The same while a bucket is filled.
const FILLING_BYTES: Bytes = 256 << 20;
/// How often an object is tried to be put while a bucket is filled: of what is measured nothing is tried again.
const TRIES: u32 = 5;
/// How often whoever waits for a bucket to be filled hears of it.
const TIMEOUT: Duration = Duration::from_millis(100);

impl Engine for GatewayEngine {
    fn name(&self) -> &'static str {
        "s3"
    }

    fn refuse(&self, target: &Target, workload: &Workload) -> Option<String> {
        let refused = crate::verify::refusal(self, workload, true);
        let (block, size) = (workload.block, object_size(workload));
        let swift = matches!(&target.place, Place::Bucket { gateway, .. } if gateway.swift);
        let (room, least) = (session::room(workload) as Bytes, workload.sizes.as_ref().map_or(block, Sizes::least));
        bucket_of(target).err().or(refused).or_else(|| match () {
            () if least < content::MARK as Bytes => Some(format!(
                "objects of {least} bytes have no room for what tells whether they are whole (at least {} bytes); choose a larger block size",
                content::MARK
            )),
            () if workload.span < block => Some(format!(
                "a working set of {} bytes holds no object of {block}; choose a larger --working-set", workload.span
            )),
            () if size > OBJECT_MOST => Some(format!(
                "objects of {} are too large to be measured as one operation (at most {}); choose smaller objects (--block-size, --sizes)",
                model::units::bytes(size),
                model::units::bytes(OBJECT_MOST)
            )),
            () if workload.depth > CONNECTIONS_MOST => Some(format!(
                "{} requests in flight take as many connections (at most {CONNECTIONS_MOST}); choose a smaller depth",
                workload.depth
            )),
            () if room.saturating_mul(workload.depth.into()) > IN_FLIGHT_MOST => Some(format!(
                "{} requests of {room} bytes in flight take too much memory (at most {IN_FLIGHT_MOST} bytes); choose a smaller depth or block size",
                workload.depth
            )),
            () if object_size(workload) != block && puts(workload) => Some(format!(
                "objects of {} bytes are put as a whole, and parts of {block} bytes can only be read; leave one of both sizes out, or what \
                 puts objects",
                object_size(workload)
            )),
            () if !object_size(workload).is_multiple_of(block) => Some(format!(
                "objects of {} bytes are not made of parts of {block} bytes; choose sizes of which one is a multiple of the other",
                object_size(workload)
            )),
            () if workload.delete_at_once.is_some() && swift => {
                Some("by Swift no request deletes several objects and says which; leave --delete-at-once out, or ask by S3".to_string())
            }
            () if workload.delete_at_once.is_some() && workload.rate.is_some() => {
                Some("how many requests are due follows from how many objects each deletes; leave --delete-at-once or --rate out".to_string())
            }
            () if workload.delete_at_once.is_some() && workload.buckets > 1 => {
                Some("one request deletes objects of one bucket; leave --delete-at-once or --buckets out".to_string())
            }
            () => session::quick_acks(workload).err().or_else(|| {
                parts::refusal(workload.part?, size, swift)
            }),
        })
    }

    fn prepare(
        &self,
        context: &Context,
        target: &Target,
        workload: &Workload,
        progress: &mut dyn FnMut(Bytes) -> bool,
    ) -> Result<(), EngineError> {
        // Each is put whole, whatever is done with it then.
        let (all, size) = (ObjectsNeeded::by(workload).count, object_size(workload));
        let most = (FILLING_BYTES / size.max(1)).clamp(1, FILLING.into()) as u32;
        let mix = OpMix::only(OpClass::Write);
        let filling = Workload { block: size, mix, jobs: 1, depth: most, ..workload.clone() };
        let (names, bytes) = (|own: &str| Names::of_all(own, workload), Names::of_all("", workload));
        let mut session = session(context, target, &filling, names, (0, workload.seed))?;
        let (mut next, mut done, mut put, mut ended) = (0, 0, 0, Vec::new());
        let mut free: Vec<u32> = (0..most).collect();
        // What each slot puts, and how often it was tried.
        let mut puts = vec![(0, 0); most as usize];
        let mut again: Vec<u32> = Vec::new();
        while done < all {
            while next < all
                && let Some(slot) = free.pop()
            {
                puts[slot as usize] = (next, 0);
                again.push(slot);
                next += 1;
            }
            for slot in again.drain(..) {
                let object = puts[slot as usize].0;
                let (offset, len) = (object * size, bytes.bytes(object) as u32);
                session.submit(&[Op { slot, kind: OpClass::Write, offset, len, due: 0 }])?;
            }
            session.reap(TIMEOUT, &mut ended)?;
            for ended in ended.drain(..) {
                let tried = &mut puts[ended.slot as usize].1;
                match ended.result {
                    Ok(bytes) => {
                        free.push(ended.slot);
                        done += 1;
                        put += Bytes::from(bytes);
                    }
                    Err(error) if *tried == TRIES => {
                        return Err(EngineError::Broken(format!("fill {}: {error}, {TRIES} times", target.name)));
                    }
                    Err(_) => {
                        *tried += 1;
                        // Whoever is overloaded needs a moment.
                        std::thread::sleep(TIMEOUT * *tried);
                        again.push(ended.slot);
                    }
                }
            }
            if !progress(put) {
                return Ok(());
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
        let names = |own: &str| Names::of_lane(own, workload, lane);
        let seed = workload.seed ^ (u64::from(lane + 1) << 32);
        Ok(Box::new(session(context, target, workload, names, (lane, seed))?))
    }

    fn unverifiable(&self) -> Option<&'static str> {
        Some("every object that is read is looked at whether it is whole, without --verify; leave it out")
    }
}

fn puts(workload: &Workload) -> bool {
    [OpClass::Write, OpClass::Create].into_iter().any(|class| workload.mix.has(class))
}

fn bucket_of(target: &Target) -> Result<(&model::Gateway, &str, &str), String> {
    match &target.place {
        Place::Bucket { gateway, bucket, prefix } => Ok((gateway, bucket, prefix)),
        _ => Err(format!("{} is no bucket: the object layer works on objects of a bucket", target.name)),
    }
}

fn session(
    context: &Context,
    target: &Target,
    workload: &Workload,
    names: impl Fn(&str) -> Names,
    (lane, seed): (u32, u64),
) -> Result<GatewaySession, EngineError> {
    let (gateway, bucket, prefix) = bucket_of(target).map_err(EngineError::Refused)?;
    let access = context.s3.get(&gateway.url).ok_or_else(|| {
        EngineError::Refused(format!(
            "there are no keys for {}; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
            gateway.url
        ))
    })?;
    let broken = |error: s3::S3Error| EngineError::Broken(error.to_string());
    let first = Requests::new(gateway, bucket, access).and_then(Requests::reachable).map_err(broken)?;
    let others = (1..workload.buckets).map(|number| first.beside(gateway, &model::working_set::bucket(bucket, number)));
    let mut buckets = others.collect::<Result<Vec<_>, _>>().map_err(broken)?;
    buckets.insert(0, first);
    let spread = Spread::of(buckets[0].addresses(), workload, lane);
    GatewaySession::open(buckets, names(prefix), workload, (workload.lane_depth(lane).max(1), seed, spread))
}
