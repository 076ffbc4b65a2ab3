//! What the samples of a run say: figures, chart, ledger, gate, outliers. Pure: no I/O, no clock.

mod agreement;
mod background;
mod batch_means;
mod bonds;
mod ceilings;
mod chart;
mod checked;
mod compare;
mod disks;
mod distance;
mod doubled;
mod effort;
mod entry;
mod explain;
mod figure;
mod findings;
mod gate;
mod gate_layers;
mod host_loads;
mod imported;
mod knee;
mod labels;
mod ledger;
mod levels;
mod limit;
mod links;
mod outliers;
mod path_mtus;
mod percentiles;
mod pooled;
mod redundancy;
mod series;
mod side_by_side;
mod sight;
mod slice;
mod supply;
mod sustained;
mod sweep;
mod uplink;
mod validity;
mod verdict;
mod warmup;
mod words;

pub use agreement::{agreement, agreement_known};
pub use compare::{Measured, ab_half_width, compare, differs, levels, measured, nearest, trends};
pub use explain::explain;
pub use figure::{Next, figure};
pub use knee::{Bend, Rung, knee};
pub use limit::{decided as bound_decided, side_by_side};
pub use outliers::slow_ones;
pub use slice::{SliceState, cut_short, first_look, slice_state, whole};
pub use sustained::fell;
pub use validity::written_to;

#[cfg(test)]
mod testing;
