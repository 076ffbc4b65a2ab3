//! The same figure on both sides: same layer, target, pattern and workload.

use super::events::looks;
use super::spread::Spread;
use crate::entry::{Entry, entries};
use crate::figure::void_reason;
use crate::gate::strike_out;
use crate::pauses;
use crate::pooled::{pool, weighted};
use crate::series::Ratio;
use model::workload::IMAGE_CACHE;
use model::{Estimate, Figure, Metric, Record, Slice, Workload};
use std::collections::HashMap;

/// One figure of one run, with what its slices tell of it.
pub struct Measured {
    pub figure: Figure,
    pub estimate: Estimate,
    /// Logarithms of their values.
    pub slices: Vec<f64>,
    pub spread: Spread,
    /// Slices do not tell its value: its target stood still during some of them, which have no logarithm; it is the sum of what others
    /// report of themselves; or it allows for what was in flight.
    pub by_value: bool,
    /// How many of them lie apart in time.
    pub looks: u32,
}

/// All figures of a run that may be used.
pub fn measured(record: &Record) -> Vec<Measured> {
    let mut entries = entries(record);
    strike_out(&mut entries, record);
    entries.iter_mut().for_each(|entry| define_round_trip(&mut entry.figure, record));
    entries.iter().filter_map(of_entry).collect()
}

/// Figures of a run that came to nothing: void, implausible, or of reads of nothing.
pub fn unusable(record: &Record) -> Vec<Figure> {
    let mut entries = entries(record);
    strike_out(&mut entries, record);
    entries.iter_mut().for_each(|entry| define_round_trip(&mut entry.figure, record));
    entries.into_iter().filter(|entry| entry.usable().is_none()).map(|entry| entry.figure).collect()
}

/// In the options of a figure's workload: its round trips carried the block both ways, as those of earlier releases did.
const BOTH_WAYS: &str = "block_both_ways";

/// The same network has another round trip by another definition, which is no change of it.
fn define_round_trip(figure: &mut Figure, record: &Record) {
    let one_way = !figure.workload.mix.is_mixed();
    if !record.head.short_answers && figure.layer.of_links() && figure.metric == Metric::Rtt && one_way {
        figure.workload.options.insert(BOTH_WAYS.to_string(), String::new());
    }
}

/// Why a figure is not compared with one of the same name; `None`: nothing is known.
pub fn other_definition(figure: &Figure) -> Option<&'static str> {
    let both_ways = figure.workload.options.contains_key(BOTH_WAYS);
    both_ways
        .then_some("its round trip carries the block both ways; since then the answer is short: they are not compared")
}

fn of_entry(entry: &Entry) -> Option<Measured> {
    let estimate = entry.usable()?;
    let good: Vec<&Slice> = entry.slices.iter().copied().filter(|slice| void_reason(slice).is_none()).collect();
    let logs = good.iter().map(|slice| Ratio::of(entry.step, slice).value().ln()).filter(|log| log.is_finite());
    let began: Vec<f64> = good.iter().map(|slice| slice.started_seconds).collect();
    let (figure, slices, looks) = (entry.figure.clone(), logs.collect::<Vec<f64>>(), looks(&began));
    let (spread, value) = spread(entry, &slices);
    let other = (value / estimate.value - 1.0).abs() > SAME_VALUE;
    let by_value = entry.stood_still() || figure.overlap.is_some() || other;
    Some(Measured { figure, estimate, slices, spread, by_value, looks })
}

/// A figure's value that is farther than this from what its slices make is not made of them alone.
const SAME_VALUE: f64 = 1e-3;

/// What the slices tell, weighed as in the figure's value, and what value they make.
fn spread(entry: &Entry, logs: &[f64]) -> (Spread, f64) {
    let short = entry.figure.unseen.is_some_and(|unseen| unseen.in_interval);
    let mut ordered = entry.slices.clone();
    ordered.sort_by(|a, b| a.pass.cmp(&b.pass).then(a.started_seconds.total_cmp(&b.started_seconds)));
    let (_, good) = pauses::sorted_out(entry.step, &ordered, short);
    let ratios: Vec<Ratio> = good.iter().map(|slice| pauses::ratio(entry.step, slice)).collect();
    let pooled = if short { weighted(&ratios) } else { pool(&ratios) };
    // Totals of another tool have too few windows for that.
    let weights = pooled.map_or_else(|| vec![1.0; ratios.len()], |pooled| pooled.window_weights);
    Spread::of(&ratios, &weights, logs)
}

/// What keeps two figures of the same layer, pattern and kind from being of the same thing, in words.
fn apart(a: &Figure, b: &Figure) -> Vec<&'static str> {
    let places = [(a.target != b.target, "target"), (a.at_once != b.at_once, "targets loaded at once")];
    let places = places.into_iter().filter_map(|(differs, name)| differs.then_some(name));
    places.chain(found(&a.workload, &b.workload)).collect()
}

/// What two workloads do not have in common, in words. The seed says only in which order places are drawn. What one side leaves
/// open (an engine, when the layer chooses; a working set of 0 bytes, when another tool did not tell it) is no difference.
pub fn differs(one: &Workload, two: &Workload) -> Vec<&'static str> {
    found(one, two).collect()
}

/// One after the other: whoever asks only whether there is any looks at no more than the first.
fn found(one: &Workload, two: &Workload) -> impl Iterator<Item = &'static str> {
    DIFFERENCES.iter().filter(|(differs, _)| differs(one, two)).map(|(_, name)| *name)
}

type Differs = fn(&Workload, &Workload) -> bool;

const DIFFERENCES: &[(Differs, &str)] = &[
    (|one, two| one.block != two.block, "block size"),
    (|one, two| one.depth != two.depth, "depth"),
    (|one, two| one.rate != two.rate, "rate"),
    (|one, two| one.jobs != two.jobs, "jobs"),
    (|one, two| one.tree != two.tree, "tree of files"),
    (|one, two| one.buckets != two.buckets, "number of buckets"),
    (|one, two| one.part != two.part, "part size"),
    (|one, two| one.delete_at_once != two.delete_at_once, "number of objects deleted at once"),
    (|one, two| one.sizes != two.sizes, "sizes of objects and files"),
    (|one, two| one.clients != two.clients, "number of clients"),
    (|one, two| one.mix != two.mix && of_files(one, two), "mix of operations"),
    (|one, two| one.mix != two.mix && !of_files(one, two), "share of reads"),
    (|one, two| one.access != two.access, "access"),
    (|one, two| one.durability != two.durability, "sync"),
    (|one, two| one.verify != two.verify, "setting of --verify"),
    (|one, two| one.span != two.span && both_told(one, two), "working set"),
    (|one, two| one.spread.is_some() != two.spread.is_some() && both_told(one, two), "part of the device"),
    (|one, two| one.object != two.object, "object size"),
    (|one, two| one.engine != two.engine && one.engine.is_some() && two.engine.is_some(), "engine"),
    (|one, two| both_ways(one) != both_ways(two), "definition of a round trip"),
    (|one, two| cache(one) != cache(two), "cache"),
    (
        |one, two| !on(one).eq(on(two)) && cache(one) == cache(two) && both_ways(one) == both_ways(two),
        "option of the layer",
    ),
    (|one, two| one.settings != two.settings, "options of the cluster"),
];

fn of_files(one: &Workload, two: &Workload) -> bool {
    one.of_files() || two.of_files()
}

/// Do both say how large their working set is?
fn both_told(one: &Workload, two: &Workload) -> bool {
    one.span != 0 && two.span != 0
}

fn both_ways(load: &Workload) -> bool {
    load.options.contains_key(BOTH_WAYS)
}

/// Every option of a layer is off where it is not given.
fn on(load: &Workload) -> impl Iterator<Item = (&String, &String)> {
    load.options.iter().filter(|(_, value)| *value != "off")
}

fn cache(load: &Workload) -> Option<&String> {
    load.options.get(IMAGE_CACHE).filter(|value| *value != "off")
}

/// Are they figures of the same thing?
pub fn alike(a: &Figure, b: &Figure) -> bool {
    let cell = |figure: &Figure| (figure.layer, figure.pattern, figure.kind, figure.at_once);
    cell(a) == cell(b) && a.target == b.target && found(&a.workload, &b.workload).next().is_none()
}

/// For each figure of one run the nearest of the other, and what keeps them apart; at most so many.
pub fn nearest(old: &[Measured], new: &[Measured], most: usize) -> Vec<String> {
    let kind = |figure: &Figure| (figure.layer, figure.pattern, figure.kind);
    let mut by_kind: HashMap<_, Vec<&Figure>> = HashMap::new();
    new.iter().for_each(|one| by_kind.entry(kind(&one.figure)).or_default().push(&one.figure));
    let apart_of = |one: &Measured| {
        let others = by_kind.get(&kind(&one.figure))?.iter();
        let nearest = others.map(|other| apart(&one.figure, other)).min_by_key(Vec::len)?;
        let figure = &one.figure;
        let place = format!("{} {} {}", figure.layer.name(), figure.target, figure.pattern.name());
        Some(format!("{place}: another {}", nearest.join(", ")))
    };
    old.iter().filter_map(apart_of).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Pattern, Tree};

    #[test]
    fn a_cache_is_another_load_and_off_is_the_same_as_none() {
        let load = |options: &[(&str, &str)]| Workload {
            options: options.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
            ..Workload::canonical(Pattern::ReadLatency, 1 << 20, 1)
        };
        assert!(differs(&load(&[]), &load(&[("cache", "off")])).is_empty());
        assert_eq!(differs(&load(&[("cache", "off")]), &load(&[("cache", "writeback")])), ["cache"]);
        assert_eq!(differs(&load(&[]), &load(&[("page-cache", "on")])), ["option of the layer"]);
    }

    #[test]
    fn files_in_folders_of_another_shape_are_another_load() {
        let tree = Tree { levels: 1, folders: 16, files: 16, shared: false };
        let load = |tree| Workload { tree: Some(tree), ..Workload::canonical(Pattern::List, 1 << 20, 1) };
        assert!(differs(&load(tree), &load(tree)).is_empty());
        for other in [Tree { folders: 1, files: 256, ..tree }, Tree { shared: true, ..tree }] {
            assert_eq!(differs(&load(tree), &load(other)), ["tree of files"]);
        }
    }
}
