//! Figures that neither the chart, nor a table of targets, of files or of response times shows: one stream, all at once, a mixed load.

use crate::block::{Block, Cell, Row, Table};
use crate::words;
use model::{Figure, Report, Scope};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let figures = beside(report);
    if figures.is_empty() {
        return Vec::new();
    }
    let row = |figure: &Figure| {
        Row::new([
            Cell::from(words::place(figure.layer, &figure.target)),
            figure.pattern.name().into(),
            Cell::figure(figure),
            words::beside_pattern(figure).into(),
        ])
    };
    let table = Table::plain(["target", "pattern", "figure", "workload"], figures.into_iter().map(row));
    let blocks = vec![Block::title("Beside the chart"), table.into()];
    // Without a chart it is what was measured.
    if report.chart.is_empty() { blocks } else { vec![Block::fold("figures beside the chart", blocks)] }
}

fn beside(report: &Report) -> Vec<&Figure> {
    if report.answer.shows_figures() {
        return Vec::new();
    }
    let beside = |figure: &&Figure| !figure.chart && figure.workload.rate.is_none() && !figure.pattern.is_metadata();
    let mut figures: Vec<&Figure> = report.figures.iter().filter(beside).collect();
    // Of targets that were loaded at once, the sum stands for all; the parts are in the JSON document.
    figures.retain(|figure| figure.at_once <= 1 || figure.target.ends_with(".*"));
    figures.sort_by_key(|figure| (figure.layer, figure.pattern));
    figures
}
