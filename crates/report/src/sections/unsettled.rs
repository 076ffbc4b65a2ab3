//! Figures that are not settled, the gravest first, each with its reason: those that may not be used, and on demand all others.

use super::chart;
use crate::block::{self, Block, Emphasis, Item, Text};
use crate::{numbers, words};
use model::{Answer, Figure, Label, Report, Scope};

/// At most this many imprecise figures are named; the others are counted.
const NAMED: usize = 4;

type Groups<'a> = Vec<(&'static str, Vec<&'a Figure>)>;

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    // A sweep says it beside its points.
    let groups = if matches!(report.answer, Answer::Sweep(_)) { Groups::new() } else { unsettled(report) };
    let missing = chart::missing(report);
    let (mut unusable, mut others) = (Vec::new(), Vec::new());
    for (label, figures) in &groups {
        if *label == "imprecise" {
            others.push(imprecise(figures));
            continue;
        }
        for figure in figures {
            // What no cell of the chart says already is said at once.
            let at_once = !words::holds(&figure.label) && !missing.iter().any(|cell| cell.has(figure));
            if at_once { &mut unusable } else { &mut others }.push(reason(label, figure));
        }
    }
    let mut blocks = Vec::new();
    if !unusable.is_empty() {
        blocks.extend([Block::title("Not usable"), Block::List(unusable)]);
    }
    let mut fold = Vec::new();
    if !others.is_empty() {
        fold.extend([Block::title("Not settled"), Block::List(others)]);
    }
    if let Some(meanings) = block::list(meanings(&groups), Emphasis::Quiet) {
        fold.extend([Block::title("What that means"), meanings]);
    }
    if !fold.is_empty() {
        blocks.push(Block::fold("what is not settled and why", fold));
    }
    blocks
}

fn reason(label: &str, figure: &Figure) -> Item {
    let mut text = Text::from(format!("{label}: {}", what(figure)));
    if figure.estimate.is_some() {
        let emphasis = if words::holds(&figure.label) { Emphasis::Plain } else { Emphasis::Struck };
        text = text.and(", ", Emphasis::Plain).and(words::value(figure), emphasis);
    }
    let why = figure.label.why().map(|why| Text::new(why, Emphasis::Quiet));
    Item { more: why.into_iter().collect(), ..Item::from(text) }
}

/// They say why by their interval, which stands beside them; they are only named.
fn imprecise(figures: &[&Figure]) -> Item {
    let precision = |figure: &Figure| figure.estimate.map_or(f64::INFINITY, |estimate| numbers::precision(&estimate));
    if figures.len() <= NAMED {
        let named = |figure: &&Figure| match figure.estimate.as_ref().is_some_and(numbers::is_unknown) {
            true => format!("{} not known in this time", what(figure)),
            false => format!("{} {}", what(figure), numbers::relative(precision(figure))),
        };
        return Item::from(format!("imprecise: {}", figures.iter().map(named).collect::<Vec<_>>().join(", ")));
    }
    let all: Vec<f64> = figures.iter().map(|figure| precision(figure)).collect();
    let (least, most) = (all.iter().copied().fold(f64::INFINITY, f64::min), all.iter().copied().fold(0.0, f64::max));
    Item::from(format!(
        "imprecise: {}, from {} to {}; each is marked where it stands",
        numbers::counted(figures.len() as u64, "figure", "figures"),
        numbers::relative(least),
        numbers::relative(most),
    ))
}

/// `store osd.2 write-latency`; figures of several targets at once say so.
fn what(figure: &Figure) -> String {
    let at_once = if figure.at_once > 1 { format!(" ({} at once)", figure.at_once) } else { String::new() };
    let class = words::class(figure);
    format!("{} {}{class}{at_once}", words::place(figure.layer, &figure.target), figure.pattern.name())
}

/// Was it only tried on the way to the highest rate, or is it one side of two? Then what counts stands in their table.
fn searching(report: &Report, figure: &Figure) -> bool {
    let confirmed = |limit: &model::Limit| {
        (limit.layer, limit.pattern, &limit.target) == (figure.layer, figure.pattern, &figure.target)
            && limit.rate.is_some()
            && limit.rate == figure.workload.rate.map(|rate| rate.per_second * f64::from(figure.at_once))
    };
    report.answer.replaces_figures() && !report.answer.limits().iter().any(confirmed)
}

/// Figures that are not settled: by label, the gravest first; each with its reason.
pub(crate) fn unsettled(report: &Report) -> Groups<'_> {
    let mut groups: Vec<(u8, &'static str, Vec<&Figure>)> = Vec::new();
    // What brief figures say little of is said of all at once (`speaks`).
    let open =
        |figure: &&Figure| !matches!(figure.label, Label::Settled | Label::Brief(_)) && !searching(report, figure);
    for figure in report.figures.iter().filter(open).filter(|figure| !said_of_all(report, figure)) {
        let name = figure.label.name();
        match groups.iter_mut().find(|(_, known, _)| *known == name) {
            Some((.., figures)) => figures.push(figure),
            None => groups.push((gravity(&figure.label), name, vec![figure])),
        }
    }
    groups.sort_by_key(|(gravity, ..)| *gravity);
    groups.into_iter().map(|(_, name, figures)| (name, figures)).collect()
}

/// Is the very same said of all targets of its step together, whose figure comes last?
fn said_of_all(report: &Report, figure: &Figure) -> bool {
    let beside = |other: &&Figure| (other.step, other.kind) == (figure.step, figure.kind);
    let all = report.figures.iter().rfind(beside).filter(|all| all.at_once > 1 && !std::ptr::eq(*all, figure));
    all.is_some_and(|all| {
        all.label == figure.label && report.figures.iter().filter(beside).count() > all.at_once as usize
    })
}

/// What the labels of these groups mean and what to do, each once. An imprecise figure says it by its interval.
fn meanings(groups: &Groups<'_>) -> Vec<String> {
    let of = |(label, _): &(&'static str, Vec<&Figure>)| {
        let known = words::MEANINGS.iter().find(|one| one.label == *label && *label != "imprecise")?;
        Some(format!("{label}: {} {}", known.means, known.then))
    };
    groups.iter().filter_map(of).collect()
}

fn gravity(label: &Label) -> u8 {
    match label {
        Label::Implausible(_) => 0,
        Label::Unwritten(_) | Label::Void(_) => 1,
        Label::GeneratorLimited(_) => 2,
        Label::TwoLevels(_) => 3,
        Label::FewEvents(_) => 4,
        Label::Wandering(_) => 5,
        Label::Unsettled(_) => 6,
        Label::Burst(_) => 7,
        Label::Imprecise(_) => 8,
        Label::Brief(_) => 9,
        Label::Settled => 10,
    }
}
