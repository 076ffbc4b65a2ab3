//! The layers of the storage stack that can be loaded: one table, a row each, and the only list of them.
//!
//! What differs from layer to layer is asked of a row ([`Layer::spec`]), so that a new layer is a new row. Code that names a layer belongs
//! to that layer alone.

use crate::operation::{OpClass, OpMix};
use crate::pattern::Pattern;
use crate::workload::{IMAGE_CACHE, PAGE_CACHE, QUICK_ACKS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Ordered from the bottom of the stack to the top; every table follows this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
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
    /// Files of a file system, of Ceph or another.
    File,
    /// S3, at a gateway: each operation is of a whole object.
    Object,
    /// Disks of virtual machines, and file systems that are mounted in them, loaded inside.
    Guest,
}

/// What one target of a layer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// A disk, a file or a folder.
    Path,
    /// A way between two hosts, or loopback.
    Link,
    /// Paths on several hosts, and the ways between them.
    Replicas,
    /// One OSD.
    Osd,
    /// A pool: all the OSDs that it lies on.
    Pool,
    /// A folder of a mounted file system.
    Folder,
    /// A bucket at a gateway, which may be one of Ceph or another service.
    Bucket,
    /// A disk, a file or a folder inside a virtual machine.
    InGuest,
}

/// What a layer knows beyond plain loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// Operations may be due at a rate: an open loop.
    pub rate: bool,
    /// Several clients of one host may load a target.
    pub clients: bool,
    /// Other hosts than this one load it.
    pub hosts: bool,
    /// Works on objects of a size of their own.
    pub objects: bool,
    /// Each job has an image of its own.
    pub images: bool,
    /// Its data lie in OSDs: they fill these, and reads are answered from OSDs' memory or their devices.
    pub data_in_osds: bool,
    /// Its operations at depth 1 are round trips, not accesses to data.
    pub round_trips: bool,
}

/// What makes a write of a layer durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DurableBy {
    /// What the workload asks for.
    Request,
    /// A flush of each write at least.
    EachWrite,
    /// The acknowledgement: whoever answers has made it durable.
    Acknowledgement,
}

/// `--option NAME=VALUE`: none else has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOption {
    pub name: &'static str,
    pub values: &'static [&'static str],
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerSpec {
    pub layer: Layer,
    pub name: &'static str,
    pub target: TargetKind,
    /// Where its operations are served, as in "a durable write takes 3 ms on the device".
    pub place: &'static str,
    /// Which operations it has.
    pub operations: &'static [OpClass],
    pub durable_by: DurableBy,
    /// What its engines can be told beyond the workload.
    pub options: &'static [EngineOption],
    /// What measures it alone, after `fathom`.
    pub command: &'static str,
    pub can: Abilities,
}

/// Of blocks: a device, an image, an object.
const BLOCKS: &[OpClass] = &[OpClass::Read, OpClass::Write];

/// What is put and got whole, or read in parts; others are put and deleted, looked for, and listed.
const OBJECTS: &[OpClass] =
    &[OpClass::Read, OpClass::Write, OpClass::Create, OpClass::Stat, OpClass::List, OpClass::Delete];

/// Of blocks of a file, and of files by their names.
const FILES: &[OpClass] = &[
    OpClass::Read,
    OpClass::Write,
    OpClass::Create,
    OpClass::Append,
    OpClass::Rewrite,
    OpClass::Stat,
    OpClass::StatCached,
    OpClass::Open,
    OpClass::List,
    OpClass::Rename,
    OpClass::Delete,
];

const ON_OR_OFF: &[&str] = &["on", "off"];

const NOTHING: Abilities = Abilities {
    rate: false,
    clients: false,
    hosts: false,
    objects: false,
    images: false,
    data_in_osds: false,
    round_trips: false,
};

/// From the bottom of the stack to the top, in the order of [`Layer`].
const LAYERS: &[LayerSpec] = &[
    LayerSpec {
        layer: Layer::Device,
        name: "device",
        target: TargetKind::Path,
        place: "on the device",
        operations: BLOCKS,
        durable_by: DurableBy::Request,
        options: &[],
        command: "disk PATH",
        can: Abilities { rate: true, hosts: true, ..NOTHING },
    },
    LayerSpec {
        layer: Layer::Network,
        name: "network",
        target: TargetKind::Link,
        place: "through network",
        operations: BLOCKS,
        durable_by: DurableBy::Acknowledgement,
        options: &[],
        command: "network",
        can: Abilities { hosts: true, round_trips: true, ..NOTHING },
    },
    LayerSpec {
        layer: Layer::Floor,
        name: "floor",
        target: TargetKind::Replicas,
        place: "on the floor",
        operations: BLOCKS,
        durable_by: DurableBy::EachWrite,
        options: &[],
        command: "floor",
        can: Abilities { hosts: true, ..NOTHING },
    },
    LayerSpec {
        layer: Layer::Store,
        name: "store",
        target: TargetKind::Osd,
        place: "in an OSD's store",
        operations: BLOCKS,
        durable_by: DurableBy::Acknowledgement,
        options: &[],
        command: "store",
        can: NOTHING,
    },
    LayerSpec {
        layer: Layer::Osd,
        name: "osd",
        target: TargetKind::Osd,
        place: "at an OSD",
        operations: BLOCKS,
        durable_by: DurableBy::Acknowledgement,
        options: &[],
        command: "osd",
        can: Abilities { rate: true, clients: true, objects: true, data_in_osds: true, ..NOTHING },
    },
    LayerSpec {
        layer: Layer::Rados,
        name: "rados",
        target: TargetKind::Pool,
        place: "through rados",
        operations: BLOCKS,
        durable_by: DurableBy::Acknowledgement,
        options: &[],
        command: "rados",
        can: Abilities { rate: true, clients: true, hosts: true, objects: true, data_in_osds: true, ..NOTHING },
    },
    LayerSpec {
        layer: Layer::Rbd,
        name: "rbd",
        target: TargetKind::Pool,
        place: "through rbd",
        operations: BLOCKS,
        durable_by: DurableBy::Acknowledgement,
        options: &[EngineOption {
            name: IMAGE_CACHE,
            values: &["off", "on", "writethrough", "writeback", "writearound"],
        }],
        command: "rbd",
        can: Abilities { rate: true, clients: true, hosts: true, images: true, data_in_osds: true, ..NOTHING },
    },
    LayerSpec {
        layer: Layer::File,
        name: "file",
        target: TargetKind::Folder,
        place: "in a file",
        operations: FILES,
        durable_by: DurableBy::Request,
        options: &[EngineOption { name: PAGE_CACHE, values: ON_OR_OFF }],
        command: "file FOLDER",
        can: Abilities { rate: true, hosts: true, ..NOTHING },
    },
    LayerSpec {
        layer: Layer::Object,
        name: "object",
        target: TargetKind::Bucket,
        place: "through an object gateway",
        operations: OBJECTS,
        durable_by: DurableBy::Acknowledgement,
        options: &[EngineOption { name: QUICK_ACKS, values: ON_OR_OFF }],
        command: "object",
        can: Abilities { rate: true, hosts: true, objects: true, data_in_osds: true, ..NOTHING },
    },
    LayerSpec {
        layer: Layer::Guest,
        name: "guest",
        target: TargetKind::InGuest,
        place: "in a guest",
        operations: BLOCKS,
        durable_by: DurableBy::Request,
        options: &[],
        command: "guest DISK --guests LIST",
        can: Abilities { rate: true, ..NOTHING },
    },
];

impl Layer {
    pub const ALL: [Layer; LAYERS.len()] = {
        let (mut all, mut at) = ([Layer::Device; LAYERS.len()], 0);
        while at < all.len() {
            all[at] = LAYERS[at].layer;
            at += 1;
        }
        all
    };

    pub fn spec(self) -> &'static LayerSpec {
        &LAYERS[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.spec().name
    }

    pub fn from_name(name: &str) -> Option<Layer> {
        Layer::ALL.into_iter().find(|layer| layer.name() == name)
    }

    /// Has it all operations of this pattern?
    pub fn has(self, pattern: Pattern) -> bool {
        self.has_all_of(self.mix_of(pattern))
    }

    /// What a pattern does on it.
    pub fn mix_of(self, pattern: Pattern) -> OpMix {
        if pattern == Pattern::Mixed && self.of_buckets() { OpMix::OBJECT_STORE } else { pattern.spec().mix }
    }

    pub fn has_all_of(self, mix: OpMix) -> bool {
        mix.classes().all(|class| self.spec().operations.contains(&class))
    }

    pub fn can(self) -> Abilities {
        self.spec().can
    }

    /// Is it a part of Ceph, whose OSDs it loads?
    pub fn of_ceph(self) -> bool {
        self.of_pools() || self.of_single_osds()
    }

    /// Is a target of it a pool?
    pub fn of_pools(self) -> bool {
        self.spec().target == TargetKind::Pool
    }

    /// Is a target of it one OSD?
    pub fn of_single_osds(self) -> bool {
        self.spec().target == TargetKind::Osd
    }

    /// Does it lie below, or is it, a part of what Ceph's clients wait for? Else it stands beside, for comparison.
    pub fn in_stack(self) -> bool {
        !self.of_replicas() && !self.of_buckets() && !self.of_folders() && !self.of_guests()
    }

    /// Is it what applications see of a pool, above its objects?
    pub fn is_door(self) -> bool {
        self.can().images || self.of_folders() || self.of_buckets() || self.of_guests()
    }

    /// Is a target of it a bucket at a gateway?
    pub fn of_buckets(self) -> bool {
        self.spec().target == TargetKind::Bucket
    }

    /// Is a target of it a folder of a mounted file system?
    pub fn of_folders(self) -> bool {
        self.spec().target == TargetKind::Folder
    }

    /// Does it load what virtual machines see?
    pub fn of_guests(self) -> bool {
        self.spec().target == TargetKind::InGuest
    }

    /// Has it a row for each of its targets, since each goes another way to the cluster?
    pub fn has_doors(self) -> bool {
        self.of_buckets() || self.of_folders() || self.of_guests()
    }

    /// Does it load paths of several hosts, each of which keeps a replica?
    pub fn of_replicas(self) -> bool {
        self.spec().target == TargetKind::Replicas
    }

    /// Does it load the ways between hosts?
    pub fn of_links(self) -> bool {
        self.spec().target == TargetKind::Link
    }

    /// Does it load disks, and nothing else?
    pub fn of_disks(self) -> bool {
        self.spec().target == TargetKind::Path
    }

    /// Does it load paths of hosts? A write to these is durable only if that is asked for; what Ceph acknowledges is.
    pub fn of_paths(self) -> bool {
        matches!(self.spec().target, TargetKind::Path | TargetKind::Replicas | TargetKind::InGuest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_that_of_its_layer_and_names_are_unlike() {
        for (at, layer) in Layer::ALL.into_iter().enumerate() {
            assert_eq!((layer as usize, layer.spec().layer), (at, layer));
            assert_eq!(Layer::from_name(layer.name()), Some(layer));
        }
        assert_eq!(Layer::from_name("disk"), None);
    }
}
