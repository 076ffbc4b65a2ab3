//! A file for each layer: its targets and its steps.

pub mod beside;
pub mod device;
mod device_turns;
mod disk_shape;
pub mod file;
mod file_library;
pub mod floor;
pub mod guest;
pub mod network;
pub mod object;
pub mod osd;
pub mod pairs;
pub mod rados;
pub mod rbd;
pub mod store;
pub mod throttle;

use crate::planner::draft::Draft;
use model::{Failure, Layer};

type Planner = fn(&mut Draft) -> Result<(), Failure>;

/// The planners of all layers, one row for each.
const PLANNERS: &[(Layer, Planner)] = &[
    (Layer::Device, device::add),
    (Layer::Network, network::add),
    (Layer::Floor, floor::add),
    (Layer::Store, store::add),
    (Layer::Osd, osd::add),
    (Layer::Rados, rados::add),
    (Layer::Rbd, rbd::add),
    (Layer::File, file::add),
    (Layer::Object, object::add),
    (Layer::Guest, guest::add),
];

/// Adds the steps of this layer.
pub fn add(layer: Layer, draft: &mut Draft) -> Result<(), Failure> {
    PLANNERS.iter().find(|(own, _)| *own == layer).map_or(Ok(()), |(_, add)| add(draft))
}
