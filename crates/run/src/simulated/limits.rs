//! The highest rate that keeps a bound, on simulated servers of which theory knows it.

use super::*;
use model::PlannedExperiment;

/// Searches for the highest rate; the targets of the base are closed loops of 64.
fn search(model_of: fn(&str) -> Model, percent: f64, ms: f64) -> (model::Limit, f64) {
    let clock = Arc::new(SimClock::default());
    let sim = Sim::new(clock.clone(), move |target: &Target, _: &Workload| model_of(&target.name));
    let mut base = step(0, Pattern::ReadLatency, &["osd.0"]);
    (base.workload.depth, base.chart) = (64, false);
    let bound = ResponseBound { percent, ms, arrivals: Arrivals::Poisson };
    let experiment = PlannedExperiment::HighestRate { bound, searches: Vec::new() };
    let goal =
        Goal { fixed: true, passes_min: 3, passes_max: 3, read_slice_seconds: 20.0, window_ms: 50, ..Goal::default() };
    let plan = &Plan { steps: vec![base], goal: Goal { seconds_max: 1e9, ..goal }, experiment, ..Plan::default() };
    let health = &Script { clock: clock.clone(), ends: None, seen: well };
    let clock: Arc<dyn Clock> = clock;
    let mut sink = EventSink::silent(clock.clone());
    conduct(plan, &sim, health, &clock, &mut sink);
    let seconds = sink.seconds();
    (experiments::explain(&sink.into_record()).answer.limits()[0].clone(), seconds)
}

#[test]
fn the_highest_rate_under_a_bound_is_found_where_theory_has_it() {
    // One server of exactly a millisecond, 1000 a second at most. The p99 of its response time (M/D/1) is 10 ms where it is
    // about 78 % busy: the waiting time's tail falls by e^-θt with ρ(e^θ − 1) = θ, at which 1 % remain.
    let (found, seconds) = search(|_| Model::steady(1e6, 0.0, 1), 99.0, 10.0);
    let rate = found.rate.unwrap();
    assert!((700.0..830.0).contains(&rate), "{found:#?}");
    assert!((found.capacity.unwrap() - 1000.0).abs() < 10.0);
    // Few probes, each as short as it may be, and a minute to confirm (or two, if the first was a little too high).
    assert!(found.probes.iter().filter(|probe| !probe.confirms).count() <= 8, "{found:#?}");
    assert!(seconds < 330.0, "{seconds}");
}

#[test]
fn a_bound_that_no_rate_keeps_has_none_and_says_so() {
    let (found, _) = search(|_| Model::steady(1e6, 0.0, 4), 99.0, 0.5);
    assert_eq!(found.rate, None);
    assert!(found.why.as_deref().is_some_and(|why| why.starts_with("not even")), "{found:#?}");
}

#[test]
fn rare_stalls_that_a_probe_misses_are_found_by_the_confirmation() {
    // A tenth of a second in every fifteen: 0.7 % of the time, too rare for a probe of three seconds.
    let stalls = |_: &str| {
        Model::steady(1e6, 0.0, 4).with(Twist::Dips { every: 15 * SECOND, lasts: SECOND / 10, factor: 400.0 })
    };
    let (found, _) = search(stalls, 99.0, 20.0);
    assert!(
        found.probes.iter().any(|probe| probe.confirms && !probe.kept) || found.rate.is_some_and(|rate| rate < 4000.0)
    );
    assert!(found.probes.iter().filter(|probe| probe.kept && !probe.confirms).any(|probe| probe.seconds < 5.0));
}

#[test]
fn the_bound_of_a_median_is_not_broken_by_a_quarter_that_is_slower() {
    // The same server: the median of its response time is 5 ms where it is about 92 % busy, and one in five is slower from 80 % on.
    let (found, _) = search(|_| Model::steady(1e6, 0.0, 1), 50.0, 5.0);
    assert!(found.rate.is_some_and(|rate| (860.0..980.0).contains(&rate)), "{found:#?}");
}

#[test]
fn no_bound_is_so_long_that_more_than_can_be_done_keeps_it() {
    // What is 5 % too much waits a second after 20 s.
    let (found, _) = search(|_| Model::steady(1e6, 0.0, 1), 99.0, 2000.0);
    assert!(found.rate.is_some_and(|rate| (900.0..1025.0).contains(&rate)), "{found:#?}");
}
