//! What a host does with its own engines: it fills, loads and verifies. This one in process, the others behind their agents.

use crate::loader::{Checks, Loader};
use crate::own_files::Files;
use engines::bounded::Bounded;
use engines::clock::RealClock;
use engines::crew::{Flow, Opened};
use engines::{Context, Engine, EngineError, disk, verify};
use model::{Bytes, Clock, Nanos, SliceEnd, Step, Target, WindowSet};
use std::sync::Arc;
use std::time::Duration;

/// Which engine loads a step.
pub type EngineOf<'a> = &'a (dyn Fn(&Step) -> Result<&'a dyn Engine, EngineError> + Sync);

#[derive(Clone)]
pub struct LocalHost<'a> {
    pub context: Context,
    pub clock: Arc<dyn Clock>,
    pub engine_of: EngineOf<'a>,
    /// Own files, which have no name to be opened by.
    pub files: Files,
}

/// When a slice that is open begins.
pub enum Start {
    Now,
    /// As this host's clock shows it.
    At(Nanos),
    /// Nothing is to be loaded any more.
    Never,
}

impl LocalHost<'static> {
    /// With its real engines and clock.
    pub fn new(context: Context, files: Files) -> LocalHost<'static> {
        LocalHost { context, clock: Arc::new(RealClock), engine_of: &engines::engine_for, files }
    }
}

impl LocalHost<'_> {
    /// Fills what is read later of this target of the step. `go_on`: told how many bytes are done, says whether it goes on.
    ///
    /// # Errors
    /// It can't be filled.
    pub fn fill(&self, step: &Step, target: &Target, go_on: &mut dyn FnMut(Bytes) -> bool) -> Result<(), EngineError> {
        let step = self.files.found(Step { targets: vec![target.clone()], ..step.clone() });
        let fill = |engine: &dyn Engine| engine.prepare(&self.context, &step.targets[0], &step.workload, go_on);
        (self.engine_of)(&step).and_then(fill).map_err(|error| self.named(error))
    }

    /// Discards all of a device. `go_on` as of [`LocalHost::fill`].
    ///
    /// # Errors
    /// It is none that this run may write to, or does not discard.
    pub fn discard(&self, target: &Target, go_on: &mut dyn FnMut(Bytes) -> bool) -> Result<(), EngineError> {
        disk::discard(&target.place, &self.context.holds, go_on)
    }

    /// Opens all sessions, asks `start` when to begin, and loads until `on_window` says stop. `most`: at most this many bytes are
    /// written to each target.
    ///
    /// # Errors
    /// It could not be opened (then `start` was not asked), or not started.
    pub fn slice(
        &self,
        (step, most): (&Step, Option<Bytes>),
        window_ns: Nanos,
        start: &mut dyn FnMut() -> Start,
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        let ended = self.unnamed_slice((&self.files.found(step.clone()), most), window_ns, start, on_window);
        let (mut end, names) = (ended.map_err(|error| self.named(error))?, self.files.names());
        end.broken = end.broken.map(|text| names.named(&text));
        end.first_error = end.first_error.map(|(errno, text)| (errno, names.named(&text)));
        Ok(end)
    }

    /// A file gets its blocks before what is written is limited: a full disk is told at once, and it is not the allocation that is
    /// measured. The engine itself sees to it that no more is written than may be: a fast device writes a lot between two windows.
    fn unnamed_slice(
        &self,
        (step, most): (&Step, Option<Bytes>),
        window_ns: Nanos,
        start: &mut dyn FnMut() -> Start,
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        let engine = (self.engine_of)(step)?;
        let bounded = most.map(|most| Bounded { engine, most });
        if let Some(most) = most {
            step.targets.iter().try_for_each(|target| disk::make_room(&target.place, most))?;
        }
        let engine = bounded.as_ref().map_or(engine, |bounded| bounded as &dyn Engine);
        let opened = Opened::open(engine, &self.context, step)?;
        let at = match start() {
            Start::Now => None,
            Start::At(at) => Some(at),
            Start::Never => return Ok(SliceEnd::default()),
        };
        opened.run(&self.clock, window_ns, at, on_window)
    }

    /// The error, with the files called as the user knows them.
    fn named(&self, error: EngineError) -> EngineError {
        let named = |text: String| self.files.names().named(&text);
        match error {
            EngineError::Refused(text) => EngineError::Refused(named(text)),
            EngineError::Broken(text) => EngineError::Broken(named(text)),
        }
    }
}

impl Loader for LocalHost<'_> {
    fn load(
        &self,
        what: (&Step, Option<Bytes>),
        window_ns: Nanos,
        opened: &mut dyn FnMut(),
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        let mut start = || {
            opened();
            Start::Now
        };
        self.slice(what, window_ns, &mut start, on_window)
    }

    fn discard(&self, step: &Step, go_on: &mut dyn FnMut(Bytes) -> bool) -> Result<(), EngineError> {
        step.targets.iter().try_for_each(|target| LocalHost::discard(self, target, go_on))
    }

    fn temperature(&self, host: Option<&str>, disk: &str) -> Option<f64> {
        host.is_none().then(|| cluster::temperature::now(disk))?
    }

    fn verified(&self, step: &Step, limit: Duration, go_on: &dyn Fn() -> bool) -> Checks {
        let step = &self.files.found(step.clone());
        let read_back =
            (self.engine_of)(step).and_then(|engine| verify::read_back(engine, &self.context, step, limit, go_on));
        let own = (0..).zip(&step.targets).map(|(index, target)| (index, self.context.verify.take(&target.name)));
        let found = Checks { checked: own.collect(), error: read_back.err().map(|error| error.to_string()) };
        found.named(&self.files.names())
    }
}
