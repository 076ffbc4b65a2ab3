//! Slice against slice, moderated, against a least effect, with control of false discoveries over all figures.

use super::drives::drives;
use super::events::Events;
use super::moderated::Prior;
use super::pairs::{Measured, alike, measured, other_definition, unusable};
use super::sides::Sides;
use super::significance::{LEAST_SHOWN, Test, finds};
use crate::outliers::benjamini_hochberg;
use model::{Comparison, Difference, Estimate, Figure, FigureKey, Record};

/// The share of the reported differences that may be false. Less than the usual twentieth: two runs of an unchanged cluster shall raise an
/// alarm in fewer than 5 of 100 cases, also where what comes and goes makes the chances of single figures too small.
const FALSE_SHARE: f64 = 0.02;

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

/// `before` and `after`: one run each, or groups of them.
pub fn compare(before: &[Record], after: &[Record]) -> Comparison {
    let of = |records: &[Record]| records.iter().map(measured).collect::<Vec<Vec<Measured>>>();
    let (old, new) = (of(before), of(after));
    let pairs = pairs(&old, &new);
    let sides: Vec<Sides> = pairs.iter().map(|pair| Sides::of(&pair.before, &pair.after)).collect();
    // Runs of a group and slices of a run differ by other things: each learns from its own kind.
    let learn = |grouped: bool| {
        let own = sides.iter().filter(|sides| sides.grouped == grouped);
        Prior::learn(&own.map(Sides::pooled).collect::<Vec<_>>())
    };
    let (of_runs, of_slices) = (learn(true), learn(false));
    let prior = |sides: &Sides| if sides.grouped { of_runs } else { of_slices };
    let tests: Vec<Test> = sides.iter().map(|sides| sides.test(&prior(sides))).collect();
    let events = Events::of(old.iter().chain(&new).flatten());
    let chances = pairs.iter().zip(&tests).map(|(pair, test)| test.chance + pair.chance_of_events(test.by, &events));
    let rejected = benjamini_hochberg(&chances.collect::<Vec<_>>(), FALSE_SHARE);
    let values = sides.iter().map(|sides| sides.estimates(&prior(sides)));
    let all = pairs.iter().zip(values).zip(tests.iter().zip(rejected));
    let lost = lost(&old, &new, after);
    let other = |figure: &&Measured| !lost.iter().any(|lost| alike(lost, &figure.figure));
    Comparison {
        differences: all.map(|((pair, values), (test, real))| difference(pair, values, test, real)).collect(),
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

fn difference(pair: &Pair, [before, after]: [Estimate; 2], test: &Test, real: bool) -> Difference {
    let figure = &pair.before[0].figure;
    Difference {
        figure: FigureKey::of(figure),
        before_known: known(&pair.before) && before.is_known(),
        after_known: known(&pair.after) && after.is_known(),
        before,
        after,
        change: test.change(),
        finds: finds(test, real, figure.metric, LEAST_SHOWN),
    }
}

/// One value of a group that says something is enough: that the others differ from it is seen.
fn known(runs: &[&Measured]) -> bool {
    runs.iter().any(|run| run.estimate.is_known())
}
