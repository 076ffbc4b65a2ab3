//! What is expected of each layer from those below it: a file for each, and none inherits another's. A layer without a file is measured and
//! shown, and the ledger says that there is no model.

mod device;
mod floor;
mod network;
mod osd;
mod pools;
mod rados;
mod rbd;
mod store;
mod view;

pub(crate) use floor::distances;
pub(crate) use view::better_than_below;

use crate::books::{Books, Ceiling, Path};
use model::{Layer, LedgerRow, Pattern};
use view::View;

/// Which links a layer's data pass.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Passes {
    /// None: it is loaded where it is.
    Nothing,
    /// From those who load to the host of each OSD.
    ToEachOsd,
    /// Those of the clients, of the OSDs' hosts, and of these among each other.
    All,
}

pub(crate) struct Expectation {
    layer: Layer,
    /// Its row in a sum of latencies: what it adds, and what it should add.
    pub stage: fn(&mut Path) -> Option<LedgerRow>,
    /// The most throughput that what lies below it on the OSDs' hosts can give.
    pub ceiling: fn(&Books, Pattern) -> Option<Ceiling>,
    pub passes: Passes,
    /// Why a figure of it can't be, if it is better than what lies below it allows.
    pub impossible: fn(&View) -> Option<String>,
}

const EXPECTATIONS: &[&Expectation] = &[
    &device::EXPECTATION,
    &network::EXPECTATION,
    &store::EXPECTATION,
    &osd::EXPECTATION,
    &rados::EXPECTATION,
    &rbd::EXPECTATION,
];

pub(crate) fn of(layer: Layer) -> Option<&'static Expectation> {
    EXPECTATIONS.iter().copied().find(|expected| expected.layer == layer)
}
