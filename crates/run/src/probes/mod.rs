//! What is looked at beside the load while slices are measured. A probe is a file of this folder and a row of the list.

mod came_back;
pub mod held_operations;
mod osds_at_work;
mod placement_groups;
mod services;
mod slow_operations;
mod stores;

use agents::fleet::Fleet;
use cluster::Cluster;
use cluster::watch::Watch;
use model::{Observation, Scope, Step, StepId};
use std::cell::RefCell;

/// Looks at one source from the beginning of a slice to its end.
pub trait Probe {
    fn begin(&mut self, step: &Step);
    /// All sessions are open, and nothing is loaded yet. Agents can't be asked now.
    fn opened(&mut self) {}
    /// Between two windows.
    fn look(&mut self) {}
    /// The last window is over, and sessions are open still. Agents can't be asked now. Not called of every slice: one may break before.
    fn loaded(&mut self) {}
    /// The slice is over. What could not be seen is left out.
    fn end(&mut self, slice: &SliceDone) -> Vec<Observation>;
}

/// Which slice it was.
pub struct SliceDone {
    pub step: StepId,
    pub pass: u32,
    /// Seconds from the beginning, when sessions were opened, to the first window, which is where a slice's time begins.
    pub lead: f64,
}

/// Where probes look.
pub struct Sources<'a> {
    pub cluster: &'a Cluster,
    pub scope: &'a Scope,
    pub watch: Option<&'a Watch>,
    /// The agents on other hosts, if there are any.
    pub fleet: Option<&'a RefCell<Fleet>>,
}

/// Begins a probe; `None`: it has nothing to look at.
type Start = for<'a> fn(&Sources<'a>) -> Option<Box<dyn Probe + 'a>>;

const PROBES: &[Start] = &[
    stores::start,
    services::start,
    placement_groups::start,
    osds_at_work::start,
    came_back::start,
    slow_operations::start,
    held_operations::start,
];

/// What is seen beside the load of one slice after the other.
pub trait Observer {
    fn begin(&self, step: &Step);
    /// All sessions are open.
    fn opened(&self);
    /// Between two windows.
    fn look(&self);
    /// The last window is over, and sessions are open still.
    fn loaded(&self);
    fn end(&self, slice: &SliceDone) -> Vec<Observation>;
}

/// All probes of a run; none where there is no cluster.
#[derive(Default)]
pub struct Probes<'a>(RefCell<Vec<Box<dyn Probe + 'a>>>);

impl<'a> Probes<'a> {
    pub fn start(sources: &Sources<'a>) -> Probes<'a> {
        Probes(RefCell::new(PROBES.iter().filter_map(|start| start(sources)).collect()))
    }
}

impl Observer for Probes<'_> {
    fn begin(&self, step: &Step) {
        self.0.borrow_mut().iter_mut().for_each(|probe| probe.begin(step));
    }

    fn opened(&self) {
        self.0.borrow_mut().iter_mut().for_each(|probe| probe.opened());
    }

    fn look(&self) {
        self.0.borrow_mut().iter_mut().for_each(|probe| probe.look());
    }

    fn loaded(&self) {
        self.0.borrow_mut().iter_mut().for_each(|probe| probe.loaded());
    }

    fn end(&self, slice: &SliceDone) -> Vec<Observation> {
        self.0.borrow_mut().iter_mut().flat_map(|probe| probe.end(slice)).collect()
    }
}
