//! The highest rates that keep a bound, and every rate that was tried.

use crate::block::{Block, Column, Row, Table};
use crate::chart::{self, Axis, Caption, Chart, Lines, Mark, Point, Series};
use crate::{numbers, words};
use model::{Estimate, Limit, Percentile, Report, ResponseBound, Scope, TriedRate};

const HEADING: [&str; 5] = ["target", "pattern", "a second", "at that rate", "closed loop, a second"];

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let Some(first) = report.answer.limits().first() else { return Vec::new() };
    let title = Block::title(format!("Highest rate with {}", bound(&first.bound)));
    let found = Table::plain(HEADING, report.answer.limits().iter().map(row)).into();
    [title, found].into_iter().chain(report.answer.limits().iter().flat_map(tried)).collect()
}

fn tried(limit: &Limit) -> Vec<Block> {
    let own = format!("p{}, ms", limit.bound.percent);
    let heading = ["a second", "outcome", "seconds", "slower than the bound", "p50, ms", &own];
    let what = format!("{}, {}", words::place(limit.layer, &limit.target), limit.pattern.name());
    let table = Table::new(heading.map(Column::left), probes(limit));
    let blocks = [Block::title(format!("What was tried: {what}")), picture(limit).into(), table.into()];
    blocks.into_iter().chain(note(limit).map(Block::note)).collect()
}

/// Response times over the rate: the median, and the percentile of the bound.
fn picture(limit: &Limit) -> Chart {
    let sorted = sorted(limit);
    let series = |name: String, of: fn(&TriedRate) -> &Option<Percentile>| {
        let point = |probe: &&TriedRate| {
            let found = of(probe).as_ref().filter(|found| found.value_ms > 0.0)?;
            let (low, high) = (found.low_ms.unwrap_or(found.value_ms), found.high_ms.unwrap_or(f64::INFINITY));
            let text =
                format!("{name} at {} a second: {} ms", words::per_second(probe.rate), numbers::percentile(found));
            let y = Mark::written(&Estimate { value: found.value_ms, low, high }, text)?;
            // Filled, if it was confirmed.
            let label = if probe.confirms { "settled" } else { "imprecise" }.to_string();
            Some(Point { x: probe.rate, y, ring: false, label, figure: None })
        };
        Series { points: sorted.iter().filter_map(point).collect(), name, joined: true }
    };
    let ResponseBound { percent, ms, .. } = limit.bound;
    let bound = chart::Bound { x: None, y: Some(ms), text: format!("bound: {ms} ms") };
    let found = limit.rate.map(|rate| chart::Bound { x: Some(rate), y: None, text: String::new() });
    Chart::Lines(Lines {
        caption: Caption::new("", "", "response time, ms (log axis), over operations a second"),
        x: Axis::linear("operations a second"),
        y: Axis::log("ms"),
        series: vec![
            series("p50".into(), |probe| &probe.median),
            series(format!("p{percent}"), |probe| &probe.bounded),
        ],
        bounds: std::iter::once(bound).chain(found).collect(),
    })
}

/// `p99 < 10 ms`
pub(crate) fn bound(bound: &ResponseBound) -> String {
    format!("p{} < {} ms", bound.percent, bound.ms)
}

fn row(limit: &Limit) -> Row {
    Row::new([
        words::place(limit.layer, &limit.target),
        limit.pattern.name().to_string(),
        limit.rate.map_or(numbers::NOTHING.into(), words::per_second),
        said(limit),
        limit.capacity.map_or(numbers::NOTHING.into(), numbers::rough),
    ])
}

/// What is known at the rate that was found, or why none was.
pub(crate) fn said(limit: &Limit) -> String {
    match limit.probes.iter().rev().find(|probe| probe.confirms && probe.kept) {
        Some(probe) => format!(
            "{} slower, p{} {} ms, over {}",
            share(probe),
            limit.bound.percent,
            percentile(&probe.bounded),
            numbers::seconds(probe.seconds)
        ),
        None => limit.why.clone().unwrap_or_default(),
    }
}

/// Every rate that was tried, in ascending order.
fn probes(limit: &Limit) -> Vec<Row> {
    let outcome = |probe: &TriedRate| match (probe.kept, probe.confirms) {
        (true, true) => "keeps it, confirmed",
        (true, false) => "keeps it",
        (false, true) => "does not keep it for long",
        (false, false) => "breaks it",
    };
    let row = |probe: &&TriedRate| {
        Row::new([
            words::per_second(probe.rate),
            outcome(probe).to_string(),
            numbers::rough(probe.seconds),
            share(probe),
            percentile(&probe.median),
            percentile(&probe.bounded),
        ])
    };
    sorted(limit).iter().map(row).collect()
}

fn sorted(limit: &Limit) -> Vec<&TriedRate> {
    let mut sorted: Vec<&TriedRate> = limit.probes.iter().collect();
    sorted.sort_by(|a, b| a.rate.total_cmp(&b.rate).then(a.confirms.cmp(&b.confirms)));
    sorted
}

/// What a rate that was confirmed does not say.
fn note(limit: &Limit) -> Option<String> {
    // None seen in T seconds: with 95 % fewer than three in that time.
    limit.rate.map(|_| {
        let seconds = numbers::seconds(limit.seconds);
        format!(
            "confirmed over {seconds}; what happens less often than every {} is not excluded",
            numbers::seconds(limit.seconds / 3.0)
        )
    })
}

fn share(probe: &TriedRate) -> String {
    let percent = |share: f64| numbers::rough(share * 100.0);
    format!("{} % ({}–{})", percent(probe.over), percent(probe.over_low), percent(probe.over_high))
}

fn percentile(of: &Option<Percentile>) -> String {
    of.as_ref().map_or(numbers::NOTHING.to_string(), numbers::percentile)
}
