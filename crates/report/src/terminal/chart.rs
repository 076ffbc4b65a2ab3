//! The depth chart: layers × patterns, each value with its interval.

use super::grid::{Cell, Column, Grid};
use super::style::{Paint, Style};
use super::table::wrapped;
use crate::{numbers, scene, words};
use model::{ChartCell, Layer, Pattern, Report};

pub(crate) fn chart(report: &Report, style: &Style) -> String {
    let (layers, patterns) = scene::axes(report);
    if layers.is_empty() {
        return String::new();
    }
    let missing = scene::missing(report);
    let column = |pattern: &Pattern| {
        let cells = layers.iter().map(|layer| shown(report, *layer, *pattern, &missing)).collect();
        Column { heading: heading(*pattern, &layers), cells }
    };
    let names = layers.iter().map(|layer| layer.name().to_string()).collect();
    let grid = Grid { labels: vec![("layer".into(), names)], columns: patterns.iter().map(column).collect() };
    let mut text = style.paint("Depth chart", Paint::Bold) + "\n" + &grid.text(style);
    for (mark, meaning) in scene::marks(report) {
        text += &style.paint(&format!("{mark}  {meaning}"), Paint::Dim);
        text.push('\n');
    }
    for (number, cell) in missing {
        let reason = cell.why.as_deref().unwrap_or("no reason is recorded");
        let note = format!("[{number}] {} {} is {}: {reason}", cell.layer.name(), cell.pattern.name(), cell.label);
        text += &paragraph(&note, 4, Paint::Warn, style);
    }
    text
}

/// `write`, `latency`, `ms`: the pattern's name at its hyphen, and its unit.
pub(crate) fn heading(pattern: Pattern, layers: &[Layer]) -> Vec<String> {
    let unit = layers.first().map_or("", |layer| pattern.metric(*layer).unit());
    let (kind, family) = pattern.name().split_once('-').unwrap_or(("", pattern.name()));
    vec![format!("{kind}-"), family.to_string(), unit.to_string()]
}

fn shown(report: &Report, layer: Layer, pattern: Pattern, missing: &[(usize, &ChartCell)]) -> Cell {
    let Some(cell) = scene::cell(report, layer, pattern) else { return Cell::default() };
    let Some(estimate) = &cell.estimate else {
        let same = |(_, other): &&(usize, &ChartCell)| other.layer == layer && other.pattern == pattern;
        let number = missing.iter().find(same).map_or(String::new(), |(number, _)| format!("[{number}]"));
        return Cell { value: numbers::NOTHING.into(), within: number, paint: Some(Paint::Warn), ..Cell::default() };
    };
    let shown = numbers::figure(estimate, pattern.metric(layer));
    let mark = words::mark(&cell.label).map(String::from).unwrap_or_default();
    Cell { value: shown.value, within: shown.within, mark, paint: None }
}

/// A text of several lines, the later ones indented, all painted.
pub(crate) fn paragraph(text: &str, hang: usize, paint: Paint, style: &Style) -> String {
    let lines = wrapped(text, style.room(), hang);
    lines.lines().map(|line| style.paint(line, paint) + "\n").collect()
}
