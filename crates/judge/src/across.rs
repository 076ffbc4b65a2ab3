//! The mean over targets: they share the cluster and the passes, so that their errors are not independent.
//!
//! What one pass has in common for all targets does not shrink with their number; so each pass gives one value, its mean over the
//! targets, and these are pooled as the slices of one figure are.

use crate::batch_means::half_width;
use crate::chart::mean_of;
use crate::entry::{Entry, spread};
use crate::pauses::sorted_out;
use crate::pooled::{PRIOR_SPREAD, WIDTHS_PER_ERROR, moderated_half_width};
use crate::series::{Ratio, sample_sd, speaks};
use model::{Estimate, Slice, StepId};
use std::collections::BTreeMap;

/// The mean over the usable ones of these figures, which are of different targets. `None`: none is usable.
pub fn mean_over(entries: &[&Entry]) -> Option<Estimate> {
    let usable: Vec<(&Entry, Estimate)> = entries.iter().filter_map(|entry| Some((*entry, entry.usable()?))).collect();
    let independent = mean_of(&usable.iter().map(|(_, estimate)| *estimate).collect::<Vec<_>>())?;
    match common(&usable) {
        // Never less than what independent errors would leave.
        Some(relative) if usable.len() > 1 => {
            let relative = relative.max(missed_by_all(&usable));
            let half_width = spread(&independent).max(relative * independent.value);
            let low = (independent.value - half_width).max(0.0);
            Some(Estimate { low, high: independent.value + half_width, ..independent })
        }
        _ => Some(independent),
    }
}

/// Relative half-width of the mean by its passes and by the inside of its slices; `None`: a figure has none.
fn common(usable: &[(&Entry, Estimate)]) -> Option<f64> {
    // Of figures whose passes are not the same ones, the shortest says how often the mean was measured.
    let passes = usable.iter().map(|(entry, _)| good(entry).count()).min()? as f64;
    let means = pass_means(usable);
    if passes < 1.0 || means.is_empty() {
        return None;
    }
    let between = sample_sd(&means).powi(2);
    let inside = inside(usable)?;
    let within = (inside / WIDTHS_PER_ERROR).powi(2) * passes;
    Some(moderated_half_width(PRIOR_SPREAD.powi(2) + within, between, passes).max(inside))
}

/// The share of the mean that slower events could take which no look met: targets that are loaded at once are looked at in the same moments,
/// so that more of them see no more. Zero: each had moments of its own.
fn missed_by_all(usable: &[(&Entry, Estimate)]) -> f64 {
    let at_once = |(entry, _): &(&Entry, Estimate)| entry.figure.at_once > 1 && entry.step.id == usable[0].0.step.id;
    if !usable.iter().all(at_once) {
        return 0.0;
    }
    let share = |(entry, _): &(&Entry, Estimate)| entry.figure.unseen.filter(|unseen| unseen.in_interval);
    let least = usable.iter().map(|one| share(one).map_or(0.0, |unseen| unseen.share)).min_by(f64::total_cmp);
    least.unwrap_or(0.0)
}

fn good<'e>(entry: &'e Entry) -> impl Iterator<Item = &'e Slice> {
    let short = entry.figure.unseen.is_some_and(|unseen| unseen.in_interval);
    sorted_out(entry.step, &entry.slices, short).1.into_iter()
}

/// For each pass the sum of what its targets did over the sum of their figures.
fn pass_means(usable: &[(&Entry, Estimate)]) -> Vec<f64> {
    let mut passes: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for (entry, estimate) in usable {
        for slice in good(entry) {
            let value = Ratio::of(entry.step, slice).value();
            if value.is_finite() {
                let (did, usual) = passes.entry(slice.pass).or_default();
                (*did, *usual) = (*did + value, *usual + estimate.value);
            }
        }
    }
    passes.into_values().filter(|(_, usual)| *usual > 0.0).map(|(did, usual)| did / usual).collect()
}

/// Targets that are loaded at the same time go up and down together: their windows are summed. Steps come one after the other.
fn inside(usable: &[(&Entry, Estimate)]) -> Option<f64> {
    let mut steps: BTreeMap<StepId, BTreeMap<(u32, u32), f64>> = BTreeMap::new();
    for (entry, _) in usable {
        let windows = steps.entry(entry.step.id).or_default();
        for slice in good(entry) {
            let ratio = Ratio::of(entry.step, slice);
            let scale = ratio.weight() / ratio.under.len().max(1) as f64;
            if scale <= 0.0 {
                continue;
            }
            let speaking = slice.counted().iter().filter(|sample| speaks(sample));
            for (sample, residual) in speaking.zip(ratio.residuals()) {
                *windows.entry((slice.pass, sample.window)).or_default() += residual / scale;
            }
        }
    }
    let all: f64 = usable.iter().map(|(_, estimate)| estimate.value).sum();
    let widths: Option<Vec<f64>> =
        steps.values().map(|windows| half_width(&windows.values().copied().collect::<Vec<f64>>())).collect();
    let error = widths?.iter().map(|width| width * width).sum::<f64>().sqrt();
    (all > 0.0).then(|| error / all)
}
