//! Who puts the load on a step's targets: the engines, or what stands in for them where the method itself is tried.

use crate::own_files::{Files, Names};
use engines::bounded::Bounded;
use engines::crew::{Flow, run_slice};
use engines::{Context, Engine, EngineError, verify};
use model::{Bytes, Checked, Clock, HostSeconds, Nanos, SliceEnd, Step, WindowSet};
use std::sync::Arc;
use std::time::Duration;

/// What a loader found on a step's targets, and the first thing that went wrong while it looked.
#[derive(Default)]
pub struct Checks {
    /// By index of the target.
    pub checked: Vec<(u32, Checked)>,
    pub error: Option<String>,
}

impl Checks {
    /// With the files called as the user knows them.
    pub fn named(mut self, names: &Names) -> Checks {
        self.error = self.error.map(|text| names.named(&text));
        for flaw in self.checked.iter_mut().flat_map(|(_, checked)| &mut checked.flaws) {
            flaw.place = names.place(&flaw.place);
        }
        self
    }
}

/// Of engines. `limit`: for reading back what the slice wrote; zero: what was read in the slice is all.
pub fn found(engine: &dyn Engine, context: &Context, step: &Step, limit: Duration, go_on: &dyn Fn() -> bool) -> Checks {
    let read_back = verify::read_back(engine, context, step, limit, go_on);
    let own = (0..).zip(&step.targets).map(|(index, target)| (index, context.verify.take(&target.name)));
    Checks { checked: own.collect(), error: read_back.err().map(|error| error.to_string()) }
}

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

    /// Writes to all targets of the step, no more than so many bytes to each, until `on_window` says stop.
    ///
    /// Errors: the load could not be started, or this loader has no such load.
    fn write_at_most(
        &self,
        _step: &Step,
        _most: Bytes,
        _window_ns: Nanos,
        _on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        Err(EngineError::Refused("what is written is not limited here".to_string()))
    }

    /// What the kernels of other hosts counted during the slice that just ended, in seconds since `from`.
    fn observed(&self, _from: Nanos) -> Vec<HostSeconds> {
        Vec::new()
    }

    /// What the slice that just ended has verified; before that, for at most `limit`, reads back what it wrote.
    fn verified(&self, _step: &Step, _limit: Duration, _go_on: &dyn Fn() -> bool) -> Checks {
        Checks::default()
    }
}

/// The engines, each in threads of its own.
pub struct Engines<'a> {
    pub context: &'a Context,
    pub clock: &'a Arc<dyn Clock>,
    pub engine_of: &'a dyn Fn(&Step) -> Result<&'a dyn Engine, EngineError>,
    /// Own files of this host, which have no name to be opened by.
    pub files: &'a Files,
}

/// The error, with the files called as the user knows them.
pub fn named(files: &Files, error: EngineError) -> EngineError {
    let named = |text: String| files.names().named(&text);
    match error {
        EngineError::Refused(text) => EngineError::Refused(named(text)),
        EngineError::Broken(text) => EngineError::Broken(named(text)),
    }
}

impl Engines<'_> {
    /// `step`: with the files as they are opened.
    fn slice(
        &self,
        engine: &dyn Engine,
        step: &Step,
        window_ns: Nanos,
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        let ended = run_slice(engine, self.context, self.clock, step, window_ns, on_window);
        let names = self.files.names();
        let mut ended = ended.map_err(|error| named(self.files, error))?;
        ended.broken = ended.broken.map(|text| names.named(&text));
        ended.first_error = ended.first_error.map(|(errno, text)| (errno, names.named(&text)));
        Ok(ended)
    }
}

impl Loader for Engines<'_> {
    fn load(
        &self,
        step: &Step,
        window_ns: Nanos,
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        let step = &self.files.found(step.clone());
        self.slice((self.engine_of)(step)?, step, window_ns, on_window)
    }

    /// A file gets its blocks before: a full disk is told at once, and it is not the allocation that is measured. The engine itself
    /// sees to it that no more is written than may be: a fast device writes a lot between two windows.
    fn write_at_most(
        &self,
        step: &Step,
        most: Bytes,
        window_ns: Nanos,
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        let step = &self.files.found(step.clone());
        let room = step.targets.iter().try_for_each(|target| engines::disk::make_room(&target.place, most));
        room.map_err(|error| named(self.files, error))?;
        self.slice(&Bounded { engine: (self.engine_of)(step)?, most }, step, window_ns, on_window)
    }

    fn verified(&self, step: &Step, limit: Duration, go_on: &dyn Fn() -> bool) -> Checks {
        let step = &self.files.found(step.clone());
        let found = match (self.engine_of)(step) {
            Ok(engine) => found(engine, self.context, step, limit, go_on),
            Err(error) => Checks { error: Some(error.to_string()), ..Checks::default() },
        };
        found.named(&self.files.names())
    }
}
