//! The depth chart: for each layer and pattern the mean over its targets; of several gateways or file systems, for each of them.

use crate::across::mean_over;
use crate::entry::{Entry, spread};
use crate::pooled::FLOOR;
use model::{ChartCell, Estimate, Label, Layer, Pattern};
use std::collections::HashMap;

/// Cells in the order of layers, then of their doors, then of patterns; only those of which a figure exists. `settle`: the relative half-width
/// that was asked for.
pub fn chart(entries: &[Entry], settle: f64) -> Vec<ChartCell> {
    Layer::ALL.into_iter().flat_map(|layer| rows(entries, layer, settle)).collect()
}

fn rows(entries: &[Entry], layer: Layer, settle: f64) -> Vec<ChartCell> {
    let doors = doors(entries, layer);
    let all = doors.iter().flat_map(|door| Pattern::ALL.map(|pattern| (*door, pattern)));
    let cell = |(door, pattern): (Option<&str>, Pattern)| {
        let mut figures = figures_of(entries, layer, pattern);
        // Images are no disks; in a guest they are what there is.
        let own = |entry: &Entry| !layer.of_disks() || !is_image(entry);
        figures.retain(|entry| door.map_or_else(|| own(entry), |door| entry.door() == door));
        let cell = cell((layer, pattern), &figures, settle)?;
        let target = |entry: &&Entry| entry.figure.target.clone();
        let only = if doors.len() > 1 { figures.iter().map(target).collect() } else { Vec::new() };
        Some(ChartCell { door: door.map(str::to_string), only, ..cell })
    };
    all.filter_map(cell).collect()
}

/// Several gateways, or file systems, by their names, and devices that are images of a cluster beside those that are none; else that there is
/// none to choose.
fn doors<'e>(entries: &'e [Entry], layer: Layer) -> Vec<Option<&'e str>> {
    let mut doors: Vec<Option<&str>> = Vec::new();
    let own = entries.iter().filter(|entry| entry.figure.chart && entry.figure.layer == layer);
    for entry in own.filter(|entry| layer.has_doors() || is_image(entry)) {
        if !doors.contains(&Some(entry.door())) {
            doors.push(Some(entry.door()));
        }
    }
    match layer.of_disks() {
        true => std::iter::once(None).chain(doors).collect(),
        false if doors.len() > 1 => doors,
        false => vec![None],
    }
}

/// A device whose figures are of the cluster behind it, and of no disk.
pub fn is_image(entry: &Entry) -> bool {
    entry.only_target().is_some_and(|target| target.image.is_some())
}

/// The figures of a cell, one for each target: measured alone if there is such a one, else its share beside the others.
pub fn figures_of<'e, 'a>(entries: &'e [Entry<'a>], layer: Layer, pattern: Pattern) -> Vec<&'e Entry<'a>> {
    let mut chosen: Vec<&Entry> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for entry in entries.iter().filter(|entry| entry.figure.chart && entry.is(layer, pattern)) {
        match places.get(entry.figure.target.as_str()) {
            None => {
                places.insert(&entry.figure.target, chosen.len());
                chosen.push(entry);
            }
            Some(at) if better(entry, chosen[*at]) => chosen[*at] = entry,
            Some(_) => {}
        }
    }
    chosen
}

fn better(new: &Entry, old: &Entry) -> bool {
    let rank = |entry: &Entry| (entry.usable().is_some(), entry.figure.at_once == 1);
    rank(new) > rank(old)
}

fn cell((layer, pattern): (Layer, Pattern), figures: &[&Entry], settle: f64) -> Option<ChartCell> {
    let usable: Vec<(&Entry, Estimate)> = figures.iter().filter_map(|entry| Some((*entry, entry.usable()?))).collect();
    let estimate = mean_over(figures);
    // A mean may be as precise as was asked for where one of its targets is not.
    let precise = figures.len() > 1 && estimate.is_some_and(|estimate| estimate.relative() <= settle);
    let of_its_own = |entry: &Entry| precise && matches!(entry.figure.label, Label::Imprecise(_));
    let weight = |entry: &Entry| if of_its_own(entry) { 0 } else { severity(&entry.figure.label) };
    let labelled = figures.iter().copied().max_by_key(|entry| weight(entry))?;
    let label = if of_its_own(labelled) { &Label::Settled } else { &labelled.figure.label };
    let lower_is_better = pattern.metric(layer).lower_is_better();
    let badness = |estimate: &Estimate| if lower_is_better { estimate.value } else { -estimate.value };
    let worst = usable.iter().max_by(|a, b| badness(&a.1).total_cmp(&badness(&b.1)));
    Some(ChartCell {
        layer,
        door: None,
        only: Vec::new(),
        pattern,
        estimate,
        targets: usable.len() as u32,
        worst: worst.filter(|_| usable.len() > 1).map(|(entry, _)| entry.figure.target.clone()),
        label: label.name().to_string(),
        why: label.why().map(|why| reason(why, labelled, figures.len())),
    })
}

fn reason(why: &str, entry: &Entry, figures: usize) -> String {
    if figures == 1 { why.to_string() } else { format!("{}: {why}", entry.figure.target) }
}

/// Mean of independent values; its interval by their independent errors, never below the floor of a single figure.
pub fn mean_of(values: &[Estimate]) -> Option<Estimate> {
    if values.is_empty() {
        return None;
    }
    let n = values.len() as f64;
    let value = values.iter().map(|estimate| estimate.value).sum::<f64>() / n;
    let error = values.iter().map(|estimate| spread(estimate).powi(2)).sum::<f64>().sqrt() / n;
    let half_width = error.max(FLOOR * value);
    Some(Estimate { value, low: (value - half_width).max(0.0), high: value + half_width })
}

/// What a cell must show if its figures differ: the worst.
pub fn severity(label: &Label) -> u8 {
    match label {
        Label::Settled => 0,
        Label::Brief(_) => 1,
        Label::Imprecise(_) => 2,
        Label::FewEvents(_) => 3,
        Label::Wandering(_) => 4,
        Label::TwoLevels(_) => 5,
        Label::GeneratorLimited(_) => 6,
        Label::Burst(_) => 7,
        Label::Unsettled(_) => 8,
        Label::Unwritten(_) => 9,
        Label::Implausible(_) => 10,
        Label::Void(_) => 11,
    }
}
