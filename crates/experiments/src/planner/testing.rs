//! Inventories and request for tests of plans: no cluster is asked.

pub use model::testing::*;

use crate::Request;
use model::inventory::CephfsSeen;
use model::workload::{KIB, MIB};
use model::{Inventory, Layer, OsdScope, PathKind, Scope, Setting, Site, SiteSeen, SiteWish, SweepAxis};

/// A cluster of `osds` OSDs, a dozen on each host, with nothing in it.
pub fn inventory(osds: u32) -> Inventory {
    let osd =
        |id: u32| OsdScope { id, host: format!("host{}", id / 12), up: true, inside: true, ..OsdScope::default() };
    let scope = Scope { fsid: Some("f".to_string()), osds: (0..osds).map(osd).collect(), ..Scope::default() };
    Inventory { run: "20261121-093012-ab3f".to_string(), scope, ..Inventory::default() }
}

/// `depth=1,2,4`, `block-size=4k,1M`: numbers alone.
pub fn axis(text: &str) -> SweepAxis {
    let (name, list) = text.split_once('=').unwrap_or((text, ""));
    let number = |text: &str| {
        let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        let unit = match unit {
            "k" => KIB,
            "M" => MIB,
            _ => 1,
        };
        Setting::Number(digits.parse::<u64>().unwrap_or(0) * unit)
    };
    SweepAxis { name: name.to_string(), values: list.split(',').map(number).collect() }
}

/// A file system of the cluster, with a second pool for data.
pub fn cephfs() -> CephfsSeen {
    CephfsSeen { name: "cephfs".into(), data_pools: vec!["cephfs_data".into(), "ec".into()], root_pool: None }
}

/// A folder of this host in which files can be made.
pub fn folder(path: &str) -> Site {
    let wish = SiteWish { path: path.into(), writes: true, given_up: false };
    let seen = SiteSeen {
        found: PathKind::Folder,
        leads_to: None,
        device: None,
        in_memory: false,
        free: Some(1 << 40),
        files_free: None,
        file_system: None,
        holes: None,
        discards: true,
        write_cache: None,
        drive: None,
        disks: Vec::new(),
        osds: Vec::new(),
        images: Vec::new(),
        attached: Vec::new(),
    };
    Site { host: None, wish, seen: Ok(seen) }
}

pub fn request(layers: &[Layer]) -> Request {
    Request { layers: layers.to_vec(), all_layers: layers.len() == Layer::ALL.len(), ..Request::default() }
}
