//! Files by their names: how many of each operation a second, and how long each takes.

use crate::block::{Block, Cell, Column, Emphasis, Row, Table};
use crate::{numbers, words};
use model::{Estimate, Figure, Metric, OpClass, Report, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let figures = figures(report);
    let Some(first) = figures.first() else { return Vec::new() };
    let several = figures.iter().any(|figure| figure.target != first.target);
    let numbers = [Column::of("per second", "operations"), Column::of("each takes", "ms"), Column::of("p99", "ms")];
    let columns = several.then(|| Column::left("folder")).into_iter().chain([Column::left("operation")]).chain(numbers);
    let row = |figure: &&Figure| {
        let target = several.then(|| Cell::from(figure.target.clone()));
        let rate =
            rate(report, figure).map_or_else(Cell::nothing, |rate| marked(Cell::value(&rate, Metric::Iops), figure));
        let each = figure.estimate.map_or_else(Cell::nothing, |each| marked(Cell::value(&each, figure.metric), figure));
        let p99 = figure.percentiles.iter().find(|one| one.percent == 99.0);
        let p99 = Cell::from(p99.map_or(numbers::NOTHING.to_string(), numbers::percentile));
        Row::new(target.into_iter().chain([Cell::from(name(figure.kind)), rate, each, p99]))
    };
    let table = Table::new(columns, figures.iter().map(row));
    vec![
        Block::title("Files by their names: how many operations a second, and how long each takes"),
        table.into(),
        Block::note(note(report, first)),
    ]
}

fn marked(cell: Cell, figure: &Figure) -> Cell {
    let emphasis = if words::holds(&figure.label) { Emphasis::Plain } else { Emphasis::Struck };
    cell.labelled(figure.label.name()).with(emphasis)
}

/// In the order of folders and patterns. Of hosts that load one folder at once those of all together.
fn figures(report: &Report) -> Vec<&Figure> {
    // The answer's own table says which of several steps is which.
    if report.answer.shows_figures() {
        return Vec::new();
    }
    let own = report.figures.iter().filter(|figure| figure.pattern.is_metadata() && figure.workload.rate.is_none());
    let mut own: Vec<&Figure> = own.filter(|figure| figure.at_once <= 1 || is_whole(report, figure)).collect();
    own.sort_by_key(|figure| (figure.target.clone(), figure.pattern, figure.kind));
    own
}

/// Is it of several hosts together? Each of them has its own name beside the folder's.
fn is_whole(report: &Report, figure: &Figure) -> bool {
    let of_host = |other: &&Figure| other.step == figure.step && other.target != figure.target;
    report.figures.iter().find(of_host).is_some_and(|other| other.target.contains(&figure.target))
}

/// What the jobs do of one class alone, on each host that loads.
fn rate(report: &Report, figure: &Figure) -> Option<Estimate> {
    let hosts = if is_whole(report, figure) { figure.at_once.max(1) } else { 1 };
    let jobs = f64::from(figure.workload.depth.clamp(1, figure.workload.jobs.max(1))) * f64::from(hosts);
    figure.estimate.filter(|each| each.value > 0.0).map(|each| per_second(&each, jobs))
}

/// Of jobs that do one operation at a time: jobs divided by the mean time of one, in ms (Little's law). Its interval is as uneven as that of
/// a quotient is; of a time that may be none it is as wide as the rate.
fn per_second(each: &Estimate, jobs: f64) -> Estimate {
    let of = |ms: f64| jobs * 1e3 / ms;
    let value = of(each.value);
    match each.low > 0.0 {
        true => Estimate { value, low: of(each.high), high: of(each.low) },
        false => Estimate::new(value, value),
    }
}

fn name(class: OpClass) -> &'static str {
    match class {
        OpClass::Create => "create, write, close",
        OpClass::StatCached => "stat (may be cached)",
        OpClass::Open => "open (may be cached), read, close",
        OpClass::List => "list a folder (may be cached)",
        other => other.name(),
    }
}

fn note(report: &Report, figure: &Figure) -> String {
    let (of, jobs) = (&figure.workload, jobs(report, figure));
    let tree = of.tree.map_or(String::new(), |tree| format!("; {}", tree.what()));
    format!(
        "{jobs}, one operation at a time each; files of {}{tree}; per second: what the jobs do of it alone, by the time that each takes",
        numbers::bytes(of.block)
    )
}

/// `16 jobs`, `16 jobs on each of 3 hosts`
fn jobs(report: &Report, figure: &Figure) -> String {
    let jobs = numbers::counted(figure.workload.jobs.into(), "job", "jobs");
    if is_whole(report, figure) { format!("{jobs} on each of {} hosts", figure.at_once) } else { jobs }
}

/// A line for the answer, of each folder: what its jobs do a second.
pub(crate) fn lines(report: &Report) -> Vec<String> {
    let figures = figures(report);
    let mut folders: Vec<&str> = figures.iter().map(|figure| figure.target.as_str()).collect();
    folders.dedup();
    let line = |folder: &&str| {
        let own = figures.iter().filter(|figure| figure.target == **folder && words::holds(&figure.label));
        let known = own.filter_map(|figure| Some((*figure, rate(report, figure)?))).collect::<Vec<_>>();
        let (first, _) = known.first()?;
        let one = |(figure, rate): &(&Figure, Estimate)| {
            format!("{} {}", figure.kind.name(), numbers::figure(rate, Metric::Iops).plain())
        };
        let jobs = jobs(report, first);
        let all: Vec<String> = known.iter().map(one).collect();
        Some(format!("Files in {folder}, by {jobs}, a second: {}.", all.join(", ")))
    };
    folders.iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_the_jobs_divided_by_the_time_of_one() {
        let rate = per_second(&Estimate { value: 2.0, low: 1.6, high: 4.0 }, 16.0);
        assert_eq!((rate.value, rate.low, rate.high), (8000.0, 4000.0, 10_000.0));
        // Of a time that may be none nobody knows how many there are a second.
        assert!(!per_second(&Estimate { value: 2.0, low: -1.0, high: 5.0 }, 16.0).is_known());
    }
}
