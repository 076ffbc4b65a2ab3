//! Progress as plain lines: what is said of a run as it goes on, and how often.

use crate::sample;
use model::testing;
use model::{Ending, Event, OpClass, Sample, Slice, Sparse, Step, Subscriber};
use report::progress::Progress;
use report::terminal::Style;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A face that writes lines to memory, at a time that the test sets.
struct Watched {
    progress: Progress,
    out: Shared,
    ms: Arc<AtomicU64>,
}

impl Watched {
    fn new() -> Watched {
        let (out, ms) = (Shared::default(), Arc::new(AtomicU64::new(0)));
        let clock = ms.clone();
        let now = Box::new(move || Duration::from_millis(clock.load(Relaxed)));
        let style = Style { width: 80, colours: false };
        Watched { progress: Progress::lines(Box::new(out.clone()), style, now), out, ms }
    }

    /// What the event makes it say.
    fn says(&mut self, ms: u64, event: &Event) -> String {
        self.ms.store(ms, Relaxed);
        self.progress.take(event).unwrap();
        String::from_utf8(std::mem::take(&mut *self.out.0.lock().unwrap())).unwrap()
    }
}

/// 80 windows of 100 ms with 54 operations of 1.84 ms each.
fn slice(step: &Step) -> Slice {
    let service =
        Sparse { buckets: [(1650, 54)].into_iter().collect(), sum_ns: 54 * 1_840_000, count: 54, max_ns: 1_900_000 };
    let sample = Sample { span_ns: 100_000_000, ops: 54, bytes: 54 * 4096, service, ..Sample::default() };
    Slice {
        kind: OpClass::Write,
        started_seconds: 1.0,
        warmup: 5,
        ..testing::slice(step.id, 1, 100_000_000, vec![sample; 80])
    }
}

#[test]
fn a_run_in_lines() {
    let sample::SampleRun { report, record } = sample::run();
    let step = record.plan.steps[12].clone();
    let mut watched = Watched::new();
    let started = Event::RunStarted { head: record.head.clone(), scope: record.scope.clone() };
    assert_eq!(watched.says(1000, &started), "run 20261121-093012-ab3f\n");
    let planned = Event::Planned { plan: record.plan.clone() };
    assert_eq!(watched.says(1000, &planned), "69 steps a pass, 3 changes to make and to undo\n");
    let changed = Event::Changed { undo: record.changes[0].clone() };
    assert_eq!(watched.says(1000, &changed), "undone: pool fathom.ab3f\n");
    let begun = Event::StepStarted { pass: 1, step: step.clone(), seconds_expected: 9.0 };
    assert_eq!(watched.says(2000, &begun), "");
    let done = Event::StepFinished { pass: 1, slices: vec![slice(&step)] };
    let line = "pass 1, step 1 of 69: rados fathom.ab3f write-latency, about 1.84 ms, 8.0 s\n";
    assert_eq!(watched.says(10_000, &done), line);
    let void = Slice { void: Some("osd.1 went down".into()), ..slice(&step) };
    let lost = watched.says(11_000, &Event::StepFinished { pass: 1, slices: vec![void] });
    assert!(lost.contains("nothing measured: osd.1 went down"), "{lost}");
    let pass = watched.says(62_000, &Event::PassFinished { pass: 1, report: Box::new(report) });
    assert!(
        pass.starts_with(
            "pass 1 of at most 3 done after 1 min 1 s: 76 of 87 figures as precise as asked for\n\nDepth chart\n"
        ),
        "{pass}"
    );
    assert!(pass.contains("rados") && pass.contains("±9.1 % i"), "{pass}");
    assert_eq!(watched.says(63_000, &Event::Warned { text: "scrubbing".into() }), "warning: scrubbing\n");
    for (ending, says) in [(Ending::Done, "done"), (Ending::Stopped, "stopped"), (Ending::Failed, "failed")] {
        let end = Event::RunFinished { seconds: 63.0, ending };
        assert_eq!(watched.says(64_000, &end), format!("{says} after 1 min 3 s\n"));
    }
}

#[test]
fn a_long_preparation_is_told_every_two_seconds_and_at_its_end() {
    let mut watched = Watched::new();
    let at = |share| Event::Progress { what: "prefill of image 1".into(), share };
    assert_eq!(watched.says(0, &at(0.0)), "prefill of image 1: 0 %\n");
    assert_eq!(watched.says(500, &at(0.1)), "");
    assert_eq!(watched.says(1999, &at(0.3)), "");
    assert_eq!(watched.says(2000, &at(0.31)), "prefill of image 1: 31 %\n");
    assert_eq!(watched.says(2100, &at(1.0)), "prefill of image 1: 100 %\n");
    assert_eq!(watched.says(2150, &at(0.0)), "", "the same again, and nothing to fill");
    assert_eq!(watched.says(2160, &at(1.0)), "");
    let other = Event::Progress { what: "placement groups".into(), share: 0.5 };
    assert_eq!(watched.says(2200, &other), "", "what is over in less than two seconds needs no line");
    assert_eq!(watched.says(4100, &other), "placement groups: 50 %\n");
}
