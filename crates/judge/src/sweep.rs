//! What a sweep says: both sides of each point, and for each curve along the depth its knee, in words.

use crate::entry::Entry;
use crate::figure::void_reason;
use crate::knee::{Bend, CurvePoint, knee};
use crate::pooled::pool;
use crate::series::Ratio;
use crate::words::{number, percent, quantity};
use model::sweep::DEPTH;
use model::{Beyond, Choice, Estimate, Knee, Metric, Reading, Step, Sweep, Swept};
use std::collections::BTreeMap;

pub fn swept(entries: &[Entry], sweep: &Sweep) -> Swept {
    let readings: Vec<Reading> =
        entries.iter().enumerate().filter_map(|(figure, entry)| reading(sweep, figure, entry)).collect();
    let knees = curves(sweep, entries, &readings).into_iter().filter_map(|curve| told(curve, entries, &readings));
    let knees = knees.collect();
    Swept { sweep: sweep.clone(), readings, knees }
}

/// Of targets that were loaded at once only their sum.
fn reading(sweep: &Sweep, figure: usize, entry: &Entry) -> Option<Reading> {
    let at = sweep.at(entry.step.id)?.to_vec();
    if entry.step.has_whole() && entry.target.is_some() {
        return None;
    }
    let metric = match entry.figure.metric {
        Metric::Bandwidth => Metric::Bandwidth,
        Metric::LatencyMean | Metric::Rtt | Metric::Iops => Metric::Iops,
    };
    let own = entry.usable();
    let of = |metric: Metric| {
        if metric == entry.figure.metric { own } else { own.and_then(|_| side(entry, metric)) }
    };
    Some(Reading { figure, at, throughput: of(metric), metric, latency: of(Metric::LatencyMean) })
}

/// The same slices in another metric.
fn side(entry: &Entry, metric: Metric) -> Option<Estimate> {
    let step = Step { metric, ..entry.step.clone() };
    let good = entry.slices.iter().filter(|slice| void_reason(slice).is_none());
    let pooled = pool(&good.map(|slice| Ratio::of(&step, slice)).collect::<Vec<_>>())?;
    let low = (pooled.value - pooled.half_width).max(0.0);
    Some(Estimate { value: pooled.value, low, high: pooled.value + pooled.half_width })
}

/// Readings that differ by nothing but the depth, in its order.
fn curves(sweep: &Sweep, entries: &[Entry], readings: &[Reading]) -> Vec<Vec<usize>> {
    let Some(along) = sweep.axes.iter().position(|axis| axis.name == DEPTH) else { return Vec::new() };
    let mut curves: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, reading) in readings.iter().enumerate() {
        let figure = &entries[reading.figure].figure;
        let mut others = reading.at.clone();
        others[along] = 0;
        let key = (figure.layer, figure.pattern, figure.target.clone(), figure.kind, others);
        curves.entry(key).or_default().push(index);
    }
    let mut curves: Vec<Vec<usize>> = curves.into_values().collect();
    curves.iter_mut().for_each(|curve| curve.sort_by_key(|index| readings[*index].at[along]));
    curves
}

fn told(curve: Vec<usize>, entries: &[Entry], readings: &[Reading]) -> Option<Knee> {
    let point = |index: &usize| {
        let reading = &readings[*index];
        let depth = entries[reading.figure].step.workload.depth;
        Some(CurvePoint { depth, throughput: reading.throughput?, latency: reading.latency?.value })
    };
    let points: Vec<CurvePoint> = curve.iter().filter_map(point).collect();
    let bend = knee(&points)?;
    let says = Words { curve: &curve, entries, readings, bend: &bend, points: &points }.says();
    let Bend { knee, reaches, best, balance, beyond } = bend;
    Some(Knee { curve, knee, reaches, best, balance, beyond, says })
}

struct Words<'w, 'a> {
    curve: &'w [usize],
    entries: &'w [Entry<'a>],
    readings: &'w [Reading],
    bend: &'w Bend,
    points: &'w [CurvePoint],
}

impl Words<'_, '_> {
    fn says(&self) -> String {
        let Bend { knee, reaches, best, balance, beyond } = self.bend;
        let most = self.points.iter().find(|point| point.depth == *best).map_or(0.0, |point| point.throughput.value);
        let metric = self.curve.first().map_or(Metric::Iops, |index| self.readings[*index].metric);
        let most = quantity(most, metric);
        let reached = match knee.depth == *best {
            true => format!("depth {best} has the best throughput, {most}"),
            false => format!(
                "depth {} reaches {} of the best throughput, {most} at depth {best}",
                knee.depth,
                percent(*reaches)
            ),
        };
        let rest = match beyond {
            Beyond::Rises => ", and it is the largest that was tried: the knee may lie beyond it".to_string(),
            Beyond::Flat if knee.to > *best => {
                format!(
                    "; whether more depth brings more is not decided, and it waits longer: {}",
                    self.waits(knee.depth)
                )
            }
            Beyond::Flat => format!("; more depth only waits longer: {}", self.waits(knee.depth)),
            Beyond::Falls => format!("; more depth brings less, {}: {}", self.least(), self.waits(knee.depth)),
        };
        let pair = match balance.depth == knee.depth {
            true => format!(". The balance, the best throughput for its latency, is there, too{}", within(balance)),
            false => format!(
                ". The balance, the best throughput for its latency, is at depth {}{}: {}, {}",
                balance.depth,
                within(balance),
                self.speed(balance.depth, metric),
                self.times(balance.depth)
            ),
        };
        format!("{reached}{}{rest}{pair}", within(knee))
    }

    /// Latency at the knee and at the largest depth.
    fn waits(&self, depth: u32) -> String {
        let last = self.points.last().map_or(depth, |point| point.depth);
        format!("{} at depth {depth}, {} at {last}", self.times(depth), self.times(last))
    }

    fn least(&self) -> String {
        self.points.last().map_or(String::new(), |last| {
            let most = self.points.iter().map(|point| point.throughput.value).fold(0.0, f64::max);
            format!("{} of the best at {}", percent(last.throughput.value / most), last.depth)
        })
    }

    fn speed(&self, depth: u32, metric: Metric) -> String {
        let point = self.points.iter().find(|point| point.depth == depth);
        point.map_or(String::new(), |point| quantity(point.throughput.value, metric))
    }

    /// `p50 0.42 ms, p99 1.90 ms`; the mean where no single operation was timed.
    fn times(&self, depth: u32) -> String {
        let of = |index: &&usize| self.entries[self.readings[**index].figure].step.workload.depth == depth;
        let Some(reading) = self.curve.iter().find(of).map(|index| &self.readings[*index]) else {
            return String::new();
        };
        let percentiles = &self.entries[reading.figure].figure.percentiles;
        let named = [50.0, 99.0].into_iter().filter_map(|percent| {
            let found = percentiles.iter().find(|one| one.percent == percent)?;
            Some(format!("p{percent} {} ms", number(found.value_ms)))
        });
        let named: Vec<String> = named.collect();
        match (named.is_empty(), reading.latency) {
            (true, Some(latency)) => format!("mean {} ms", number(latency.value)),
            _ => named.join(", "),
        }
    }
}

fn within(choice: &Choice) -> String {
    match choice.decided() {
        true => String::new(),
        false => format!(" (undecided between {} and {} within the noise)", choice.from, choice.to),
    }
}
