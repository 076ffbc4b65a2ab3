//! A figure on both sides of a comparison: what each is, how far off it may be, and by how much they differ.

use super::moderated::Prior;
use super::pairs::Measured;
use super::significance::{Test, judged};
use super::spread::Spread;
use crate::batch_means::t_quantile;
use crate::labels::STRETCH_SECONDS;
use crate::pooled::FLOOR;
use crate::series::{mean, sample_sd};
use model::{Estimate, Label};

/// What two runs of an unchanged cluster differ by, and no slice of them shows: other places, other caches.
pub const RUN_SPREAD: f64 = 0.02;

/// What they differ by where one saw a figure for less than [`STRETCH_SECONDS`]: a level that lasts for minutes may be all that it saw.
/// With less than this, pairs of unchanged runs of one figure raise an alarm in up to half of all cases (docs/method.md, "Comparing runs").
const BRIEF_SPREAD: f64 = 0.18;

/// Half-width of a 95 % interval in standard errors.
const NORMAL_95: f64 = 1.96;

/// One side of a figure.
struct Side {
    /// What is shown: the figure's value, of several runs the mean of theirs. The change is that of these.
    value: f64,
    /// The interval of the runs' own figures.
    own_interval: Estimate,
    /// Of what the value was made of: slices, or runs of a group.
    spread: Spread,
    /// The relative variance of the value is at least this: of one run see [`own`], of a group what its runs' slices show.
    own: f64,
    /// What runs of an unchanged cluster differ by.
    between_runs: f64,
}

pub struct Sides {
    before: Side,
    after: Side,
    /// Several runs on both sides have this figure: a run is one value, and what differs between runs is seen.
    pub grouped: bool,
}

impl Sides {
    pub fn of(before: &[&Measured], after: &[&Measured]) -> Sides {
        let grouped = before.len() > 1 && after.len() > 1;
        Sides { before: side(before, grouped), after: side(after, grouped), grouped }
    }

    /// What runs are taken to differ by; `None`: it is seen.
    pub fn between_runs(&self) -> Option<f64> {
        (!self.grouped).then(|| self.before.between_runs.max(self.after.between_runs))
    }

    /// The relative variance of a slice, or of a run of a group, and its degrees of freedom.
    pub fn pooled(&self) -> (f64, f64) {
        let (a, b) = (&self.before.spread, &self.after.spread);
        let freedom = a.freedom + b.freedom;
        if freedom <= 0.0 { (0.0, 0.0) } else { ((a.variance * a.freedom + b.variance * b.freedom) / freedom, freedom) }
    }

    fn moderated(&self, prior: &Prior) -> (f64, f64) {
        let (variance, freedom) = self.pooled();
        prior.moderate(variance, freedom)
    }

    /// Of the ratio of both values.
    pub fn test(&self, prior: &Prior) -> Test {
        let Sides { before: a, after: b, grouped } = self;
        let (variance, freedom) = self.moderated(prior);
        let runs = if *grouped { 0.0 } else { a.between_runs.powi(2) + b.between_runs.powi(2) };
        let slices = variance * (1.0 / a.spread.count + 1.0 / b.spread.count);
        let error = (slices + runs).max(a.own + b.own).sqrt();
        judged((b.value / a.value).ln(), error, freedom)
    }

    /// Both values with their intervals: a run's own; of groups that of their mean, by what their runs differ by.
    pub fn estimates(&self, prior: &Prior) -> [Estimate; 2] {
        let (variance, freedom) = self.moderated(prior);
        [&self.before, &self.after].map(|side| {
            if !self.grouped {
                return side.own_interval;
            }
            let error = (variance / side.spread.count).max(side.own).sqrt();
            let wide = (t_quantile(freedom) * error).max(FLOOR);
            Estimate { value: side.value, low: side.value / wide.exp(), high: side.value * wide.exp() }
        })
    }
}

fn side(runs: &[&Measured], grouped: bool) -> Side {
    let values: Vec<f64> = runs.iter().map(|run| run.estimate.value).collect();
    let value = mean(&values);
    let own_interval = mean_of(runs, value);
    // Around each run's own value: what lies between the runs is the run effect, which is added later.
    let slices = Spread::of_mean(&runs.iter().map(|run| run.spread).collect::<Vec<_>>());
    if grouped {
        // Runs of which each met one slow slice agree by chance: their slices tell that they need not.
        let own = slices.variance / slices.count;
        return Side { value, own_interval, spread: of_runs(&values), own, between_runs: 0.0 };
    }
    let own = runs.iter().map(|run| own(run)).fold(0.0, f64::max);
    let between_runs = runs.iter().map(|run| between_runs(run)).fold(RUN_SPREAD, f64::max);
    Side { value, own_interval, spread: slices, own, between_runs }
}

/// What differs between the runs of a group, each of which is one value.
fn of_runs(values: &[f64]) -> Spread {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let variance = (sample_sd(values) / mean(values)).max(sample_sd(&logs)).powi(2);
    let count = values.len() as f64;
    Spread { variance, freedom: count - 1.0, count }
}

/// The mean of figures that know nothing of each other; of one, that one.
fn mean_of(runs: &[&Measured], value: f64) -> Estimate {
    if let [only] = runs {
        return only.estimate;
    }
    let half = |of: fn(&Estimate) -> f64| runs.iter().map(|run| of(&run.estimate)).fold(0.0, f64::hypot);
    let (down, up) = (half(|one| one.value - one.low), half(|one| one.high - one.value));
    let count = runs.len() as f64;
    Estimate { value, low: (value - down / count).max(0.0), high: value + up / count }
}

fn between_runs(run: &Measured) -> f64 {
    let stretch = run.figure.unseen.as_ref().map_or(f64::INFINITY, |unseen| unseen.stretch_seconds);
    if stretch < STRETCH_SECONDS { BRIEF_SPREAD } else { RUN_SPREAD }
}

/// Relative variance of a figure of one slice that was not level (unsettled, a burst, two levels, …), or that its slices do not
/// tell, by its own interval: there are no slices that could differ, or they are of something else, and the usual spread is that of level ones.
fn own(run: &Measured) -> f64 {
    let level = matches!(run.figure.label, Label::Settled | Label::Brief(_) | Label::Imprecise(_));
    if level && !run.by_value {
        return 0.0;
    }
    let Estimate { value, low, high } = run.estimate;
    let down = if low > 0.0 { (value / low).ln() } else { 0.0 };
    let wide = (high / value).ln().max(down);
    if wide.is_finite() { (wide / NORMAL_95).powi(2) } else { 0.0 }
}
