//! One setting against another on a simulated cluster: what is found, what isn't, and when it is enough.

use super::*;
use model::{AbFound, Finds, PlannedExperiment};

const PATTERNS: [Pattern; 3] = [Pattern::ReadLatency, Pattern::ReadParallel, Pattern::WriteParallel];

fn goal(seed: u64, passes: (u32, u32)) -> Goal {
    Goal {
        fixed: true,
        passes_min: passes.0,
        passes_max: passes.1,
        read_slice_seconds: 3.2,
        write_slice_seconds: 3.2,
        window_ms: 50,
        seconds_max: 1e9,
        seed,
        ..Goal::default()
    }
}

/// A run of A against B, of which B takes `factor` times as long, on a cluster whose level after `n` times five seconds is
/// `level(n)` times what it was.
fn against(factor: f64, goal: Goal, level: impl Fn(u64) -> f64 + Send + Sync + 'static) -> AbFound {
    let clock = Arc::new(SimClock::default());
    let model_of = move |target: &Target, _: &Workload| {
        let moves = |n: u64| Twist::Level { from: n * 5 * SECOND, factor: level(n) };
        let own = if target.name.ends_with('b') { factor } else { 1.0 };
        (1..60).fold(Model::steady(1e6 * own, 0.3, 16), |model, n| model.with(moves(n)))
    };
    let sim = Sim::new(clock.clone(), model_of);
    let side = |first: u32, name: &'static str| {
        (first..).zip(PATTERNS).map(move |(id, pattern)| Step { chart: false, ..step(id, pattern, &[name]) })
    };
    let pairs = (0..3).map(|id| (StepId(id), StepId(id + 3))).collect();
    let ab = model::Ab { what: "pool".into(), a: "a".into(), b: "b".into(), pairs, ..model::Ab::default() };
    let experiment = PlannedExperiment::PairedComparison(ab);
    let plan = Plan { steps: side(0, "osd.a").chain(side(3, "osd.b")).collect(), goal, experiment, ..Plan::default() };
    let health = Script { clock: clock.clone(), ends: None, seen: well };
    let clock: Arc<dyn Clock> = clock;
    let mut sink = EventSink::silent(clock.clone());
    sink.tell(model::Event::Planned { plan: plan.clone() }).unwrap();
    conduct(&plan, &sim, &health, &clock, &mut sink);
    let record = sink.into_record();
    in_turns(&record.slices);
    experiments::explain(&record).answer.pair().unwrap().clone()
}

/// From the third slice on somebody else has changed what the sides set.
struct Meddled(std::cell::Cell<u32>);

impl crate::conductor::Sides for Meddled {
    fn take(&self, _: &Step, _: &mut EventSink) -> Result<(), String> {
        self.0.set(self.0.get() + 1);
        if self.ends() { Err("somebody else changed it".to_string()) } else { Ok(()) }
    }

    fn ends(&self) -> bool {
        self.0.get() > 2
    }
}

#[test]
fn a_run_ends_with_the_first_slice_that_can_not_be_compared() {
    let clock = Arc::new(SimClock::default());
    let sim: &dyn Engine = &Sim::new(clock.clone(), |_: &Target, _: &Workload| Model::steady(1e6, 0.3, 16));
    let health = &Script { clock: clock.clone(), ends: None, seen: well };
    let clock: Arc<dyn Clock> = clock;
    let plan =
        Plan { steps: vec![step(0, Pattern::ReadLatency, &["osd.0"])], goal: goal(1, (6, 6)), ..Plan::default() };
    let (context, files) = Default::default();
    let loader = &LocalHost { context, clock: clock.clone(), engine_of: &|_| Ok(sim), files };
    let (sides, observer, unfilled) = (&Meddled(Default::default()), &Probes::default(), &Unfilled::default());
    let mut sink = EventSink::silent(clock.clone());
    let conductor = Conductor { clock: &clock, health, loader, sides, observer, unfilled };
    conductor.conduct(&mut *experiments::scheduler(&plan), &mut sink).unwrap();
    let record = sink.into_record();
    let void: Vec<bool> = record.slices.iter().map(|slice| slice.void.is_some()).collect();
    assert_eq!(void, [false, false, true]);
    assert!(record.errors.iter().any(|error| error.contains("somebody else changed it")), "{:?}", record.errors);
    assert!(record.errors.last().is_some_and(|error| error.contains("the run ends here")), "{:?}", record.errors);
}

/// Nothing comes between A and B, and of two passes each is first in one.
fn in_turns(slices: &[Slice]) {
    let first_is_a = |pair: &[Slice]| pair[0].step.0 < 3;
    for pair in slices.chunks(2) {
        let (first, second) = (&pair[0], &pair[1]);
        assert_eq!((first.step.0.abs_diff(second.step.0), first.pass), (3, second.pass));
    }
    let of_pass = |pass: u32| slices.chunks(2).find(|pair| pair[0].pass == pass).map(first_is_a);
    for block in 1.. {
        let (Some(one), Some(other)) = (of_pass(2 * block - 1), of_pass(2 * block)) else { break };
        assert_ne!(one, other, "block {block}");
    }
}

fn alarms(found: &AbFound) -> usize {
    found.comparison.differences.iter().filter(|one| matches!(one.finds, Finds::Worse | Finds::Better)).count()
}

#[test]
fn a_tenth_is_found_in_a_cluster_that_drifts_and_nothing_where_nothing_differs() {
    for seed in 0..4 {
        let drift = move |n: u64| 1.0 + 0.01 * (1 + (seed + n) % 3) as f64;
        let same = against(1.0, goal(seed, (6, 6)), drift);
        assert_eq!(alarms(&same), 0, "{same:#?}");
        let slower = against(1.0 / 0.9, goal(seed, (6, 6)), drift);
        assert!(slower.comparison.differences.iter().all(|one| one.finds == Finds::Worse), "{slower:#?}");
        // What two separate runs would know.
        assert!(slower.half_width * 2.0 < slower.apart, "{} {}", slower.half_width, slower.apart);
    }
}

/// Levels that jump by some percent every five seconds: what one machine needs six pairs for takes another more.
#[test]
fn pairs_are_added_until_the_change_is_known() {
    let jumps = |by: f64| move |n: u64| if n.is_multiple_of(2) { 1.0 + by } else { 1.0 / (1.0 + by) };
    let pairs = |by: f64| against(1.0, goal(1, (6, 12)), jumps(by));
    assert_eq!(pairs(0.0).pairs, 6);
    let noisy = pairs(0.12);
    assert!((8..=12).contains(&noisy.pairs), "{}", noisy.pairs);
    assert!(noisy.pairs == 12 || noisy.half_width < 0.05, "{} {}", noisy.pairs, noisy.half_width);
    assert_eq!(pairs(1.0).pairs, 12);
}
