//! Where OSDs say that operations spent their time while a slice was measured, and what that makes of the client's mean latency.

use crate::layer::Layer;
use crate::pattern::Pattern;
use crate::step_id::StepId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The OSDs' times in one slice of a step. The operations of all clients count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OsdTimes {
    pub step: StepId,
    pub pass: u32,
    /// OSDs that were asked before and after.
    pub osds: Vec<TimesOfOsd>,
    /// How many OSDs serve the step; more than were asked, where they are many.
    pub of: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimesOfOsd {
    pub osd: u32,
    /// What the OSD's release does not count is not there.
    pub spent: BTreeMap<Timer, Spent>,
}

/// How often something was done, and how many seconds it took in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    pub times: u64,
    pub seconds: f64,
}

/// A stretch of an operation's way that OSDs time. Releases call their counters differently; `cluster::timers` knows how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// A client's write at its primary, from its receipt to its answer.
    Write,
    /// The part of it from the queue's end to when it was handed to the store and the replicas.
    WritePrepared,
    /// A client's read at its primary, from its receipt to its answer.
    Read,
    /// A client's operation that reads and writes, from its receipt to its answer.
    ReadWrite,
    /// From receipt to the queue.
    Received,
    /// From receipt to the queue's end.
    Dequeued,
    /// A write at a replica, from its receipt to its answer.
    ReplicaWrite,
    /// The store: a transaction until it is durable.
    Commit,
    /// Of that: before it was let in.
    CommitThrottled,
    /// Of that: until its data was submitted.
    CommitPrepared,
    /// Of that: data written to the device.
    CommitData,
    /// Of that: waiting for the thread that writes the log.
    CommitQueued,
    /// Of that: RocksDB's log written and flushed.
    CommitLog,
    /// Of the thread that commits: the data's device flushed. Once for all transactions of a round.
    DataFlushed,
    /// Of the same thread: RocksDB's log written and made durable, on its own device if it has one. Once for all of a round.
    LogWritten,
    /// The store: a read.
    StoreRead,
    /// Of that: looking up the object's metadata.
    StoreReadMetadata,
    /// Of that: waiting for the device.
    StoreReadData,
}

/// Of what a client's mean latency is made, in ms; by the counters of the OSDs, or of the gateway or metadata server that it asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencyParts {
    pub layer: Layer,
    pub pattern: Pattern,
    pub target: String,
    /// The mean of all operations of these slices, warm-up included, as the client saw it.
    pub mean_ms: f64,
    /// They add up to the mean; in the order of an operation's way.
    pub parts: Vec<LatencyPart>,
    /// Share of the operations that the OSDs, or the gateways, counted which were the run's own. `None`: a metadata server counts requests,
    /// of which an operation has none, one or several.
    pub own: Option<f64>,
    /// Requests to a gateway or a metadata server in one operation, by their counters; `None`: nobody between the client and the OSDs.
    #[serde(default)]
    pub requests: Option<f64>,
    /// OSDs that were asked, of those that serve it.
    pub osds: u32,
    pub of: u32,
    /// The parts say more than the client saw, or the rest is more than a tenth: what is not to be relied on, in words.
    pub doubt: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyPart {
    pub part: Part,
    pub ms: f64,
}

/// Where a part of the latency of an operation is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The client library and the sockets at both ends: what is neither network nor OSD.
    Client,
    /// The network both ways, where a round trip was measured.
    Network,
    /// Both of them, where it was not.
    ClientAndNetwork,
    /// Both of them, and the OSDs to which the client sends a file's data itself.
    ClientAndData,
    /// Both of them, and the server of NFS that the client asks.
    ClientAndServer,
    /// The object gateway's own software, and its network to the OSDs.
    Gateway,
    /// The object gateway and the OSDs that it asks, where others loaded these as well.
    GatewayAndOsds,
    /// The metadata server, from a request's receipt to its first answer.
    MetadataServer,
    /// The OSDs, asked by the gateway, or by the client beside the metadata server.
    Osds,
    /// From the OSD's socket to its queue.
    Messenger,
    /// In the OSD's queue, until a thread with the placement group's lock takes it.
    Queue,
    /// The primary's own software.
    Software,
    /// Of an erasure-coded pool: that, and the OSDs of the other chunks, which no counter tells apart.
    SoftwareAndChunks,
    /// The object's metadata (reads).
    Metadata,
    /// Data on the device.
    Data,
    /// The store's log (RocksDB's WAL): waiting for its thread, written and flushed.
    Log,
    /// What the slowest replica takes longer than the primary's own store, with the network between them.
    Replicas,
    /// What no counter explains.
    Rest,
}

impl Part {
    /// In the order of an operation's way.
    pub const ALL: [Part; 18] = [
        Part::Client,
        Part::Network,
        Part::ClientAndNetwork,
        Part::ClientAndData,
        Part::ClientAndServer,
        Part::Gateway,
        Part::GatewayAndOsds,
        Part::MetadataServer,
        Part::Osds,
        Part::Messenger,
        Part::Queue,
        Part::Software,
        Part::SoftwareAndChunks,
        Part::Metadata,
        Part::Data,
        Part::Log,
        Part::Replicas,
        Part::Rest,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Part::Client => "client",
            Part::Network => "network",
            Part::ClientAndNetwork => "client and network",
            Part::ClientAndData => "client, network and data",
            Part::ClientAndServer => "client, network and NFS server",
            Part::Gateway => "gateway",
            Part::GatewayAndOsds => "gateway and OSDs",
            Part::MetadataServer => "metadata server",
            Part::Osds => "OSDs",
            Part::Messenger => "messenger",
            Part::Queue => "queue",
            Part::Software => "OSD software",
            Part::SoftwareAndChunks => "OSD software and other chunks",
            Part::Metadata => "metadata",
            Part::Data => "data",
            Part::Log => "log and flush",
            Part::Replicas => "waiting for replicas",
            Part::Rest => "rest",
        }
    }
}

impl LatencyParts {
    pub fn ms(&self, part: Part) -> Option<f64> {
        self.parts.iter().find(|one| one.part == part).map(|one| one.ms)
    }
}

impl Spent {
    /// `None`: it never happened.
    pub fn mean_ms(&self) -> Option<f64> {
        (self.times > 0).then(|| 1e3 * self.seconds / self.times as f64)
    }
}

impl std::ops::Add for Spent {
    type Output = Spent;
    fn add(self, other: Spent) -> Spent {
        Spent { times: self.times + other.times, seconds: self.seconds + other.seconds }
    }
}
