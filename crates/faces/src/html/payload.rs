//! What the page carries besides the run's document: per figure its slices over time and its latencies, kept small.

use super::bins::Bins;
use super::series::{self, SliceSeries};
use model::{Figure, Record, Report, Slice, Sparse};
use serde::Serialize;
use serde_json::Value;

/// Above this, neighbouring windows are pooled: 60 figures × 6 slices × 120 windows are shown as recorded.
const POINTS_MAX: usize = 60_000;
/// Filled bins of one figure's histogram, and of all together.
const BINS_MAX: usize = 400;
const BINS_TOTAL: usize = 60_000;

#[derive(Serialize)]
struct Detail {
    slices: Vec<SliceSeries>,
    latencies: Bins,
}

/// One entry for each figure of the report, in its order.
pub fn details(report: &Report, record: &Record) -> String {
    let join = windows(report, record).div_ceil(POINTS_MAX).max(1);
    let bins = (BINS_TOTAL / report.figures.len().max(1)).clamp(48, BINS_MAX);
    let details: Vec<Detail> = report.figures.iter().map(|figure| detail(figure, record, join, bins)).collect();
    match serde_json::to_string(&details) {
        Ok(json) => json,
        Err(error) => unreachable!("plain arrays of numbers and text always serialize: {error}"),
    }
}

/// The document `fathom.run/1` as every face gives it, without values of options that nobody else should read.
pub fn document(report: &Report, record: &Record) -> String {
    let mut document = crate::json::document(report, record);
    if let Some(options) = document.pointer_mut("/scope/options").and_then(Value::as_object_mut) {
        for (_, value) in options.iter_mut().filter(|(name, _)| is_secret(name)) {
            *value = Value::from("(hidden)");
        }
    }
    document.to_string()
}

/// Options say by their names that their values are secret.
fn is_secret(name: &str) -> bool {
    const WORDS: [&str; 6] = ["secret", "password", "passwd", "token", "credential", "private_key"];
    let name = name.to_lowercase();
    WORDS.iter().any(|word| name.contains(word)) || name.ends_with("_key") || name.ends_with("/key")
}

fn windows(report: &Report, record: &Record) -> usize {
    let of = |figure| series::slices_of(figure, record).iter().map(|slice| slice.samples.len()).sum::<usize>();
    report.figures.iter().map(of).sum()
}

fn detail(figure: &Figure, record: &Record, join: usize, bins: usize) -> Detail {
    let slices = series::slices_of(figure, record);
    let usable = slices.iter().filter(|slice| slice.void.is_none());
    let counted = usable.flat_map(|slice: &&Slice| slice.counted().iter().map(|sample| &sample.service));
    Detail {
        latencies: Bins::of(&Sparse::merged(counted), bins),
        slices: slices.iter().map(|slice| series::series(slice, figure.workload.block, join)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_which_options_are_secret() {
        for name in ["client/rgw_keystone_admin_password", "mgr/mgr/dashboard/jwt_token", "client/rgw_crypt_kmip_key"] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["osd/osd_max_backfills", "osd.2/debug_osd", "global/osd_pool_default_size", "mon/keyvaluedb"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
