//! When the operations of an open loop are due: drawn from the workload's rate, reproducible from its seed.

use model::{Arrivals, Nanos, Rate, Workload};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use std::sync::{Arc, Mutex, PoisonError};

/// The due times of one target's operations, in their order, for whichever of its lanes has a slot free: one line before all of them. Where
/// each job keeps its share by itself (pauses, and fio's jobs), those of one lane.
struct Line {
    chance: Xoshiro256PlusPlus,
    arrivals: Arrivals,
    gap_ns: f64,
    start: Nanos,
    /// Since `start`; kept as a fraction, so that gaps that are no whole nanoseconds do not shift the rate.
    due_ns: f64,
}

/// Of one target: hands out what each of its lanes goes by.
pub struct Schedule<'a> {
    workload: &'a Workload,
    start: Nanos,
    /// `None`: a closed loop, or each lane has its own.
    shared: Option<Arc<Mutex<Line>>>,
}

/// When the operations of one lane are due.
pub struct DueTimes {
    line: Arc<Mutex<Line>>,
    /// What is next depends on when an operation ended.
    pauses: bool,
    /// Taken out of the line, and not begun yet.
    next: Option<Nanos>,
}

impl<'a> Schedule<'a> {
    pub fn new(workload: &'a Workload, start: Nanos) -> Schedule<'a> {
        let together = workload.rate.filter(|rate| !rate.by_job && rate.arrivals != Arrivals::Pauses);
        let shared = together.and_then(|rate| Line::new(rate, workload.seed, (0, 1), start));
        Schedule { workload, start, shared: shared.map(|line| Arc::new(Mutex::new(line))) }
    }

    /// `None`: a closed loop, or a rate of nothing.
    pub fn of_lane(&self, lane: u32) -> Option<DueTimes> {
        let own = || {
            let lanes = self.workload.jobs.clamp(1, self.workload.depth.max(1));
            Line::new(self.workload.rate?, self.workload.seed, (lane, lanes), self.start)
        };
        let line = self.shared.clone().or_else(|| own().map(|line| Arc::new(Mutex::new(line))))?;
        let pauses = self.workload.rate.is_some_and(|rate| rate.arrivals == Arrivals::Pauses);
        let mut times = DueTimes { line, pauses, next: None };
        times.take();
        Some(times)
    }
}

impl DueTimes {
    /// When the next operation is due that this lane begins; `None`: it has taken none, since it has no slot free.
    #[inline]
    pub fn next(&self) -> Option<Nanos> {
        self.next
    }

    /// What was taken is begun.
    #[inline]
    pub fn begin(&mut self) {
        self.next = None;
    }

    /// Takes the next one out of the line, unless there is one: of a lane that has a slot free.
    #[inline]
    pub fn take(&mut self) {
        if self.next.is_none() {
            let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
            self.next = line.due();
            line.advance();
        }
    }

    /// An operation of this lane ended `at` this time.
    #[inline]
    pub fn ended(&mut self, at: Nanos) {
        if self.pauses {
            self.line.lock().unwrap_or_else(PoisonError::into_inner).ended(at);
        }
    }
}

impl Line {
    fn new(rate: Rate, seed: u64, (lane, lanes): (u32, u32), start: Nanos) -> Option<Line> {
        if !(rate.per_second > 0.0 && rate.per_second.is_finite()) {
            return None;
        }
        let seed = seed.wrapping_mul(0xA076_1D64_78BD_642F);
        let own = seed ^ u64::from(lane).wrapping_mul(0xE703_7ED1_A0B4_28DB);
        let gap_ns = 1e9 * f64::from(lanes) / rate.per_second;
        let mut line = Line {
            chance: Xoshiro256PlusPlus::seed_from_u64(own),
            arrivals: rate.arrivals,
            gap_ns,
            start,
            due_ns: 0.0,
        };
        match rate.arrivals {
            Arrivals::Poisson => line.advance(),
            // Targets, and hosts, do not begin together; lanes with lines of their own take turns.
            Arrivals::Even => {
                let phase = uniform(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
                line.due_ns = gap_ns * (f64::from(lane) + phase) / f64::from(lanes);
            }
            Arrivals::Pauses => line.due_ns = gap_ns * f64::from(lane) / f64::from(lanes),
        }
        Some(line)
    }

    /// `None`: it is not known yet.
    fn due(&self) -> Option<Nanos> {
        self.due_ns.is_finite().then(|| self.start.saturating_add(self.due_ns as Nanos))
    }

    /// After an operation was taken up.
    fn advance(&mut self) {
        self.due_ns += match self.arrivals {
            Arrivals::Even => self.gap_ns,
            // Known when one has ended.
            Arrivals::Pauses => f64::INFINITY,
            // The inverse of the exponential distribution.
            Arrivals::Poisson => -uniform(&mut self.chance).ln() * self.gap_ns,
        };
    }

    fn ended(&mut self, at: Nanos) {
        if self.arrivals == Arrivals::Pauses {
            self.due_ns = self.due_ns.min(at.saturating_sub(self.start) as f64 + self.gap_ns);
        }
    }
}

/// Of 53 bits in (0, 1].
fn uniform(chance: &mut Xoshiro256PlusPlus) -> f64 {
    ((chance.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Pattern;

    fn workload(per_second: f64, arrivals: Arrivals, jobs: u32, by_job: bool) -> Workload {
        let rate = Some(Rate { per_second, arrivals, by_job });
        Workload { rate, jobs, depth: 64, ..Workload::canonical(Pattern::ReadLatency, 1 << 30, 7) }
    }

    /// The due times of all lanes within `seconds`, in order; each lane takes one after the other.
    fn due(workload: &Workload, seconds: f64) -> Vec<Nanos> {
        let schedule = Schedule::new(workload, 1000);
        let mut lanes: Vec<DueTimes> = (0..workload.jobs).map(|lane| schedule.of_lane(lane).unwrap()).collect();
        let (mut all, end) = (Vec::new(), 1000 + (seconds * 1e9) as Nanos);
        while let Some(lane) = lanes.iter_mut().filter(|lane| lane.next().unwrap() < end).min_by_key(|lane| lane.next())
        {
            all.extend(lane.next());
            lane.begin();
            lane.take();
        }
        all
    }

    #[test]
    fn a_closed_loop_has_none() {
        let closed = Workload::canonical(Pattern::ReadLatency, 1 << 30, 7);
        assert!(Schedule::new(&closed, 0).of_lane(0).is_none());
        assert!(Schedule::new(&workload(0.0, Arrivals::Even, 1, false), 0).of_lane(0).is_none());
    }

    #[test]
    fn even_gaps_are_even_over_all_lanes_and_keep_a_rate_that_is_no_whole_gap() {
        for by_job in [false, true] {
            let all = due(&workload(300_007.0, Arrivals::Even, 3, by_job), 2.0);
            assert!(all.len().abs_diff(600_014) <= 3, "{}", all.len());
            assert!(all.windows(2).all(|pair| (3332..=3335).contains(&(pair[1] - pair[0]))));
        }
    }

    #[test]
    fn poisson_arrivals_have_their_rate_and_exponential_gaps() {
        for (jobs, by_job) in [(1, false), (4, false), (4, true)] {
            let all = due(&workload(50_000.0, Arrivals::Poisson, jobs, by_job), 4.0);
            // The standard deviation of a Poisson count of 200,000 is 447.
            assert!(all.len().abs_diff(200_000) < 4 * 447, "{}", all.len());
            let gaps: Vec<f64> = all.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 20_000.0).collect();
            for above in [0.1, 1.0, 3.0] {
                let share = gaps.iter().filter(|gap| **gap > above).count() as f64 / gaps.len() as f64;
                assert!((share - f64::exp(-above)).abs() < 0.005, "{share} above {above}");
            }
        }
    }

    /// Sixteen jobs of one operation at a time, of 10 ms each, busy for a third of the time: hardly one waits, though each job by itself would let
    /// one of three wait.
    #[test]
    fn what_is_due_goes_to_whichever_job_is_idle() {
        const TAKES: Nanos = 10_000_000;
        let mean_ms = |by_job| {
            let workload = workload(500.0, Arrivals::Poisson, 16, by_job);
            let schedule = Schedule::new(&workload, 0);
            let mut lanes: Vec<DueTimes> = (0..16).map(|lane| schedule.of_lane(lane).unwrap()).collect();
            let (mut idle_from, mut all) = ([0; 16], 0.0);
            for _ in 0..50_000 {
                // Whoever is idle first takes what is due next.
                let lane = (0..16).min_by_key(|lane| idle_from[*lane]).unwrap();
                lanes[lane].take();
                let due = lanes[lane].next().unwrap();
                lanes[lane].begin();
                idle_from[lane] = due.max(idle_from[lane]) + TAKES;
                all += (idle_from[lane] - due) as f64 / 1e6;
            }
            all / 50_000.0
        };
        // A queue of constant service at ρ = 0.31 waits 10 ρ/2(1−ρ) = 2.3 ms.
        let (together, by_job) = (mean_ms(false), mean_ms(true));
        assert!((10.0..10.2).contains(&together), "{together}");
        assert!((12.0..12.6).contains(&by_job), "{by_job}");
    }

    #[test]
    fn a_pause_begins_when_an_operation_has_ended() {
        let workload = workload(100.0, Arrivals::Pauses, 1, false);
        let mut times = Schedule::new(&workload, 1000).of_lane(0).unwrap();
        assert_eq!(times.next(), Some(1000));
        times.begin();
        times.take();
        assert_eq!(times.next(), None, "it is still in flight");
        times.ended(5_001_000);
        times.take();
        assert_eq!(times.next(), Some(15_001_000));
    }

    #[test]
    fn a_seed_gives_the_same_times_again_and_targets_do_not_begin_together() {
        for arrivals in [Arrivals::Poisson, Arrivals::Even] {
            let first = |seed| {
                let workload = Workload { seed, ..workload(1000.0, arrivals, 2, false) };
                Schedule::new(&workload, 0).of_lane(0).unwrap().next().unwrap()
            };
            assert_eq!(first(7), first(7));
            assert_ne!(first(7), first(8));
        }
        let own = workload(1000.0, Arrivals::Poisson, 2, true);
        let of = |lane| Schedule::new(&own, 0).of_lane(lane).unwrap().next();
        assert_ne!(of(0), of(1));
    }
}
