//! What all OSDs together can give, as measured at once, else as the sum of each alone.

use crate::chart::{figures_of, mean_of};
use crate::entry::{Entry, spread};
use crate::words::{number, quantity};
use model::{Estimate, Layer, Pattern, Record};

pub struct Supply {
    /// What the ledger takes as the ceiling.
    pub likely: Estimate,
    /// The larger of all that was measured: what the gate allows.
    pub most: Estimate,
    /// How it was made: `osd.* 5,420 IOPS`.
    pub from: String,
}

/// `None`: neither OSDs nor stores were measured in this pattern.
pub fn osds_supply(entries: &[Entry], record: &Record, pattern: Pattern) -> Option<Supply> {
    of_layer(entries, record, Layer::Osd, pattern).or_else(|| of_layer(entries, record, Layer::Store, pattern))
}

fn of_layer(entries: &[Entry], record: &Record, layer: Layer, pattern: Pattern) -> Option<Supply> {
    let count = record.scope.osds.iter().filter(|osd| osd.up && osd.inside).count();
    let together = entries
        .iter()
        .filter(|entry| entry.is(layer, pattern) && entry.together() && entry.figure.at_once as usize >= count)
        .max_by_key(|entry| entry.figure.at_once);
    let together = together.and_then(|entry| Some((entry, entry.usable()?)));
    let alone = alone(entries, layer, pattern, count);
    let metric = pattern.metric(layer);
    match (together, alone) {
        (Some((entry, at_once)), sum) => Some(Supply {
            likely: at_once,
            most: sum.map(|(sum, _)| sum).filter(|sum| sum.high > at_once.high).unwrap_or(at_once),
            from: format!("{} {}", entry.figure.target, quantity(at_once.value, metric)),
        }),
        (None, Some((sum, from))) => Some(Supply { likely: sum, most: sum, from }),
        (None, None) => None,
    }
}

/// As many times the mean as there are OSDs.
fn alone(entries: &[Entry], layer: Layer, pattern: Pattern, osds: usize) -> Option<(Estimate, String)> {
    let values: Vec<Estimate> = figures_of(entries, layer, pattern).iter().filter_map(|entry| entry.usable()).collect();
    let mean = mean_of(&values)?;
    let count = osds.max(values.len());
    let sum = Estimate::new(mean.value * count as f64, spread(&mean) * count as f64);
    let unit = pattern.metric(layer).unit();
    let measured = if count > values.len() { format!(", {} of them measured", values.len()) } else { String::new() };
    Some((sum, format!("{count} × {} {unit} of one {}{measured}", number(mean.value), layer.name())))
}
