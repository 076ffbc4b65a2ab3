//! What stands under the tables: further figures, outliers, findings, what is not settled, warnings, errors, what was left behind.

use super::Length;
use super::chart::paragraph;
use super::style::{Paint, Style};
use super::table::{Align, Table};
use crate::{ab, clients, finds, limits, numbers, response, scene, sustained, verdicts, verified, words};
use model::{ChartCell, Figure, Outcome, Outlier, Report, Standing};

/// So many imprecise figures are named, more are counted.
const NAMED: usize = 4;
/// So many warnings are shown without details.
const WARNINGS: usize = 3;

pub(super) fn title(text: &str, style: &Style) -> String {
    style.paint(text, Paint::Bold) + "\n"
}

pub(crate) fn verdicts(report: &Report, style: &Style) -> String {
    let rows = verdicts::rows(report);
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&verdicts::HEADING.map(|title| (title, Align::Left)));
    for (outcome, cells) in rows {
        let paint = match outcome {
            Outcome::Fail => Paint::Bad,
            Outcome::Open => Paint::Warn,
            Outcome::Pass => Paint::Plain,
        };
        table.row(cells.to_vec(), paint);
    }
    title(&format!("Verdicts: {}", verdicts::summary(report)), style) + &table.text(0, style)
}

pub(crate) fn ab(report: &Report, style: &Style) -> String {
    let Some(found) = &report.ab else { return String::new() };
    let table = super::plain_table(&ab::heading(), ab::rows(found), finds::is_worse, style);
    title(&ab::title(found), style) + &table + &paragraph(&ab::note(found), 0, Paint::Dim, style)
}

pub(crate) fn limits(report: &Report, style: &Style) -> String {
    let Some(heading) = limits::title(report) else { return String::new() };
    let left = |names: &[&'static str]| names.iter().map(|name| (*name, Align::Left)).collect::<Vec<_>>();
    let mut table = Table::new(&left(&limits::HEADING));
    limits::rows(report).into_iter().for_each(|cells| table.row(cells, Paint::Plain));
    let mut text = title(&heading, style) + &table.text(0, style);
    for limit in &report.limits {
        let heading = limits::heading(limit);
        let mut table = Table::new(&heading.iter().map(|name| (name.as_str(), Align::Left)).collect::<Vec<_>>());
        limits::probes(limit).into_iter().for_each(|cells| table.row(cells, Paint::Plain));
        let what = format!("{}, {}", words::place(limit.layer, &limit.target), limit.pattern.name());
        text += &("\n".to_string() + &title(&format!("What was tried: {what}"), style) + &table.text(0, style));
        text += &limits::note(limit).map_or(String::new(), |note| paragraph(&note, 0, Paint::Dim, style));
    }
    text
}

pub(crate) fn clients(report: &Report, style: &Style) -> String {
    if report.doubled.is_empty() {
        return String::new();
    }
    let table = super::plain_table(&clients::HEADING, clients::rows(report), |_| false, style);
    let says = clients::says(report).into_iter().map(|line| paragraph(&line, 0, Paint::Plain, style));
    title(clients::TITLE, style) + &table + &says.collect::<String>()
}

pub(crate) fn responses(report: &Report, style: &Style) -> String {
    let rows = response::rows(report);
    if rows.is_empty() {
        return String::new();
    }
    let aligns = (0..).map(|column| if column == 2 { Align::Right } else { Align::Left });
    let mut table = Table::new(&response::heading().into_iter().zip(aligns).collect::<Vec<_>>());
    rows.into_iter().for_each(|cells| table.row(cells, Paint::Plain));
    title(response::TITLE, style) + &table.text(0, style)
}

pub(crate) fn verified(report: &Report, style: &Style) -> String {
    let Some(summary) = verified::summary(report) else { return String::new() };
    let align = |name: &str| if verified::NUMBERS.contains(&name) { Align::Right } else { Align::Left };
    let mut table = Table::new(&verified::HEADING.map(|name| (name, align(name))));
    for (flawed, cells) in verified::rows(report) {
        table.row(cells.to_vec(), if flawed { Paint::Bad } else { Paint::Plain });
    }
    let notes = verified::notes(report).into_iter().map(|note| paragraph(&note, 0, Paint::Dim, style));
    let flaws = verified::flaws(report).into_iter().map(|flaw| paragraph(&format!("- {flaw}"), 2, Paint::Bad, style));
    let head = title("Verified", style) + &paragraph(&format!("{summary}."), 0, Paint::Plain, style);
    head + &table.text(0, style) + &notes.chain(flaws).collect::<String>()
}

pub(crate) fn sustained(report: &Report, style: &Style) -> String {
    let mut text = String::new();
    for found in &report.sustained {
        let paint = if found.error.is_some() { Paint::Bad } else { Paint::Plain };
        text += &paragraph(&sustained::sentence(found), 2, paint, style);
        let lines = sustained::picture(found, style.room() - 20);
        lines.iter().for_each(|line| text += &format!("  {}\n", style.paint(line, Paint::Plain)));
    }
    if text.is_empty() { text } else { title(sustained::TITLE, style) + &text }
}

pub(crate) fn beside(report: &Report, style: &Style) -> String {
    let figures = scene::beside(report);
    if figures.is_empty() {
        return String::new();
    }
    let heading =
        [("target", Align::Left), ("pattern", Align::Left), ("figure", Align::Left), ("workload", Align::Left)];
    let mut table = Table::new(&heading);
    for figure in figures {
        let mark = words::mark(figure.label.name()).map_or(String::new(), |mark| format!(" {mark}"));
        let value = if words::holds(&figure.label) { words::value(figure) } else { numbers::NOTHING.to_string() };
        let cells = vec![place(figure), figure.pattern.name().into(), value + &mark, words::beside_pattern(figure)];
        table.row(cells, Paint::Plain);
    }
    title("Beside the chart", style) + &table.text(0, style)
}

pub(crate) fn outliers(report: &Report, style: &Style) -> String {
    if report.outliers.is_empty() {
        return String::new();
    }
    let line = |outlier: &Outlier| {
        let text = format!("- {} {}: {}", outlier.layer.name(), outlier.pattern.name(), outlier.says);
        let paint = if outlier.standing == Standing::Confirmed { Paint::Bad } else { Paint::Plain };
        paragraph(&text, 2, paint, style)
    };
    title("Outliers", style) + &report.outliers.iter().map(line).collect::<String>()
}

pub(crate) fn findings(report: &Report, style: &Style) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let standing = match finding.standing {
            Standing::Confirmed => "confirmed",
            Standing::Hint => "hint",
        };
        text += &paragraph(
            &format!("- {} ({standing}, {}): {}", finding.id, finding.subject, finding.says),
            2,
            Paint::Plain,
            style,
        );
        for (name, what) in
            [("evidence", finding.evidence.join("; ")), ("fix", finding.fix.clone()), ("risk", finding.risk.clone())]
        {
            if !what.is_empty() {
                text += &paragraph(&format!("  {name}: {what}"), 4, Paint::Dim, style);
            }
        }
    }
    if text.is_empty() { text } else { title("Findings", style) + &text }
}

/// Imprecise figures say why by their interval, which stands beside them; they are only named. All others give the reason.
pub(crate) fn unsettled(report: &Report, style: &Style) -> String {
    let groups = if report.sweep.is_some() { Vec::new() } else { scene::unsettled(report) };
    if groups.is_empty() {
        return String::new();
    }
    let mut text = title("Not settled", style);
    let meanings = scene::meanings(&groups);
    for (label, figures) in groups {
        if label == "imprecise" {
            text += &paragraph(&imprecise(&figures), 2, Paint::Plain, style);
            continue;
        }
        text += &figures.into_iter().map(|figure| reason(label, figure, style)).collect::<String>();
    }
    if !meanings.is_empty() {
        text += &title("What that means", style);
    }
    text + &meanings.iter().map(|one| paragraph(&format!("- {one}"), 2, Paint::Dim, style)).collect::<String>()
}

/// Void, implausible or never written, where no cell of the chart says it.
pub(crate) fn unusable(report: &Report, style: &Style) -> String {
    let in_chart = |figure: &Figure| scene::missing(report).iter().any(|(_, cell)| is_in(figure, cell));
    let groups = if report.sweep.is_some() { Vec::new() } else { scene::unsettled(report) };
    let figures =
        groups.into_iter().flat_map(|(label, figures)| figures.into_iter().map(move |figure| (label, figure)));
    let lines: String = figures
        .filter(|(_, figure)| !words::holds(&figure.label) && !in_chart(figure))
        .map(|(label, figure)| reason(label, figure, style))
        .collect();
    if lines.is_empty() { lines } else { title("Not usable", style) + &lines }
}

fn is_in(figure: &Figure, cell: &ChartCell) -> bool {
    figure.chart && (figure.layer, figure.pattern) == (cell.layer, cell.pattern)
}

fn reason(label: &str, figure: &Figure, style: &Style) -> String {
    let why = paragraph(&format!("  {}", figure.label.why().unwrap_or("")), 2, Paint::Dim, style);
    format!("- {label}: {}\n{why}", struck(figure, style))
}

/// What is to be known about how figures were measured, a paragraph each.
pub(crate) fn measured(report: &Report, style: &Style) -> String {
    let notes = [
        scene::speaks(report),
        scene::spread(report),
        scene::both_ways(report),
        scene::sums(report),
        scene::read_from(report),
        scene::without_compaction(report),
        scene::overhead(report),
    ];
    let texts = notes.into_iter().flatten().map(|text| paragraph(&text, 0, Paint::Plain, style));
    texts.collect::<Vec<_>>().join("\n")
}

fn imprecise(figures: &[&Figure]) -> String {
    let precision = |figure: &Figure| figure.estimate.map_or(f64::INFINITY, |estimate| numbers::precision(&estimate));
    if figures.len() <= NAMED {
        let named = |figure: &&Figure| match figure.estimate.as_ref().is_some_and(numbers::is_unknown) {
            true => format!("{} not known in this time", what(figure)),
            false => format!("{} {}", what(figure), numbers::relative(precision(figure))),
        };
        return format!("- imprecise: {}", figures.iter().map(named).collect::<Vec<_>>().join(", "));
    }
    let all: Vec<f64> = figures.iter().map(|figure| precision(figure)).collect();
    let (least, most) = (all.iter().copied().fold(f64::INFINITY, f64::min), all.iter().copied().fold(0.0, f64::max));
    format!(
        "- imprecise: {}, from {} to {}; they carry the mark i",
        numbers::counted(figures.len() as u64, "figure", "figures"),
        numbers::relative(least),
        numbers::relative(most),
    )
}

/// A value that must not be used is struck out where the terminal can, and in brackets where it cannot.
fn struck(figure: &Figure, style: &Style) -> String {
    let place = style.paint(&what(figure), Paint::Plain);
    match (&figure.estimate, words::holds(&figure.label)) {
        (None, _) => place,
        (Some(_), true) => format!("{place}, {}", words::value(figure)),
        (Some(_), false) if style.colours => format!("{place}, {}", style.paint(&words::value(figure), Paint::Struck)),
        (Some(_), false) => format!("{place}, [{}]", words::value(figure)),
    }
}

/// `store osd.2 write-latency`; figures of several targets at once say so.
fn what(figure: &Figure) -> String {
    let at_once = if figure.at_once > 1 { format!(" ({} at once)", figure.at_once) } else { String::new() };
    format!("{} {}{at_once}", place(figure), figure.pattern.name())
}

fn place(figure: &Figure) -> String {
    words::place(figure.layer, &figure.target)
}

/// The first of them, and the others.
pub(crate) fn warnings(report: &Report, length: Length, style: &Style) -> (String, String) {
    let first = if length == Length::Short { report.warnings.len().min(WARNINGS) } else { report.warnings.len() };
    let (first, more) = report.warnings.split_at(first);
    (listed("Warnings", first, Paint::Warn, style), listed("More warnings", more, Paint::Warn, style))
}

pub(crate) fn errors(report: &Report, style: &Style) -> String {
    listed("Errors", &report.errors, Paint::Bad, style)
}

fn listed(heading: &str, texts: &[String], paint: Paint, style: &Style) -> String {
    if texts.is_empty() {
        return String::new();
    }
    let lines = texts.iter().map(|text| paragraph(&format!("- {text}"), 2, paint, style));
    title(heading, style) + &lines.collect::<String>()
}

pub(crate) fn left_behind(report: &Report, style: &Style) -> String {
    match scene::left_behind(report).as_slice() {
        [] => String::new(),
        left => {
            paragraph(&format!("Still there: {}; `fathom restore` undoes it.", left.join(", ")), 2, Paint::Bad, style)
        }
    }
}
