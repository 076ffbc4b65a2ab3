//! Several gateways beside each other: each alone, which is slower, and all at once.

use super::targets;
use crate::block::{Block, Emphasis, Item, Text};
use crate::{numbers, words};
use model::{ChartCell, Figure, GatewayPair, Metric, OpClass, Pattern, Report, Scope};

const TITLE: &str = "Gateways beside each other";
const HOW: &str = "\"Slower\": the intervals are apart, and it is slower by at least a tenth, and the load generator did not hold it back; of what is not named nobody knows which is slower.";
const ALIKE: &str = "None is known to be slower: intervals overlap, or differ by less than a tenth, or the load generator held the slower one back.";

pub(super) fn blocks(report: &Report, scope: &Scope) -> Vec<Block> {
    if report.gateways.is_empty() {
        return Vec::new();
    }
    let mut blocks = targets::of_gateways(report, scope, TITLE);
    if blocks.is_empty() {
        blocks.push(Block::title(TITLE));
    }
    let apart = apart(report).into_iter().map(|pair| Item::from(Text::new(says(pair), Emphasis::Plain)));
    let items: Vec<Item> = apart.collect();
    let items_told = !items.is_empty();
    blocks.extend(items_told.then_some(Block::List(items)));
    blocks.extend(at_once(report).map(Block::paragraph));
    blocks.push(Block::note(if items_told { HOW } else { ALIKE }));
    blocks
}

/// For the answer, of a cell of the chart: `6.3 ms ±1.6 (gateway b:80) to 6.9 ms ±1.8 (gateway a:80)`. `None`: there are not several, or the values of both ends are not known.
pub(crate) fn whole(report: &Report, cell: &ChartCell) -> Option<String> {
    let own = |pair: &&GatewayPair| {
        cell.layer.of_buckets() && (pair.pattern, pair.kind) == (cell.pattern, cell.pattern.kind())
    };
    let known = |pair: &&GatewayPair| ![&pair.of_quick, &pair.of_slow].into_iter().any(numbers::is_unknown);
    let pair = report.gateways.iter().find(own).filter(known)?;
    let figure = |estimate| numbers::figure(estimate, pair.metric).with_unit();
    Some(format!("{} ({}) to {} ({})", figure(&pair.of_quick), pair.quick, figure(&pair.of_slow), pair.slow))
}

/// For the answer: what differs most, and in how much more.
pub(crate) fn line(report: &Report) -> Option<String> {
    let apart = apart(report);
    let worst = apart.iter().max_by(|a, b| a.times.low.total_cmp(&b.times.low))?;
    let more = match apart.len() - 1 {
        0 => String::new(),
        n => format!(", and at {} more", numbers::counted(n as u64, "load", "loads")),
    };
    let says = says(worst);
    Some(format!("A{}{more}.", &says[1..]))
}

fn apart(report: &Report) -> Vec<&GatewayPair> {
    report.gateways.iter().filter(|pair| pair.apart).collect()
}

/// `at read-latency gateway b:80 is ×31.0 (25.0–38.0) slower than gateway a:80: 44 ms ±12 against 1.4 ms ±0.4`
fn says(pair: &GatewayPair) -> String {
    let figure = |estimate| numbers::figure(estimate, pair.metric).with_unit();
    format!(
        "at {} {} is {} slower than {}: {} against {}",
        load(pair.pattern, pair.kind),
        pair.slow,
        numbers::times(&pair.times),
        pair.quick,
        figure(&pair.of_slow),
        figure(&pair.of_quick)
    )
}

/// Its pattern, or which of several operations by names.
fn load(pattern: Pattern, kind: OpClass) -> &'static str {
    if pattern.is_metadata() { words::kind(kind) } else { pattern.name() }
}

/// What all of them give together.
fn at_once(report: &Report) -> Option<String> {
    let whole = |figure: &&Figure| figure.layer.of_buckets() && figure.at_once > 1 && figure.target.ends_with(".*");
    let all: Vec<&Figure> = report.figures.iter().filter(whole).filter(|figure| figure.estimate.is_some()).collect();
    let say = |figure: &&Figure| {
        let rate = figure.per_second.filter(|_| figure.pattern.is_metadata());
        let value = rate.map(|rate| numbers::figure(&rate, Metric::Iops).with_unit());
        let label = if words::holds(&figure.label) { String::new() } else { format!(" ({})", figure.label.name()) };
        format!("{} {}{label}", load(figure.pattern, figure.kind), value.unwrap_or_else(|| words::value(figure)))
    };
    (!all.is_empty()).then(|| {
        format!("All at once, each with the same work: {}.", all.iter().map(say).collect::<Vec<_>>().join(", "))
    })
}
