//! Figures that another tool measured: where it tells totals only, there is no interval, and none is made up.

use crate::batch_means::WINDOWS_MIN;
use crate::figure::void_reason;
use crate::percentiles::{Doubt, percentiles};
use crate::pooled::{PRIOR_SPREAD, moderated_half_width};
use crate::series::{Ratio, sample_sd};
use crate::words::{count, percent, seconds};
use model::{Estimate, Figure, Imported, Label, Slice, Step};

/// Says again, for an imported run, what a figure is worth: `figure` is judged as if Fathom had measured it.
pub fn restate(figure: &mut Figure, step: &Step, slices: &[&Slice], imported: &Imported) {
    let good: Vec<&Slice> = slices.iter().copied().filter(|slice| void_reason(slice).is_none()).collect();
    let ratios: Vec<Ratio> = good.iter().map(|slice| Ratio::of(step, slice)).collect();
    let weight: f64 = ratios.iter().map(Ratio::weight).sum();
    let value = ratios.iter().flat_map(|ratio| &ratio.over).sum::<f64>() / weight;
    if weight <= 0.0 || value <= 0.0 || !value.is_finite() {
        return;
    }
    let windows: usize = ratios.iter().map(|ratio| ratio.over.len()).sum();
    if windows > good.len() && windows >= WINDOWS_MIN {
        restate_series(figure, &good, windows, imported);
        return;
    }
    figure.percentiles = percentiles(&good, |sample| &sample.service, Doubt::default());
    let (half, why) = match good.len() {
        1 if windows == 1 => {
            let text =
                format!("{} tells one value of {}, and no windows: there is no interval", imported.tool, spent(&good));
            (f64::INFINITY, text)
        }
        1 => (
            f64::INFINITY,
            format!("{} of {}: too few for an interval", count(windows, "window", "windows"), imported.tool),
        ),
        n => {
            let each: Vec<f64> = ratios.iter().map(|ratio| ratio.value() / value).collect();
            let half = moderated_half_width(PRIOR_SPREAD.powi(2), sample_sd(&each).powi(2), n as f64) * value;
            (
                half,
                format!(
                    "±{} by what {n} totals of {} differ; of their insides nothing is told",
                    percent(half / value),
                    imported.tool
                ),
            )
        }
    };
    figure.estimate = Some(Estimate { value, low: (value - half).max(0.0), high: value + half });
    figure.label = Label::Imprecise(why);
}

/// Nobody asked the other tool for a precision.
fn restate_series(figure: &mut Figure, good: &[&Slice], windows: usize, imported: &Imported) {
    let Some(estimate) = figure.estimate else { return };
    if matches!(figure.label, Label::Imprecise(_)) {
        let wide = percent((estimate.high - estimate.value) / estimate.value);
        figure.label =
            Label::Imprecise(format!("±{wide} from {windows} windows of {} ({})", imported.tool, spent(good)));
    }
}

fn spent(good: &[&Slice]) -> String {
    seconds(good.iter().map(|slice| slice.seconds()).sum())
}
