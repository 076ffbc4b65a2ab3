//! What the page carries: the run's document, and besides per figure its slices over time and its latencies, kept small.

use super::bins::Bins;
use super::series::{self, SliceSeries};
use super::{columns, facts};
use crate::block::Block;
use crate::json::Keyed;
use crate::numbers;
use crate::page_numbers::{NumberFormat, on_page};
use crate::sections::{SECTIONS, Section, sweep};
use crate::slices::Slices;
use crate::words;
use model::{Figure, Percentile, Record, Report, Slice, Sparse};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// With more points than this, neighbouring windows are pooled: 60 figures × 6 slices × 120 windows are shown as recorded.
const POINTS_MAX: usize = 60_000;
/// At most this many filled bins in one figure's histogram, and in all together.
const BINS_MAX: usize = 400;
const BINS_TOTAL: usize = 60_000;
/// A histogram may always have this many bins, however many figures there are.
const BINS_LEAST: usize = 16;

/// What lies behind one figure: its slices over time and its latencies.
#[derive(Serialize, JsonSchema)]
pub(super) struct Detail {
    slices: Vec<SliceSeries>,
    latencies: Bins,
}

/// The run's document without its figures, and those as columns: both as JSON.
pub fn document(report: &Report, record: &Record) -> (String, String) {
    let mut document = crate::json::document(report, record);
    seeds_as_text(&mut document);
    let figures = document.get_mut("figures").map(Value::take).unwrap_or_default();
    let rows: Vec<&Value> = figures.as_array().map(|figures| figures.iter().collect()).unwrap_or_default();
    (document.to_string(), columns::table(&rows).to_string())
}

/// A figure as it is written, all but its name.
#[derive(Serialize, JsonSchema)]
pub(super) struct Written {
    value: String,
    /// Empty: the value is not known, or says it itself.
    within: String,
    /// By the percent: value, and its interval; null: it has no such percentile.
    percentiles: Keyed<Option<[String; 2]>>,
    response: Keyed<Option<[String; 2]>>,
    /// Which of its pattern it is: of a sweep the point (`depth 4, jobs 2`), else the way of making a write durable, where it has several;
    /// empty: the only one.
    which: String,
    facts: Keyed<Option<String>>,
    workload: Vec<[String; 2]>,
    /// What the parts of its shape are called in the picture.
    sight: Vec<String>,
    /// When each slice began, and how long it was.
    slices: Vec<[String; 2]>,
}

/// A row for each figure of the report, in its order, as columns.
pub fn written(report: &Report, record: &Record) -> String {
    let slices = Slices::of(record);
    let points = points(report);
    let service = percents(report, |figure| &figure.percentiles);
    let response = percents(report, |figure| &figure.response);
    let row = |(place, figure): (usize, &Figure)| {
        let shown = figure.estimate.as_ref().map(|estimate| numbers::figure(estimate, figure.metric));
        let known = shown.as_ref().is_some_and(|shown| !shown.unit.is_empty());
        let (value, within) = shown.map_or_else(Default::default, |shown| match known {
            true => (shown.value, shown.within),
            false => (shown.plain(), String::new()),
        });
        json!(Written {
            value,
            within,
            percentiles: keyed(&service, &figure.percentiles),
            response: keyed(&response, &figure.response),
            which: points.get(&place).cloned().unwrap_or_else(|| words::way(figure).unwrap_or_default().to_string()),
            facts: Keyed::from(facts::facts(figure)),
            workload: facts::load(&figure.workload),
            sight: facts::sight(figure),
            slices: slices.of_figure(figure).iter().map(|slice| moment(slice)).collect(),
        })
    };
    let rows: Vec<Value> = report.figures.iter().enumerate().map(row).collect();
    columns::table(&rows.iter().collect::<Vec<_>>()).to_string()
}

/// Of a sweep: which point each figure is.
fn points(report: &Report) -> BTreeMap<usize, String> {
    let swept = report.answer.sweep().into_iter();
    let named =
        swept.flat_map(|swept| swept.readings.iter().map(|one| (one.figure, sweep::point_of(&swept.sweep, one))));
    named.collect()
}

/// All percents that any figure has: every row has the same columns.
fn percents(report: &Report, of: fn(&Figure) -> &Vec<Percentile>) -> Vec<f64> {
    let mut all: Vec<f64> = report.figures.iter().flat_map(of).map(|one| one.percent).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

fn keyed(percents: &[f64], own: &[Percentile]) -> Keyed<Option<[String; 2]>> {
    let of = |percent: &f64| own.iter().find(|one| one.percent == *percent).map(numbers::percentile_parts);
    Keyed::from(percents.iter().map(|percent| (percent.to_string(), of(percent))).collect())
}

fn moment(slice: &Slice) -> [String; 2] {
    let ns: u64 = slice.samples.iter().map(|sample| sample.span_ns).sum();
    [slice.started_seconds, ns as f64 / 1e9].map(numbers::seconds)
}

/// One section as the page draws it.
#[derive(Serialize, JsonSchema)]
pub(super) struct PageSection {
    id: &'static str,
    title: &'static str,
    lead: &'static str,
    blocks: Vec<Block>,
}

/// The types of what the page carries besides the run's document, for its own types.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it describes the elements of the page")]
pub(super) struct PageData {
    sections: Vec<PageSection>,
    /// As columns.
    written: Vec<Written>,
    /// A line for each figure.
    details: Vec<Detail>,
    numbers: NumberFormat,
}

/// The sections that the page shows and that say something.
pub fn sections(report: &Report, record: &Record) -> String {
    let shown = |section: &Section| {
        let blocks = section.blocks(report, &record.scope);
        PageSection { id: section.id, title: section.title, lead: section.lead, blocks }
    };
    let all = SECTIONS.iter().filter(|section| section.on_page).map(shown);
    text(&all.filter(|section| !section.blocks.is_empty()).collect::<Vec<_>>())
}

fn text(plain: &impl Serialize) -> String {
    match serde_json::to_string(plain) {
        Ok(json) => json,
        Err(error) => unreachable!("plain arrays of numbers and text always serialize: {error}"),
    }
}

/// Seeds beyond what JavaScript holds exactly become text, so that the very number is shown.
fn seeds_as_text(value: &mut Value) {
    const EXACT: u64 = 1 << 53;
    match value {
        Value::Array(values) => values.iter_mut().for_each(seeds_as_text),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_u64().filter(|seed| name == "seed" && *seed > EXACT) {
                    Some(seed) => *value = Value::String(seed.to_string()),
                    None => seeds_as_text(value),
                }
            }
        }
        _ => {}
    }
}

/// A line for each figure of the report, in its order: read one by one.
pub fn details(report: &Report, record: &Record) -> String {
    let slices = Slices::of(record);
    let join = windows(report, &slices).div_ceil(POINTS_MAX).max(1);
    let bins = (BINS_TOTAL / report.figures.len().max(1)).clamp(BINS_LEAST, BINS_MAX);
    let line = |figure: &Figure| text(&detail(figure, record, &slices, join, bins));
    report.figures.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// How the page writes the numbers that only it knows.
pub fn numbers() -> String {
    text(&on_page())
}

/// What each label means and what to do, as everywhere: label to [meaning, advice].
pub fn meanings() -> String {
    let all = words::MEANINGS.iter().map(|one| (one.label.to_string(), json!([one.means, one.then])));
    Value::Object(all.collect::<Map<_, _>>()).to_string()
}

fn windows(report: &Report, slices: &Slices) -> usize {
    let of = |figure| slices.of_figure(figure).iter().map(|slice| slice.samples.len()).sum::<usize>();
    report.figures.iter().map(of).sum()
}

fn detail(figure: &Figure, record: &Record, slices: &Slices, join: usize, bins: usize) -> Detail {
    let slices = slices.of_figure(figure);
    let usable = slices.iter().filter(|slice| slice.void.is_none());
    let counted = usable.flat_map(|slice: &&Slice| slice.counted().iter().map(|sample| &sample.service));
    Detail {
        latencies: Bins::of(&Sparse::merged(counted), bins),
        slices: slices
            .iter()
            .map(|slice| SliceSeries {
                compaction: compaction(figure, slice, record),
                ..series::series(slice, figure.workload.block, join)
            })
            .collect(),
    }
}

/// When the stores of the figure's OSDs wrote tables, in seconds from the slice's start; `None`: not looked at.
fn compaction(figure: &Figure, slice: &Slice, record: &Record) -> Option<Vec<[f64; 2]>> {
    let seen = record.compactions().rev().find(|one| (one.step, one.pass) == (slice.step, slice.pass))?;
    let own = figure.target.strip_prefix("osd.").and_then(|id| id.parse::<u32>().ok());
    let osds = seen.osds.iter().filter(|osd| own.is_none_or(|own| own == osd.osd));
    let looks = osds.flat_map(|osd| &osd.looks).filter(|look| look.bytes > 0);
    Some(looks.map(|look| [look.from, look.to].map(hundredths)).collect())
}

fn hundredths(seconds: f64) -> f64 {
    (seconds * 100.0).round() / 100.0
}
