//! Devices that are written to without pause until they fall: once for each model, after the passes.

use super::EventSink;
use super::conductor::Conductor;
use super::health::HealthMonitor;
use engines::crew::Flow;
use model::clock::{MILLISECOND, SECOND};
use model::{Ended, Event, Failure, Nanos, SustainedSeries, SustainedTest, WindowSet};

const WINDOW: Nanos = 100 * MILLISECOND;
const A_SECOND: usize = (SECOND / WINDOW) as usize;

impl Conductor<'_> {
    pub(super) fn write_until_it_falls(&self, test: &SustainedTest, sink: &mut EventSink) -> Result<(), Failure> {
        let target = test.step.together();
        let before = judge::written_to(sink.record(), &target);
        let mut seen = SustainedSeries {
            target,
            windows: Vec::new(),
            window_ns: WINDOW,
            before,
            ended: Ended::Broken,
            error: None,
        };
        let mut ended = None;
        let mut on_window = |set: &WindowSet| {
            ended = after(test, self.health, set, &mut seen, sink);
            if ended.is_some() { Flow::Stop } else { Flow::GoOn }
        };
        let what = (&test.step, Some(test.step.workload.span));
        let loaded = self.loader.load(what, WINDOW, &mut on_window);
        let error = match &loaded {
            Ok(end) => end.broken.clone().or_else(|| end.first_error.as_ref().map(|(_, text)| text.clone())),
            Err(error) => Some(error.to_string()),
        };
        // An operation that failed in the last windows makes them no measurement.
        let ended = if error.is_some() { Ended::Broken } else { ended.unwrap_or(Ended::Broken) };
        let failed = error.as_ref().map(|why| format!("sustained writes to {}: {why}", seen.target));
        sink.tell(Event::Sustained { sustained: SustainedSeries { ended, error, ..seen } })?;
        failed.map_or(Ok(()), |text| sink.tell(Event::Failed { text }))
    }
}

/// Takes a window, and says whether that is enough.
fn after(
    test: &SustainedTest,
    health: &dyn HealthMonitor,
    set: &WindowSet,
    seen: &mut SustainedSeries,
    sink: &mut EventSink,
) -> Option<Ended> {
    if set.samples.is_empty() {
        return health.asked_to_end().then_some(Ended::Stopped);
    }
    let writes = || set.samples.iter().filter(|(_, kind, _)| kind.changes()).map(|(.., sample)| sample);
    seen.windows.push(writes().map(|sample| sample.bytes).sum());
    let workload = &test.step.workload;
    let (written, most) = (seen.windows.iter().sum::<u64>(), workload.span);
    let seconds = seen.windows.len() as f64 * WINDOW as f64 / SECOND as f64;
    if writes().any(|sample| sample.errors > 0) {
        return Some(Ended::Broken);
    }
    if health.asked_to_end() {
        return Some(Ended::Stopped);
    }
    if written + workload.block > most {
        return Some(Ended::Volume);
    }
    if !seen.windows.len().is_multiple_of(A_SECOND) {
        return None;
    }
    let share = (written as f64 / most as f64).max(seconds / test.seconds).min(1.0);
    let last = seen.windows.iter().rev().take(A_SECOND).sum::<u64>() as f64 / 1e6;
    let what = format!("writing to {} without pause, now {} MB/s", seen.target, model::units::rough(last));
    // A face that can't be told is found out by the next event that matters.
    let _ = sink.tell(Event::Progress { what, share });
    if judge::fell(&seen.windows, WINDOW) {
        return Some(Ended::Fell);
    }
    (seconds >= test.seconds).then_some(Ended::Time)
}
