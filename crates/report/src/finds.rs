//! What comparisons of all kinds have in common: which figure, what was found, in which order.

use crate::block::{Block, Emphasis};
use crate::{numbers, words};
use model::{FigureKey, Finds};

/// What comes first.
const ORDER: [Finds; 4] = [Finds::Worse, Finds::Better, Finds::Undecided, Finds::Same];

/// For sorting: what was found, then the largest change.
pub(crate) fn before(a: (Finds, f64), b: (Finds, f64)) -> std::cmp::Ordering {
    let place = |finds: Finds| ORDER.iter().position(|one| *one == finds);
    place(a.0).cmp(&place(b.0)).then(b.1.abs().total_cmp(&a.1.abs()))
}

/// `2 worse, 1 better, 30 same`.
pub(crate) fn counts(found: impl Iterator<Item = Finds> + Clone) -> String {
    let count = |finds| found.clone().filter(|one| *one == finds).count();
    let said = ORDER.into_iter().map(|finds| (count(finds), finds.name())).filter(|(count, _)| *count > 0);
    said.map(|(count, name)| format!("{} {name}", numbers::count(count as u64))).collect::<Vec<_>>().join(", ")
}

/// Figures that a table leaves out, which are the last in its order: the same before all others. `None`: there are none.
pub(crate) fn more(left_out: impl ExactSizeIterator<Item = Finds> + Clone) -> Option<Block> {
    let count = left_out.len();
    (count > 0).then(|| Block::note(format!("and {} more: {} ({ALL})", numbers::count(count as u64), counts(left_out))))
}

/// Where all is that text leaves out.
const ALL: &str = "--format json has all";
/// More names than this are not told in a sentence.
const NAMES_MOST: usize = 12;

/// Names in a sentence: the first ones, and how many more there are.
pub(crate) fn names(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMES_MOST);
    let shown = names.iter().take(NAMES_MOST).cloned();
    let more = (more > 0).then(|| format!("and {} more ({ALL})", numbers::count(more as u64)));
    shown.chain(more).collect::<Vec<_>>().join("; ")
}

/// The first columns of a table: what was found, target, pattern.
pub(crate) fn cells(finds: Finds, figure: &FigureKey) -> [String; 3] {
    let at_once = if figure.at_once > 1 { format!(" ({} at once)", figure.at_once) } else { String::new() };
    let place = words::place(figure.layer, &figure.target) + &at_once;
    let apart = words::apart(figure.chart, figure.layer, &figure.workload);
    let pattern = apart.map_or(String::new(), |workload| format!(" ({workload})"));
    // Of a mix of files by their names each class is judged by itself.
    let class = if figure.workload.of_files() && figure.workload.mix.is_mixed() {
        format!(", {}", figure.kind.name())
    } else {
        String::new()
    };
    [finds.name().to_string(), place, format!("{}{class}{pattern}", figure.pattern.name())]
}

/// What got worse stands out.
pub(crate) fn emphasis(finds: Finds) -> Emphasis {
    if finds == Finds::Worse { Emphasis::Bad } else { Emphasis::Plain }
}
