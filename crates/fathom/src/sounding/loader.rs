//! Who puts the load on a step's targets: the engines, or what stands in for them where the method itself is tried.

use super::verifying::{self, Found};
use engines::crew::{Flow, run_slice};
use engines::{Context, Engine, EngineError};
use model::{Clock, HostSeconds, Nanos, SliceEnd, Step, WindowSet};
use std::sync::Arc;
use std::time::Duration;

pub trait Loader {
    /// Loads all targets of the step, and shows each window as it ends, until `on_window` says stop.
    ///
    /// Errors: the load could not be started. What breaks later is in the slice's end.
    fn load(
        &self,
        step: &Step,
        window_ns: Nanos,
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError>;

    /// What the kernels of other hosts counted during the slice that just ended, in seconds since `from`.
    fn observed(&self, _from: Nanos) -> Vec<HostSeconds> {
        Vec::new()
    }

    /// What the slice that just ended has verified; before that, for at most `limit`, reads back what it wrote.
    fn verified(&self, _step: &Step, _limit: Duration, _go_on: &dyn Fn() -> bool) -> Found {
        Found::default()
    }
}

/// The engines, each in threads of its own.
pub struct Engines<'a> {
    pub context: &'a Context,
    pub clock: &'a Arc<dyn Clock>,
    pub engine_of: &'a dyn Fn(&Step) -> Result<&'a dyn Engine, EngineError>,
}

impl Loader for Engines<'_> {
    fn load(
        &self,
        step: &Step,
        window_ns: Nanos,
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        run_slice((self.engine_of)(step)?, self.context, self.clock, step, window_ns, on_window)
    }

    fn verified(&self, step: &Step, limit: Duration, go_on: &dyn Fn() -> bool) -> Found {
        match (self.engine_of)(step) {
            Ok(engine) => verifying::found(engine, self.context, step, limit, go_on),
            Err(error) => Found { error: Some(error.to_string()), ..Found::default() },
        }
    }
}
