//! Outcomes become lines: how often each interval held the truth, how wrong the values were, what they cost.

use crate::coverage::trial::TrialOutcome;
use std::collections::BTreeMap;

/// Shares that held the truth, errors of the mean, half-widths and times, each in %, s; the same of a fixed minute.
pub const HEADING: &str = concat!(
    "                     held the truth, %            error of the mean, %         time             60 s fixed\n",
    "kind                 mean    p50    p99  p99.9     median  95 %     ±        s  of 60 s  passes   held error  labels, %"
);

/// What became of many series of one kind.
#[derive(Default)]
pub struct Line {
    pub covered: HeldShare,
    usual: HeldShare,
    usual_errors: Vec<f64>,
    pub percentiles: [HeldShare; 3],
    pub errors: Vec<f64>,
    widths: Vec<f64>,
    pub seconds: f64,
    passes: u32,
    pub labels: BTreeMap<&'static str, usize>,
    pub count: usize,
}

#[derive(Clone, Copy, Default)]
pub struct HeldShare {
    pub of: usize,
    pub held: usize,
}

impl HeldShare {
    fn add(&mut self, held: bool) {
        self.of += 1;
        self.held += usize::from(held);
    }

    pub fn value(&self) -> f64 {
        self.held as f64 / self.of.max(1) as f64
    }

    fn text(&self) -> String {
        if self.of == 0 { "–".to_string() } else { format!("{:.1}", self.value() * 100.0) }
    }
}

impl Line {
    pub fn add(&mut self, outcome: &TrialOutcome) {
        let figure = &outcome.figure;
        self.count += 1;
        self.passes += outcome.passes;
        self.seconds += figure.seconds;
        *self.labels.entry(figure.label.name()).or_default() += 1;
        let Some(estimate) = figure.estimate else { return };
        let truth = outcome.truth.rate;
        let usual = &outcome.usual;
        self.usual.add((usual.value - truth).abs() <= usual.half_width);
        self.usual_errors.push((usual.value / truth - 1.0).abs());
        self.covered.add(estimate.low <= truth && truth <= estimate.high);
        self.errors.push((estimate.value / truth - 1.0).abs());
        self.widths.push(estimate.relative());
        for (at, percent) in crate::coverage::trial::PERCENTILES.into_iter().enumerate() {
            let found = figure.percentiles.iter().find(|found| found.percent == percent);
            let Some((found, low)) = found.and_then(|found| Some((found, found.low_ms?))) else { continue };
            let truth = outcome.truth.percentiles[at];
            if truth <= 0.0 {
                continue;
            }
            self.percentiles[at].add(low <= truth && found.high_ms.is_none_or(|high| truth <= high));
        }
    }

    /// How often the interval held that held least often.
    pub fn least(&self) -> f64 {
        let all = self.percentiles.iter().chain([&self.covered]).filter(|share| share.of > 0);
        all.map(HeldShare::value).fold(1.0, f64::min)
    }

    /// Mean measuring time of a figure, s.
    pub fn mean_seconds(&self) -> f64 {
        self.seconds / self.count.max(1) as f64
    }

    pub fn text(&self, name: &str) -> String {
        let [p50, p99, p999] = self.percentiles.map(|share| share.text());
        let labels: Vec<String> = self
            .by_count()
            .into_iter()
            .map(|(label, count)| format!("{label} {:.0}", 100.0 * count as f64 / self.count as f64))
            .collect();
        format!(
            "{name:<19} {:>5} {p50:>6} {p99:>6} {p999:>6} {:>10.2} {:>5.2} {:>5.1} {:>8.1} {:>8.2} {:>7.1} {:>6} {:>5.2}  {}",
            self.covered.text(),
            100.0 * quantile(&self.errors, 0.5),
            100.0 * quantile(&self.errors, 0.95),
            100.0 * quantile(&self.widths, 0.5),
            self.mean_seconds(),
            self.mean_seconds() / 60.0,
            f64::from(self.passes) / self.count.max(1) as f64,
            self.usual.text(),
            100.0 * quantile(&self.usual_errors, 0.5),
            labels.join(", "),
        )
    }

    fn by_count(&self) -> Vec<(&'static str, usize)> {
        let mut labels: Vec<_> = self.labels.iter().map(|(label, count)| (*label, *count)).collect();
        labels.sort_by_key(|(label, count)| (usize::MAX - count, *label));
        labels
    }
}

/// The value below which a share `p` of them lies; NaN if there is none.
fn quantile(values: &[f64], p: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (p * sorted.len() as f64).floor() as usize;
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}
