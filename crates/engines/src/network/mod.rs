//! The network layer: a pair of hosts, over TCP. Random access asks and is answered; sequential access streams.
//!
//! Both ends live in this process, or one of them in another host's, which has a [`Listener`]. For a lab's host a socket is made inside the host's network namespace. A connection's
//! port is bound to the pair's own addresses, given by the kernel, closed as soon as the connection stands, and good
//! only for whoever knows a one-time token.

mod connection;
mod listener;
mod path_mtu;
mod round_trip;
mod stream;

use crate::api::{Context, Engine, EngineError, Session};
use crate::verify;
use connection::Ends;
pub(crate) use connection::{Peer, reach, refuse_endpoint};
pub use listener::Listener;
use model::{Access, Bytes, Endpoint, Place, Target, Workload};
pub use path_mtu::{Echo, carries};

pub struct Tcp;

/// The largest message: larger ones would only be split again.
const LARGEST: Bytes = 64 << 20;

impl Engine for Tcp {
    fn name(&self) -> &'static str {
        "tcp"
    }

    fn refuse(&self, target: &Target, workload: &Workload) -> Option<String> {
        let (from, to) = match ends(target) {
            Ok(ends) => ends,
            Err(why) => return Some(why),
        };
        if let Some(why) = verify::refusal(self, workload, true) {
            return Some(why);
        }
        if workload.block == 0 || workload.block > LARGEST {
            return Some(format!("a message of {} bytes is not between 1 and {LARGEST} bytes", workload.block));
        }
        if let Some(option) = workload.options.keys().next() {
            return Some(format!("the engine of the network layer has no option {option:?}"));
        }
        if workload.access == Access::Sequential && workload.reads() && workload.writes() {
            return Some("a stream goes one way; ask for reads or for writes, not for a mix".into());
        }
        [from, to].into_iter().find_map(refuse_endpoint)
    }

    fn unverifiable(&self) -> Option<&'static str> {
        Some("a network keeps nothing that could be read back and verified; leave the layer out")
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
        let (from, to) = ends(target).map_err(EngineError::Refused)?;
        let seed = workload.seed ^ u64::from(lane) << 32;
        let block = workload.block as usize;
        if let Place::Pair { listener: Some(key), .. } = &target.place {
            // The active end dials, whichever way the bytes go.
            let (own, other) = if workload.streams_out() { (to, from) } else { (from, to) };
            let (socket, name) = reach(own, other, key)?;
            return match workload.access {
                Access::Sequential => Ok(Box::new(stream::StreamSession::over(socket, name, None, block, seed)?)),
                Access::Random | Access::Zipf(_) => {
                    let depth = workload.lane_depth(lane);
                    Ok(Box::new(round_trip::RoundTripSession::over(socket, name, None, workload, depth, seed)?))
                }
            };
        }
        let ends = Ends::connect(from, to)?;
        match workload.access {
            Access::Sequential => Ok(Box::new(stream::StreamSession::new(ends, workload, seed)?)),
            Access::Random | Access::Zipf(_) => {
                let depth = workload.lane_depth(lane);
                Ok(Box::new(round_trip::RoundTripSession::new(ends, workload, depth, seed)?))
            }
        }
    }
}

fn ends(target: &Target) -> Result<(&Endpoint, &Endpoint), String> {
    match &target.place {
        Place::Pair { from, to, .. } => Ok((from, to)),
        _ => Err(format!("{} is no pair of hosts: the network layer works between two", target.name)),
    }
}
