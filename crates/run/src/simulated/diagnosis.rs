//! Diagnosis on simulated targets: a slow one is confirmed by its test, one that was slow once is refuted.

use super::*;
use model::{Diagnosis, Finding, PlannedExperiment, Record, Standing};

/// A survey of one pass of three OSDs, of which the rules then ask what they want to know.
fn diagnose(model_of: fn(&str) -> Model, seconds_max: f64) -> (Record, Report) {
    let steps = (0..).zip(["osd.0", "osd.1", "osd.2"]).map(|(id, name)| step(id, Pattern::WriteLatency, &[name]));
    let experiment = PlannedExperiment::Diagnosis(Diagnosis { seconds_max, tests: Vec::new() });
    let plan = &Plan { steps: steps.collect(), goal: Goal::quick(1), experiment, ..Plan::default() };
    let clock = Arc::new(SimClock::default());
    let sim = Sim::new(clock.clone(), move |target: &Target, _: &Workload| model_of(&target.name));
    let health = &Script { clock: clock.clone(), ends: None, seen: well };
    let clock: Arc<dyn Clock> = clock;
    let mut sink = EventSink::silent(clock.clone());
    sink.tell(model::Event::Planned { plan: plan.clone() }).unwrap();
    conduct(plan, &sim, health, &clock, &mut sink);
    let record = sink.into_record();
    let report = experiments::explain(&record);
    (record, report)
}

fn told(findings: &[Finding]) -> Vec<(&str, String, Standing)> {
    findings.iter().map(|finding| (finding.id.as_str(), finding.target(), finding.standing)).collect()
}

/// Of the suspect that the survey's one pass shows.
fn slow(name: &str) -> Model {
    Model::steady(if name == "osd.2" { 1.45e6 } else { 1e6 }, 0.3, 16)
}

#[test]
fn a_slow_osd_is_confirmed_by_measuring_it_again_in_turns_with_its_peers() {
    let (record, report) = diagnose(slow, 1200.0);
    assert_eq!(told(&report.findings), [("osd-slow", "osd.2".to_string(), Standing::Confirmed)]);
    assert!(report.answer.refuted().is_empty());
    let tests = record.plan.experiment.tests();
    assert_eq!((tests.len(), tests[0].rule.as_str(), tests[0].steps.len()), (1, "osd-slow", 3));
    // Three slices of each of them, and no cell of the chart changed by it.
    let of_test = |slice: &&Slice| tests[0].steps.contains(&slice.step);
    assert_eq!(record.slices.iter().filter(of_test).count(), 9);
    assert_eq!(report.chart.len(), 1);
    assert!(report.figures.iter().filter(|figure| figure.chart).all(|figure| figure.slices == 1));
}

#[test]
fn one_that_was_slow_only_in_the_survey_is_refuted() {
    let once = |name: &str| match name {
        // The survey takes some twelve seconds.
        "osd.2" => Model::steady(1.45e6, 0.3, 16).with(Twist::Level { from: 16 * SECOND, factor: 1.0 / 1.45 }),
        _ => Model::steady(1e6, 0.3, 16),
    };
    let (_, report) = diagnose(once, 1200.0);
    assert_eq!(told(&report.findings), []);
    let refuted: Vec<_> =
        report.answer.refuted().iter().map(|one| (one.id.as_str(), one.subject.to_string())).collect();
    assert_eq!(refuted, [("osd-slow", "osd.2".to_string())]);
    assert_eq!(report.standing_outliers().count(), 0);
}

#[test]
fn equal_osds_ask_for_no_test_and_when_the_time_is_up_none_begins() {
    let (record, report) = diagnose(steady, 1200.0);
    assert_eq!((record.plan.experiment.tests().len(), report.findings.len()), (0, 0));
    let (record, report) = diagnose(slow, 0.0);
    assert_eq!(record.plan.experiment.tests().len(), 0);
    assert_eq!(told(&report.findings), [("osd-slow", "osd.2".to_string(), Standing::Hint)]);
}
