//! Devices that are written to without pause, until they fall or are steady: once for each model, after the passes.

use super::EventSink;
use super::conductor::Conductor;
use super::guard::trouble;
use super::health::HealthMonitor;
use cluster::watch::Seen;
use engines::EngineError;
use engines::crew::Flow;
use model::clock::{MILLISECOND, SECOND};
use model::{Bytes, Ended, Event, Failure, Nanos, SliceEnd, Step, SustainedSeries, SustainedTest, Until, WindowSet};

const WINDOW: Nanos = 100 * MILLISECOND;
const A_SECOND: usize = (SECOND / WINDOW) as usize;

impl Conductor<'_> {
    /// Makes the target ready, writes to it until that is enough, and leaves it discarded where that is wished for.
    pub(super) fn write_without_pause(&self, test: &SustainedTest, sink: &mut EventSink) -> Result<(), Failure> {
        let target = test.step.together();
        let before = judge::written_to(sink.record(), &target);
        let mut seen = SustainedSeries {
            target,
            until: test.until,
            filled: test.filled(),
            windows: Vec::new(),
            window_ns: WINDOW,
            before,
            ended: Ended::Broken,
            error: None,
        };
        let begun = self.health.seen();
        let mut error = trouble(&test.step, &begun, &begun)
            .or_else(|| self.made_ready(test, &begun, sink).err().map(|error| error.to_string()));
        let mut ended = None;
        if error.is_none() && !self.health.asked_to_end() {
            let mut wrong = None;
            let mut on_window = |set: &WindowSet| {
                wrong = wrong.take().or_else(|| trouble(&test.step, &begun, &self.health.seen()));
                ended = after(test, self.health, set, &mut seen, sink);
                if ended.is_some() || wrong.is_some() { Flow::Stop } else { Flow::GoOn }
            };
            let loaded = self.loader.load((&test.step, budget(test)), WINDOW, &mut || {}, &mut on_window);
            error = wrong.or_else(|| broken(loaded));
        } else if error.is_none() {
            ended = Some(Ended::Stopped);
        }
        self.ask_temperatures(&test.step, true, sink)?;
        if test.trim[1] && self.health.asked_to_end() {
            let text = format!("{} was not discarded (--trim after): the run was ended before", seen.target);
            sink.tell(Event::Warned { text })?;
        } else if test.trim[1] {
            error = error.or(self.discard(&test.step, sink).err().map(|error| error.to_string()));
        }
        // An operation that failed in the last windows makes them no measurement.
        let ended = if error.is_some() { Ended::Broken } else { ended.unwrap_or(Ended::Broken) };
        let failed = error.as_ref().map(|why| format!("writes without pause to {}: {why}", seen.target));
        sink.tell(Event::Sustained { sustained: SustainedSeries { ended, error, ..seen } })?;
        failed.map_or(Ok(()), |text| sink.tell(Event::Failed { text }))
    }

    fn made_ready(&self, test: &SustainedTest, begun: &Seen, sink: &mut EventSink) -> Result<(), EngineError> {
        if test.trim[0] {
            self.discard(&test.step, sink)?;
        }
        match test.fill.as_ref().map(|level| &level.workload).filter(|workload| workload.span > 0) {
            Some(workload) => self.write_full(&Step { workload: workload.clone(), ..test.step.clone() }, begun, sink),
            None => Ok(()),
        }
    }

    fn discard(&self, step: &Step, sink: &mut EventSink) -> Result<(), EngineError> {
        let (what, bytes) = (format!("discarding {}", step.together()), step.targets[0].bytes.unwrap_or(1).max(1));
        self.loader.discard(step, &mut |done| {
            let _ = sink.tell(Event::Progress { what: what.clone(), share: done as f64 / bytes as f64 });
            !self.health.asked_to_end()
        })
    }

    /// Once in order; what is written is no measurement.
    fn write_full(&self, step: &Step, begun: &Seen, sink: &mut EventSink) -> Result<(), EngineError> {
        let (what, span) = (format!("writing {} full", step.together()), step.workload.span);
        let (mut written, mut failed, mut wrong) = (0, false, None);
        let mut on_window = |set: &WindowSet| {
            wrong = wrong.take().or_else(|| trouble(step, begun, &self.health.seen()));
            failed |= set.samples.iter().any(|(.., sample)| sample.errors > 0);
            written += set.samples.iter().map(|(.., sample)| sample.bytes).sum::<Bytes>();
            let _ = sink.tell(Event::Progress { what: what.clone(), share: (written as f64 / span as f64).min(1.0) });
            let enough =
                failed || wrong.is_some() || self.health.asked_to_end() || written + step.workload.block > span;
            if enough { Flow::Stop } else { Flow::GoOn }
        };
        let loaded = self.loader.load((step, Some(span)), WINDOW, &mut || {}, &mut on_window);
        wrong
            .or_else(|| broken(loaded))
            .map_or(Ok(()), |why| Err(EngineError::Broken(format!("while it was written full: {why}"))))
    }
}

/// What broke, if anything did.
fn broken(loaded: Result<SliceEnd, EngineError>) -> Option<String> {
    match loaded {
        Ok(end) => end.first_error.map(|(_, text)| text).or(end.broken),
        Err(error) => Some(error.to_string()),
    }
}

/// Bytes that may be written. At random the same places are written again and again.
fn budget(test: &SustainedTest) -> Option<Bytes> {
    match test.until {
        Until::Falls => Some(test.most()),
        Until::Steady => test.most,
    }
}

fn is_enough(test: &SustainedTest, windows: &[Bytes]) -> Option<Ended> {
    match test.until {
        Until::Falls => judge::fell(windows, WINDOW).then_some(Ended::Fell),
        Until::Steady => judge::is_steady(windows, WINDOW, test).then_some(Ended::Steady),
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
    let (written, most) = (seen.windows.iter().sum::<u64>(), budget(test).unwrap_or(Bytes::MAX));
    let seconds = seen.windows.len() as f64 * WINDOW as f64 / SECOND as f64;
    if writes().any(|sample| sample.errors > 0) {
        return Some(Ended::Broken);
    }
    if health.asked_to_end() {
        return Some(Ended::Stopped);
    }
    if written.saturating_add(workload.block) > most {
        return Some(Ended::Volume);
    }
    if !seen.windows.len().is_multiple_of(A_SECOND) {
        return None;
    }
    let share = (written as f64 / most as f64).max(seconds / test.seconds).min(1.0);
    let last = seen.windows.iter().rev().take(A_SECOND).sum::<u64>() as f64 / 1e6;
    let kind = if test.until == Until::Steady { " at random" } else { "" };
    let what = format!("writing to {}{kind} without pause, now {} MB/s", seen.target, model::units::rough(last));
    // A face that can't be told is found out by the next event that matters.
    let _ = sink.tell(Event::Progress { what, share });
    is_enough(test, &seen.windows).or((seconds >= test.seconds).then_some(Ended::Time))
}
