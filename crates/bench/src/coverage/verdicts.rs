//! Thresholds at known distances from the truth: how often is the verdict wrong, or open, and what does it take?

use crate::coverage::kinds::Kind;
use crate::coverage::recorded::Recording;
use crate::coverage::trial::{self, TrialOutcome, Truth};
use model::pattern::Family;
use model::testing;
use model::{Failure, Goal, Pattern, Plan, PlannedExperiment, Threshold};

/// The truth over the threshold.
pub const RATIOS: [f64; 8] = [0.70, 0.80, 0.85, 0.95, 1.05, 1.15, 1.25, 1.30];

/// What became of the verdicts at one distance.
#[derive(Clone, Copy, Default)]
pub struct VerdictTally {
    pub count: u32,
    pub wrong: u32,
    pub open: u32,
    pub seconds: f64,
}

impl VerdictTally {
    pub fn add(&mut self, ratio: f64, outcome: &TrialOutcome) {
        self.count += 1;
        self.seconds += outcome.figure.seconds;
        let right = if ratio > 1.0 { model::Outcome::Pass } else { model::Outcome::Fail };
        match outcome.verdict {
            Some(model::Outcome::Open) | None => self.open += 1,
            Some(verdict) => self.wrong += u32::from(verdict != right),
        }
    }

    pub fn joined(self, other: VerdictTally) -> VerdictTally {
        VerdictTally {
            count: self.count + other.count,
            wrong: self.wrong + other.wrong,
            open: self.open + other.open,
            seconds: self.seconds + other.seconds,
        }
    }

    /// `wrong % / open % / mean s`.
    pub fn text(&self) -> String {
        let share = |n: u32| 100.0 * f64::from(n) / f64::from(self.count.max(1));
        let seconds = self.seconds / f64::from(self.count.max(1));
        format!("{:>5.1}/{:>3.0}/{seconds:>3.0}", share(self.wrong), share(self.open))
    }
}

/// One series, with the threshold that its truth is `ratio` times of.
pub fn made(kind: &'static Kind, seed: u64, pattern: Pattern, ratio: f64) -> Result<TrialOutcome, Failure> {
    trial::made(kind, seed, pattern, trial::NINETY, |truth| plan(pattern, truth, ratio))
}

/// The same on a recorded series, taken up at `start`.
pub fn recorded(recording: &Recording, start: usize, truth: &Truth, ratio: f64) -> Result<TrialOutcome, Failure> {
    let pattern = Pattern::of(Family::Parallel, recording.kind);
    trial::recorded(recording, start, truth, &plan(pattern, truth.rate, ratio))
}

fn plan(pattern: Pattern, truth: f64, ratio: f64) -> Plan {
    let threshold = Threshold::of(testing::pools(), pattern, None, truth / ratio);
    Plan { experiment: PlannedExperiment::Verdict(vec![threshold]), ..trial::survey(Goal::verdict(1)) }
}
