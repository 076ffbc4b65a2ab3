//! No slice repeats another one's places or arrivals; the same run does, slice by slice.

use super::*;
use agents::loader::Loader;
use engines::EngineError;
use engines::crew::Flow;
use model::{Bytes, Nanos, PlannedExperiment, SliceEnd, WindowSet};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Notes with which seed each step is loaded.
struct Noted<'a> {
    loader: &'a dyn Loader,
    seeds: RefCell<Vec<(u32, u64)>>,
}

impl Loader for Noted<'_> {
    fn load(
        &self,
        what: (&Step, Option<Bytes>),
        window_ns: Nanos,
        opened: &mut dyn FnMut(),
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        self.seeds.borrow_mut().push((what.0.id.0, what.0.workload.seed));
        self.loader.load(what, window_ns, opened, on_window)
    }
}

fn seeds(plan: &Plan) -> BTreeMap<u32, Vec<u64>> {
    let clock = Arc::new(SimClock::default());
    let sim = Sim::new(clock.clone(), |_: &Target, _: &Workload| steady(""));
    let health = Script { clock: clock.clone(), ends: None, seen: well };
    let clock: Arc<dyn Clock> = clock;
    let mut sink = EventSink::silent(clock.clone());
    sink.tell(model::Event::Planned { plan: plan.clone() }).unwrap();
    let (context, files) = Default::default();
    let engines = &LocalHost { context, clock: clock.clone(), engine_of: &|_| Ok(&sim as &dyn Engine), files };
    let loader = &Noted { loader: engines, seeds: RefCell::default() };
    conduct_with(plan, loader, &health, &clock, &mut sink);
    let mut by_step: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    loader.seeds.borrow().iter().for_each(|(step, seed)| by_step.entry(*step).or_default().push(*seed));
    by_step
}

fn plan(seed: u64) -> Plan {
    let goal = Goal { passes_min: 3, passes_max: 3, fixed: true, seed, ..Goal::quick(seed) };
    let mut steps = six();
    steps.iter_mut().for_each(|step| step.workload.seed = seed);
    Plan { steps, goal, ..Plan::default() }
}

#[test]
fn every_slice_of_every_run_has_a_seed_of_its_own() {
    let (one, other) = (seeds(&plan(1)), seeds(&plan(2)));
    let all: BTreeSet<u64> = one.values().chain(other.values()).flatten().copied().collect();
    assert_eq!(all.len(), 2 * 6 * 3);
    assert_eq!(one, seeds(&plan(1)));
}

/// With the same places the second of them would read what the first has just brought into a cache.
#[test]
fn a_and_b_of_a_pair_have_their_own() {
    let pairs = (0..3).map(|id| (StepId(id), StepId(id + 3))).collect();
    let ab = model::Ab { what: "pool".into(), a: "a".into(), b: "b".into(), pairs, ..model::Ab::default() };
    let experiment = PlannedExperiment::PairedComparison(ab);
    let found = seeds(&Plan { experiment, ..plan(1) });
    let all: BTreeSet<u64> = found.values().flatten().copied().collect();
    assert_eq!(all.len(), 6 * 3);
}

/// One server of a millisecond each, 70 % busy: by Pollaczek and Khinchine the mean response time is 1 + 0.7 / 2(1 − 0.7) ms. With the same
/// arrivals in each pass two thirds of the intervals held it; passes that know nothing of each other let nearly all.
#[test]
fn arrivals_of_the_passes_of_an_open_loop_are_independent() {
    let truth = 1.0 + 0.7 / 0.6;
    let held = |seed: u64| {
        let mut open = step(0, Pattern::ReadLatency, &["osd.0"]);
        (open.workload.depth, open.workload.seed) = (256, seed);
        open.workload.rate = Some(Rate { per_second: 700.0, arrivals: Arrivals::Poisson, by_job: false });
        open.metric = model::Metric::LatencyMean;
        let run = simulate(vec![open], Goal { seed, ..Goal::default() }, |_| Model::steady(1e6, 0.0, 1), None, well);
        let estimate = run.report.figures[0].estimate.unwrap();
        estimate.low <= truth && truth <= estimate.high
    };
    let count = (0..40).filter(|seed| held(*seed)).count();
    assert!(count >= 37, "{count} of 40");
}
