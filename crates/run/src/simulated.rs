//! Whole runs on a simulated engine and clock: minutes of measuring in which no time passes.

mod diagnosis;
mod limits;
mod seeds;
mod sides;
mod time;
mod without_pause;

use super::EventSink;
use super::conductor::{AsItIs, Conductor};
use super::health::HealthMonitor;
use super::probes::Probes;
use super::unfilled::Unfilled;
use agents::host::LocalHost;
use agents::loader::Loader;
use cluster::watch::Seen;
use engines::Engine;
use engines::clock::SimClock;
use engines::sim::{Model, Sim, Twist};
use model::clock::SECOND;
use model::sweep::SweepPoint;
use model::testing;
use model::{
    Arrivals, Beyond, Choice, Clock, Doubled, Goal, Label, Pattern, Percentile, Place, Plan, PlannedExperiment, Rate,
    Report, ResponseBound, Setting, Slice, Step, StepId, Sweep, SweepAxis, Target, Workload,
};
use std::collections::BTreeSet;
use std::sync::Arc;

fn step(id: u32, pattern: Pattern, targets: &[&str]) -> Step {
    let target = |name: &&str| Target::new(testing::osds(), *name, Place::Null);
    Step::new(
        id,
        testing::osds(),
        pattern,
        targets.iter().map(target).collect(),
        Workload::canonical(pattern, 1 << 30, 1),
    )
}

/// Says when the user wants to end and how the cluster is, by the simulated time.
struct Script {
    clock: Arc<SimClock>,
    ends: Option<u64>,
    seen: fn(u64) -> Seen,
}

/// Nothing ever happens to the cluster.
fn well(_: u64) -> Seen {
    Seen::default()
}

impl HealthMonitor for Script {
    fn asked_to_end(&self) -> bool {
        self.ends.is_some_and(|at| self.clock.now() > at)
    }

    fn seen(&self) -> Seen {
        (self.seen)(self.clock.now())
    }
}

struct Simulated {
    report: Report,
    seconds: f64,
    /// Steps in the order in which they were measured, with their pass.
    order: Vec<(u32, u32)>,
    slices: Vec<Slice>,
    /// Passes that were said to be done.
    announced: Vec<u32>,
}

fn simulate(
    steps: Vec<Step>,
    goal: Goal,
    model_of: fn(&str) -> Model,
    ends: Option<u64>,
    seen: fn(u64) -> Seen,
) -> Simulated {
    go_on(Plan { steps, goal, ..Plan::default() }, Vec::new(), model_of, ends, seen)
}

/// The plan's experiment, from its first slice to its last.
fn conduct(plan: &Plan, sim: &dyn Engine, health: &Script, clock: &Arc<dyn Clock>, sink: &mut EventSink) {
    let (context, files) = Default::default();
    let loader = &LocalHost { context, clock: clock.clone(), engine_of: &|_| Ok(sim), files };
    conduct_with(plan, loader, health, clock, sink);
}

fn conduct_with(plan: &Plan, loader: &dyn Loader, health: &Script, clock: &Arc<dyn Clock>, sink: &mut EventSink) {
    let unfilled = &Unfilled::default();
    let conductor = Conductor { clock, health, loader, sides: &AsItIs, observer: &Probes::default(), unfilled };
    conductor.conduct(&mut *experiments::scheduler(plan), sink).unwrap();
}

/// With these slices behind it.
fn go_on(
    plan: Plan,
    slices: Vec<Slice>,
    model_of: fn(&str) -> Model,
    ends: Option<u64>,
    seen: fn(u64) -> Seen,
) -> Simulated {
    let clock = Arc::new(SimClock::default());
    let sim = Sim::new(clock.clone(), move |target: &Target, _: &Workload| model_of(&target.name));
    let health = Script { clock: clock.clone(), ends, seen };
    let clock: Arc<dyn Clock> = clock;
    let announced = time::PassNumbers::default();
    let mut sink = EventSink::shown(Box::new(announced.clone()), clock.clone());
    sink.tell(model::Event::Planned { plan: plan.clone() }).unwrap();
    sink.tell(model::Event::StepFinished { pass: 1, slices }).unwrap();
    conduct(&plan, &sim, &health, &clock, &mut sink);
    let seconds = sink.seconds();
    let record = sink.into_record();
    let order = record.slices.iter().map(|slice| (slice.pass, slice.step.0)).collect();
    Simulated {
        report: experiments::explain(&record),
        seconds,
        order,
        slices: record.slices,
        announced: announced.seen(),
    }
}

fn steady(_: &str) -> Model {
    Model::steady(1e6, 0.3, 16)
}

fn six() -> Vec<Step> {
    Pattern::canonical().enumerate().map(|(n, pattern)| step(n as u32, pattern, &["osd.0"])).collect()
}

#[test]
fn a_steady_target_is_known_in_two_long_passes_and_the_interval_holds_the_truth() {
    let run = simulate(six(), Goal::default(), steady, None, well);
    assert_eq!(run.report.figures.len(), 6);
    for figure in &run.report.figures {
        assert_eq!((figure.label.name(), figure.slices), ("brief", 2), "{figure:?}");
        let truth = match figure.pattern.family() {
            model::pattern::Family::Latency => 1.0,
            model::pattern::Family::Parallel | model::pattern::Family::Metadata => 16_000.0,
            // 16 in flight on 16 servers, 4 MiB each.
            model::pattern::Family::Linear => 16_000.0 * 4.194304,
        };
        let estimate = figure.estimate.unwrap();
        assert!(estimate.low <= truth && truth <= estimate.high, "{:?}: {estimate:?}, truth {truth}", figure.pattern);
    }
    // Three patterns write (12 s), three read (8 s), twice, and hardly more.
    assert!((120.0..135.0).contains(&run.seconds), "{}", run.seconds);
}

/// A third of a fixed minute of each figure, with ten seconds before it, is 140 s: with only six figures the slices span less
/// than five minutes.
#[test]
fn a_first_slice_and_short_ones_take_less_than_a_third_of_a_minute_and_hold_the_truth() {
    let run = simulate(six(), Goal::usual(0.10, 60.0, 1), steady, None, well);
    for figure in &run.report.figures {
        assert_eq!(figure.label.name(), "brief", "{figure:?}");
        assert!((13..=15).contains(&figure.slices), "{figure:?}");
        let unseen = figure.unseen.unwrap();
        assert!(unseen.looks >= 15 && unseen.in_interval && unseen.share <= 0.10, "{unseen:?}");
        assert!((0.0999..0.11).contains(&figure.estimate.unwrap().relative()), "{figure:?}");
    }
    assert!((100.0..140.0).contains(&run.seconds), "{}", run.seconds);
    let announced: Vec<u32> = run.announced.iter().copied().take(4).collect();
    assert_eq!(announced, [1, 2, 4, 8], "{:?}", run.announced);
}

#[test]
fn slices_of_a_single_figure_lie_apart_and_not_in_a_rhythm() {
    let run = simulate(vec![step(0, Pattern::ReadLatency, &["osd.0"])], Goal::usual(0.10, 60.0, 1), steady, None, well);
    let gaps: Vec<f64> = run.slices.windows(2).map(|pair| pair[1].started_seconds - pair[0].ended_seconds()).collect();
    assert!(gaps.len() >= 12 && gaps.iter().all(|gap| (3.9..6.2).contains(gap)), "{gaps:?}");
    let (least, most) = (gaps.iter().copied().fold(9.0, f64::min), gaps.iter().copied().fold(0.0, f64::max));
    assert!(most - least > 0.8, "{gaps:?}");
}

/// One step at a rate, on 16 servers of a millisecond each: 16,000 a second at most.
fn at_rate(per_second: f64) -> Vec<Step> {
    let mut step = step(0, Pattern::ReadLatency, &["osd.0"]);
    step.workload.depth = 256;
    step.workload.rate = Some(Rate { per_second, arrivals: Arrivals::Poisson, by_job: false });
    vec![step]
}

#[test]
fn long_slices_have_their_turn_in_every_third_pass_of_short_ones() {
    let open = Step { id: StepId(1), ..at_rate(12_000.0).remove(0) };
    let steps = vec![step(0, Pattern::ReadParallel, &["osd.0"]), open];
    let run = simulate(steps, Goal::usual(0.10, 60.0, 1), steady, None, well);
    let passes = |id: u32| run.order.iter().filter(|(_, of)| *of == id).map(|(pass, _)| *pass).collect::<Vec<u32>>();
    assert!(passes(0).len() >= 13 && passes(1).len() >= 5, "{:?}", run.order);
    assert!(passes(1).iter().all(|pass| pass % 3 == 1), "{:?}", run.order);
}

#[test]
fn an_open_loop_that_is_kept_up_with_settles_and_tells_service_and_response_apart() {
    let run = simulate(at_rate(12_000.0), Goal::default(), steady, None, well);
    let figure = &run.report.figures[0];
    assert_eq!(figure.label.name(), "brief");
    let of =
        |percentiles: &[Percentile], wanted| percentiles.iter().find(|one| one.percent == wanted).unwrap().value_ms;
    // Nothing waits for room in the generator: what the target queues is service.
    assert_eq!(of(&figure.response, 99.0), of(&figure.percentiles, 99.0));
    assert!(figure.estimate.unwrap().value > 1.0);
}

/// Of up to eight clients, each with one operation of a millisecond in flight, on a target that takes `at_once` at a time. Lanes take
/// turns on a simulated clock; what they do side by side is told by shorter operations.
fn doubled(at_once: u32) -> Doubled {
    let clock = Arc::new(SimClock::default());
    let of = move |_: &Target, load: &Workload| Model::steady(1e6 / f64::from(load.jobs.min(at_once)), 0.3, 1);
    let sim = Sim::new(clock.clone(), of);
    let mut base = step(0, Pattern::ReadParallel, &["pool"]);
    (base.workload.depth, base.workload.jobs, base.workload.clients) = (8, 8, 8);
    let experiment = PlannedExperiment::ScaleOut { clients_most: 8, doublings: Vec::new() };
    let plan = &Plan { steps: vec![base], experiment, ..Plan::default() };
    let health = &Script { clock: clock.clone(), ends: None, seen: well };
    let clock: Arc<dyn Clock> = clock;
    let mut sink = EventSink::silent(clock.clone());
    conduct(plan, &sim, health, &clock, &mut sink);
    experiments::explain(&sink.into_record()).answer.doubled()[0].clone()
}

#[test]
fn clients_are_doubled_until_the_target_is_full() {
    let clients = |found: &Doubled| found.loads.iter().map(|load| load.hosts * load.each).collect::<Vec<_>>();
    let found = doubled(4);
    assert_eq!((clients(&found), found.full), (vec![1, 2, 4, 8], Some(4)), "{found:#?}");
    let rates: Vec<f64> = found.loads.iter().map(|load| load.estimate.unwrap().value).collect();
    for (rate, truth) in rates.iter().zip([1000.0, 2000.0, 4000.0, 4000.0]) {
        assert!((rate / truth - 1.0).abs() < 0.08, "{rates:?}");
    }
    let found = doubled(1);
    assert_eq!((clients(&found), found.full), (vec![1, 2], Some(1)), "{found:#?}");
    let found = doubled(64);
    assert_eq!((clients(&found), found.full), (vec![1, 2, 4, 8], None), "{found:#?}");
    assert!(found.says.contains("--hosts"), "{found:#?}");
}

#[test]
fn an_open_loop_that_is_not_kept_up_with_is_unsettled_and_says_so() {
    let run = simulate(at_rate(20_000.0), Goal::default(), steady, None, well);
    let figure = &run.report.figures[0];
    assert!(
        matches!(&figure.label, Label::Unsettled(why) if why.contains("of 20,000 operations a second")),
        "{figure:?}"
    );
    let of = |percentiles: &[Percentile]| percentiles.iter().find(|one| one.percent == 50.0).unwrap().value_ms;
    assert!(of(&figure.response) > 10.0 * of(&figure.percentiles));
}

#[test]
fn the_order_is_shuffled_in_each_pass_and_the_same_for_the_same_seed() {
    let one = simulate(six(), Goal::default(), steady, None, well).order;
    let again = simulate(six(), Goal::default(), steady, None, well).order;
    let other = simulate(six(), Goal { seed: 2, ..Goal::default() }, steady, None, well).order;
    assert_eq!(one, again);
    assert_ne!(one, other);
    let steps = |pass: u32| one.iter().filter(|slice| slice.0 == pass).map(|slice| slice.1).collect::<Vec<_>>();
    assert_ne!(steps(1), steps(2));
}

#[test]
fn a_level_that_shifts_between_passes_is_not_called_settled() {
    let shifts = |_: &str| steady("").with(Twist::Level { from: 30 * SECOND, factor: 1.5 });
    let run = simulate(vec![step(0, Pattern::ReadParallel, &["osd.0"])], Goal::default(), shifts, None, well);
    let figure = &run.report.figures[0];
    assert!(figure.label == Label::Settled && figure.slices == 2 || figure.label != Label::Settled);
    let early = |_: &str| steady("").with(Twist::Level { from: 12 * SECOND, factor: 1.5 });
    let run = simulate(vec![step(0, Pattern::ReadParallel, &["osd.0"])], Goal::default(), early, None, well);
    assert_ne!(run.report.figures[0].label, Label::Settled, "{:?}", run.report.figures[0]);
}

#[test]
fn a_target_that_stops_answering_is_void_with_the_reason_and_the_run_goes_on() {
    let dies = |name: &str| match name {
        "osd.1" => steady("").with(Twist::Death { at: 15 * SECOND }),
        _ => steady(""),
    };
    let steps = vec![step(0, Pattern::ReadLatency, &["osd.0"]), step(1, Pattern::ReadLatency, &["osd.1"])];
    let run = simulate(steps, Goal::default(), dies, None, well);
    let of = |name: &str| run.report.figures.iter().find(|figure| figure.target == name).unwrap();
    assert_eq!(of("osd.0").label.name(), "brief");
    assert!(matches!(&of("osd.1").label, Label::Void(why) if why.contains("no operation")), "{:?}", of("osd.1"));
    assert!(of("osd.1").estimate.is_none());
}

#[test]
fn of_targets_that_share_nothing_one_that_stops_answering_does_not_void_the_others() {
    let dies = |name: &str| match name {
        "osd.1" => steady("").with(Twist::Death { at: 3 * SECOND }),
        _ => steady(""),
    };
    let apart = Step { apart: true, ..step(0, Pattern::ReadLatency, &["osd.0", "osd.1", "osd.2"]) };
    let run = simulate(vec![apart], Goal::default(), dies, None, well);
    let of = |name: &str| run.report.figures.iter().find(|figure| figure.target == name).unwrap();
    for name in ["osd.0", "osd.2"] {
        assert_eq!((of(name).label.name(), of(name).slices), ("brief", 2));
    }
    assert!(matches!(&of("osd.1").label, Label::Void(why) if why.contains("no operation")), "{:?}", of("osd.1"));
    assert_eq!(run.report.figures.len(), 3);
    assert_eq!(run.report.errors.len(), 1, "{:?}", run.report.errors);
    assert!(run.report.errors[0].contains("osd.1 "), "{:?}", run.report.errors);
    // All of them: then no pass is wasted on them.
    let dies = |_: &str| steady("").with(Twist::Death { at: SECOND });
    let apart = Step { apart: true, ..step(0, Pattern::ReadLatency, &["osd.0", "osd.1"]) };
    let run = simulate(vec![apart], Goal::default(), dies, None, well);
    assert!(run.report.figures.iter().all(|figure| matches!(figure.label, Label::Void(_))), "{:?}", run.report.figures);
    assert!(run.slices.iter().all(|slice| slice.pass == 1), "{:?}", run.order);
}

#[test]
fn an_osd_that_goes_down_voids_its_step_at_once() {
    let dies = |now| match now > 3 * SECOND {
        true => Seen { down: BTreeSet::from([1]), ..Seen::default() },
        false => Seen::default(),
    };
    let run = simulate(vec![step(0, Pattern::ReadLatency, &["osd.0"])], Goal::default(), steady, None, dies);
    assert!(matches!(&run.report.figures[0].label, Label::Void(why) if why.contains("osd.1 went down")));
    assert!(run.report.errors.iter().any(|error| error.contains("osd.1 went down")), "{:?}", run.report.errors);
}

/// A run for one verdict: the figure of `pattern` against `value`.
fn judged(step: Step, pattern: Pattern, value: f64) -> Simulated {
    let threshold = model::Threshold::of(step.layer, pattern, None, value);
    let experiment = PlannedExperiment::Verdict(vec![threshold]);
    let plan = Plan { steps: vec![step], goal: Goal::verdict(1), experiment, ..Plan::default() };
    go_on(plan, Vec::new(), steady, None, well)
}

#[test]
fn a_verdict_far_from_its_threshold_takes_one_slice_and_a_close_one_more() {
    let one = || step(3, Pattern::ReadParallel, &["osd.0"]);
    // The truth is 16,000 a second.
    for (value, outcome, slices) in [
        (10_000.0, model::Outcome::Pass, 1),
        (25_000.0, model::Outcome::Fail, 1),
        (14_000.0, model::Outcome::Pass, 2),
        (18_000.0, model::Outcome::Fail, 2),
        // Too near to tell, which more slices would not change.
        (15_000.0, model::Outcome::Open, 3),
        (16_000.0, model::Outcome::Open, 3),
    ] {
        let run = judged(one(), Pattern::ReadParallel, value);
        let verdict = &run.report.answer.verdicts()[0];
        assert_eq!((verdict.outcome, run.report.figures[0].slices), (outcome, slices), "{value}: {verdict:?}");
        assert_eq!(run.report.figures[0].label, Label::Settled, "no precision was asked for");
    }
    let slow = judged(step(0, Pattern::WriteLatency, &["osd.0"]), Pattern::WriteLatency, 0.5);
    assert_eq!(slow.report.answer.verdicts()[0].outcome, model::Outcome::Fail);
}

#[test]
fn a_threshold_without_a_figure_is_open() {
    let run = judged(step(3, Pattern::ReadParallel, &["osd.0"]), Pattern::WriteLatency, 1.0);
    let verdict = &run.report.answer.verdicts()[0];
    assert_eq!((verdict.outcome, verdict.why.as_deref()), (model::Outcome::Open, Some("not measured")));
}

fn stuck(now: u64, until: u64) -> Seen {
    let slow = (5 * SECOND..until).contains(&now).then(|| "1 slow ops".to_string());
    Seen { slow, ..Seen::default() }
}

#[test]
fn what_got_stuck_ends_its_step_and_the_next_waits_until_it_is_done() {
    let steps = || vec![step(0, Pattern::ReadLatency, &["osd.0"]), step(1, Pattern::ReadLatency, &["osd.1"])];
    let run = simulate(steps(), Goal::default(), steady, None, |now| stuck(now, 30 * SECOND));
    let voids = |run: &Simulated| run.report.figures.iter().filter(|figure| figure.estimate.is_none()).count();
    assert_eq!((run.report.figures.len(), voids(&run)), (2, 1), "{:?}", run.report.figures);
    assert!(run.seconds > 30.0, "{}", run.seconds);

    let run = simulate(steps(), Goal::default(), steady, None, |now| stuck(now, u64::MAX));
    assert_eq!((run.order.len(), voids(&run)), (1, run.report.figures.len()), "{:?}", run.report.figures);
    assert!(run.report.errors.iter().any(|error| error.contains("the run ends here")), "{:?}", run.report.errors);
    assert!((60.0..70.0).contains(&run.seconds), "{}", run.seconds);

    // The user does not wait for it: nothing is said of a minute that was none.
    let run = simulate(steps(), Goal::default(), steady, Some(20 * SECOND), |now| stuck(now, u64::MAX));
    assert!(run.seconds < 25.0, "{}", run.seconds);
    assert!(!run.report.errors.iter().any(|error| error.contains("the run ends here")), "{:?}", run.report.errors);
}

#[test]
fn a_run_that_the_user_ends_keeps_what_it_has() {
    let run = simulate(six(), Goal::default(), steady, Some(70 * SECOND), well);
    assert!(run.seconds < 72.0, "{}", run.seconds);
    assert_eq!(run.report.figures.iter().filter(|figure| figure.estimate.is_some()).count(), 6, "{:?}", run.order);
}

#[test]
fn a_quick_run_has_every_figure_with_an_interval_in_one_pass() {
    let run = simulate(six(), Goal::quick(1), steady, None, well);
    assert!(run.seconds < 23.0, "{}", run.seconds);
    for figure in &run.report.figures {
        let estimate = figure.estimate.unwrap();
        assert!(estimate.relative() > 0.05 && estimate.relative() < 0.2, "{estimate:?}");
    }
}

#[test]
fn several_at_once_have_a_figure_each_and_one_together() {
    let steps = vec![step(0, Pattern::ReadParallel, &["osd.0", "osd.1", "osd.2"])];
    let run = simulate(steps, Goal::default(), steady, None, well);
    let of =
        |name: &str| run.report.figures.iter().find(|figure| figure.target == name).unwrap().estimate.unwrap().value;
    let sum = of("osd.0") + of("osd.1") + of("osd.2");
    assert!((of("osd.*") / sum - 1.0).abs() < 0.02, "{} instead of {sum}", of("osd.*"));
}

/// Reads over these depths and two targets, in slices of 3.2 s and three passes.
fn sweep_over(depths: &[u32]) -> Plan {
    let targets = ["osd.0", "osd.1"];
    let all = targets.iter().flat_map(|target| (0..depths.len()).map(move |at| (*target, at)));
    let made = all.enumerate().map(|(id, (target, at))| {
        let mut one = step(id as u32, Pattern::ReadParallel, &[target]);
        (one.workload.depth, one.chart) = (depths[at], false);
        let point = SweepPoint { step: one.id, at: vec![at as u32] };
        (one, point)
    });
    let (steps, points) = made.unzip();
    let values = depths.iter().map(|depth| Setting::Number(u64::from(*depth))).collect();
    let axes = vec![SweepAxis { name: "depth".into(), values }];
    let goal = Goal { passes_min: 3, passes_max: 3, fixed: true, ..Goal::quick(1) };
    Plan { steps, goal, experiment: PlannedExperiment::Sweep(Sweep { axes, points, left_out: 0 }), ..Plan::default() }
}

#[test]
fn a_sweep_finds_the_knee_of_each_target() {
    // 16 channels of 1 ms, and four times as fast with four.
    let channels = |name: &str| if name == "osd.0" { Model::steady(1e6, 0.3, 16) } else { Model::steady(25e4, 0.3, 4) };
    let run = go_on(sweep_over(&[1, 2, 4, 8, 16, 32, 64]), Vec::new(), channels, None, well);
    let swept = run.report.answer.sweep().unwrap();
    assert_eq!((swept.readings.len(), swept.knees.len()), (14, 2));
    for (knee, depth) in swept.knees.iter().zip([16, 4]) {
        assert_eq!(knee.knee, Choice { depth, from: depth, to: depth }, "{knee:?}");
        assert_eq!((knee.balance.depth, knee.beyond), (depth, Beyond::Flat), "{knee:?}");
        assert!(knee.says.contains("p99"), "{}", knee.says);
    }
    for reading in &swept.readings {
        // Both sides are of the same slices: depth = rate × latency.
        let depth = f64::from(run.report.figures[reading.figure].workload.depth);
        let (rate, latency) = (reading.throughput.unwrap().value, reading.latency.unwrap().value);
        assert!((rate * latency / 1000.0 / depth - 1.0).abs() < 0.02, "{reading:?}");
    }
    assert!(run.report.chart.is_empty() && run.report.ledger.is_empty() && run.report.outliers.is_empty());
    // Every point once in each pass, and each pass in another order.
    let pass = |pass: u32| run.order.iter().filter(|slice| slice.0 == pass).map(|slice| slice.1).collect::<Vec<_>>();
    for n in 1..=3 {
        let mut steps = pass(n);
        steps.sort_unstable();
        assert_eq!(steps, (0..14).collect::<Vec<_>>());
    }
    assert_ne!(pass(1), pass(2));
}

#[test]
fn a_sweep_that_was_cut_off_anywhere_goes_on_with_what_is_missing() {
    let plan = || sweep_over(&[1, 4]);
    let whole = go_on(plan(), Vec::new(), steady, None, well);
    for cut in 0..=whole.slices.len() {
        let rest = go_on(plan(), whole.slices[..cut].to_vec(), steady, None, well);
        // The same slices in the same order, none twice.
        assert_eq!(rest.order, whole.order, "cut after {cut}");
        assert!(rest.report.figures.iter().all(|figure| figure.slices == 3), "cut after {cut}");
    }
}
