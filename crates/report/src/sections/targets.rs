//! Targets of one layer side by side, with host, device and class, and the outliers marked.

use crate::block::{Block, Cell, Column, Emphasis, Row, Table};
use crate::words;
use model::{Figure, Layer, Outlier, Pattern, Report, Scope};

/// More rows than this hide the rest of the summary; all are in the report and in the JSON document.
const ROWS_MOST: usize = 32;

pub(super) fn blocks(report: &Report, scope: &Scope) -> Vec<Block> {
    let all = targets(report, scope);
    // Gateways have a section of their own.
    let own = all.iter().filter(|targets| report.gateways.is_empty() || !targets.layer.of_buckets());
    own.flat_map(|targets| one(report, targets, targets.title())).collect()
}

/// The gateways of a run, each loaded alone.
pub(super) fn of_gateways(report: &Report, scope: &Scope, title: &str) -> Vec<Block> {
    let all = targets(report, scope);
    let own = all.iter().filter(|targets| targets.layer.of_buckets());
    own.flat_map(|targets| one(report, targets, title.to_string())).collect()
}

fn one(report: &Report, targets: &Targets<'_>, title: String) -> Vec<Block> {
    let labels = labels(&targets.rows);
    let columns =
        targets.patterns.iter().map(|pattern| Column::of(pattern.name(), pattern.metric(targets.layer).unit()));
    let columns = labels.iter().map(|(name, _)| Column::left(*name)).chain(columns);
    let row = |row: &TargetRow<'_>| {
        let figures = row.figures.iter().map(|figure| figure.map_or(Cell::default(), |figure| cell(report, figure)));
        Row::new(labels.iter().map(|(_, field)| Cell::from(field(row))).chain(figures))
    };
    let table = Table { rows_most: Some(ROWS_MOST), ..Table::new(columns, targets.rows.iter().map(row)) };
    vec![Block::title(title), table.into(), Block::note(targets.note())]
}

type Field = fn(&TargetRow<'_>) -> String;

/// Name, and of host, device and class those that are known and not the same for all.
fn labels(rows: &[TargetRow<'_>]) -> Vec<(&'static str, Field)> {
    let fields: [(&str, Field); 4] = [
        ("target", |row| row.name.to_string()),
        ("host", |row| row.host.to_string()),
        ("device", |row| row.device.trim_start_matches("/dev/").to_string()),
        ("class", |row| row.class.to_string()),
    ];
    let says = |(name, field): &(&str, Field)| match *name {
        "target" => true,
        // The title says it.
        "class" => rows.iter().any(|row| row.class != rows[0].class),
        _ => rows.iter().any(|row| !field(row).is_empty()),
    };
    fields.into_iter().filter(says).collect()
}

fn cell(report: &Report, figure: &Figure) -> Cell {
    let Some(estimate) = &figure.estimate else {
        return Cell::nothing().labelled(figure.label.name()).with(Emphasis::Warn);
    };
    let emphasis = match (words::holds(&figure.label), outlier(report, figure)) {
        (false, _) => Emphasis::Struck,
        (true, Some(_)) => Emphasis::Outlier,
        (true, None) => Emphasis::Plain,
    };
    Cell::value(estimate, figure.metric).labelled(figure.label.name()).with(emphasis)
}

fn outlier<'a>(report: &'a Report, figure: &Figure) -> Option<&'a Outlier> {
    let same = |o: &&Outlier| o.layer == figure.layer && o.pattern == figure.pattern && o.target == figure.target;
    report.standing_outliers().find(same)
}

/// The targets of a layer side by side.
struct Targets<'a> {
    layer: Layer,
    patterns: Vec<Pattern>,
    rows: Vec<TargetRow<'a>>,
}

struct TargetRow<'a> {
    name: &'a str,
    host: &'a str,
    device: &'a str,
    class: &'a str,
    /// One per pattern of the table.
    figures: Vec<Option<&'a Figure>>,
}

impl Targets<'_> {
    /// What is the same for all rows.
    fn title(&self) -> String {
        let mut classes: Vec<&str> = self.rows.iter().map(|row| row.class).collect();
        classes.dedup();
        match classes.as_slice() {
            [class] if !class.is_empty() => format!("Each target of {}, all of class {class}", self.layer.name()),
            _ => format!("Each target of {}", self.layer.name()),
        }
    }

    /// Which patterns were measured with other targets loaded at the same time.
    fn note(&self) -> String {
        let joint = |i: &usize| self.rows.iter().any(|row| row.figures[*i].is_some_and(|figure| figure.at_once > 1));
        let joint: Vec<usize> = (0..self.patterns.len()).filter(joint).collect();
        match joint.len() {
            0 => "each measured while the others were quiet".to_string(),
            n if n == self.patterns.len() => "all measured at once".to_string(),
            _ => {
                let names: Vec<&str> = joint.iter().map(|i| self.patterns[*i].name()).collect();
                format!("{}: all at once; else each while the others were quiet", names.join(", "))
            }
        }
    }
}

/// One table for every layer of which several targets were measured.
fn targets<'a>(report: &'a Report, scope: &'a Scope) -> Vec<Targets<'a>> {
    let tables = Layer::ALL.into_iter().map(|layer| {
        let mut own: Vec<&Figure> = report.figures.iter().filter(|f| f.layer == layer && f.chart).collect();
        // Measured alone goes before measured beside others, as in the chart.
        own.sort_by_key(|figure| figure.at_once);
        let patterns = Pattern::ALL.into_iter().filter(|pattern| own.iter().any(|figure| figure.pattern == *pattern));
        let patterns: Vec<Pattern> = patterns.collect();
        let mut names: Vec<&str> = own.iter().map(|figure| figure.target.as_str()).collect();
        names.sort_by_key(|name| natural(name));
        names.dedup();
        let rows = names.into_iter().map(|name| target_row(name, &own, &patterns, scope)).collect();
        Targets { layer, patterns, rows }
    });
    tables.filter(|table| table.rows.len() > 1).collect()
}

fn target_row<'a>(name: &'a str, own: &[&'a Figure], patterns: &[Pattern], scope: &'a Scope) -> TargetRow<'a> {
    let osd = scope.osds.iter().find(|osd| name.strip_prefix("osd.").is_some_and(|id| id == osd.id.to_string()));
    let mine = || own.iter().filter(|figure| figure.target == name);
    let host = mine().find_map(|figure| figure.host.as_deref()).or(osd.map(|osd| osd.host.as_str()));
    TargetRow {
        name,
        host: host.unwrap_or(""),
        device: osd.and_then(|osd| osd.device.as_deref()).unwrap_or(""),
        class: osd.and_then(|osd| osd.class.as_deref()).unwrap_or(""),
        figures: patterns
            .iter()
            .map(|pattern| mine().find(|f| f.pattern == *pattern && f.kind.changes() == pattern.writes()).copied())
            .collect(),
    }
}

/// `osd.10` after `osd.9`.
fn natural(name: &str) -> (String, u64, String) {
    let head = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (head.to_string(), name[head.len()..].parse().unwrap_or(0), name.to_string())
}
