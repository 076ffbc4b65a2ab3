//! The plausibility gate: no figure may be better than the layers below it can supply, nor break Little's law.
//!
//! A figure is struck out only where the two intervals don't even touch. Reads above the disk are never struck out for being
//! faster than the disk: OSDs and hosts cache.

use crate::chart::severity;
use crate::entry::Entry;
use crate::expect::better_than_below;
use crate::series::told;
use crate::words::{number, percent};
use model::clock::SECOND;
use model::{Label, Layer, Metric, Record, Sample};

/// Little's law may be off by this share.
const LITTLE: f64 = 0.10;
/// Below this gap an operation, it is the generator's own time, not a wrong clock.
const OWN_TIME_NS: f64 = 2000.0;

/// Relabels what can't be, from the bottom up, so that nothing implausible judges what lies above it.
pub fn strike_out(entries: &mut [Entry], record: &Record) {
    for layer in Layer::ALL {
        let verdicts: Vec<Option<Label>> = entries
            .iter()
            .map(|entry| {
                let judged = entry.figure.layer == layer && entry.usable().is_some();
                if judged { verdict(entry, entries, record) } else { None }
            })
            .collect();
        for (entry, verdict) in entries.iter_mut().zip(verdicts) {
            if let Some(label) = verdict.filter(|label| severity(label) > severity(&entry.figure.label)) {
                entry.figure.label = label;
            }
        }
    }
}

fn verdict(entry: &Entry, entries: &[Entry], record: &Record) -> Option<Label> {
    better_than_below(entry, entries, record).map(Label::Implausible).or_else(|| little(entry))
}

/// Depth = rate × latency, for a closed loop on one target. Too many in flight: a time or a count is wrong. Too few: the
/// true figure of a smaller depth.
fn little(entry: &Entry) -> Option<Label> {
    let workload = &entry.step.workload;
    let pure = !workload.mix.is_mixed() && entry.figure.kind == entry.figure.pattern.kind();
    let bulk = entry.figure.layer.of_links() && entry.figure.metric == Metric::Bandwidth;
    if !pure || bulk || entry.together() || entry.figure.errors * 100 > entry.figure.operations {
        return None;
    }
    let samples = || entry.slices.iter().filter(|slice| slice.void.is_none()).flat_map(|slice| slice.counted());
    let told = entry.slices.iter().any(|slice| told(slice));
    let open = samples().any(|sample| sample.response.is_some());
    let sum = |of: fn(&Sample) -> u64| samples().map(of).sum::<u64>() as f64;
    let (timed, span) = (sum(|sample| sample.service.count), sum(|sample| sample.span_ns));
    if told || open || timed == 0.0 || timed < sum(|sample| sample.ops) || span == 0.0 {
        return None;
    }
    let depth = f64::from(workload.depth);
    let latency_ns = sum(|sample| sample.service.sum_ns) / timed;
    let cycle_ns = span * depth / timed;
    let in_flight = timed * latency_ns / span;
    let off = (in_flight - depth) / depth;
    // Operations that were in flight at either end of the slice are counted on one side only.
    let allowed = LITTLE + depth / timed;
    // A latency stays true when the next operation starts late.
    let harmless = off < 0.0 && entry.figure.metric.lower_is_better();
    if harmless || off.abs() <= allowed || (cycle_ns - latency_ns).abs() < OWN_TIME_NS {
        return None;
    }
    let text = format!(
        "{} operations/s of {} ms each make {} in flight, not the {depth} asked for ({} off)",
        number(timed * SECOND as f64 / span),
        number(latency_ns / 1e6),
        number(in_flight),
        percent(off.abs())
    );
    Some(if off > 0.0 { Label::Implausible(text) } else { Label::GeneratorLimited(text) })
}
