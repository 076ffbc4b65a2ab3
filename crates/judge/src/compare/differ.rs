//! Slice against slice, moderated, against a least effect, with control of false discoveries over all figures.

use super::conditions::conditions;
use super::drives::drives;
use super::events::Events;
use super::figures::Figures;
use super::moderated::Prior;
use super::pairs::{Measured, measured, other_definition, unusable};
use super::sides::Sides;
use super::significance::{LEAST_SHOWN, Test, finds};
use crate::outliers::benjamini_hochberg;
use model::{Comparison, Difference, Estimate, Figure, FigureKey, Record};
use std::collections::HashSet;

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

/// One run or a group of them, each with its figures.
struct Runs<'a> {
    figures: &'a [Vec<Measured>],
    by_run: Vec<Figures<'a, &'a Measured>>,
}

impl<'a> Runs<'a> {
    fn of(figures: &'a [Vec<Measured>]) -> Runs<'a> {
        let of_run = |run: &'a Vec<Measured>| Figures::of(run.iter().map(|one| (&one.figure, one)));
        Runs { figures, by_run: figures.iter().map(of_run).collect() }
    }

    fn all(&self) -> impl Iterator<Item = &'a Measured> {
        self.figures.iter().flatten()
    }

    /// Of each run that has it.
    fn like(&self, figure: &Figure) -> Vec<&'a Measured> {
        self.by_run.iter().filter_map(|run| run.like(figure)).collect()
    }

    fn has(&self, figure: &Figure) -> bool {
        self.by_run.iter().any(|run| run.has(figure))
    }

    /// Figures that these runs have, and those do not.
    fn without(&self, those: &Runs) -> Vec<&'a Measured> {
        self.all().filter(|one| !those.has(&one.figure)).collect()
    }
}

/// `before` and `after`: one run each, or groups of them.
pub fn compare(before: &[Record], after: &[Record]) -> Comparison {
    let of = |records: &[Record]| records.iter().map(measured).collect::<Vec<Vec<Measured>>>();
    let (old, new) = (of(before), of(after));
    let (old, new) = (Runs::of(&old), Runs::of(&new));
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
    let events = Events::of(old.all().chain(new.all()));
    let chances = pairs.iter().zip(&tests).map(|(pair, test)| test.chance + pair.chance_of_events(test.by, &events));
    let rejected = benjamini_hochberg(&chances.collect::<Vec<_>>(), FALSE_SHARE);
    let values = sides.iter().map(|sides| sides.estimates(&prior(sides)));
    let all = pairs.iter().zip(values).zip(tests.iter().zip(rejected));
    let lost = lost(&old, &new, after);
    let came_to_nothing = Figures::of(lost.iter().map(|figure| (figure, ())));
    let other = |one: &&Measured| !came_to_nothing.has(&one.figure);
    Comparison {
        differences: all.map(|((pair, values), (test, real))| difference(pair, values, test, real)).collect(),
        drives: drives(before, after),
        conditions: conditions(before, after),
        only_before: names(old.without(&new).into_iter().filter(other).map(|one| &one.figure)),
        lost: lost.iter().map(with_reason).collect(),
        only_after: names(new.without(&old).into_iter().map(|one| &one.figure)),
        run_spread: sides.iter().filter_map(Sides::between_runs).max_by(f64::total_cmp),
    }
}

fn pairs<'a>(old: &Runs<'a>, new: &Runs<'a>) -> Vec<Pair<'a>> {
    let mut seen = Figures::of([]);
    let first = old.all().filter(|one| seen.add_new(&one.figure, ()));
    let pair = |one: &Measured| Pair { before: old.like(&one.figure), after: new.like(&one.figure) };
    first.map(pair).filter(|pair| !pair.after.is_empty()).collect()
}

/// What the runs before had, and what came to nothing in all of those after that tried it.
fn lost(old: &Runs, new: &Runs, after: &[Record]) -> Vec<Figure> {
    let unusable: Vec<Figure> = after.iter().flat_map(unusable).collect();
    let mut seen = Figures::of([]);
    let is_lost = |figure: &&Figure| old.has(figure) && !new.has(figure);
    unusable.iter().filter(is_lost).filter(|figure| seen.add_new(figure, ())).cloned().collect()
}

/// Names of the figures that earlier runs had and that came to nothing in the newest, with the reason.
pub fn lost_in(newest: &Record, earlier: &[Vec<Measured>]) -> Vec<String> {
    let figures = [measured(newest)];
    lost(&Runs::of(earlier), &Runs::of(&figures), std::slice::from_ref(newest)).iter().map(with_reason).collect()
}

fn name(figure: &Figure) -> String {
    let name = format!("{} {} {}", figure.layer.name(), figure.target, figure.pattern.name());
    other_definition(figure).map_or(name.clone(), |why| format!("{name} ({why})"))
}

fn names<'a>(figures: impl Iterator<Item = &'a Figure>) -> Vec<String> {
    let mut seen = HashSet::new();
    figures.map(name).filter(|name| seen.insert(name.clone())).collect()
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
