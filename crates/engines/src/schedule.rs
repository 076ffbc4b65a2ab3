//! When the operations of an open loop are due: drawn from the workload's rate, reproducible from its seed.

use model::{Arrivals, Nanos, Workload};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

/// The due times of one lane: its even share of the rate.
pub struct Schedule {
    chance: Xoshiro256PlusPlus,
    arrivals: Arrivals,
    gap_ns: f64,
    start: Nanos,
    /// Since `start`; kept as a fraction, so that gaps that are no whole nanoseconds do not shift the rate.
    due_ns: f64,
}

impl Schedule {
    /// `None`: a closed loop, or a rate of nothing.
    pub fn new(workload: &Workload, lane: u32, start: Nanos) -> Option<Schedule> {
        let rate = workload.rate.filter(|rate| rate.per_second > 0.0 && rate.per_second.is_finite())?;
        let lanes = f64::from(workload.jobs.clamp(1, workload.depth.max(1)));
        let seed =
            workload.seed.wrapping_mul(0xA076_1D64_78BD_642F) ^ u64::from(lane).wrapping_mul(0xE703_7ED1_A0B4_28DB);
        let gap_ns = 1e9 * lanes / rate.per_second;
        let mut schedule = Schedule {
            chance: Xoshiro256PlusPlus::seed_from_u64(seed),
            arrivals: rate.arrivals,
            gap_ns,
            start,
            // Lanes take turns where gaps are even.
            due_ns: gap_ns * f64::from(lane) / lanes,
        };
        if rate.arrivals == Arrivals::Poisson {
            schedule.due_ns = 0.0;
            schedule.advance();
        }
        Some(schedule)
    }

    /// When the next operation is due.
    #[inline]
    pub fn due(&self) -> Nanos {
        self.start.saturating_add(self.due_ns as Nanos)
    }

    /// After an operation was taken up.
    #[inline]
    pub fn advance(&mut self) {
        self.due_ns += match self.arrivals {
            Arrivals::Even => self.gap_ns,
            // Known when one has ended.
            Arrivals::Pauses => f64::INFINITY,
            // The inverse of the exponential distribution, of 53 bits in (0, 1].
            Arrivals::Poisson => {
                let unit = ((self.chance.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
                -unit.ln() * self.gap_ns
            }
        };
    }

    /// An operation ended `at` this time.
    #[inline]
    pub fn ended(&mut self, at: Nanos) {
        if self.arrivals == Arrivals::Pauses {
            self.due_ns = self.due_ns.min(at.saturating_sub(self.start) as f64 + self.gap_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Pattern, Rate};

    fn workload(per_second: f64, arrivals: Arrivals, jobs: u32) -> Workload {
        let rate = Some(Rate { per_second, arrivals });
        Workload { rate, jobs, depth: 64, ..Workload::canonical(Pattern::ReadLatency, 1 << 30, 7) }
    }

    /// The due times of all lanes within `seconds`, in order.
    fn due(workload: &Workload, seconds: f64) -> Vec<Nanos> {
        let mut all = Vec::new();
        for lane in 0..workload.jobs {
            let mut schedule = Schedule::new(workload, lane, 1000).unwrap();
            while schedule.due() < 1000 + (seconds * 1e9) as Nanos {
                all.push(schedule.due());
                schedule.advance();
            }
        }
        all.sort();
        all
    }

    #[test]
    fn a_closed_loop_has_none() {
        assert!(Schedule::new(&Workload::canonical(Pattern::ReadLatency, 1 << 30, 7), 0, 0).is_none());
        assert!(Schedule::new(&workload(0.0, Arrivals::Even, 1), 0, 0).is_none());
    }

    #[test]
    fn even_gaps_are_even_over_all_lanes_and_keep_a_rate_that_is_no_whole_gap() {
        let all = due(&workload(300_007.0, Arrivals::Even, 3), 2.0);
        assert!(all.len().abs_diff(600_014) <= 3, "{}", all.len());
        assert!(all.windows(2).all(|pair| (3332..=3335).contains(&(pair[1] - pair[0]))));
    }

    #[test]
    fn poisson_arrivals_have_their_rate_and_exponential_gaps() {
        for jobs in [1, 4] {
            let all = due(&workload(50_000.0, Arrivals::Poisson, jobs), 4.0);
            // The standard deviation of a Poisson count of 200,000 is 447.
            assert!(all.len().abs_diff(200_000) < 4 * 447, "{}", all.len());
            let gaps: Vec<f64> = all.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 20_000.0).collect();
            for above in [0.1, 1.0, 3.0] {
                let share = gaps.iter().filter(|gap| **gap > above).count() as f64 / gaps.len() as f64;
                assert!((share - f64::exp(-above)).abs() < 0.005, "{share} above {above}");
            }
        }
    }

    #[test]
    fn a_pause_begins_when_an_operation_has_ended() {
        let mut schedule = Schedule::new(&workload(100.0, Arrivals::Pauses, 1), 0, 1000).unwrap();
        assert_eq!(schedule.due(), 1000);
        schedule.advance();
        assert_eq!(schedule.due(), Nanos::MAX, "it is still in flight");
        schedule.ended(5_001_000);
        assert_eq!(schedule.due(), 15_001_000);
    }

    #[test]
    fn a_seed_gives_the_same_times_again_and_lanes_differ() {
        let workload = workload(1000.0, Arrivals::Poisson, 2);
        let of = |lane| Schedule::new(&workload, lane, 0).unwrap().due();
        assert_eq!(of(0), of(0));
        assert_ne!(of(0), of(1));
    }
}
