//! The documents of comparisons: `fathom.compare/1` and `fathom.history/1`.

use super::parts::{Interval, Unit, interval};
use crate::{compare, history};
use model::{
    Comparison, Difference, DriveChange, FigureKey, Finds, Layer, OpClass, OtherCondition, Pattern, Trend, Workload,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// Two runs, or two groups of runs, side by side.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "fathom.compare/1")]
pub(super) struct CompareDocument<'a> {
    schema: &'static str,
    before: &'a [String],
    after: &'a [String],
    /// What unchanged runs are taken to differ by; null: it was seen.
    run_spread: Option<f64>,
    differences: Vec<RunsDifferDocument>,
    /// What else is not the same on both sides, as far as both tell it.
    conditions: &'a [OtherCondition],
    /// What drives are fit for that both sides judged.
    drives: &'a [DriveChange],
    lost: &'a [String],
    only_before: &'a [String],
    only_after: &'a [String],
}

/// Which figure it is, and what was found.
#[derive(Serialize, JsonSchema)]
struct ComparedFigure {
    layer: Layer,
    target: String,
    pattern: Pattern,
    kind: OpClass,
    at_once: u32,
    workload: Workload,
    unit: Unit,
    finds: Finds,
}

/// One figure on both sides.
#[derive(Serialize, JsonSchema)]
pub(super) struct DifferenceDocument {
    #[serde(flatten)]
    figure: ComparedFigure,
    before: f64,
    after: f64,
    before_known: bool,
    after_known: bool,
    /// As a share of the value before.
    change: f64,
    ci95: Interval,
}

/// One figure of the runs before and after.
#[derive(Serialize, JsonSchema)]
struct RunsDifferDocument {
    #[serde(flatten)]
    difference: DifferenceDocument,
    before_ci95: Interval,
    after_ci95: Interval,
}

/// Figures over a series of runs.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "fathom.history/1")]
pub(super) struct HistoryDocument<'a> {
    schema: &'static str,
    until: &'a str,
    trends: Vec<TrendDocument<'a>>,
    lost: &'a [String],
}

/// One figure over the runs.
#[derive(Serialize, JsonSchema)]
struct TrendDocument<'a> {
    #[serde(flatten)]
    figure: ComparedFigure,
    points: Vec<TrendPointDocument<'a>>,
    levels: Vec<LevelDocument<'a>>,
    /// As a share: the newest level or run against the level before.
    change: f64,
}

/// What one run had.
#[derive(Serialize, JsonSchema)]
struct TrendPointDocument<'a> {
    run: &'a str,
    value: f64,
    ci95: Interval,
}

/// With which run it begins, and the geometric mean of its runs.
#[derive(Serialize, JsonSchema)]
struct LevelDocument<'a> {
    run: &'a str,
    value: f64,
    /// By how far its runs lie apart.
    ci95: Interval,
}

/// `fathom.compare/1`: what is worse comes first.
pub fn comparison(found: &Comparison, (before, after): &compare::Sides) -> Value {
    json!(CompareDocument {
        schema: super::COMPARE,
        before,
        after,
        run_spread: found.run_spread,
        differences: compare::sorted(found).into_iter().map(RunsDifferDocument::from).collect(),
        conditions: &found.conditions,
        drives: &found.drives,
        lost: &found.lost,
        only_before: &found.only_before,
        only_after: &found.only_after,
    })
}

/// `fathom.history/1`. `lost`: figures that earlier runs had and that came to nothing in the newest, `until`.
pub fn history(trends: &[Trend], lost: &[String], until: &str) -> Value {
    let trends = history::sorted(trends).into_iter().map(TrendDocument::from).collect();
    json!(HistoryDocument { schema: super::HISTORY, until, trends, lost })
}

pub(super) fn differences(found: &Comparison) -> Vec<DifferenceDocument> {
    compare::sorted(found).into_iter().map(DifferenceDocument::from).collect()
}

impl ComparedFigure {
    fn of(figure: &FigureKey, finds: Finds) -> Self {
        ComparedFigure {
            layer: figure.layer,
            target: figure.target.clone(),
            pattern: figure.pattern,
            kind: figure.kind,
            at_once: figure.at_once,
            workload: figure.workload.clone(),
            unit: Unit(figure.metric.unit()),
            finds,
        }
    }
}

impl From<&Difference> for RunsDifferDocument {
    fn from(one: &Difference) -> Self {
        RunsDifferDocument {
            difference: DifferenceDocument::from(one),
            before_ci95: interval(&one.before),
            after_ci95: interval(&one.after),
        }
    }
}

impl From<&Difference> for DifferenceDocument {
    fn from(one: &Difference) -> Self {
        DifferenceDocument {
            figure: ComparedFigure::of(&one.figure, one.finds),
            before: one.before.value,
            after: one.after.value,
            before_known: one.before_known,
            after_known: one.after_known,
            change: one.change.value,
            ci95: interval(&one.change),
        }
    }
}

impl<'a> From<&'a Trend> for TrendDocument<'a> {
    fn from(one: &'a Trend) -> Self {
        let level = |level: &model::Level| {
            let run = one.points.get(level.begins).map_or("", |point| point.run.as_str());
            LevelDocument { run, value: level.estimate.value, ci95: interval(&level.estimate) }
        };
        let point = |point: &'a model::TrendPoint| TrendPointDocument {
            run: &point.run,
            value: point.estimate.value,
            ci95: interval(&point.estimate),
        };
        TrendDocument {
            figure: ComparedFigure::of(&one.figure, one.finds),
            points: one.points.iter().map(point).collect(),
            levels: one.levels.iter().map(level).collect(),
            change: one.change,
        }
    }
}
