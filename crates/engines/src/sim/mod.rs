//! The simulated engine: operations take what a seeded model says, and no time passes.

mod model_of_time;
mod world;

pub use model_of_time::{Model, Twist};

use crate::api::{Context, Engine, EngineError, Session};
use crate::clock::SimClock;
use ::model::{Bytes, Target, Workload};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use world::{SimSession, World};

type ModelOf = dyn Fn(&Target, &Workload) -> Model + Send + Sync;

/// Not in the list of engines: it needs the clock that it moves. Lanes that are open on one target at the same time
/// share its servers.
pub struct Sim {
    clock: Arc<SimClock>,
    model_of: Box<ModelOf>,
    world: Arc<Mutex<World>>,
    /// Sessions opened so far per target: each slice sees other chances, every run of the same program the same ones.
    opened: Mutex<BTreeMap<String, u64>>,
}

impl Sim {
    /// `model_of` says how each target behaves under each workload.
    pub fn new(clock: Arc<SimClock>, model_of: impl Fn(&Target, &Workload) -> Model + Send + Sync + 'static) -> Sim {
        Sim { clock, model_of: Box::new(model_of), world: Arc::default(), opened: Mutex::default() }
    }
}

impl Engine for Sim {
    fn name(&self) -> &'static str {
        "sim"
    }

    fn refuse(&self, _target: &Target, _workload: &Workload) -> Option<String> {
        None
    }

    fn prepare(
        &self,
        _context: &Context,
        _target: &Target,
        workload: &Workload,
        progress: &mut dyn FnMut(Bytes) -> bool,
    ) -> Result<(), EngineError> {
        progress(workload.span);
        Ok(())
    }

    fn open(
        &self,
        _context: &Context,
        target: &Target,
        workload: &Workload,
        lane: u32,
    ) -> Result<Box<dyn Session>, EngineError> {
        let model = (self.model_of)(target, workload);
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let times = opened.entry(target.name.clone()).or_default();
        *times += 1;
        let seed = workload.seed ^ times.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(lane) << 32;
        Ok(Box::new(SimSession::new(self.clock.clone(), self.world.clone(), &target.name, model, seed)))
    }

    fn simulated(&self) -> bool {
        true
    }
}
