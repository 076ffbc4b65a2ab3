//! The floor: what any replicated store could do at best on the same disks and network.
//!
//! A write goes from the client over TCP to the first host, from there to the other replicas, is durable on each, and is
//! acknowledged back. There is nothing else: no checksums, no placement, no journal, no locks. Each connection has one write in
//! flight at its replicas, so as many connections as operations in flight.

mod replica_server;
mod session;

use crate::api::{Context, Engine, EngineError, Session};
use crate::network::{reach, refuse_endpoint};
use crate::verify;
use model::{Access, Bytes, Endpoint, Place, Replica, Target, Workload};
pub use replica_server::keep;

pub struct FloorEngine;

/// The largest write: more than a store would write at once.
const LARGEST: Bytes = 64 << 20;
/// The place of a write, before its data.
const HEADER: usize = size_of::<u64>();
/// `errno` of a write that failed, or 0.
const ACKNOWLEDGEMENT: usize = size_of::<i32>();

impl Engine for FloorEngine {
    fn name(&self) -> &'static str {
        "replicas"
    }

    fn refuse(&self, target: &Target, workload: &Workload) -> Option<String> {
        let (from, replicas) = match replicas(target) {
            Ok(ends) => ends,
            Err(why) => return Some(why),
        };
        if let Some(why) = verify::refusal(self, workload, true) {
            return Some(why);
        }
        if workload.reads() || workload.access == Access::Sequential {
            return Some("the floor is of random writes: a read is one disk and one round trip".into());
        }
        if workload.block == 0 || workload.block > LARGEST || workload.lane_span() < workload.block {
            return Some(format!("no blocks of {} bytes fit into the working set's parts", workload.block));
        }
        if let Some(option) = workload.options.keys().next() {
            return Some(format!("the engine of the floor has no option {option:?}"));
        }
        std::iter::once(from).chain(replicas.iter().map(|replica| &replica.end)).find_map(refuse_endpoint)
    }

    fn unverifiable(&self) -> Option<&'static str> {
        Some("what the floor writes is not read back; leave the layer out")
    }

    fn open(
        &self,
        _context: &Context,
        target: &Target,
        workload: &Workload,
        lane: u32,
    ) -> Result<Box<dyn Session>, EngineError> {
        if let Some(why) = self.refuse(target, workload) {
            return Err(EngineError::Refused(why));
        }
        let (from, replicas) = replicas(target).map_err(EngineError::Refused)?;
        let listener = replicas.first().and_then(|first| Some((&first.end, first.listener.as_ref()?)));
        let (first, key) =
            listener.ok_or_else(|| EngineError::Broken(format!("{}: nobody keeps its replicas", target.name)))?;
        let (socket, name) = reach(from, first, key)?;
        Ok(Box::new(session::FloorSession::over(socket, name, workload, lane)?))
    }
}

fn replicas(target: &Target) -> Result<(&Endpoint, &[Replica]), String> {
    match &target.place {
        Place::Replicas { from, replicas } if !replicas.is_empty() => Ok((from, replicas)),
        _ => Err(format!("{} has no replicas: the floor works between hosts", target.name)),
    }
}
