//! Who puts the load on a step's targets: the engines, or what stands in for them where the method itself is tried.

use crate::own_files::Names;
use engines::EngineError;
use engines::crew::Flow;
use model::{Bytes, Checked, HostSeconds, Nanos, SliceEnd, Step, WindowSet};
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

pub trait Loader {
    /// Opens all targets of the step, says `opened`, loads them, and shows each window as it ends, until `on_window` says stop. `most`: at
    /// most this many bytes are written to each target.
    ///
    /// Errors: the load could not be started. What breaks later is in the slice's end.
    fn load(
        &self,
        what: (&Step, Option<Bytes>),
        window_ns: Nanos,
        opened: &mut dyn FnMut(),
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError>;

    /// Discards all of the step's targets, which are devices. `go_on`: told how many bytes are done, says whether it goes on.
    ///
    /// Errors: they don't discard, or may not be written to.
    fn discard(&self, _step: &Step, _go_on: &mut dyn FnMut(Bytes) -> bool) -> Result<(), EngineError> {
        Err(EngineError::Refused("nothing here discards".to_string()))
    }

    /// What the kernels of other hosts counted during the slice that just ended, in seconds since `from`.
    fn observed(&self, _from: Nanos) -> Vec<HostSeconds> {
        Vec::new()
    }

    /// °C of that disk of a host now, by its name in /sys/block; `host`: `None` is this one. `None`: it does not tell.
    fn temperature(&self, _host: Option<&str>, _disk: &str) -> Option<f64> {
        None
    }

    /// What the slice that just ended has verified; before that, for at most `limit`, reads back what it wrote.
    fn verified(&self, _step: &Step, _limit: Duration, _go_on: &dyn Fn() -> bool) -> Checks {
        Checks::default()
    }
}
