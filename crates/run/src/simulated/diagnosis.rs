//! Diagnosis on simulated targets: a slow one is confirmed by its test, one that was slow once is refuted.

use super::*;
use model::facts::{Facts, SetOption};
use model::{
    Diagnosis, Ending, Event, Finding, Observation, OsdScope, PlannedExperiment, Record, RunHead, Scope, Standing,
};

/// A survey of one pass of three OSDs, of which the rules then ask what they want to know.
fn diagnose(model_of: fn(&str) -> Model, seconds_max: f64) -> (Record, Report) {
    let steps = (0..).zip(["osd.0", "osd.1", "osd.2"]).map(|(id, name)| step(id, Pattern::WriteLatency, &[name]));
    let sim = move |target: &Target, _: &Workload| model_of(&target.name);
    measured(steps.collect(), sim, seconds_max, Scope::default(), None)
}

fn measured(
    steps: Vec<Step>,
    model_of: impl Fn(&Target, &Workload) -> Model + Send + Sync + 'static,
    seconds_max: f64,
    scope: Scope,
    facts: Option<Facts>,
) -> (Record, Report) {
    let experiment = PlannedExperiment::Diagnosis(Diagnosis { seconds_max, ..Diagnosis::default() });
    let plan = &Plan { steps, goal: Goal::quick(1), experiment, ..Plan::default() };
    let clock = Arc::new(SimClock::default());
    let sim = Sim::new(clock.clone(), model_of);
    let health = &Script { clock: clock.clone(), ends: None, seen: well };
    let clock: Arc<dyn Clock> = clock;
    let mut sink = EventSink::silent(clock.clone());
    sink.tell(Event::RunStarted { head: RunHead::default(), scope }).unwrap();
    sink.tell(Event::Planned { plan: plan.clone() }).unwrap();
    if let Some(facts) = facts {
        sink.tell(Event::Observed { observation: Observation::Facts(Box::new(facts)) }).unwrap();
    }
    conduct(plan, &sim, health, &clock, &mut sink);
    sink.tell(Event::RunFinished { seconds: sink.seconds(), ending: Ending::Done }).unwrap();
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
    let untested: Vec<_> =
        report.answer.untested().iter().map(|one| (one.id.as_str(), one.left_out.why.as_str())).collect();
    assert_eq!(untested, [("osd-slow", "no test begins after 0 s (--time-max)")]);
}

/// Writes of 10 ms between pairs of eight OSDs on four hosts. They take this part longer with such an OSD as the primary, and half of it with it
/// as a replica, until its options are as its twins'.
fn by_position(slow: fn(u32) -> f64, options: &[(u32, &str)]) -> (Record, Report) {
    let pairs = (0..8u32).flat_map(|a| (0..8u32).map(move |b| (a, b))).filter(|(a, b)| a % 4 != b % 4);
    let target = |(osd, replica): (u32, u32)| {
        let place = Place::Osd { osd, pool: "p".into(), replicas: vec![replica] };
        Target::new(testing::osds(), format!("osd.{osd} and osd.{replica}"), place)
    };
    let pattern = Pattern::WriteLatency;
    let workload = Workload::canonical(pattern, 1 << 19, 1);
    let step = Step::new(0, testing::osds(), pattern, pairs.map(target).collect(), workload);
    let steps = vec![Step { in_turns: true, chart: false, ..step }];
    let osd = |id: u32| OsdScope { id, host: format!("host{}", id % 4), up: true, inside: true, ..OsdScope::default() };
    let scope = Scope { osds: (0..8).map(osd).collect(), ..Scope::default() };
    let option = |(osd, name): &(u32, &str)| SetOption {
        who: format!("osd.{osd}"),
        name: name.to_string(),
        value: "20/20".into(),
        origin: None,
        default: Some("1/5".into()),
        at_runtime: Some(true),
    };
    let mut facts = Facts::default();
    facts.cluster.options = Some(options.iter().map(option).collect());
    let model_of = move |target: &Target, workload: &Workload| {
        let mended = |osd: u32| workload.settings.keys().any(|name| name.starts_with(&format!("osd.{osd}/")));
        let adds = |osd: u32| if mended(osd) { 0.0 } else { slow(osd) };
        let Place::Osd { osd, replicas, .. } = &target.place else { return steady("") };
        Model::steady(1e7 * (1.0 + adds(*osd) + 0.5 * adds(replicas[0])), 0.3, 16)
    };
    measured(steps, model_of, 1200.0, scope, Some(facts))
}

#[test]
fn options_of_one_osd_are_tried_together_and_the_cost_is_what_that_changed() {
    let options = [(1, "debug_osd"), (1, "debug_ms"), (1, "debug_bluestore")];
    let (record, report) = by_position(|osd| if osd == 1 { 0.6 } else { 0.0 }, &options);
    assert_eq!(told(&report.findings), [("osd-option-odd", "osd.1".to_string(), Standing::Confirmed)]);
    let tests = record.plan.experiment.tests();
    assert_eq!((tests.len(), tests[0].steps.len()), (1, 4));
    let set = |id: &StepId| record.plan.steps.iter().find(|step| step.id == *id).unwrap().workload.settings.len();
    assert_eq!(tests[0].steps.iter().map(set).collect::<Vec<_>>(), [0, 3, 0, 3]);
    // What debug options of it write is explained by it, and the time that it adds.
    assert_eq!(report.findings[0].explains.len(), 4, "{:?}", report.findings[0].explains);
    let gains = &report.findings[0].cost.as_ref().unwrap().gains;
    // 13 ms as a replica and 16 ms as the primary come to 10 ms; of all writes (6 + 3) / 8 of 11.125 ms.
    for (gain, wanted) in gains.iter().zip([-0.3 / 1.3, -0.6 / 1.6, -0.1125 / 1.1125]) {
        assert!(gain.change.low <= wanted && wanted <= gain.change.high, "{wanted}: {gain:?}");
        assert!(gain.change.half_width() < 0.1, "{gain:?}");
    }
    assert_eq!(gains.iter().map(|gain| gain.whole).collect::<Vec<_>>(), [false, false, true]);
}

#[test]
fn what_costs_most_is_told_first_and_what_could_not_be_tried_last() {
    let slow = |osd| match osd {
        1 => 0.5,
        2 => 0.8,
        6 => 1.5,
        _ => 0.0,
    };
    let (_, report) = by_position(slow, &[(1, "debug_osd"), (2, "osd_max_object_size"), (6, "debug_ms")]);
    let all = [
        ("osd-option-odd", "osd.6/debug_ms".to_string(), Standing::Confirmed),
        ("osd-option-odd", "osd.1/debug_osd".to_string(), Standing::Confirmed),
        ("osd-option-odd", "osd.2/osd_max_object_size".to_string(), Standing::Hint),
    ];
    assert_eq!(told(&report.findings), all);
    let untested: Vec<_> = report.answer.untested().iter().map(|one| one.subject.to_string()).collect();
    assert_eq!(untested, ["osd.2/osd_max_object_size"]);
    // No run tries what can cost data.
    let needs = &report.answer.untested()[0].left_out.needs;
    assert!(needs.contains("fathom compare") && !needs.contains("fathom prove"), "{needs}");
}
