//! On which side of its threshold a figure lies, and from when on that is known.

use crate::entry::Entry;
use crate::pooled::{Pooled, pool};
use crate::series::Ratio;
use model::{Estimate, Label, Outcome, Slice, Step, Threshold, Verdict};

/// One slice may tell only what is that far from the threshold, as a share of it; all else is seen twice, minutes apart, and what is
/// near is too near to tell. With that, of the made-up and the recorded series of `make coverage` hardly one verdict in a hundred is wrong
/// (docs/method.md, "Coverage").
const FAR: f64 = 0.18;
const NEAR: f64 = 0.10;
const SLICES_NEAR: usize = 3;
/// The first of the two looks at a single slice, as a share of its length.
const FIRST_LOOK: f64 = 1.0 / 1.15;

/// Is it known? `slices`: the good ones of a figure, in order of time; `pooled`: what they say together.
pub fn decided(step: &Step, slices: &[&Slice], pooled: &Pooled, threshold: &Threshold) -> bool {
    let outcome = |pooled: &Pooled| threshold.outcome(&Estimate::new(pooled.value, pooled.half_width));
    let (now, off) = (outcome(pooled), off(pooled.value, threshold));
    // More slices would not move it away from the threshold.
    if slices.len() >= SLICES_NEAR && off + pooled.half_width / threshold.value < NEAR {
        return true;
    }
    if now == Outcome::Open {
        return false;
    }
    match slices {
        [only] => {
            let far = off >= FAR;
            let before = pool(&[Ratio::of(step, &beginning(only))]);
            only.settled && far && before.is_some_and(|before| outcome(&before) == now)
        }
        several => off >= NEAR || several.len() >= SLICES_NEAR,
    }
}

fn off(value: f64, threshold: &Threshold) -> f64 {
    (value - threshold.value).abs() / threshold.value
}

fn beginning(slice: &Slice) -> Slice {
    let length = (slice.samples.len() as f64 * FIRST_LOOK) as usize;
    Slice { samples: slice.samples[..length].to_vec(), ..slice.clone() }
}

/// One for each figure that has a threshold, and for each threshold that has no figure.
pub fn verdicts(entries: &[Entry], thresholds: &[Threshold]) -> Vec<Verdict> {
    let judged = |threshold: &Threshold| {
        let own = |entry: &&Entry| applies(thresholds, threshold, entry);
        let found: Vec<Verdict> = entries.iter().filter(own).map(|entry| verdict(threshold, entry)).collect();
        if found.is_empty() { vec![missing(threshold)] } else { found }
    };
    thresholds.iter().flat_map(judged).collect()
}

/// A threshold of all targets is for those that have none of their own.
fn applies(all: &[Threshold], threshold: &Threshold, entry: &Entry) -> bool {
    let figure = &entry.figure;
    let two_ways =
        figure.other_way.is_some() && entry.step.chart && !(entry.step.of_clients() && entry.target.is_some());
    let chart = figure.chart || two_ways;
    // Of two ways to make writes durable it is the one that an earlier run had, else the worse.
    let this_way = match &threshold.workload {
        Some(before) if two_ways => before.durability == figure.workload.durability,
        _ => figure.chart == chart,
    };
    let cell = (figure.layer, figure.pattern);
    this_way && Threshold::find(all, cell, figure.kind, &figure.target, chart) == Some(threshold)
}

fn verdict(threshold: &Threshold, entry: &Entry) -> Verdict {
    let label = &entry.figure.label;
    let estimate = entry.usable();
    let near = estimate.is_some_and(|estimate| off(estimate.value, threshold) < NEAR);
    // They are in no figure: who fails at once would keep any threshold.
    let failed = entry.figure.errors;
    let outcome = match (estimate.map(|estimate| threshold.outcome(&estimate)), label) {
        (None, _) | (Some(Outcome::Fail), Label::GeneratorLimited(_)) => Outcome::Open,
        _ if near => Outcome::Open,
        (Some(Outcome::Pass), _) if failed > 0 => Outcome::Open,
        (Some(outcome), _) => outcome,
    };
    let failed = (failed > 0).then(|| crate::words::count(failed as usize, "operation", "operations") + " failed");
    let too_near =
        near.then(|| format!("less than {} from the threshold is too near to tell", crate::words::percent(NEAR)));
    let why = label.why().filter(|_| estimate.is_none() || outcome == Outcome::Open).map(String::from);
    let why = why.or(too_near).or(failed.filter(|_| outcome == Outcome::Open));
    Verdict { threshold: threshold.clone(), target: entry.figure.target.clone(), estimate, outcome, why }
}

fn missing(threshold: &Threshold) -> Verdict {
    Verdict {
        threshold: threshold.clone(),
        target: threshold.target.clone().unwrap_or_else(|| "*".to_string()),
        estimate: None,
        outcome: Outcome::Open,
        why: Some("not measured".to_string()),
    }
}
