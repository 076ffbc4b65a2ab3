//! A sweep: a table for each target, its curves one below the other, the knee marked, and what its curves say.

mod pictures;
mod points;

use crate::block::{self, Block, Cell, Column, Emphasis, Row, Table};
use crate::{numbers, words};
use model::{Figure, Knee, Metric, OpClass, Pattern, Reading, Report, Scope, Sweep, SweepAxis, Swept, Workload};
use points::{named, setting_at};

pub(crate) use points::point_of;
pub use points::{outline, point};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let Some(swept) = report.answer.sweep() else { return Vec::new() };
    let targets = groups(report, swept).into_iter();
    let left_out = points::left_out(&swept.sweep).map(|text| Block::note(format!("{text}.")));
    targets.flat_map(|(figure, points)| one(report, swept, figure, points)).chain(left_out).collect()
}

/// All points of one target in one pattern, with the first's figure.
fn groups<'a>(report: &'a Report, swept: &Swept) -> Vec<(&'a Figure, Vec<usize>)> {
    let mut groups: Vec<(&Figure, Vec<usize>)> = Vec::new();
    for (index, reading) in swept.readings.iter().enumerate() {
        let Some(figure) = report.figures.get(reading.figure) else { continue };
        match groups.iter_mut().find(|(first, _)| alike(&swept.sweep, first, figure)) {
            Some((_, points)) => points.push(index),
            None => groups.push((figure, vec![index])),
        }
    }
    groups
}

fn alike(sweep: &Sweep, a: &Figure, b: &Figure) -> bool {
    let target = sweep.pool_each() || a.target == b.target;
    target && (a.layer, a.pattern, a.kind) == (b.layer, b.pattern, b.kind)
}

fn one(report: &Report, swept: &Swept, first: &Figure, mut points: Vec<usize>) -> Vec<Block> {
    let order = order(&swept.sweep);
    let place = |index: &usize| -> Vec<u32> {
        let at = &swept.readings[*index].at;
        order.iter().map(|axis| at.get(*axis).copied().unwrap_or(0)).collect()
    };
    points.sort_by_key(place);
    let axes = order.iter().filter_map(|axis| swept.sweep.axes.get(*axis)).map(|axis| Column::right(axis.called()));
    let unit = swept.readings[points[0]].metric.unit();
    let values = [Column::right(unit), Column::of("latency", "ms"), Column::of("p99", "ms")];
    let rows = points.iter().map(|index| row(report, swept, &order, *index));
    let table = Table::new(axes.chain(values).chain([Column::left("label")]), rows);
    let own = |knee: &&Knee| knee.curve.iter().any(|index| points.contains(index));
    let knees = swept.knees.iter().filter(own).map(|knee| sentence(swept, knee));
    let mut blocks = vec![Block::title(title(swept, first))];
    blocks.extend(pictures::of(report, swept, &points));
    blocks.push(table.into());
    blocks.extend(block::list(knees, Emphasis::Plain));
    blocks.extend(block::list(reasons(report, swept, &points), Emphasis::Quiet));
    blocks.extend(pages(report, swept, &points).map(Block::note));
    blocks
}

/// Of few objects a page of names has fewer, and takes less time for that alone.
fn pages(report: &Report, swept: &Swept, points: &[usize]) -> Option<String> {
    let listed = |index: &usize| {
        let reading = &swept.readings[*index];
        let figure = report.figures.get(reading.figure)?;
        let of_names = figure.kind == OpClass::List && figure.layer.of_buckets();
        let names = of_names.then(|| super::metadata::names_listed(&figure.workload))?;
        Some((names, point_of(&swept.sweep, reading)))
    };
    let all: Vec<(u64, String)> = points.iter().map(listed).collect::<Option<_>>()?;
    if all.iter().all(|(names, _)| *names == all[0].0) {
        return None;
    }
    let each: Vec<String> = all.iter().map(|(names, point)| format!("{} at {point}", numbers::count(*names))).collect();
    Some(format!("Names on a page, on average, which a LIST takes time for: {}.", each.join("; ")))
}

/// Settled, brief and imprecise points say it by their intervals.
fn reasons(report: &Report, swept: &Swept, points: &[usize]) -> Vec<String> {
    let mut found: Vec<(&str, usize, String)> = Vec::new();
    for reading in points.iter().map(|index| &swept.readings[*index]) {
        let Some(label) = report.figures.get(reading.figure).map(|figure| &figure.label) else { continue };
        let Some(why) = label.why().filter(|_| !["imprecise", "brief"].contains(&label.name())) else { continue };
        match found.iter_mut().find(|(name, ..)| *name == label.name()) {
            Some((_, count, _)) => *count += 1,
            None => found.push((label.name(), 1, format!("{}: {why}", point_of(&swept.sweep, reading)))),
        }
    }
    let line = |(name, count, first): (&str, usize, String)| match count {
        1 => format!("{name}: {first}"),
        _ => format!("{name}: {count} points, the first {first}"),
    };
    found.into_iter().map(line).collect()
}

/// The axis along which curves go comes last: its values follow each other.
fn order(sweep: &Sweep) -> Vec<usize> {
    let along = sweep.along();
    (0..sweep.axes.len()).filter(|axis| *axis != along).chain([along]).collect()
}

fn title(swept: &Swept, figure: &Figure) -> String {
    let names: Vec<&str> = swept.sweep.axes.iter().map(|axis| axis.name.as_str()).collect();
    let called: Vec<&str> = swept.sweep.axes.iter().map(SweepAxis::called).collect();
    let fixed = fixed(&names, &figure.workload);
    let kind = if figure.workload.mix.is_mixed() || names.contains(&"read-share") {
        format!(", its {}s", words::kind(figure.kind))
    } else {
        String::new()
    };
    let place = words::place(figure.layer, if swept.sweep.pool_each() { "pool" } else { &figure.target });
    format!("Sweep of {place} {}{kind} over {} ({fixed})", figure.pattern.name(), called.join(" × "))
}

/// What is the same for all points.
fn fixed(axes: &[&str], workload: &Workload) -> String {
    let varied = |name: &str| axes.contains(&name);
    let mut parts = Vec::new();
    if !varied("block-size") {
        parts.push(words::sizes(workload));
    }
    parts.push(words::access(workload.access));
    if !varied("read-share") && workload.mix.is_mixed() {
        parts.push(words::mix(workload.mix));
    }
    // Of files by their names each job has one in flight.
    let as_jobs = varied("jobs") && workload.of_files();
    if !varied("depth") && !as_jobs {
        parts.push(format!("depth {}", workload.depth));
    }
    if !varied("jobs") && !varied("images") && workload.jobs > 1 {
        parts.push(format!("{} jobs", workload.jobs));
    }
    parts.extend(words::of_objects(workload));
    if !varied("clients") && workload.clients > 1 {
        parts.push(format!("{} clients", workload.clients));
    }
    if !varied("working-set") && !varied("objects") && !varied("jobs") && !varied("images") {
        parts.push(words::over(workload));
    }
    parts.join(", ")
}

fn row(report: &Report, swept: &Swept, order: &[usize], index: usize) -> Row {
    let reading = &swept.readings[index];
    let figure = report.figures.get(reading.figure);
    let value = |axis: &usize| Cell::from(setting_at(&swept.sweep, &reading.at, *axis));
    let of = |estimate: Option<model::Estimate>, metric| {
        estimate.map_or_else(Cell::nothing, |estimate| Cell::value(&estimate, metric))
    };
    let mark = marks(swept, index, figure);
    let emphasis = match (figure.is_some_and(|figure| words::holds(&figure.label)), mark.contains("knee")) {
        (false, _) => Emphasis::Warn,
        (true, true) => Emphasis::Strong,
        (true, false) => Emphasis::Plain,
    };
    let further = [
        Cell { figure: Some(reading.figure), ..of(reading.throughput, reading.metric) },
        of(reading.latency, Metric::LatencyMean),
        percentile(figure, 99.0).into(),
        format!("{} {mark}", figure.map_or(numbers::NOTHING, |figure| figure.label.name())).trim_end().into(),
    ];
    Row::new(order.iter().map(value).chain(further)).with(emphasis)
}

fn percentile(figure: Option<&Figure>, percent: f64) -> String {
    let found = figure.and_then(|figure| figure.percentiles.iter().find(|one| one.percent == percent));
    found.map_or(numbers::NOTHING.to_string(), |one| numbers::rough(one.value_ms))
}

/// `◄ knee, best`: what its curve says of a point.
fn marks(swept: &Swept, index: usize, figure: Option<&Figure>) -> String {
    let Some(knee) = swept.knees.iter().find(|knee| knee.curve.contains(&index)) else { return String::new() };
    let depth = figure.map_or(0, |figure| figure.workload.depth);
    let named =
        [(knee.knee.depth == depth, "knee"), (knee.balance.depth == depth, "balance"), (knee.best == depth, "best")];
    let named: Vec<&str> = named.into_iter().filter(|(is, _)| *is).map(|(_, name)| name).collect();
    if named.is_empty() { String::new() } else { format!("◄ {}", named.join(", ")) }
}

/// `Knee at block-size 4 KiB: depth 16 reaches …`
fn sentence(swept: &Swept, knee: &Knee) -> String {
    if knee.curve.first().is_none_or(|index| swept.readings.get(*index).is_none()) {
        return String::new();
    }
    format!("Knee{}: {}.", place(swept, knee), knee.says)
}

/// ` at block-size 4 KiB`: the values of a curve's other axes.
fn place(swept: &Swept, knee: &Knee) -> String {
    let Some(reading) = knee.curve.first().and_then(|index| swept.readings.get(*index)) else { return String::new() };
    let along = swept.sweep.along();
    let others = (0..swept.sweep.axes.len()).filter(|axis| *axis != along);
    let others: Vec<String> = others.map(|axis| named(&swept.sweep, &reading.at, axis)).collect();
    if others.is_empty() { String::new() } else { format!(" at {}", others.join(", ")) }
}

/// What a sweep found, a sentence for each curve: its knee with the figures there; without a knee the best point.
pub(crate) fn answers(report: &Report) -> Vec<String> {
    let Some(swept) = report.answer.sweep() else { return Vec::new() };
    let called: Vec<&str> = swept.sweep.axes.iter().map(SweepAxis::called).collect();
    let mut at: Vec<&Vec<u32>> = swept.readings.iter().map(|reading| &reading.at).collect();
    at.sort();
    at.dedup();
    let points = numbers::counted(at.len() as u64, "point", "points");
    let over = format!("{points} over {}", called.join(" × "));
    let mut says: Vec<String> = swept.knees.iter().filter_map(|knee| answer(report, swept, knee)).collect();
    if says.is_empty() {
        says.extend(best_of_each(report, swept));
    }
    says.insert(0, format!("{over}."));
    says
}

/// `The knee at block-size 4 KiB is depth 16: 11,200 IOPS ±5 %, 1.43 ms ±0.08.`
fn answer(report: &Report, swept: &Swept, knee: &Knee) -> Option<String> {
    let at_knee = |index: &&usize| {
        let figure = swept.readings.get(**index).and_then(|reading| report.figures.get(reading.figure));
        figure.is_some_and(|figure| figure.workload.depth == knee.knee.depth)
    };
    let reading = swept.readings.get(*knee.curve.iter().find(at_knee)?)?;
    let place = format!("{}{}", of_target(report, swept, reading), place(swept, knee));
    let model::Choice { depth, from, to } = knee.knee;
    let range = if from == to { String::new() } else { format!(" (it lies between {from} and {to})") };
    let more = if knee.beyond == model::Beyond::Rises { " or more" } else { "" };
    Some(format!("The knee{place} is depth {depth}{more}{range}: {}.", values(reading)?))
}

/// ` of gateway b:8080`, where several were swept.
fn of_target(report: &Report, swept: &Swept, reading: &Reading) -> String {
    let target = |one: &Reading| report.figures.get(one.figure).map(|figure| figure.target.as_str());
    match target(reading) {
        Some(own) if !swept.sweep.pool_each() && swept.readings.iter().any(|other| target(other) != Some(own)) => {
            format!(" of {own}")
        }
        _ => String::new(),
    }
}

/// Of several patterns each has its own: a second of one is none of another's.
fn best_of_each(report: &Report, swept: &Swept) -> Vec<String> {
    let of = |reading: &Reading| report.figures.get(reading.figure).map(|figure| (figure.pattern, figure.kind));
    let mut cells: Vec<(Pattern, OpClass)> = swept.readings.iter().filter_map(of).collect();
    cells.sort_unstable();
    cells.dedup();
    if cells.iter().all(|(pattern, _)| *pattern == cells[0].0) {
        return best(swept.readings.iter(), report, swept).into_iter().collect();
    }
    let one = |cell: &(Pattern, OpClass)| {
        let own = swept.readings.iter().filter(|reading| of(reading) == Some(*cell));
        Some(format!("{}: {}", cell.0.name(), best(own, report, swept)?))
    };
    cells.iter().filter_map(one).collect()
}

fn best<'a>(readings: impl Iterator<Item = &'a Reading>, report: &Report, swept: &Swept) -> Option<String> {
    // What is not known is not the best.
    let value = |reading: &Reading| {
        let known = reading.throughput.filter(|of| !numbers::figure(of, reading.metric).unit.is_empty());
        known.map_or(f64::NEG_INFINITY, |of| of.value)
    };
    let all: Vec<&Reading> = readings.collect();
    let best = *all.iter().max_by(|a, b| value(a).total_cmp(&value(b)))?;
    if value(best) == f64::NEG_INFINITY {
        return Some("Which is best is not known: give it more time.".to_string());
    }
    let kind = report.figures.get(best.figure).filter(|figure| figure.workload.mix.is_mixed());
    let kind = kind.map_or(String::new(), |figure| format!(" {}s", words::kind(figure.kind)));
    let place = of_target(report, swept, best);
    let least = best.throughput.map_or(f64::INFINITY, |of| of.low);
    let as_much =
        |other: &&&Reading| !std::ptr::eq(**other, best) && other.throughput.is_some_and(|of| of.high >= least);
    let others = match all.iter().filter(as_much).count() as u64 {
        0 => String::new(),
        many => format!("; {} may give as much", numbers::counted(many, "other point", "other points")),
    };
    Some(format!("The most{kind}: {} at {}{place}{others}.", values(best)?, point_of(&swept.sweep, best)))
}

fn values(reading: &Reading) -> Option<String> {
    let throughput = numbers::figure(&reading.throughput?, reading.metric).with_unit();
    let latency = reading.latency.map(|of| numbers::figure(&of, model::Metric::LatencyMean));
    let latency = latency.filter(|of| !of.unit.is_empty()).map(|of| of.with_unit());
    Some(std::iter::once(throughput).chain(latency).collect::<Vec<_>>().join(", "))
}
