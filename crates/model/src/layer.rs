//! A layer is a place where the storage stack can be loaded.

use serde::{Deserialize, Serialize};

/// Ordered from the bottom of the stack to the top; every table follows this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    Device,
    Network,
    /// No part of Ceph: what any replicated store could do at best on the same disks and network.
    Floor,
    Store,
    Osd,
    Rados,
    Rbd,
}

impl Layer {
    pub const ALL: [Layer; 7] =
        [Layer::Device, Layer::Network, Layer::Floor, Layer::Store, Layer::Osd, Layer::Rados, Layer::Rbd];

    pub fn name(self) -> &'static str {
        match self {
            Layer::Device => "device",
            Layer::Network => "network",
            Layer::Floor => "floor",
            Layer::Store => "store",
            Layer::Osd => "osd",
            Layer::Rados => "rados",
            Layer::Rbd => "rbd",
        }
    }

    pub fn from_name(name: &str) -> Option<Layer> {
        Layer::ALL.into_iter().find(|layer| layer.name() == name)
    }
}
