//! How often intervals hold, and figures are called settled, with different times between their slices.

use crate::coverage::replay::Pause;
use crate::coverage::trial::{FORTY, TrialOutcome};
use model::{Figure, Label};

/// What lies between two slices of a figure: of a run of one figure, of one whose slices are spread, of a few figures, and of many.
pub const GAPS: [Pause; 5] =
    [Pause::Seconds(0.01), Pause::Seconds(10.0), Pause::Seconds(30.0), Pause::Seconds(90.0), FORTY];

/// As it heads a column.
pub fn name(pause: Pause) -> String {
    match pause {
        Pause::Seconds(seconds) => format!("{seconds} s"),
        Pause::Figures(figures) => format!("{figures} figures"),
    }
}

#[derive(Default)]
pub struct GapTally {
    count: u32,
    held: u32,
    settled: u32,
    held_settled: u32,
    seconds: f64,
    /// Of those whose own stretch is known: it held its mean.
    held_stretch: u32,
}

impl GapTally {
    pub fn add(&mut self, outcome: &TrialOutcome) {
        let truth = outcome.truth.rate;
        let held = outcome.figure.estimate.is_some_and(|estimate| estimate.low <= truth && truth <= estimate.high);
        let own = outcome.stretch;
        self.held_stretch +=
            u32::from(outcome.figure.estimate.is_some_and(|estimate| estimate.low <= own && own <= estimate.high));
        self.note(held, &outcome.figure);
    }

    /// The same, and the share that held the mean of the stretch which the figure spans.
    pub fn text_with_stretch(&self) -> String {
        format!("{}/{:.0}", self.text(), 100.0 * f64::from(self.held_stretch) / f64::from(self.count.max(1)))
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
