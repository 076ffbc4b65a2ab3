//! A layer is a place where the storage stack can be loaded.

use serde::{Deserialize, Serialize};

/// Ordered from the bottom of the stack to the top; every table follows this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    Device,
    Network,
    Store,
    Osd,
    Rados,
    Rbd,
}

impl Layer {
    pub const ALL: [Layer; 6] = [Layer::Device, Layer::Network, Layer::Store, Layer::Osd, Layer::Rados, Layer::Rbd];

    pub fn name(self) -> &'static str {
        match self {
            Layer::Device => "device",
            Layer::Network => "network",
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
