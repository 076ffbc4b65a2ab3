//! Looks after one target while it is filled: does it move, is the cluster well, will it end in its time?

use super::{End, Time, what};
use crate::event_sink::EventSink;
use crate::guard;
use crate::health::HealthMonitor;
use cluster::watch::Seen;
use model::{Bytes, Event, OpClass, OpMix, Step, Target, Workload};
use std::time::{Duration, Instant};

/// After this time without another byte a fill is given up: what three hosts have in flight, all of it large objects, took a disk of
/// 100 writes a second over 20 s.
const STALL: Duration = Duration::from_secs(60);

pub struct Care {
    alone: Step,
    what: String,
    /// What is written, all in all.
    total: Bytes,
    before: Seen,
    last: Bytes,
    moved: Instant,
    /// Why it was given up.
    trouble: Option<String>,
    pace: Option<Pace>,
}

impl Care {
    /// `time`: what it may take, if that matters.
    pub fn of(step: &Step, target: &Target, time: Option<Time>, health: &dyn HealthMonitor) -> Care {
        // Whatever is done with it then: what is filled is written.
        let workload = Workload { mix: OpMix::only(OpClass::Write), ..step.workload.clone() };
        let alone = Step { targets: vec![target.clone()], workload, ..step.clone() };
        let before = health.seen();
        let trouble = guard::trouble(&alone, &before, &before);
        let total = super::sets::needed(step);
        // One that can't be made smaller has the time that it takes.
        let pace = time.filter(|time| super::sets::smaller(&step.workload, 0.0, time.judged) < step.workload.span);
        let pace =
            pace.map(|Time { seconds, .. }| Pace { seconds, total, begun: Instant::now(), first: None, slow: None });
        Care { alone, what: what(step, target), total, before, last: 0, moved: Instant::now(), trouble, pace }
    }

    /// True: it goes on.
    pub fn look(&mut self, done: Bytes, health: &dyn HealthMonitor, sink: &mut EventSink) -> bool {
        let now = Instant::now();
        if done != self.last {
            (self.last, self.moved) = (done, now);
        }
        if self.trouble.is_none() {
            let stalled =
                (self.moved.elapsed() > STALL).then(|| format!("no byte more was written for {} s", STALL.as_secs()));
            self.trouble = guard::trouble(&self.alone, &self.before, &health.seen()).or(stalled);
        }
        let in_time = self.pace.as_mut().is_none_or(|pace| pace.in_time(done, now));
        let share = (done as f64 / self.total.max(1) as f64).min(1.0);
        let told = sink.tell(Event::Progress { what: self.what.clone(), share });
        told.is_ok() && in_time && self.trouble.is_none() && !health.asked_to_end()
    }

    pub fn end(self, filled: Result<(), String>) -> End {
        match (self.trouble, filled, self.pace.and_then(|pace| pace.slow)) {
            (Some(why), ..) | (None, Err(why), _) => End::Wrong(why),
            (None, Ok(()), Some(share)) => End::Slow(share),
            (None, Ok(()), None) => End::Well,
        }
    }
}

/// How fast it goes, against the time that it has.
struct Pace {
    seconds: f64,
    total: Bytes,
    begun: Instant,
    /// When bytes were first reported, and how many: those may have been there before.
    first: Option<(Instant, Bytes)>,
    /// The share of all bytes that would have been written in time, if that is too little.
    slow: Option<f64>,
}

impl Pace {
    /// Judged after half of its time: false only if it would take more than one and a half times as long as it may, or if nothing was
    /// written in twice its time.
    fn in_time(&mut self, done: Bytes, now: Instant) -> bool {
        if done == 0 && now.duration_since(self.begun).as_secs_f64() > 2.0 * self.seconds {
            self.slow = Some(0.0);
        }
        if done == 0 || done >= self.total || self.slow.is_some() {
            return self.slow.is_none();
        }
        let (since, before) = *self.first.get_or_insert((now, done));
        let took = now.duration_since(since).as_secs_f64();
        if took < self.seconds / 2.0 {
            return true;
        }
        let rate = done.saturating_sub(before) as f64 / took;
        let fits = before as f64 + rate * self.seconds;
        if fits * 1.5 < self.total as f64 {
            self.slow = Some(fits / self.total as f64);
        }
        self.slow.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paced(bytes_per_second: f64, before: Bytes) -> Option<f64> {
        let begun = Instant::now();
        let mut pace = Pace { seconds: 10.0, total: 1 << 30, begun, first: None, slow: None };
        for tenth in 0..210u32 {
            let done = before + (bytes_per_second * f64::from(tenth) / 10.0) as Bytes;
            if !pace.in_time(done.min(pace.total), begun + Duration::from_millis(100) * tenth) {
                break;
            }
        }
        pace.slow
    }

    #[test]
    fn only_what_takes_much_too_long_is_slow() {
        let whole = f64::from(1u32 << 30);
        assert_eq!(paced(whole / 5.0, 1), None);
        assert_eq!(paced(whole / 14.0, 1), None);
        let share = paced(whole / 100.0, 1).unwrap();
        assert!((share - 0.1).abs() < 1e-3, "{share}");
        assert_eq!(paced(0.0, 0), Some(0.0));
        // What was there before was not written now.
        assert_eq!(paced(whole / 100.0, 1 << 30), None);
        let share = paced(whole / 100.0, 1 << 28).unwrap();
        assert!((share - 0.35).abs() < 1e-3, "{share}");
    }
}
