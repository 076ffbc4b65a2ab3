//! Does an open loop keep a bound on its response times? And the highest rate that does, of all that were tried.

use crate::batch_means::half_width;
use crate::entry::Entry;
use crate::labels::KEPT;
use crate::percentiles::{clopper_pearson, one_percentile};
use crate::series::mean;
use model::clock::SECOND;
use model::{Label, Limit, Nanos, OpClass, Record, ResponseBound, Sample, Search, Slice, Step, StepId, TriedRate};

/// A probe whose share over the bound exceeds the allowed one by more than this breaks the bound, whatever its interval.
const HOPELESS: f64 = 0.20;
/// When a probe is looked at: first after these seconds, then each time at this multiple of the last (docs/method.md, "The highest rate
/// under a bound").
const FIRST_LOOK_SECONDS: f64 = 3.2;
const LOOKS_APART: f64 = 1.25;
/// The front of a probe is not judged, but what it left undone is.
const FRONT_SECONDS: f64 = 0.5;
/// One side of a 90 % interval.
const TAIL: f64 = 0.05;

/// A share with its 90 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowShare {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Which share of the operations took longer than the bound. What failed did not keep it, however fast; and what was due so long ago that
/// it would have to be done, and is not, has taken longer as well. `rate`: of all the samples together. `None`: too few windows.
pub fn over(slices: &[Vec<Sample>], window_ns: Nanos, bound: &ResponseBound, rate: f64) -> Option<SlowShare> {
    let front = (FRONT_SECONDS * SECOND as f64 / window_ns as f64).round() as usize;
    let (mut exceeding, mut counts) = (Vec::new(), Vec::new());
    let mut undone = 0.0;
    for samples in slices {
        for sample in samples.iter().skip(front) {
            let failed = sample.errors as f64;
            exceeding.push(sample.response_time().above(bound.ms * 1e6) + failed);
            counts.push(sample.response_time().count as f64 + failed);
        }
        let seconds = samples.len() as f64 * window_ns as f64 / SECOND as f64;
        let done: u64 = samples.iter().map(|sample| sample.ops + sample.errors).sum();
        let due = rate * (seconds - bound.ms / 1e3);
        // By chance alone up to three standard deviations fewer may be due than the rate says.
        undone += (due - done as f64 - 3.0 * due.max(0.0).sqrt()).max(0.0);
    }
    let (n, seen) = (counts.iter().sum::<f64>() + undone, exceeding.iter().sum::<f64>() + undone);
    if n == 0.0 {
        return Some(SlowShare { value: 1.0, low: 1.0, high: 1.0 });
    }
    let value = seen / n;
    let residuals: Vec<f64> = exceeding.iter().zip(&counts).map(|(over, count)| over - value * count).collect();
    let error = half_width(&residuals)? / 1.96 / mean(&counts).max(1e-9);
    let effective = n.min(value * (1.0 - value) / error.powi(2).max(1e-18)).max(1.0);
    let effective = if seen > 0.0 { effective } else { n };
    let (low, high) = clopper_pearson(value, effective, TAIL);
    Some(SlowShare { value, low, high })
}

/// Is what is due done? Else what waits grows, and any bound is broken in the end, however long it is. Asked of the later half: what is
/// in flight at first is no sign. Less may be done by a share that counts as kept up, and by chance.
fn kept_up(slices: &[Vec<Sample>], window_ns: Nanos, rate: f64) -> bool {
    let later = || slices.iter().flat_map(|samples| &samples[samples.len() / 2..]);
    let due = rate * later().count() as f64 * window_ns as f64 / SECOND as f64;
    let done: u64 = later().map(|sample| sample.ops + sample.errors).sum();
    done as f64 >= due * (1.0 - KEPT) - 3.0 * due.sqrt()
}

/// Is it known yet whether the bound is kept? Looks only at fixed lengths, so that it doesn't pick the first lucky one.
pub fn decided(samples: &[Sample], window_ns: Nanos, bound: &ResponseBound, rate: f64) -> Option<bool> {
    let windows = |seconds: f64| (seconds * SECOND as f64 / window_ns as f64).round() as usize;
    let mut look = FIRST_LOOK_SECONDS;
    while windows(look) < samples.len() {
        look *= LOOKS_APART;
    }
    if windows(look) != samples.len() {
        return None;
    }
    let slices = [samples.to_vec()];
    let share = over(&slices, window_ns, bound, rate)?;
    match share {
        _ if share.value > bound.allowed() + HOPELESS || share.low > bound.allowed() => Some(false),
        // What waits may have been held up for a moment: the next look tells.
        _ if share.high < bound.allowed() && kept_up(&slices, window_ns, rate) => Some(true),
        _ => None,
    }
}

/// What each search of the run found so far.
pub fn limits(record: &Record, entries: &[Entry], bound: ResponseBound, searches: &[Search]) -> Vec<Limit> {
    searches
        .iter()
        .filter_map(|search| {
            let step = step_of(record, search.capacity)?;
            let tried =
                search.probes.iter().map(|id| (*id, false)).chain(search.confirmations.iter().map(|id| (*id, true)));
            let probes: Vec<TriedRate> =
                tried.filter_map(|(id, confirms)| probe(record, id, confirms, &bound)).collect();
            let confirmed = probes.iter().rev().find(|probe| probe.confirms && probe.kept);
            let capacity = capacity(entries, search.capacity);
            Some(Limit {
                layer: step.layer,
                target: step.together(),
                pattern: step.pattern,
                bound,
                rate: confirmed.map(|probe| probe.rate),
                capacity,
                seconds: confirmed.map_or(0.0, |probe| probe.seconds),
                why: confirmed.is_none().then(|| why_none(record, search, &probes)),
                probes,
            })
        })
        .collect()
}

fn step_of(record: &Record, id: StepId) -> Option<&Step> {
    record.plan.steps.iter().find(|step| step.id == id)
}

/// Operations per second of a closed loop, reads and writes together.
fn capacity(entries: &[Entry], id: StepId) -> Option<f64> {
    let own =
        entries.iter().filter(|entry| entry.step.id == id && (entry.target.is_none() || entry.step.targets.len() == 1));
    let rates: Vec<f64> = own.filter(|entry| !matches!(entry.figure.label, Label::Void(_))).map(rate_of).collect();
    (!rates.is_empty()).then(|| rates.iter().sum())
}

fn rate_of(entry: &Entry) -> f64 {
    mean(&entry.slices.iter().map(|slice| crate::labels::overall_rate(slice)).collect::<Vec<_>>())
}

fn why_none(record: &Record, search: &Search, probes: &[TriedRate]) -> String {
    // What was tried last: with what was not measured the search ended.
    let last = search.confirmations.last().or(search.probes.last()).unwrap_or(&search.capacity);
    let of = |step: StepId| record.slices.iter().filter(move |slice| slice.step == step);
    let void = |step: StepId| {
        of(step).all(|slice| slice.void.is_some()).then(|| of(step).find_map(|slice| slice.void.clone()))
    };
    if let Some(why) = void(*last).or_else(|| void(search.capacity)).flatten() {
        return why;
    }
    match probes.iter().map(|probe| probe.rate).reduce(f64::min) {
        Some(least) if !probes.iter().any(|probe| probe.kept) => {
            format!("not even {} a second keep it", crate::words::number(least))
        }
        Some(_) if probes.iter().any(|probe| probe.confirms) => {
            "no rate kept it for as long as was asked for".to_string()
        }
        _ => "the run ended before a rate was confirmed".to_string(),
    }
}

fn probe(record: &Record, id: StepId, confirms: bool, bound: &ResponseBound) -> Option<TriedRate> {
    let step = step_of(record, id)?;
    let rate = step.workload.rate?.per_second;
    let slices: Vec<&Slice> = record.slices.iter().filter(|slice| slice.step == id && slice.void.is_none()).collect();
    let together = joined(&slices);
    let window_ns = slices.first()?.window_ns;
    // Each target is loaded at that rate; what is told is what all of them do together.
    let rate = rate * step.targets.len() as f64;
    let share = over(&together, window_ns, bound, rate)?;
    let kept = match (confirms, together.as_slice()) {
        (false, [samples]) => decided(samples, window_ns, bound, rate),
        _ => None,
    };
    let whole: Vec<Slice> = together.iter().map(|samples| as_slice(&slices, samples)).collect();
    let whole: Vec<&Slice> = whole.iter().collect();
    Some(TriedRate {
        rate,
        confirms,
        kept: kept.unwrap_or(share.value <= bound.allowed() && kept_up(&together, window_ns, rate)),
        seconds: together.iter().map(Vec::len).sum::<usize>() as f64 * window_ns as f64 / SECOND as f64,
        over: share.value,
        over_low: share.low,
        over_high: share.high,
        median: one_percentile(&whole, 50.0),
        bounded: one_percentile(&whole, bound.percent),
    })
}

/// Targets and kinds of each pass as one.
fn joined(slices: &[&Slice]) -> Vec<Vec<Sample>> {
    let mut passes: Vec<u32> = slices.iter().map(|slice| slice.pass).collect();
    passes.dedup();
    let of_pass = |pass: &u32| {
        // All targets together would count them twice.
        let parts: Vec<&[Sample]> = slices
            .iter()
            .filter(|slice| slice.pass == *pass && slice.target.is_some())
            .map(|slice| slice.samples.as_slice())
            .collect();
        side_by_side(&parts)
    };
    passes.iter().map(of_pass).collect()
}

/// Window by window, as many as all have.
pub fn side_by_side(parts: &[&[Sample]]) -> Vec<Sample> {
    let windows = parts.iter().map(|part| part.len()).min().unwrap_or(0);
    (0..windows)
        .map(|at| Sample::side_by_side(at as u32, &parts.iter().map(|part| &part[at]).collect::<Vec<_>>()))
        .collect()
}

fn as_slice(slices: &[&Slice], samples: &[Sample]) -> Slice {
    let (step, window_ns) = slices.first().map_or((StepId(0), SECOND), |slice| (slice.step, slice.window_ns));
    Slice {
        step,
        target: None,
        kind: OpClass::Read,
        pass: 0,
        started_seconds: 0.0,
        window_ns,
        samples: samples.to_vec(),
        warmup: 0,
        settled: true,
        void: None,
        error: None,
        effort: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Latencies;

    /// 10 s of 2,000 operations a second of 3 ms; of each window as many as `failed` fail at once.
    fn window(failed: u64) -> Sample {
        let mut service = Latencies::default();
        (0..200 - failed).for_each(|_| service.record(3_000_000));
        let (service, errors) = (service.take(), failed);
        Sample {
            span_ns: SECOND / 10,
            ops: service.count,
            errors,
            response: Some(service.clone()),
            service,
            ..Sample::default()
        }
    }

    #[test]
    fn what_fails_at_once_keeps_no_bound() {
        let bound = ResponseBound { percent: 99.0, ms: 10.0, arrivals: model::Arrivals::Even };
        let of = |failed| {
            let samples = vec![window(failed); 100];
            (
                over(std::slice::from_ref(&samples), SECOND / 10, &bound, 2000.0).unwrap(),
                kept_up(&[samples], SECOND / 10, 2000.0),
            )
        };
        let (well, kept) = of(0);
        assert!(well.value == 0.0 && well.high < 0.01 && kept, "{well:?}");
        let (failing, kept) = of(60);
        assert!((failing.value - 0.3).abs() < 1e-9 && failing.low > 0.01 && kept, "{failing:?}");
    }
}
