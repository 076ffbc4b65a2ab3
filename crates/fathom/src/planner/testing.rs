//! Inventories and wishes for tests of plans: no cluster is asked.

use super::{Ground, Wishes};
use crate::cli::knobs::Knobs;
use model::{Goal, Layer, OsdScope, Scope};

/// A cluster of so many OSDs, a dozen on each host, with nothing in it.
pub fn ground(osds: u32) -> Ground {
    let osd =
        |id: u32| OsdScope { id, host: format!("host{}", id / 12), up: true, inside: true, ..OsdScope::default() };
    let scope = Scope { fsid: Some("f".to_string()), osds: (0..osds).map(osd).collect(), ..Scope::default() };
    let (hosts, sites, keepers) = (Vec::new(), Vec::new(), Vec::new());
    Ground {
        run: "20261121-093012-ab3f".to_string(),
        scope,
        lab: None,
        image_bytes: None,
        hosts,
        sites,
        keepers,
        held: Default::default(),
    }
}

pub fn wishes(layers: &[Layer]) -> Wishes {
    Wishes {
        layers: layers.to_vec(),
        knobs: Knobs::default(),
        goal: Goal::default(),
        pool: None,
        image: None,
        osds: Vec::new(),
        paths: Vec::new(),
        destroy: None,
        quiesce: false,
        thorough: false,
        alone: false,
        strict: false,
        batches: Vec::new(),
        axes: Vec::new(),
        sustained: None,
    }
}
