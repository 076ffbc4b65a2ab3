//! A target is one thing of a layer that is loaded.

use crate::gateway::Gateway;
use crate::layer::Layer;
use crate::nfs_export::NfsExport;
use crate::workload::Bytes;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    pub layer: Layer,
    /// As shown: `osd.2`, `/dev/vdb`, `a→b`, a pool's name.
    pub name: String,
    /// The host that it lies on, where that is known.
    pub host: Option<String>,
    pub place: Place,
    /// The host that loads it; `None`: the one on which Fathom runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
    /// Of a pair of hosts: between which of their addresses, `cluster` or `10.1.0.0/24`; `None`: those at which they load the cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// Of a device: how large it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
    /// Of a file, partition or volume that stands for the disk beneath, or of a link: that disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Of a device that is an image of a Ceph cluster: which, through which client (`vms/disk, by krbd`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Of a file or a folder: by its kind it lies on a mounted CephFS, of whichever cluster.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_cephfs: bool,
    /// Of a lab's probe: the OSDs of whose disks it says how they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub like_disks_of: Vec<u32>,
    /// Of a spare partition, volume or file: OSDs that have a part of the same disk, and serve their cluster meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<u32>,
}

/// One of several hosts that load the same thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// As it stands in the list of hosts.
    pub host: String,
    /// What all of them load: `pool vms`.
    pub of: String,
}

impl Target {
    pub fn new(layer: Layer, name: impl Into<String>, place: Place) -> Target {
        let (host, client, network, bytes, on, image) = (None, None, None, None, None, None);
        let (like_disks_of, beside) = (Vec::new(), Vec::new());
        let name = name.into();
        Target { layer, name, host, place, client, network, bytes, on, image, on_cephfs: false, like_disks_of, beside }
    }
}

/// What a way within one host is called: no network is in it.
pub const LOOPBACK: &str = "loopback";

/// A name of something on another network than that of the load: `a→b (cluster)`.
pub fn on_network(name: String, network: Option<&str>) -> String {
    match network {
        Some(network) => format!("{name} ({network})"),
        None => name,
    }
}

/// Where an engine finds the target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// A regular file, a partition or a block device. `writable`: proven to be ours or empty, or given up by the user.
    Path { path: PathBuf, writable: bool },
    /// An ordered pair of hosts: `from` sends. `listener`: the other end lives in another process, and this is the way to it; only
    /// while a slice lasts.
    Pair {
        from: Endpoint,
        to: Endpoint,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        listener: Option<Key>,
    },
    /// A write goes from `from` to the first replica, from there to the others, is durable on each, and is acknowledged back.
    Replicas { from: Endpoint, replicas: Vec<Replica> },
    /// The object store of an OSD, through the OSD's own bench command.
    Store { osd: u32 },
    /// One OSD through a pool of size 1, in objects that map to it; or, with `replicas`, objects of a pool whose placement groups lie on
    /// exactly these OSDs in this order, the first of them as the primary.
    Osd {
        osd: u32,
        pool: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        replicas: Vec<u32>,
    },
    /// Objects of a pool, their names beginning with `prefix`.
    Pool { pool: String, prefix: String },
    /// Images of a pool, one per job. `data_pool`: where their bytes lie, if not with their names and headers in `pool`.
    Images {
        pool: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data_pool: Option<String>,
        images: Vec<String>,
    },
    /// Files of our own in this folder, which is ours.
    Tree { path: PathBuf },
    /// Files of our own in this folder, which is ours, of a file system of the cluster, by libcephfs. `data_pool`: in which of its pools their
    /// bytes lie; `None`: that is not known.
    Cephfs {
        file_system: String,
        path: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data_pool: Option<String>,
    },
    /// Files of our own in this folder, which is ours, of what an NFS server exports, without a mount. `of_cluster`: it is known to serve a file
    /// system of the cluster.
    Nfs { export: NfsExport, path: String, of_cluster: bool },
    /// Objects of a bucket of our own, their names beginning with `prefix`.
    Bucket { gateway: Gateway, bucket: String, prefix: String },
    /// Nothing: operations end at once, or as a simulation says.
    Null,
}

impl Place {
    /// The pool in which the bytes lie that are read and written: of objects of a pool, of images, and of files where it is known.
    pub fn data_pool(&self) -> Option<&str> {
        match self {
            Place::Pool { pool, .. } => Some(pool),
            Place::Images { pool, data_pool, .. } => Some(data_pool.as_ref().unwrap_or(pool)),
            Place::Cephfs { data_pool, .. } => data_pool.as_deref(),
            _ => None,
        }
    }

    /// Every pool to which something is written if it is loaded.
    pub fn pools(&self) -> Vec<&str> {
        match self {
            Place::Osd { pool, .. } => vec![pool],
            Place::Images { pool, data_pool: Some(data_pool), .. } => vec![pool, data_pool],
            other => other.data_pool().into_iter().collect(),
        }
    }
}

/// Opens the port of a network target's other end, for one slice.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    pub port: u16,
    /// A connection that does not send it is refused.
    pub token: [u8; 16],
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Key").field("port", &self.port).finish_non_exhaustive()
    }
}

/// One copy of what a replicated store would keep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replica {
    /// Where a client reaches it.
    pub end: Endpoint,
    /// Where the other replicas reach it, if they have a network of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub among: Option<Endpoint>,
    /// A file or device of that host that may be written to.
    pub path: PathBuf,
    /// The way to who keeps it; only while a slice lasts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listener: Option<Key>,
}

impl Replica {
    pub fn among(&self) -> &Endpoint {
        self.among.as_ref().unwrap_or(&self.end)
    }
}

/// One end of a network target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    pub host: String,
    /// Address to bind and to connect to.
    pub address: String,
    /// Network namespace (a lab's host); `None`: this one.
    pub namespace: Option<String>,
    /// As the cluster calls the host, where that is known; `host` is as it stands in the list of hosts.
    #[serde(default)]
    pub known_as: Option<String>,
}

impl Endpoint {
    /// In this network namespace.
    pub fn new(host: impl Into<String>, address: impl Into<String>) -> Endpoint {
        Endpoint { host: host.into(), address: address.into(), namespace: None, known_as: None }
    }
}
