//! Slice against slice, moderated, against a least effect, with control of false discoveries over all figures.

use super::drives::drives;
use super::events::Events;
use super::moderated::Prior;
use super::pairs::{Measured, alike, measured, other_definition, unusable};
use crate::labels::STRETCH_SECONDS;
use crate::outliers::benjamini_hochberg;
use crate::series::{mean, sample_sd};
use model::{Comparison, Difference, Estimate, Figure, FigureKey, Finds, Label, Metric, Record};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The test asks for a difference beyond this: nobody acts on a smaller one.
const LEAST_TESTED: f64 = 0.025;
/// What is shown as a difference is at least this.
pub const LEAST_SHOWN: f64 = 0.05;
/// What two runs of an unchanged cluster differ by, and no slice of them shows: other places, other caches.
pub const RUN_SPREAD: f64 = 0.02;

/// What they differ by where one saw a figure for less than [`STRETCH_SECONDS`]: a level that lasts for minutes may be all that it saw.
/// With less than this, pairs of unchanged runs of one figure raise an alarm in up to half of all cases (docs/method.md, "Comparing runs").
const BRIEF_SPREAD: f64 = 0.18;

/// The share of the reported differences that may be false. Less than the usual twentieth: two runs of an unchanged cluster shall raise an
/// alarm in fewer than 5 of 100 cases, also where what comes and goes makes the chances of single figures too small.
const FALSE_SHARE: f64 = 0.02;

/// Half-width of a 95 % interval in standard errors.
const NORMAL_95: f64 = 1.96;

/// One side of a figure: values on logarithms, and what kind of chance they carry.
struct Side {
    centre: f64,
    variance: f64,
    freedom: f64,
    /// How many values there are.
    count: f64,
    /// The uncertainty of the centre that no spread of slices shows: see [`own`].
    own: f64,
    /// What runs of an unchanged cluster differ by.
    between_runs: f64,
}

/// A figure on both sides.
struct Pair<'a> {
    before: Vec<&'a Measured>,
    after: Vec<&'a Measured>,
}

impl Pair<'_> {
    /// The chance that what comes and goes met one side alone.
    fn chance_of_events(&self, by: f64, events: &Events) -> f64 {
        let looks = |side: &[&Measured]| side.iter().map(|run| run.looks).sum();
        events.chance(by, looks(&self.before), looks(&self.after))
    }
}

struct Sides {
    before: Side,
    after: Side,
    /// Several runs on both sides have this figure: a run is one value, and what differs between runs is seen.
    grouped: bool,
}

impl Sides {
    fn of(pair: &Pair) -> Sides {
        let grouped = pair.before.len() > 1 && pair.after.len() > 1;
        // The mean of the slices' logarithms is another estimate than the figure's value: both sides have the same one.
        let by_value = pair.before.iter().chain(&pair.after).any(|run| run.by_value);
        let side = |runs: &[&Measured]| side(runs, grouped, by_value);
        Sides { before: side(&pair.before), after: side(&pair.after), grouped }
    }

    /// What runs are taken to differ by; `None`: it is seen.
    fn between_runs(&self) -> Option<f64> {
        (!self.grouped).then(|| self.before.between_runs.max(self.after.between_runs))
    }

    fn test(&self, prior: &Prior) -> Test {
        let Sides { before: a, after: b, grouped } = self;
        let (variance, freedom) = pool(a, b);
        let (variance, freedom) = prior.moderate(variance, freedom);
        let runs = if *grouped { 0.0 } else { a.between_runs.powi(2) + b.between_runs.powi(2) };
        let error = (variance * (1.0 / a.count + 1.0 / b.count) + runs).max(a.own + b.own).sqrt();
        judged(b.centre - a.centre, error, freedom)
    }
}

fn pooled<'a>(sides: impl Iterator<Item = &'a Sides>) -> Vec<(f64, f64)> {
    sides.map(|sides| pool(&sides.before, &sides.after)).collect()
}

/// `before` and `after`: one run each, or groups of them.
pub fn compare(before: &[Record], after: &[Record]) -> Comparison {
    let of = |records: &[Record]| records.iter().map(measured).collect::<Vec<Vec<Measured>>>();
    let (old, new) = (of(before), of(after));
    let pairs = pairs(&old, &new);
    let sides: Vec<Sides> = pairs.iter().map(Sides::of).collect();
    // Runs of a group and slices of a run differ by other things: each learns from its own kind.
    let prior = |grouped: bool| Prior::learn(&pooled(sides.iter().filter(|sides| sides.grouped == grouped)));
    let (of_runs, of_slices) = (prior(true), prior(false));
    let tests: Vec<Test> =
        sides.iter().map(|sides| sides.test(if sides.grouped { &of_runs } else { &of_slices })).collect();
    let events = Events::of(old.iter().chain(&new).flatten());
    let chances = pairs.iter().zip(&tests).map(|(pair, test)| test.chance + pair.chance_of_events(test.by, &events));
    let rejected = benjamini_hochberg(&chances.collect::<Vec<_>>(), FALSE_SHARE);
    let differences = pairs.iter().zip(&tests).zip(rejected).map(|((pair, test), real)| difference(pair, test, real));
    let lost = lost(&old, &new, after);
    let other = |figure: &&Measured| !lost.iter().any(|lost| alike(lost, &figure.figure));
    Comparison {
        differences: differences.collect(),
        drives: drives(before, after),
        only_before: names(alone(&old, &new).into_iter().filter(other).map(|one| &one.figure)),
        lost: lost.iter().map(with_reason).collect(),
        only_after: names(alone(&new, &old).into_iter().map(|one| &one.figure)),
        run_spread: sides.iter().filter_map(Sides::between_runs).max_by(f64::total_cmp),
    }
}

fn pairs<'a>(old: &'a [Vec<Measured>], new: &'a [Vec<Measured>]) -> Vec<Pair<'a>> {
    let like = |runs: &'a [Vec<Measured>], one: &Measured| -> Vec<&'a Measured> {
        runs.iter().filter_map(|run| run.iter().find(|other| alike(&one.figure, &other.figure))).collect()
    };
    let mut seen: Vec<&Measured> = Vec::new();
    for one in old.iter().flatten() {
        if !seen.iter().any(|other| alike(&one.figure, &other.figure)) {
            seen.push(one);
        }
    }
    let pair = |one: &&Measured| Pair { before: like(old, one), after: like(new, one) };
    seen.iter().map(pair).filter(|pair| !pair.after.is_empty()).collect()
}

fn has(side: &[Vec<Measured>], figure: &Figure) -> bool {
    side.iter().flatten().any(|one| alike(&one.figure, figure))
}

/// Figures that only one side has.
fn alone<'a>(these: &'a [Vec<Measured>], those: &[Vec<Measured>]) -> Vec<&'a Measured> {
    these.iter().flatten().filter(|one| !has(those, &one.figure)).collect()
}

/// What the runs before had, and what came to nothing in all of those after that tried it.
fn lost(old: &[Vec<Measured>], new: &[Vec<Measured>], after: &[Record]) -> Vec<Figure> {
    let mut lost: Vec<Figure> = Vec::new();
    for figure in after.iter().flat_map(unusable) {
        if has(old, &figure) && !has(new, &figure) && !lost.iter().any(|other| alike(other, &figure)) {
            lost.push(figure);
        }
    }
    lost
}

/// Names of the figures that earlier runs had and that came to nothing in the newest, with the reason.
pub fn lost_in(newest: &Record, earlier: &[Vec<Measured>]) -> Vec<String> {
    lost(earlier, &[measured(newest)], std::slice::from_ref(newest)).iter().map(with_reason).collect()
}

fn name(figure: &Figure) -> String {
    let name = format!("{} {} {}", figure.layer.name(), figure.target, figure.pattern.name());
    other_definition(figure).map_or(name.clone(), |why| format!("{name} ({why})"))
}

fn names<'a>(figures: impl Iterator<Item = &'a Figure>) -> Vec<String> {
    let mut names: Vec<String> = figures.map(name).collect();
    names.dedup();
    names
}

fn with_reason(figure: &Figure) -> String {
    figure.label.why().map_or_else(|| name(figure), |why| format!("{} ({why})", name(figure)))
}

fn side(runs: &[&Measured], grouped: bool, by_value: bool) -> Side {
    if grouped {
        let centres: Vec<f64> = runs.iter().map(|run| run.centre(by_value)).collect();
        let count = centres.len() as f64;
        return Side {
            centre: mean(&centres),
            variance: sample_sd(&centres).powi(2),
            freedom: count - 1.0,
            count,
            own: 0.0,
            between_runs: 0.0,
        };
    }
    let all: Vec<f64> = runs.iter().flat_map(|run| run.slices.iter().copied()).collect();
    // Around each run's own centre: what lies between the runs is the run effect, which is added later.
    let within: f64 =
        runs.iter().map(|run| sample_sd(&run.slices).powi(2) * (run.slices.len() as f64 - 1.0).max(0.0)).sum();
    let freedom = all.len() as f64 - runs.len() as f64;
    let variance = if freedom > 0.0 { within / freedom } else { 0.0 };
    let own = runs.iter().map(|run| own(run)).fold(0.0, f64::max);
    let between_runs = runs.iter().map(|run| between_runs(run)).fold(RUN_SPREAD, f64::max);
    let weight = |run: &&Measured| run.slices.len() as f64;
    let centre = runs.iter().map(|run| weight(run) * run.centre(by_value)).sum::<f64>() / all.len() as f64;
    Side { centre, variance, freedom, count: all.len() as f64, own, between_runs }
}

fn between_runs(run: &Measured) -> f64 {
    let stretch = run.figure.unseen.as_ref().map_or(f64::INFINITY, |unseen| unseen.stretch_seconds);
    if stretch < STRETCH_SECONDS { BRIEF_SPREAD } else { RUN_SPREAD }
}

/// Variance of the logarithm of a figure of one slice that was not level (unsettled, a burst, two levels, …), or that its slices do not
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

fn pool(a: &Side, b: &Side) -> (f64, f64) {
    let freedom = a.freedom + b.freedom;
    if freedom <= 0.0 { (0.0, 0.0) } else { ((a.variance * a.freedom + b.variance * b.freedom) / freedom, freedom) }
}

/// By how much (logarithm), how sure, and the chance of such a difference where it is no more than the least effect.
pub struct Test {
    pub by: f64,
    error: f64,
    freedom: f64,
    pub chance: f64,
}

impl Test {
    /// Half-width of the 95 % interval of the logarithm.
    pub fn half_width(&self) -> f64 {
        crate::batch_means::t_quantile(self.freedom) * self.error
    }
}

/// A difference of logarithms with its standard error.
pub fn judged(by: f64, error: f64, freedom: f64) -> Test {
    let t = (by.abs() - LEAST_TESTED.ln_1p()) / error;
    let chance = StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |student| student.sf(t));
    Test { by, error, freedom, chance }
}

/// `real`: the difference is beyond the noise, all figures considered.
pub fn finds(test: &Test, real: bool, metric: Metric, least: f64) -> Finds {
    let better = if metric.lower_is_better() { test.by < 0.0 } else { test.by > 0.0 };
    if real && test.by.abs() >= least.ln_1p() {
        if better { Finds::Better } else { Finds::Worse }
    } else if test.by.abs() + test.half_width() < least.ln_1p() {
        Finds::Same
    } else {
        Finds::Undecided
    }
}

fn difference(pair: &Pair, test: &Test, real: bool) -> Difference {
    let before = pair.before[0];
    let wide = test.half_width();
    Difference {
        figure: FigureKey::of(&before.figure),
        before: joined(&pair.before),
        after: joined(&pair.after),
        before_known: known(&pair.before),
        after_known: known(&pair.after),
        change: model::Estimate {
            value: test.by.exp_m1(),
            low: (test.by - wide).exp_m1(),
            high: (test.by + wide).exp_m1(),
        },
        finds: finds(test, real, before.figure.metric, LEAST_SHOWN),
    }
}

/// One value of a group that says something is enough: that the others differ from it is seen.
fn known(runs: &[&Measured]) -> bool {
    runs.iter().any(|run| run.estimate.is_known())
}

/// The mean of the values of several runs.
fn joined(runs: &[&Measured]) -> f64 {
    mean(&runs.iter().map(|run| run.estimate.value).collect::<Vec<_>>())
}
