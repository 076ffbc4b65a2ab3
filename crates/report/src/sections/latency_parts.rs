//! Where the time of an operation goes, by the cluster's own timers: the mean latency in parts.

use crate::block::{Block, Cell, Column, Emphasis, Row, Table, Text};
use crate::chart::{Caption, Chart, Segment, StackedBar, Stacks};
use crate::{numbers, words};
use model::{Answer, Estimate, LatencyPart, LatencyParts, Layer, Part, Pattern, Report, Scope};
use std::collections::BTreeSet;

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    // Points of a sweep are different loads: their mean would be of nothing.
    if matches!(report.answer, Answer::Sweep(_)) {
        return Vec::new();
    }
    Pattern::ALL.into_iter().flat_map(|pattern| of_pattern(report, pattern)).collect()
}

fn of_pattern(report: &Report, pattern: Pattern) -> Vec<Block> {
    let own: Vec<&LatencyParts> =
        report.latency_parts.iter().filter(|one| one.pattern == pattern && is_known(one)).collect();
    let layers: BTreeSet<Layer> = own.iter().map(|one| one.layer).collect();
    let sides = matches!(report.answer, Answer::PairedComparison(_));
    let columns: Vec<LatencyParts> = layers.into_iter().flat_map(|layer| columns(&own, layer, sides)).collect();
    if columns.is_empty() {
        return Vec::new();
    }
    let several = pattern.spec().mix.classes().count() > 1;
    let of = if several { ", the mean of its operations" } else { "" };
    let title = Block::title(format!("Where the time of {} goes{of}", pattern.name()));
    // Of a comparison both sides are columns already.
    let each = if sides { &[][..] } else { &own };
    let mut blocks = vec![title, picture(pattern, &columns, each).into(), table(&columns).into()];
    blocks.extend(residuals(&columns).map(Block::paragraph));
    blocks.extend(own.iter().filter_map(|one| note(one)));
    blocks
}

/// Which of the parts no timer measures: they are what others leave, so that all of them always add up to the mean.
fn residuals(columns: &[LatencyParts]) -> Option<String> {
    let any = |parts: &[Part]| columns.iter().flat_map(shown).any(|one| parts.contains(&one.part));
    let primary = columns.iter().all(|one| one.layer.of_ceph());
    let outside = if primary { "the primary" } else { "what the cluster's daemons time" };
    let client = any(&[Part::Client, Part::ClientAndNetwork, Part::ClientAndData, Part::ClientAndServer])
        .then(|| format!("client and network, what is left outside {outside}"));
    let after = any(&[Part::Replicas]).then(|| {
        "waiting for replicas, what is left after the primary's own commit: replicas, and what no timer of the primary covers"
            .to_string()
    });
    let all: Vec<String> = client.into_iter().chain(after).collect();
    (!all.is_empty()).then(|| format!("Not timed, but left over: {}.", all.join("; and ")))
}

/// A document from elsewhere may say anything.
fn is_known(one: &LatencyParts) -> bool {
    one.mean_ms.is_finite() && one.mean_ms > 0.0 && one.parts.iter().all(|part| part.ms.is_finite())
}

/// Of a layer: gateways and file systems each by itself, others together. `sides`: of a comparison, A and B, whose mean would be of neither.
fn columns(all: &[&LatencyParts], layer: Layer, sides: bool) -> Vec<LatencyParts> {
    let own: Vec<&LatencyParts> = all.iter().filter(|one| one.layer == layer).copied().collect();
    if let ([a, b], true) = (&own[..], sides) {
        let side = |one: &LatencyParts, name| LatencyParts { target: format!("{name}: {}", one.target), ..one.clone() };
        return vec![side(a, "A"), side(b, "B")];
    }
    let names: BTreeSet<&str> = own.iter().map(|one| one.target.as_str()).collect();
    // Which of them are A's is not known.
    if sides && names.len() < own.len() {
        return Vec::new();
    }
    let each = layer.of_buckets() || layer.of_folders() || sides;
    if each { own.into_iter().cloned().collect() } else { together(&own).into_iter().collect() }
}

/// The mean over targets of one layer.
fn together(own: &[&LatencyParts]) -> Option<LatencyParts> {
    let first = own.first()?;
    let mean = |of: &dyn Fn(&LatencyParts) -> f64| own.iter().map(|one| of(one)).sum::<f64>() / own.len() as f64;
    let names: BTreeSet<Part> = own.iter().flat_map(|one| one.parts.iter().map(|one| one.part)).collect();
    let part = |part: Part| LatencyPart { part, ms: mean(&|one| one.ms(part).unwrap_or(0.0)) };
    let target = if own.len() == 1 { first.target.clone() } else { format!("{MEAN_OF} {}", own.len()) };
    let (mean_ms, parts) = (mean(&|one| one.mean_ms), names.into_iter().map(part).collect());
    Some(LatencyParts { target, mean_ms, parts, ..(**first).clone() })
}

/// Of which targets a column's figures are the mean.
const MEAN_OF: &str = "mean of";

/// `mean of 3 OSDs`; else the target, with its layer.
fn titled(one: &LatencyParts) -> String {
    match one.target.strip_prefix(MEAN_OF) {
        Some(_) if one.layer.name() == "osd" => format!("{} OSDs", one.target),
        _ => words::place(one.layer, &one.target),
    }
}

fn table(columns: &[LatencyParts]) -> Table {
    let names: BTreeSet<Part> = columns.iter().flat_map(shown).map(|one| one.part).collect();
    let titles = columns.iter().map(|one| Column::of(titled(one), "ms"));
    let share = columns.last().map(|one| match columns.len() {
        1 => Column::right("share"),
        _ if columns.iter().filter(|other| other.layer == one.layer).count() > 1 => Column::right("of the last"),
        _ => Column::right(format!("share of {}", one.layer.name())),
    });
    let heading = std::iter::once(Column::left("part")).chain(titles).chain(share).chain([Column::left("")]);
    let mut before = 0.0;
    let row = |part: &Part| {
        let value =
            |one: &LatencyParts| one.ms(*part).map_or(numbers::NOTHING.to_string(), |ms| written(ms, one.mean_ms));
        let last = columns.last().map_or(0.0, |one| one.ms(*part).unwrap_or(0.0) / one.mean_ms);
        let from = before;
        before += last;
        let bar = Cell { bar: Some([from, before]), ..Cell::default() };
        let cells = std::iter::once(Cell::from(part.name())).chain(columns.iter().map(|one| value(one).into()));
        Row::new(cells.chain([numbers::share(last).into(), bar]))
    };
    let rows: Vec<Row> = names.iter().map(row).collect();
    let whole = columns.iter().map(|one| Cell::from(written(one.mean_ms, one.mean_ms)));
    let total = Row::new(std::iter::once(Cell::from("mean")).chain(whole).chain([Cell::default(), Cell::default()]));
    Table::new(heading, rows.into_iter().chain([total.with(Emphasis::Strong)]))
}

/// Less than this share of the mean is what rounding leaves.
const REST_LEAST: f64 = 0.01;

fn shown(one: &LatencyParts) -> impl Iterator<Item = &LatencyPart> {
    one.parts.iter().filter(|part| part.part != Part::Rest || part.ms.abs() > REST_LEAST * one.mean_ms)
}

fn picture(pattern: Pattern, columns: &[LatencyParts], each: &[&LatencyParts]) -> Chart {
    let shown =
        |one: &LatencyParts| columns.iter().any(|column| (column.layer, &column.target) == (one.layer, &one.target));
    let rows = columns.iter().chain(each.iter().filter(|one| !shown(one)).copied());
    let caption = Caption::new(pattern.name(), "the mean latency in parts", "ms");
    let names = Part::ALL.map(|part| part.name().to_string()).to_vec();
    Chart::Stacks(Stacks { caption, names, rows: rows.map(stack).collect() })
}

/// Timers that contradict each other add up to more than the mean: the rest is negative then, and is no segment.
fn stack(one: &LatencyParts) -> StackedBar {
    let segment = |part: &LatencyPart| Segment {
        name: part.part.name().to_string(),
        value: part.ms,
        text: format!("{} {} ms", part.part.name(), written(part.ms, one.mean_ms)),
    };
    let segments: Vec<Segment> = shown(one).filter(|part| part.ms > 0.0).map(segment).collect();
    let more = segments.iter().map(|one| one.value).sum::<f64>() - one.mean_ms;
    let mean = written(one.mean_ms, one.mean_ms);
    let (text, beyond) = if more > REST_LEAST * one.mean_ms {
        let more = written(more, one.mean_ms);
        (
            format!("mean {mean}"),
            format!("counted twice: the parts add up to {more} ms more than the mean of {mean} ms"),
        )
    } else {
        (mean, String::new())
    };
    StackedBar { name: titled(one), segments, whole: one.mean_ms, text, beyond }
}

/// As many digits as the mean has.
pub(super) fn written(ms: f64, mean: f64) -> String {
    numbers::beside(ms, &Estimate { value: mean, low: mean * 0.99, high: mean * 1.01 })
}

fn note(one: &LatencyParts) -> Option<Block> {
    let asked = one.requests.filter(|_| one.own.is_none());
    let asked = asked.map(|requests| format!("{requests:.2} requests to the metadata server in one operation"));
    let some = (one.osds < one.of).then(|| format!("of {} OSDs, {} were asked", one.of, one.osds));
    let says: Vec<String> = one.doubt.clone().into_iter().chain(some).chain(asked).collect();
    let emphasis = if one.doubt.is_some() { Emphasis::Warn } else { Emphasis::Quiet };
    let text = format!("{}: {}", words::place(one.layer, &one.target), says.join("; "));
    (!says.is_empty()).then(|| Block::Paragraph(Text::new(text, emphasis)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing;

    fn of(target: &str, mean_ms: f64) -> LatencyParts {
        LatencyParts {
            layer: testing::pools(),
            pattern: Pattern::WriteLatency,
            target: target.to_string(),
            mean_ms,
            own: None,
            requests: None,
            osds: 3,
            of: 3,
            parts: vec![LatencyPart { part: Part::Rest, ms: mean_ms }],
            doubt: None,
        }
    }

    #[test]
    fn parts_that_are_what_others_leave_are_named_as_such() {
        let told = |parts: &[Part]| {
            let parts = parts.iter().map(|part| LatencyPart { part: *part, ms: 1.0 }).collect();
            residuals(&[LatencyParts { parts, ..of("pool a", 3.0) }])
        };
        assert_eq!(told(&[Part::Queue, Part::Log]), None);
        let all = told(&[Part::Client, Part::Network, Part::Replicas]).unwrap();
        assert!(all.contains("client and network, what is left outside the primary"), "{all}");
        assert!(all.contains("replicas, and what no timer of the primary covers"), "{all}");
    }

    #[test]
    fn a_bar_that_is_longer_than_the_mean_says_what_is_beyond_it() {
        let part = |part, ms| LatencyPart { part, ms };
        let mut one = of("pool a", 2.0);
        one.parts =
            vec![part(Part::Client, 1.5), part(Part::Queue, 0.0), part(Part::Osds, 1.0), part(Part::Rest, -0.5)];
        let bar = stack(&one);
        let segments: Vec<(&str, f64)> = bar.segments.iter().map(|one| (one.name.as_str(), one.value)).collect();
        assert_eq!(segments, [("client", 1.5), ("OSDs", 1.0)]);
        assert_eq!((bar.whole, bar.text.as_str()), (2.0, "mean 2.000"));
        assert_eq!(bar.beyond, "counted twice: the parts add up to 0.500 ms more than the mean of 2.000 ms");
        // What rounding leaves is not told.
        one.parts = vec![part(Part::Client, 2.01), part(Part::Rest, -0.01)];
        let bar = stack(&one);
        assert_eq!((bar.text.as_str(), bar.beyond.as_str()), ("2.000", ""));
    }

    #[test]
    fn sides_of_a_comparison_are_told_apart_and_targets_of_a_run_together() {
        let shown = |all: &[LatencyParts], sides: bool| {
            let all: Vec<&LatencyParts> = all.iter().collect();
            let columns = columns(&all, testing::pools(), sides).into_iter();
            columns.map(|one| (one.target, one.mean_ms)).collect::<Vec<_>>()
        };
        let two = [of("pool a", 1.0), of("pool a", 3.0)];
        assert_eq!(shown(&two, false), [("mean of 2".to_string(), 2.0)]);
        assert_eq!(shown(&two, true), [("A: pool a".to_string(), 1.0), ("B: pool a".to_string(), 3.0)]);
        let many = [of("pool a", 1.0), of("pool a", 3.0), of("pool b", 2.0)];
        assert_eq!(shown(&many, true), []);
    }
}
