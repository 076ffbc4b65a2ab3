//! A small run as events, the same every time.

use model::testing;
use model::*;

pub fn head(run: &str) -> RunHead {
    RunHead {
        imported: None,
        short_answers: true,
        own_lab: false,
        run: run.into(),
        started: "2026-11-21T09:30:12Z".into(),
        version: "0.1.0".into(),
        command: "fathom run --lab".into(),
    }
}

pub fn started(run: &str) -> Event {
    let osd = OsdScope { id: 2, host: "ceph-c".into(), up: true, inside: true, ..OsdScope::default() };
    let scope = Scope { cluster: Some("lab:default".into()), osds: vec![osd], ..Scope::default() };
    Event::RunStarted { head: head(run), scope }
}

pub fn step() -> Step {
    let workload = Workload::canonical(Pattern::WriteLatency, 1 << 30, 7);
    let place = Place::Osd { osd: 2, pool: "fathom.ab3f".into(), replicas: Vec::new() };
    let target = Target { host: Some("ceph-c".into()), ..Target::new(Layer::Osd, "osd.2", place) };
    Step::new(4, Layer::Osd, Pattern::WriteLatency, vec![target], workload)
}

pub fn slice(pass: u32) -> Slice {
    let sample = |window: u32| {
        let mut seen = Latencies::default();
        for i in 0..50 {
            seen.record(1_000_000 + u64::from(window) * 1000 + i * i * 300);
        }
        let service = seen.take();
        Sample { window, span_ns: 100_000_000, ops: 50, bytes: 50 << 12, errors: 0, service, ..Sample::default() }
    };
    Slice {
        target: Some(0),
        kind: OpClass::Write,
        started_seconds: 10.0 * f64::from(pass),
        warmup: 4,
        settled: pass != 2,
        void: (pass == 3).then(|| "osd.2 went down".into()),
        ..testing::slice(StepId(4), pass, 100_000_000, (0..90).map(sample).collect())
    }
}

pub fn change(undone: bool) -> Event {
    let change = Change::Option { who: "osd.2".into(), name: "osd_max_backfills".into(), value: "0".into() };
    Event::Changed { undo: Undo { change, before: Some("1".into()), undone, left: None } }
}

/// A whole run: 13 events, 3 slices.
pub fn run(name: &str) -> Vec<Event> {
    let mut events = vec![started(name)];
    events.push(Event::Planned {
        plan: Plan {
            changes: vec![Change::Flag { name: "noscrub".into() }],
            steps: vec![step()],
            // As they were when the fixture was written, whatever is usual now.
            goal: Goal { read_slice_seconds: 8.0, write_slice_seconds: 12.0, ..Goal::default() },
            ..Plan::default()
        },
    });
    events.push(change(false));
    for pass in 1..=3 {
        events.push(Event::StepStarted { pass, step: step(), seconds_expected: 13.0 });
        events.push(Event::StepFinished { pass, slices: vec![slice(pass)] });
    }
    events.push(Event::Warned { text: "the cluster scrubs".into() });
    events.push(Event::Failed { text: "osd osd.2 write-latency: osd.2 went down".into() });
    events.push(change(true));
    events.push(Event::RunFinished { seconds: 45.125, ending: Ending::Done });
    events
}

pub fn record(events: &[Event]) -> Record {
    let mut record = Record::default();
    events.iter().for_each(|event| record.apply(event));
    record
}
