//! Inventories and request for tests of plans: no cluster is asked.

use super::Inventory;
use experiments::Request;
use model::{Layer, OsdScope, Scope};

/// A cluster of so many OSDs, a dozen on each host, with nothing in it.
pub fn inventory(osds: u32) -> Inventory {
    let osd =
        |id: u32| OsdScope { id, host: format!("host{}", id / 12), up: true, inside: true, ..OsdScope::default() };
    let scope = Scope { fsid: Some("f".to_string()), osds: (0..osds).map(osd).collect(), ..Scope::default() };
    let (hosts, sites, replica_hosts) = (Vec::new(), Vec::new(), Vec::new());
    Inventory {
        run: "20261121-093012-ab3f".to_string(),
        scope,
        lab: None,
        image_bytes: None,
        hosts,
        sites,
        replica_hosts,
        held: Default::default(),
    }
}

pub fn request(layers: &[Layer]) -> Request {
    Request { layers: layers.to_vec(), ..Request::default() }
}
