//! How often intervals hold, and figures are called settled, with different times between their slices.

use crate::trial::Outcome;
use model::{Figure, Label};

/// Seconds from the end of one slice of a figure to the next: of a run of one figure, of a few, and of many.
pub const GAPS: [f64; 4] = [0.01, 10.0, 30.0, 90.0];

#[derive(Default)]
pub struct Tally {
    count: u32,
    held: u32,
    settled: u32,
    held_settled: u32,
    seconds: f64,
}

impl Tally {
    pub fn add(&mut self, outcome: &Outcome) {
        let truth = outcome.truth.rate;
        let held = outcome.figure.estimate.is_some_and(|estimate| estimate.low <= truth && truth <= estimate.high);
        self.note(held, &outcome.figure);
    }

    pub fn note(&mut self, held: bool, figure: &Figure) {
        let settled = figure.label == Label::Settled;
        self.count += 1;
        self.held += u32::from(held);
        self.settled += u32::from(settled);
        self.held_settled += u32::from(held && settled);
        self.seconds += figure.seconds;
    }

    /// `held % / settled % / held of those settled % / mean s`.
    pub fn text(&self) -> String {
        let share = |n: u32, of: u32| {
            if of == 0 { "–".to_string() } else { format!("{:.0}", 100.0 * f64::from(n) / f64::from(of)) }
        };
        format!(
            "{}/{}/{}/{:.0}",
            share(self.held, self.count),
            share(self.settled, self.count),
            share(self.held_settled, self.settled),
            self.seconds / f64::from(self.count.max(1))
        )
    }
}
