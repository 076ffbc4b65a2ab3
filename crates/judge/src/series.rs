//! Samples as series: what is summed over what, window by window, and the few statistics of plain numbers.

use model::{Metric, Sample, Slice, Step};

pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Standard deviation with n−1.
pub fn sample_sd(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let centre = mean(values);
    (values.iter().map(|v| (v - centre).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt()
}

pub fn median(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}

/// From a median absolute deviation to a normal distribution's standard deviation.
pub const MAD_TO_SD: f64 = 1.4826;

/// Median absolute deviation, scaled to a normal distribution's standard deviation.
pub fn mad(values: &[f64]) -> f64 {
    let centre = median(values);
    MAD_TO_SD * median(&values.iter().map(|v| (v - centre).abs()).collect::<Vec<_>>())
}

/// A window without a span says nothing: an engine that reports its own times had no completion in it. Nor does one of an
/// open loop in which nothing ended: how much ends there is given, how long it takes is not.
pub fn speaks(sample: &Sample) -> bool {
    sample.span_ns > 0 && sample.response.as_ref().is_none_or(|response| response.count > 0)
}

/// Did the other side report the times (an OSD's bench command)? Then only means are known, not single operations.
pub fn told(slice: &Slice) -> bool {
    slice.samples.iter().any(|sample| sample.span_ns != slice.window_ns)
}

/// The level of a window: operations per second; in an open loop, where these are given, operations per second of their
/// response times.
pub fn rate(sample: &Sample) -> f64 {
    match &sample.response {
        None => sample.ops as f64 * 1e9 / sample.span_ns as f64,
        Some(response) => response.count as f64 * 1e9 / response.sum_ns.max(1) as f64,
    }
}

/// Rates of the counted windows of a slice.
pub fn rates(slice: &Slice) -> Vec<f64> {
    slice.counted().iter().filter(|sample| speaks(sample)).map(rate).collect()
}

/// One slice as a ratio: Σ`over` / Σ`under` is the metric's value.
#[derive(Clone, Debug)]
pub struct Ratio {
    pub over: Vec<f64>,
    pub under: Vec<f64>,
}

impl Ratio {
    /// What the metric sums over what: operations or 10^6 bytes over seconds; ms over operations.
    pub fn of(step: &Step, slice: &Slice) -> Ratio {
        let counted = || slice.counted().iter().filter(|sample| speaks(sample));
        let seconds = || counted().map(|sample| sample.span_ns as f64 / 1e9).collect();
        match step.metric {
            Metric::Iops => Ratio { over: counted().map(|sample| sample.ops as f64).collect(), under: seconds() },
            Metric::Bandwidth => {
                Ratio { over: counted().map(|sample| sample.bytes as f64 / 1e6).collect(), under: seconds() }
            }
            Metric::LatencyMean | Metric::Rtt if counted().any(|sample| sample.response_time().count > 0) => Ratio {
                over: counted().map(|sample| sample.response_time().sum_ns as f64 / 1e6).collect(),
                under: counted().map(|sample| sample.response_time().count as f64).collect(),
            },
            // No single operation was timed: by Little's law each took its share of the span.
            Metric::LatencyMean | Metric::Rtt => Ratio {
                over: counted().map(|sample| sample.span_ns as f64 / 1e6 * f64::from(step.workload.depth)).collect(),
                under: counted().map(|sample| sample.ops as f64).collect(),
            },
        }
    }

    pub fn value(&self) -> f64 {
        self.over.iter().sum::<f64>() / self.weight()
    }

    pub fn weight(&self) -> f64 {
        self.under.iter().sum()
    }

    /// Its value; of one in which nothing ended, what the others' would be with its time beside as many of their windows. `all`: the
    /// value of all slices; `scale`: what a window of theirs weighs.
    pub fn value_beside(&self, all: f64, scale: f64) -> f64 {
        if self.weight() > 0.0 { self.value() } else { all + mean(&self.over) / scale }
    }

    /// How far each window is off the slice's own value, in units of `over`.
    pub fn residuals(&self) -> impl Iterator<Item = f64> + '_ {
        let (value, centre) = if self.weight() > 0.0 { (self.value(), 0.0) } else { (0.0, mean(&self.over)) };
        self.over.iter().zip(&self.under).map(move |(over, under)| over - centre - value * under)
    }
}
