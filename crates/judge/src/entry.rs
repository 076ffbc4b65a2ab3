//! A figure beside what it was made of: its step, its target, its slices.

use crate::across::mean_over;
use crate::chart::severity;
use crate::checked::checked;
use crate::durable::worse_of_both;
use crate::figure::figure;
use crate::imported::restate;
use crate::pauses::{sorted_out, stood_still};
use crate::series::told;
use crate::unseen::Asked;
use crate::unwritten::name_empty;
use model::{Estimate, Figure, Label, Layer, OpClass, Pattern, Place, Record, Slice, Step, Target};
use std::collections::BTreeMap;

pub struct Entry<'a> {
    pub step: &'a Step,
    /// Index into the step's targets; `None`: all of several together.
    pub target: Option<u32>,
    pub slices: Vec<&'a Slice>,
    pub figure: Figure,
}

impl Entry<'_> {
    /// The value, unless it is void, implausible, or of reads of nothing.
    pub fn usable(&self) -> Option<Estimate> {
        match self.figure.label {
            Label::Void(_) | Label::Implausible(_) | Label::Unwritten(_) => None,
            _ => self.figure.estimate,
        }
    }

    /// Its layer and pattern, and operations of the kind that the pattern is about.
    pub fn is(&self, layer: Layer, pattern: Pattern) -> bool {
        self.figure.layer == layer && self.is_of(pattern)
    }

    /// Its pattern, and operations of the kind that the pattern is about.
    pub fn is_of(&self, pattern: Pattern) -> bool {
        self.figure.pattern == pattern && self.figure.kind == pattern.kind()
    }

    pub fn place(&self) -> Option<&Place> {
        self.only_target().map(|target| &target.place)
    }

    pub fn only_target(&self) -> Option<&Target> {
        let only = if self.step.targets.len() == 1 { Some(0) } else { None };
        self.step.targets.get(self.target.or(only)? as usize)
    }

    /// What it goes through: of several hosts that load one and the same thing, that thing by its name.
    pub fn door(&self) -> &str {
        let target = self.only_target().or(self.step.targets.first());
        let of_clients = target.and_then(|target| Some(target.client.as_ref()?.of.as_str()));
        of_clients.unwrap_or(&self.figure.target)
    }

    /// What it loads: of several hosts that load one and the same thing, that thing.
    pub fn loads(&self) -> Option<&Place> {
        let shared = || self.step.targets.first().filter(|_| self.step.of_clients()).map(|target| &target.place);
        self.place().or_else(shared)
    }

    /// Are slices in which nothing ended a part of its value?
    pub fn stood_still(&self) -> bool {
        let short = self.figure.unseen.is_some_and(|unseen| unseen.in_interval);
        sorted_out(self.step, &self.slices, short).1.iter().any(|slice| stood_still(self.step, slice))
    }

    /// Several targets as one.
    pub fn together(&self) -> bool {
        self.only_target().is_none()
    }

    /// Half-width in standard errors taken out again: the relative standard error of the value.
    pub fn relative_error(&self) -> f64 {
        let freedom = f64::from(self.figure.slices.max(1)) + 1.0;
        let width = self.figure.estimate.map_or(f64::INFINITY, |estimate| spread(&estimate) / estimate.value);
        width / crate::batch_means::t_quantile(freedom)
    }
}

/// Half-width of the wider side: a sum whose parts overlapped only in part reaches farther down than up.
pub fn wider(estimate: &Estimate) -> f64 {
    spread(estimate).max(estimate.value - estimate.low)
}

/// Half-width: from the upper end, since the lower one is cut at zero.
pub fn spread(estimate: &Estimate) -> f64 {
    estimate.high - estimate.value
}

/// Every figure of a record in the order of the plan: each target, then all together. A step that had no turn yet has none;
/// once the run is over it has a void one.
pub fn entries(record: &Record) -> Vec<Entry<'_>> {
    let asked = &Asked::with_what_others_met(&record.plan, record);
    let mut entries = record.plan.steps.iter().flat_map(|step| of_step(record, step, asked)).collect::<Vec<_>>();
    // What judges drives has all ways side by side.
    if record.plan.experiment.judged_drives().is_empty() {
        worse_of_both(&mut entries);
    }
    name_empty(&mut entries, record);
    entries
}

fn of_step<'a>(record: &'a Record, step: &'a Step, asked: &Asked) -> Vec<Entry<'a>> {
    let slices: Vec<&Slice> = record.slices.iter().filter(|slice| slice.step == step.id).collect();
    let passes = slices.iter().map(|slice| slice.pass).max().unwrap_or(0);
    let mut by_target: BTreeMap<(Option<u32>, OpClass), Vec<&Slice>> = BTreeMap::new();
    for slice in &slices {
        by_target.entry((slice.target, slice.kind)).or_default().push(slice);
    }
    let mut found = Vec::new();
    for target in (0..step.targets.len() as u32).map(Some).chain([None]) {
        for kind in OpClass::all() {
            let own = by_target.remove(&(target, kind)).unwrap_or_default();
            if own.is_empty() && !missing(record, step, target, kind) {
                continue;
            }
            let (mut figure, _) = figure(step, target, kind, &own, asked, passes);
            if own.is_empty() {
                figure.label = Label::Void("not measured: the run ended before its turn".to_string());
            }
            figure.checked = checked(record, step, target, kind);
            if target.is_none() && step.targets.len() > 1 && own.iter().any(|slice| told(slice)) {
                add_up(&mut figure, &found);
            }
            if let Some(imported) = &record.head.imported {
                restate(&mut figure, step, &own, imported);
            }
            found.push(Entry { step, target, slices: own, figure });
        }
    }
    found
}

/// Where the other side reports the times, windows of different targets say nothing about each other: all together is then
/// the sum of the targets' figures, or the mean of their latencies. Each is of the time in which its own command wrote. If they share
/// what limits them, each was the quicker for the others' breaks, and together they do no more than the part of the sum in which
/// they overlapped.
fn add_up(figure: &mut Figure, found: &[Entry]) {
    let parts: Vec<&Entry> = found.iter().filter(|entry| entry.figure.kind == figure.kind).collect();
    let Some(worst) = parts.iter().max_by_key(|entry| severity(&entry.figure.label)) else { return };
    if parts.iter().any(|entry| entry.usable().is_none()) {
        return;
    }
    let mean = mean_over(&parts);
    let times = if figure.metric.lower_is_better() { 1.0 } else { parts.len() as f64 };
    figure.overlap = overlap(&parts);
    let least = if figure.metric.lower_is_better() { 1.0 } else { figure.overlap.unwrap_or(1.0) };
    figure.estimate =
        mean.map(|mean| Estimate { value: mean.value * times, low: mean.low * times * least, high: mean.high * times });
    figure.label = worst.figure.label.clone();
}

/// The share of the counted time in which the other side wrote, by its own account: the mean over targets.
fn overlap(parts: &[&Entry]) -> Option<f64> {
    let slices = || parts.iter().flat_map(|part| &part.slices).filter(|slice| slice.void.is_none());
    let wrote: u64 = slices().flat_map(|slice| slice.counted()).map(|sample| sample.span_ns).sum();
    let time: u64 = slices().map(|slice| slice.window_ns * slice.counted().len() as u64).sum();
    (time > 0).then(|| (wrote as f64 / time as f64).min(1.0))
}

/// Was this to be measured and isn't, although the run is over?
fn missing(record: &Record, step: &Step, target: Option<u32>, kind: OpClass) -> bool {
    record.finished
        && target.is_some()
        && step.workload.mix.has(kind)
        && !record.slices.iter().any(|slice| {
            slice.step == step.id && slice.kind == kind && (slice.target == target || step.targets.len() == 1)
        })
}
