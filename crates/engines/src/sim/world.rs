//! The simulated world: which operations are under way on all sessions, and time that jumps to the next one that ends.

use super::model_of_time::{Fate, Model};
use crate::api::{Done, EngineError, Op, OpError, Session};
use crate::clock::SimClock;
use ::model::{Clock, Nanos};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Default)]
pub struct World {
    sessions: u64,
    /// (when it ends, session, slot, bytes or 0 if it failed), soonest first.
    ends: BTreeSet<(Nanos, u64, u32, u32)>,
    /// By target: when each server is free again.
    servers: BTreeMap<String, Vec<Nanos>>,
}

impl World {
    /// The server that is free first, for an operation that comes now.
    fn server(&mut self, target: &str, servers: u32) -> &mut Nanos {
        let all = self.servers.entry(target.to_string()).or_default();
        all.resize(servers.max(1) as usize, 0);
        let first = (0..all.len()).min_by_key(|n| all[*n]).unwrap_or(0);
        &mut all[first]
    }
}

pub struct SimSession {
    clock: Arc<SimClock>,
    world: Arc<Mutex<World>>,
    id: u64,
    target: String,
    model: Model,
    chance: Xoshiro256PlusPlus,
}

fn locked(world: &Mutex<World>) -> MutexGuard<'_, World> {
    world.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SimSession {
    pub fn new(clock: Arc<SimClock>, world: Arc<Mutex<World>>, target: &str, model: Model, seed: u64) -> SimSession {
        let id = {
            let mut world = locked(&world);
            world.sessions += 1;
            world.sessions
        };
        let chance = Xoshiro256PlusPlus::seed_from_u64(seed);
        SimSession { clock, world, id, target: target.to_string(), model, chance }
    }
}

impl Session for SimSession {
    fn submit(&mut self, ops: &[Op]) -> Result<usize, EngineError> {
        let now = self.clock.now();
        let mut world = locked(&self.world);
        for op in ops {
            let server = world.server(&self.target, self.model.servers);
            let begins = now.max(*server);
            if let Fate::Ends { after, failed } = self.model.fate(op.kind, begins, &mut self.chance) {
                *server = begins + after;
                let bytes = if failed { 0 } else { op.len };
                world.ends.insert((begins + after, self.id, op.slot, bytes));
            }
        }
        Ok(ops.len())
    }

    fn reap(&mut self, timeout: Duration, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let mut world = locked(&self.world);
        let until = self.clock.now() + timeout.as_nanos() as Nanos;
        // Another session's operation may end first: then time goes on only as far as that.
        let next = world.ends.first().map_or(until, |end| end.0).min(until);
        self.clock.wait_until(next);
        let now = self.clock.now();
        let ended: Vec<_> =
            world.ends.iter().take_while(|end| end.0 <= now).filter(|end| end.1 == self.id).copied().collect();
        for end in ended {
            world.ends.remove(&end);
            let (at, _, slot, bytes) = end;
            let result = if bytes == 0 { Err(OpError::of(libc::EIO)) } else { Ok(bytes) };
            done.push(Done { slot, at, result, told: None, first_byte: None });
        }
        Ok(())
    }
}

impl Drop for SimSession {
    fn drop(&mut self) {
        let id = self.id;
        locked(&self.world).ends.retain(|end| end.1 != id);
    }
}
