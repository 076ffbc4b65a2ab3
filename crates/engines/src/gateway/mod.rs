//! The `s3` engine: whole objects of a bucket, through a gateway. A write puts an object, a read gets it and looks whether it is whole.

mod session;

use crate::api::{Context, Engine, EngineError, Op, Session};
use crate::content;
use model::working_set::{ObjectsNeeded, family, object_size, objects_per_lane};
use model::workload::OBJECT_MOST;
use model::{Bytes, OpClass, Place, Target, Workload};
use s3::Requests;
use session::{GatewaySession, LaneNames};
use std::time::Duration;

pub struct GatewayEngine;

/// Requests in flight while a bucket is filled.
const FILLING: u32 = 16;
/// Bytes of all requests that are in flight, which lie in memory, once to be sent and once as received.
const IN_FLIGHT_MOST: Bytes = 2 << 30;
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
        let block = workload.block;
        bucket_of(target).err().or(refused).or_else(|| match () {
            () if block < content::MARK as Bytes => Some(format!(
                "objects of {block} bytes have no room for what tells whether they are whole (at least {} bytes); choose a larger block size",
                content::MARK
            )),
            () if workload.span < block => Some(format!(
                "a working set of {} bytes holds no object of {block}; choose a larger --working-set", workload.span
            )),
            () if block > OBJECT_MOST => Some(format!(
                "objects of {block} bytes are too large to be sent as one (at most {OBJECT_MOST}); choose a smaller block size"
            )),
            () if block.saturating_mul(workload.depth.into()) > IN_FLIGHT_MOST => Some(format!(
                "{} objects of {block} bytes in flight take too much memory (at most {IN_FLIGHT_MOST} bytes); choose a smaller depth or block size",
                workload.depth
            )),
            () if object_size(workload) != block => Some(format!(
                "each operation is of a whole object, so objects of {} bytes have no blocks of {block}; leave one of both sizes out",
                object_size(workload)
            )),
            () if !workload.options.is_empty() => Some("the s3 engine has no options; leave --option out".to_string()),
            () => None,
        })
    }

    fn prepare(
        &self,
        context: &Context,
        target: &Target,
        workload: &Workload,
        progress: &mut dyn FnMut(Bytes) -> bool,
    ) -> Result<(), EngineError> {
        let all = ObjectsNeeded::by(workload).count;
        let most = (FILLING_BYTES / workload.block.max(1)).clamp(1, FILLING.into()) as u32;
        let mut session = session(context, target, workload, 0..all, (most, workload.seed))?;
        let (mut next, mut done, mut ended) = (0, 0, Vec::new());
        let mut free: Vec<u32> = (0..most).collect();
        // What each slot puts, and how often it was tried.
        let mut puts = vec![(0, 0); most as usize];
        let mut again: Vec<u32> = Vec::new();
        while done < all {
            while next < all
                && let Some(slot) = free.pop()
            {
                puts[slot as usize] = (next * workload.block, 0);
                again.push(slot);
                next += 1;
            }
            for slot in again.drain(..) {
                let offset = puts[slot as usize].0;
                session.submit(&[Op { slot, kind: OpClass::Write, offset, len: workload.block as u32, due: 0 }])?;
            }
            session.reap(TIMEOUT, &mut ended)?;
            for ended in ended.drain(..) {
                let tried = &mut puts[ended.slot as usize].1;
                match ended.result {
                    Ok(_) => {
                        free.push(ended.slot);
                        done += 1;
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
            if !progress(done * workload.block) {
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
        let count = objects_per_lane(workload);
        let first = u64::from(lane) * count;
        let (depth, seed) = (workload.lane_depth(lane).max(1), workload.seed ^ (u64::from(lane + 1) << 32));
        Ok(Box::new(session(context, target, workload, first..first + count, (depth, seed))?))
    }

    fn unverifiable(&self) -> Option<&'static str> {
        Some("every object that is read is looked at whether it is whole, without --verify; leave it out")
    }
}

fn bucket_of(target: &Target) -> Result<(&model::Gateway, &str, &str), String> {
    match &target.place {
        Place::Bucket { gateway, bucket, prefix } => Ok((gateway, bucket, prefix)),
        _ => Err(format!("{} is no bucket: the object layer works on objects of a bucket", target.name)),
    }
}

/// On these objects of the working set; `depth`: requests in flight.
fn session(
    context: &Context,
    target: &Target,
    workload: &Workload,
    objects: std::ops::Range<u64>,
    (depth, seed): (u32, u64),
) -> Result<GatewaySession, EngineError> {
    let (gateway, bucket, prefix) = bucket_of(target).map_err(EngineError::Refused)?;
    let access = context.s3.as_ref().ok_or_else(|| {
        EngineError::Refused(format!(
            "there are no keys for {}; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
            gateway.url
        ))
    })?;
    let requests = Requests::new(gateway, bucket, access).and_then(Requests::reachable);
    let requests = requests.map_err(|error| EngineError::Broken(error.to_string()))?;
    let (family, size) = (family(workload), object_size(workload));
    GatewaySession::open(
        requests,
        LaneNames { prefix: format!("{prefix}{family}{size}."), objects },
        depth,
        size as usize,
        seed,
    )
}
