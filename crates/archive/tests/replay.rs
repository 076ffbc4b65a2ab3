//! What went in comes out: any run, from the archive, is the run that was watched live.

mod common;

use archive::{Archive, ArchiveError};
use common::{record, run, slice, started, step};
use model::testing;
use model::*;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

fn sparse() -> impl Strategy<Value = Sparse> {
    (vec(any::<(u32, u64)>(), 0..6), any::<u64>(), any::<u64>(), any::<u64>()).prop_map(
        |(mut buckets, sum_ns, count, max_ns)| {
            buckets.sort();
            Sparse { buckets: buckets.into_iter().collect(), sum_ns, count, max_ns }
        },
    )
}

fn sample() -> impl Strategy<Value = Sample> {
    (any::<u32>(), any::<[u64; 4]>(), sparse(), [option::of(sparse()), option::of(sparse()), option::of(sparse())])
        .prop_map(|(window, n, service, [response, late, first_byte])| Sample {
            window,
            span_ns: n[0],
            ops: n[1],
            bytes: n[2],
            errors: n[3],
            service,
            response,
            late,
            first_byte,
        })
}

fn any_slice() -> impl Strategy<Value = Slice> {
    let numbers = (any::<u32>(), option::of(any::<u32>()), any::<u32>(), 0.0..1e9f64, 0..1u64 << 40, any::<u32>());
    let rest = (vec(sample(), 0..4), option::of(".*"), option::of(".*"), any::<[bool; 2]>());
    (numbers, rest).prop_map(|(numbers, (samples, void, error, [read, settled]))| {
        let (step, target, pass, started_seconds, window_ns, warmup) = numbers;
        let kind = if read { OpClass::Read } else { OpClass::Write };
        let step = StepId(step);
        let half = |n: u32| f64::from(n) / 2.0;
        let effort = read.then_some(Effort {
            seconds: half(pass),
            cpu_seconds: half(warmup),
            queued_seconds: 0.1,
            operations: window_ns,
            operation_ns: 59.5,
        });
        Slice {
            target,
            kind,
            started_seconds,
            warmup,
            settled,
            void,
            error,
            effort,
            ..testing::slice(step, pass, window_ns, samples)
        }
    })
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (".*", any::<u32>(), option::of(any::<u32>())).prop_map(|(name, pg_num, size)| Change::Pool {
            name,
            pg_num,
            size,
            on: size.map(|size| vec![size; 2]).into_iter().collect(),
            like: None,
        }),
        (".*", ".*", any::<u64>()).prop_map(|(pool, name, bytes)| Change::Image { pool, data_pool: None, name, bytes }),
        select(vec!["noscrub", "nodeep-scrub"]).prop_map(|name| Change::Flag { name: name.into() }),
        (option::of(".*"), ".*", any::<u64>()).prop_map(|(host, path, bytes)| Change::file(
            host.as_deref(),
            path.into(),
            bytes
        )),
        (".*", ".*", ".*").prop_map(|(pool, name, value)| Change::PoolSetting { pool, name, value }),
        Just(Change::BalancerOff),
    ]
}

fn sweep() -> Sweep {
    let axis = |name: &str, values| SweepAxis { name: name.into(), values };
    let texts = ["5", "high"].map(|text| Setting::Text(text.into())).to_vec();
    let axes = vec![axis("depth", vec![Setting::Number(1), Setting::Number(u64::MAX)]), axis("option:x", texts)];
    Sweep { axes, points: vec![model::sweep::SweepPoint { step: StepId(4), at: vec![1, 0] }], left_out: 2 }
}

fn plan() -> impl Strategy<Value = Plan> {
    let access = prop_oneof![Just(Access::Random), (0.0..9.0f64).prop_map(Access::Zipf)];
    let varied = (any::<u64>(), access, btree_map(".*", ".*", 0..3), ".*").prop_map(|(seed, access, options, name)| {
        let mut step = step();
        step.workload = Workload { seed, access, options, engine: Some(name.clone()), ..step.workload };
        step.targets[0].place = Place::Path { path: name.into(), writable: true };
        step
    });
    (vec(change(), 0..3), vec(varied, 0..3), any::<f64>().prop_filter("finite", |n| n.is_finite())).prop_map(
        |(changes, steps, settle)| {
            let experiment = match settle.is_sign_positive() {
                true => PlannedExperiment::Sweep(sweep()),
                false => PlannedExperiment::Survey,
            };
            Plan { changes, steps, goal: Goal { settle, ..Goal::default() }, experiment, ..Plan::default() }
        },
    )
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        1 => plan().prop_map(|plan| Event::Planned { plan }),
        2 => (change(), option::of(".*"), any::<bool>(), option::of(".*"))
            .prop_map(|(change, before, undone, left)| Event::Changed { undo: Undo { change, before, undone, left } }),
        1 => (".*", any::<f64>()).prop_map(|(what, share)| Event::Progress { what, share }),
        1 => any::<f64>().prop_map(|seconds| Event::StepStarted { pass: 1, step: step(), seconds_expected: seconds }),
        4 => vec(any_slice(), 0..3).prop_map(|slices| Event::StepFinished { pass: 1, slices }),
        1 => btree_map(".*", any::<u32>(), 0..3)
            .prop_map(|states| seen(Observation::PgsSeen(PgsSeen { step: StepId(4), pass: 1, states }))),
        1 => (0u32..4, any::<u64>(), any::<u64>()).prop_map(|(target, looked_at, empty)| {
            let targets = [(target, EmptyPages { looked_at, empty })].into();
            seen(Observation::PagesRead(PagesRead { step: StepId(4), pass: 1, targets }))
        }),
        1 => ".*".prop_map(|text| Event::Warned { text }),
        1 => ".*".prop_map(|text| Event::Failed { text }),
        1 => (0.0..1e9f64).prop_map(|seconds| Event::RunFinished { seconds, ending: Ending::Done }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_events_give_the_same_record(events in vec(event(), 0..24), cluster in option::of(".*")) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.sqlite");
        let scope = Scope { cluster, ..Scope::default() };
        let begun = Event::RunStarted { head: common::head("20261121-093012-ab3f"), scope };
        let events: Vec<Event> = std::iter::once(begun).chain(events).collect();
        let mut writer = Archive::open(&path).unwrap().writer();
        for event in &events {
            writer.take(event).unwrap();
        }
        let live = record(&events);
        prop_assert_eq!(&writer.archive().load("20261121-093012-ab3f").unwrap(), &live);
        drop(writer);
        let archive = Archive::open_existing(&path).unwrap();
        prop_assert_eq!(&archive.load("20261121").unwrap(), &live);
        let summary = archive.runs().unwrap().remove(0);
        prop_assert_eq!((summary.seconds, summary.finished), (live.seconds, live.finished));
        prop_assert_eq!((summary.steps as usize, summary.slices as usize), (live.plan.steps.len(), live.slices.iter().filter(|slice| slice.measured()).count()));
        prop_assert_eq!(summary.cluster, live.scope.cluster);
    }
}

#[test]
fn numbers_that_json_cannot_hold_are_refused_and_those_of_slices_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Archive::open(&folder.path().join("a")).unwrap().writer();
    writer.store(&started("20261121-093012-ab3f")).unwrap();
    let goal = Goal { seconds_max: f64::INFINITY, ..Goal::default() };
    let refused = writer.store(&Event::Planned { plan: Plan { goal, ..Plan::default() } });
    assert!(matches!(refused, Err(ArchiveError::NotFinite { what: "the plan" })), "{refused:?}");
    let odd = Slice { started_seconds: f64::INFINITY, ..slice(1) };
    writer.store(&Event::StepFinished { pass: 1, slices: vec![odd.clone()] }).unwrap();
    assert_eq!(writer.archive().load("last").unwrap().slices, [odd]);
}

#[test]
fn pictures_of_the_passes_are_kept_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Archive::open(&folder.path().join("a")).unwrap().writer();
    writer.store(&started("20261121-093012-ab3f")).unwrap();
    let report = Report {
        head: common::head("20261121-093012-ab3f"),
        seconds: f64::NAN,
        passes: 1,
        ending: None,
        overhead: None,
        figures: vec![],
        chart: vec![],
        ledger: vec![],
        latency_parts: vec![],
        stores: vec![],
        slow_operations: vec![],
        positions: None,
        distances: vec![],
        doors: vec![],
        gateways: vec![],
        answer: Answer::Survey,
        host_loads: Vec::new(),
        outliers: vec![],
        findings: vec![],
        changes: vec![],
        warnings: vec!["something else".into()],
        errors: vec!["something".into()],
    };
    for pass in 1..=2 {
        writer
            .store(&Event::PassFinished { pass, report: Box::new(Report { passes: pass, ..report.clone() }) })
            .unwrap();
    }
    let pictures = writer.archive().pictures("2026").unwrap();
    assert_eq!(pictures.iter().map(|picture| picture["passes"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(2)]);
    assert_eq!(pictures[0]["errors"][0], "something");
}

#[test]
fn one_writer_after_the_other_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Archive::open(&folder.path().join("a")).unwrap().writer();
    let early = writer.store(&Event::Failed { text: "too early".into() });
    assert!(matches!(early, Err(ArchiveError::NoRun { .. })), "{early:?}");
    for name in ["20261121-093012-aaaa", "20261121-093013-bbbb"] {
        run(name).iter().for_each(|event| writer.store(event).unwrap());
    }
    let again = writer.store(&started("20261121-093012-aaaa"));
    assert!(matches!(again, Err(ArchiveError::RunExists { .. })), "{again:?}");
    // What follows still belongs to the run that goes on.
    writer.store(&Event::Failed { text: "late".into() }).unwrap();
    assert_eq!(writer.archive().load("20261121-093012").unwrap(), record(&run("20261121-093012-aaaa")));
    let second = writer.archive().load("last").unwrap();
    assert_eq!((second.head.run.as_str(), second.errors.last().unwrap().as_str()), ("20261121-093013-bbbb", "late"));
}

#[test]
fn a_run_goes_on_after_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let name = "20261121-093012-ab3f";
    let mut writer = Archive::open(&path).unwrap().writer();
    for event in common::run(name) {
        writer.store(&event).unwrap();
    }
    drop(writer);
    assert!(Archive::open(&path).unwrap().writer_of("2025").is_err());
    let mut writer = Archive::open(&path).unwrap().writer_of("2026").unwrap();
    assert!(writer.archive().load(name).unwrap().finished);
    writer.store(&Event::StepFinished { pass: 4, slices: vec![common::slice(4)] }).unwrap();
    let record = writer.archive().load(name).unwrap();
    assert_eq!((record.slices.len(), record.finished, writer.archive().runs().unwrap()[0].finished), (4, false, false));
    writer.store(&Event::RunFinished { seconds: 60.0, ending: Ending::Done }).unwrap();
    let record = writer.archive().load(name).unwrap();
    assert_eq!((record.seconds, record.finished, writer.archive().runs().unwrap().len()), (60.0, true, 1));
}

#[test]
fn where_a_run_took_place_is_known_by_its_cluster_else_by_its_host() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Archive::open(&folder.path().join("a")).unwrap().writer();
    let here = HostScope { name: "alpha".into(), here: true, ..HostScope::default() };
    let other = HostScope { name: "beta".into(), ..HostScope::default() };
    let hosts = || vec![other.clone(), here.clone()];
    let scopes = [
        Scope { fsid: Some("one".into()), cluster: Some("lab:default".into()), hosts: hosts(), ..Scope::default() },
        Scope { fsid: Some("two".into()), cluster: Some("lab:default".into()), hosts: hosts(), ..Scope::default() },
        Scope { hosts: hosts(), ..Scope::default() },
        Scope::default(),
    ];
    let of = |(number, scope): (usize, Scope)| {
        let run = format!("20261121-093012-000{number}");
        writer.store(&Event::RunStarted { head: common::head(&run), scope }).unwrap();
        writer.archive().place(&run).unwrap()
    };
    let places: Vec<RunPlace> = scopes.into_iter().enumerate().map(of).collect();
    let wanted = [
        RunPlace::Cluster("one".into()),
        RunPlace::Cluster("two".into()),
        RunPlace::Host("alpha".into()),
        RunPlace::Untold,
    ];
    assert_eq!(places, wanted);
    // A lab that was started for the run.
    let (run, scope) =
        ("20261121-093013-0000", Scope { fsid: Some("three".into()), hosts: hosts(), ..Scope::default() });
    let head = model::RunHead { own_lab: true, ..common::head(run) };
    writer.store(&Event::RunStarted { head, scope }).unwrap();
    assert_eq!(writer.archive().place(run).unwrap(), RunPlace::OwnLab("alpha".into()));
    assert_eq!(writer.archive().place("no run").unwrap(), RunPlace::Untold);
}

fn seen(observation: Observation) -> Event {
    Event::Observed { observation }
}
