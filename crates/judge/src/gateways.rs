//! Several gateways under the same work, beside each other: which is slower, and how many times.

use crate::entry::Entry;
use crate::multiple::over;
use crate::outliers::LEAST_EFFECT;
use model::{Estimate, GatewayPair, Label, OpClass, Pattern, Place};

/// For each pattern and kind of operation the slowest beside the quickest, where at least two were loaded alone.
pub fn gateway_pairs(entries: &[Entry]) -> Vec<GatewayPair> {
    let mut kinds: Vec<(Pattern, OpClass)> = Vec::new();
    for entry in entries.iter().filter(|entry| gateway(entry).is_some()) {
        let kind = (entry.figure.pattern, entry.figure.kind);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.sort_unstable();
    kinds.into_iter().filter_map(|kind| pair(entries, kind)).collect()
}

fn pair(entries: &[Entry], (pattern, kind): (Pattern, OpClass)) -> Option<GatewayPair> {
    let own = |entry: &&Entry| (entry.figure.pattern, entry.figure.kind) == (pattern, kind);
    let known = entries.iter().filter(own).filter_map(|entry| Some((gateway(entry)?, entry, entry.usable()?)));
    let mut known: Vec<(String, &Entry, Estimate)> = known.collect();
    let metric = known.first()?.1.figure.metric;
    let (lower, slowness) =
        (
            metric.lower_is_better(),
            |estimate: &Estimate| {
                if metric.lower_is_better() { estimate.value } else { -estimate.value }
            },
        );
    known.sort_by(|(_, _, a), (_, _, b)| slowness(a).total_cmp(&slowness(b)));
    let [(quick, quick_entry, of_quick), .., (slow, slow_entry, of_slow)] = known.as_slice() else { return None };
    // A sweep has many figures of one gateway, and of other work.
    if quick == slow || quick_entry.figure.workload != slow_entry.figure.workload {
        return None;
    }
    let times = if lower { over(of_slow, of_quick)? } else { over(of_quick, of_slow)? };
    // What the generator could not load is not known to be slow.
    let starved = matches!(slow_entry.figure.label, Label::GeneratorLimited(_));
    let disjoint = if lower { of_quick.high < of_slow.low } else { of_slow.high < of_quick.low };
    Some(GatewayPair {
        pattern,
        kind,
        metric,
        slow: slow.clone(),
        quick: quick.clone(),
        of_slow: *of_slow,
        of_quick: *of_quick,
        times,
        apart: disjoint && !starved && times.low > 1.0 + LEAST_EFFECT,
    })
}

/// The gateway that all of a figure went through, by the name of its target; of several hosts only what all of them did together.
fn gateway(entry: &Entry) -> Option<String> {
    let of = |place: &Place| match place {
        Place::Bucket { gateway, .. } => Some(gateway.url.clone()),
        _ => None,
    };
    let first = entry.step.targets.first()?;
    let url = of(&first.place)?;
    let one = entry.step.targets.iter().all(|target| of(&target.place).as_ref() == Some(&url));
    let whole = entry.together() || entry.step.targets.len() == 1;
    (one && whole).then(|| first.client.as_ref().map_or(&first.name, |client| &client.of).clone())
}
