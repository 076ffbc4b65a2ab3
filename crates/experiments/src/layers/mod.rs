//! A file for each layer: its targets and its steps.

pub mod device;
pub mod floor;
pub mod network;
pub mod osd;
pub mod rados;
pub mod rbd;
pub mod store;

use crate::planner::draft::Draft;
use model::{Failure, Layer};

/// Adds the steps of one layer to a plan.
pub type Planner = fn(&mut Draft) -> Result<(), Failure>;

/// Of all layers, one row for each.
const PLANNERS: [(Layer, Planner); 7] = [
    (Layer::Device, device::add),
    (Layer::Network, network::add),
    (Layer::Floor, floor::add),
    (Layer::Store, store::add),
    (Layer::Osd, osd::add),
    (Layer::Rados, rados::add),
    (Layer::Rbd, rbd::add),
];

pub fn planner(layer: Layer) -> Option<Planner> {
    PLANNERS.into_iter().find(|(own, _)| *own == layer).map(|(_, add)| add)
}
