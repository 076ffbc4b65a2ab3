//! Files, and objects, by their names: how many of each operation a second, and how long each takes.

use crate::block::{Block, Cell, Column, Emphasis, Row, Table};
use crate::{numbers, words};
use model::{
    Durability, Estimate, Figure, Label, Layer, Metric, OpClass, Pattern, Report, Scope, Tree, Workload, units,
};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let all = figures(report);
    let of = |layer: Layer| all.iter().copied().filter(|figure| figure.layer == layer).collect::<Vec<_>>();
    Layer::ALL.into_iter().flat_map(|layer| of_layer(report, &of(layer))).collect()
}

/// Operations by themselves, and those of a mix, in tables of their own.
fn of_layer(report: &Report, figures: &[&Figure]) -> Vec<Block> {
    let (mixed, alone): (Vec<&Figure>, Vec<&Figure>) = figures.iter().partition(|figure| is_mixed(figure));
    [alone, mixed].iter().flat_map(|figures| table(report, figures)).collect()
}

/// Is it of operations that are done in a mix? Making and deleting go together, and each is shown by itself.
fn is_mixed(figure: &Figure) -> bool {
    figure.pattern == Pattern::Mixed
}

fn table(report: &Report, figures: &[&Figure]) -> Vec<Block> {
    let Some(first) = figures.first() else { return Vec::new() };
    let Words { things, place, .. } = words_of(first.layer);
    let several = figures.iter().any(|figure| figure.target != first.target);
    let rates = if is_mixed(first) { "per second, in the mix" } else { "per second" };
    let numbers = [Column::of(rates, "operations"), Column::of("each takes", "ms"), Column::of("p99", "ms")];
    let columns = several.then(|| Column::left(place)).into_iter().chain([Column::left("operation")]).chain(numbers);
    let row = |figure: &&Figure| {
        let target = several.then(|| Cell::from(figure.target.clone()));
        let rate =
            figure.per_second.map_or_else(Cell::nothing, |rate| marked(Cell::value(&rate, Metric::Iops), figure));
        let each = figure.estimate.map_or_else(Cell::nothing, |each| marked(Cell::value(&each, figure.metric), figure));
        let p99 = figure.percentiles.iter().find(|one| one.percent == 99.0);
        let p99 = Cell::from(p99.map_or(numbers::NOTHING.to_string(), numbers::percentile));
        Row::new(target.into_iter().chain([Cell::from(name(figure)), rate, each, p99]))
    };
    let mut rows: Vec<Row> = Vec::new();
    for step in figures.chunk_by(|a, b| !is_mixed(a) || a.target == b.target) {
        rows.extend(step.iter().map(row));
        if let [first, _, ..] = step
            && is_mixed(first)
        {
            // What one of its parts was held back by, all were.
            let worst = step.iter().find(|figure| !words::holds(&figure.label)).unwrap_or(first);
            let all = whole_mix(step).map_or_else(Cell::nothing, |all| marked(Cell::value(&all, Metric::Iops), worst));
            let target = several.then(|| Cell::from(first.target.clone()));
            let nothing = [Cell::nothing(), Cell::nothing()];
            rows.push(Row::new(target.into_iter().chain([Cell::from("all together"), all]).chain(nothing)));
        }
    }
    let table = Table::new(columns, rows);
    let of_names = figures.iter().filter(|figure| figure.layer.of_folders());
    let beside = beside_trees(&of_names.map(|figure| figure.kind).collect::<Vec<_>>());
    let how = if is_mixed(first) { "in a mix" } else { "by their names" };
    vec![
        Block::title(format!("{things} {how}: how many operations a second, and how long each takes")),
        table.into(),
        Block::note(note(report, first) + &beside),
    ]
}

fn marked(cell: Cell, figure: &Figure) -> Cell {
    let emphasis = if words::holds(&figure.label) { Emphasis::Plain } else { Emphasis::Struck };
    cell.labelled(figure.label.name()).with(emphasis)
}

/// What is loaded by its names, and where it is.
struct Words {
    things: &'static str,
    place: &'static str,
    /// Who has an operation in flight: one, several.
    who: [&'static str; 2],
}

fn words_of(layer: Layer) -> Words {
    match layer.of_buckets() {
        true => Words { things: "Objects", place: "gateway", who: ["request at a time", "requests at a time"] },
        false => Words { things: "Files", place: "folder", who: ["job", "jobs"] },
    }
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

/// All classes of a step together. What they have in common does not shrink with their number, so the ends of all intervals are taken
/// together.
fn whole_mix(step: &[&Figure]) -> Option<Estimate> {
    let sum =
        |of: fn(&Estimate) -> f64| step.iter().map(|figure| figure.per_second.as_ref().map(of)).sum::<Option<f64>>();
    Some(Estimate { value: sum(|one| one.value)?, low: sum(|one| one.low)?, high: sum(|one| one.high)? })
}

/// Operations in flight: of files each job has one.
fn at_once(figure: &Figure) -> u32 {
    let Workload { depth, jobs, .. } = &figure.workload;
    if figure.layer.of_folders() { *depth.clamp(&1, jobs.max(&1)) } else { *depth.max(&1) }
}

fn name(figure: &Figure) -> String {
    match figure.kind {
        OpClass::List if figure.layer.of_buckets() => {
            format!("LIST of {} names on average", numbers::count(names_listed(&figure.workload)))
        }
        OpClass::Delete if figure.workload.delete_at_once.is_some() => {
            format!("DELETE of {} at once", figure.workload.deleted_at_once())
        }
        _ => named(figure).to_string(),
    }
}

/// On the page after a random one of all objects, which has at most a thousand.
pub(super) fn names_listed(workload: &Workload) -> u64 {
    const PAGE: u64 = 1000;
    // Of one of several buckets.
    let all = workload.span / workload.object.unwrap_or(workload.block).max(1) / u64::from(workload.buckets.max(1));
    let few = all.min(PAGE);
    // Of the last ones, each page has one less than the one before it.
    let listed = (all - few) as f64 * PAGE as f64 + (few * few.saturating_sub(1)) as f64 / 2.0;
    (listed / all.max(1) as f64).round() as u64
}

fn named(figure: &Figure) -> &'static str {
    match figure.kind {
        OpClass::Create if figure.layer.of_buckets() => "PUT a new object",
        OpClass::Stat if figure.layer.of_buckets() => "HEAD",
        OpClass::Delete if figure.layer.of_buckets() => "DELETE",
        OpClass::Create => "create, write, close",
        OpClass::Read if figure.layer.of_buckets() => "GET",
        OpClass::Write if figure.layer.of_buckets() => "PUT over an object",
        OpClass::Append => "open, append, close",
        OpClass::Rewrite => "open, rewrite, close",
        OpClass::StatCached => "stat (may be cached)",
        OpClass::Open => "open (may be cached), read, close",
        OpClass::List => "list a folder (may be cached)",
        other => other.name(),
    }
}

fn note(report: &Report, figure: &Figure) -> String {
    let (of, jobs) = (&figure.workload, jobs(report, figure));
    let tree = of.tree.map_or(String::new(), |tree| format!("; {}{}", tree.what(), cut(of, tree)));
    let each = if figure.layer.of_folders() { ", one operation at a time each" } else { "" };
    let writes = [OpClass::Create, OpClass::Append, OpClass::Rewrite].into_iter().any(|class| of.mix.has(class));
    let synced = figure.layer.of_folders() && writes && of.durability != Durability::None;
    let synced = if synced { "; what is written is synced before it is closed" } else { "" };
    let rates = match is_mixed(figure) {
        true => format!("{}: {}", words::mix(of.mix), words::access(of.access)),
        false if figures(report).iter().any(|one| one.kind == OpClass::Delete) => {
            "create and delete go on side by side, all others alone".to_string()
        }
        false => "each kind of operation alone".to_string(),
    };
    let things = words_of(figure.layer).things.to_lowercase();
    let buckets = if of.buckets > 1 { format!(" in {} buckets", of.buckets) } else { String::new() };
    format!("{jobs}{each}; {things} of {}{buckets}{tree}{synced}; {rates}", words::sizes(of))
}

/// Of operations on files by their names: what these do says little of a population whose files are many.
fn beside_trees(classes: &[OpClass]) -> String {
    let few = [OpClass::Append, OpClass::Rename, OpClass::Delete].into_iter().filter(|class| classes.contains(class));
    let few = few.map(OpClass::name).collect::<Vec<_>>().join(", ");
    if few.is_empty() { few } else { format!("; of a few files that each job has made beside the tree: {few}") }
}

/// Writing all of them took too long.
fn cut(of: &Workload, tree: Tree) -> String {
    let (there, whole) = (of.lane_items().saturating_mul(of.jobs.max(1).into()), tree.files(of.jobs));
    if there < whole {
        format!(" (cut to the first {} of {})", units::count(there), units::count(whole))
    } else {
        String::new()
    }
}

/// `16 jobs`, `16 requests at a time`, `16 jobs on each of 3 hosts`
fn jobs(report: &Report, figure: &Figure) -> String {
    let [one, several] = words_of(figure.layer).who;
    let many = if figure.layer.of_folders() { figure.workload.jobs } else { at_once(figure) };
    let jobs = numbers::counted(many.into(), one, several);
    if is_whole(report, figure) { format!("{jobs} on each of {} hosts", figure.at_once) } else { jobs }
}

/// A line for the answer, of each folder: what its jobs do a second.
pub(crate) fn lines(report: &Report) -> Vec<String> {
    let figures = figures(report);
    let mut folders: Vec<&str> = figures.iter().map(|figure| figure.target.as_str()).collect();
    folders.dedup();
    let line = |folder: &&str| {
        let own = figures.iter().filter(|figure| figure.target == **folder && words::holds(&figure.label));
        let own = own.filter(|figure| !is_mixed(figure));
        let known = own.filter_map(|figure| Some((*figure, figure.per_second?))).collect::<Vec<_>>();
        let (first, _) = known.first()?;
        let one = |(figure, rate): &(&Figure, Estimate)| {
            let several = figure.workload.delete_at_once.filter(|_| figure.kind == OpClass::Delete);
            let several = several.map_or(String::new(), |number| format!(" ({number} at once)"));
            format!("{}{several} {}", figure.kind.name(), numbers::figure(rate, Metric::Iops).plain())
        };
        let jobs = jobs(report, first);
        let all: Vec<String> = known.iter().map(one).collect();
        let (things, at) = (words_of(first.layer).things, if first.layer.of_folders() { "in" } else { "at" });
        Some(format!("{things} {at} {folder}, by {jobs}, a second: {}.", all.join(", ")))
    };
    let mixed: Vec<&Figure> = figures.iter().copied().filter(|figure| is_mixed(figure)).collect();
    let whole = |step: &[&Figure]| {
        let (first, all) = (step.first()?, whole_mix(step)?);
        let holds = step.iter().all(|figure| words::holds(&figure.label));
        let plain = |label: &Label| matches!(label, Label::Settled | Label::Imprecise(_) | Label::Brief(_));
        let odd = step.iter().map(|figure| &figure.label).find(|label| !plain(label));
        let odd = odd.map_or(String::new(), |label| format!(" ({})", label.name()));
        let (things, at) = (words_of(first.layer).things, if first.layer.of_folders() { "in" } else { "at" });
        let rate = numbers::figure(&all, Metric::Iops).plain();
        let kinds = first.workload.mix.classes().count();
        let says = format!(
            "{things} {at} {}, by {} in a mix of {kinds} operations, a second: {rate}{odd}.",
            first.target,
            jobs(report, first)
        );
        holds.then_some(says)
    };
    let alone = folders.iter().filter_map(line);
    alone.chain(mixed.chunk_by(|a, b| a.target == b.target).filter_map(whole)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pages_have_fewer_names() {
        let of = |objects: u64| {
            let workload = Workload { object: Some(4096), ..Workload::canonical(Pattern::List, objects * 4096, 1) };
            names_listed(&workload)
        };
        assert_eq!((of(1), of(3), of(1001), of(4096)), (0, 1, 500, 878));
    }

    #[test]
    fn operations_on_a_few_files_beside_the_tree_are_named() {
        assert_eq!(beside_trees(&[OpClass::Open, OpClass::StatCached]), "");
        let told = beside_trees(&[OpClass::Delete, OpClass::Open, OpClass::Append]);
        assert_eq!(told, "; of a few files that each job has made beside the tree: append, delete");
    }

    #[test]
    fn of_a_tree_that_was_cut_the_files_that_are_there_are_told() {
        let tree = Tree { levels: 1, folders: 8, files: 128, shared: false };
        let load = |span| Workload { jobs: 16, block: 4096, ..Workload::canonical(Pattern::Stat, span, 1) };
        let whole = tree.bytes(16, 4096);
        assert_eq!(cut(&load(whole), tree), "");
        assert_eq!(cut(&load(whole / 8), tree), " (cut to the first 2,048 of 16,384)");
    }
}
