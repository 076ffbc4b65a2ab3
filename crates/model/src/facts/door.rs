//! What a metadata server says of its clients and of itself, and what indexes of buckets hold.

use crate::workload::Bytes;
use serde::{Deserialize, Serialize};

/// An active metadata server, asked itself (`ceph tell mds.NAME`). `None`: not asked, or not told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MetadataServer {
    /// `mds.a`
    pub name: String,
    /// Memory that its cache takes.
    pub cache: Option<Bytes>,
    /// What it may take (`mds_cache_memory_limit`), as the server has it.
    pub cache_limit: Option<Bytes>,
    pub clients: Option<Vec<FileClient>>,
    /// Requests of clients that wait for a lock, the longest first: others hold it.
    pub waiting: Option<Vec<WaitingRequest>>,
}

/// A session of a client with a metadata server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileClient {
    /// `client.4179`
    pub name: String,
    pub host: Option<String>,
    /// How many files and folders it holds something of.
    pub caps: Option<u64>,
    pub kind: FileClientKind,
}

/// By what a client says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileClientKind {
    Kernel,
    /// ceph-fuse.
    Fuse,
    /// A program that uses libcephfs: NFS servers, SMB servers, Fathom.
    Library,
    #[default]
    Unknown,
}

/// A request that a metadata server can't do yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WaitingRequest {
    /// Whose: `client.4179`.
    pub client: String,
    /// `getattr`, `open`.
    pub operation: String,
    /// How long it has been with the server.
    pub seconds: f64,
    /// For what, in the server's words: `failed to rdlock, waiting`.
    pub waits: String,
}

/// How full the index of a bucket is; only of the fullest ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BucketIndex {
    /// As its gateway calls it; the id of its instance, where the name can't be told.
    pub bucket: String,
    pub shards: u32,
    /// Of the fullest one.
    pub most_in_shard: u64,
}
