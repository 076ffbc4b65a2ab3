//! What the kernels of hosts counted, second by second, while a step was measured.

use crate::layer::Layer;
use crate::pattern::Pattern;
use crate::step_id::StepId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Of one slice of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    pub step: StepId,
    pub pass: u32,
    pub hosts: Vec<HostSeconds>,
}

/// How many placement groups were in each state but `active+clean`.
pub type PgStates = BTreeMap<String, u32>;

/// While a slice was measured: the most that were seen in each state at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PgsSeen {
    pub step: StepId,
    pub pass: u32,
    pub states: PgStates,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostSeconds {
    /// As the cluster calls it.
    pub host: String,
    /// As it stands in the list of hosts, which findings of the network name; empty: an older run did not tell.
    #[serde(default)]
    pub named: String,
    pub seconds: Vec<HostSecond>,
}

/// About a second of a host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostSecond {
    /// Its end, in seconds from the slice's start.
    pub at: f64,
    /// How long it was in fact.
    pub seconds: f64,
    /// Share of all processors' time in which they worked; and in which the hypervisor gave them to others.
    pub cpu: f64,
    pub steal: f64,
    /// `None`: the kernel does not count it.
    pub pressure: Option<Pressure>,
    /// Disks that moved anything.
    pub disks: Vec<DiskSecond>,
    pub nics: Vec<NicSecond>,
    /// TCP segments sent, and of these again.
    pub segments: u64,
    pub retransmitted: u64,
    pub osds: Vec<OsdSecond>,
}

impl HostSecond {
    /// Share of the TCP segments that were sent again.
    pub fn sent_again(&self) -> f64 {
        self.retransmitted as f64 / self.segments.max(1) as f64
    }
}

/// Share of the time in which some task waited for it (pressure stall information: `some`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pressure {
    pub cpu: f64,
    pub io: f64,
    pub memory: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiskSecond {
    /// `sdb`
    pub name: String,
    /// Per second.
    pub reads: f64,
    pub writes: f64,
    pub read_bytes: f64,
    pub written_bytes: f64,
    /// From the queue's entry to the answer, in ms; `None`: there was none.
    pub read_ms: Option<f64>,
    pub write_ms: Option<f64>,
    /// Operations in flight on average.
    pub queue: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NicSecond {
    pub name: String,
    /// Bytes per second.
    pub sent: f64,
    pub received: f64,
    /// Packets that were lost or broken, in either direction.
    pub lost: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OsdSecond {
    pub osd: u32,
    /// Processors used, by kind of thread: `tp_osd_tp`, `msgr-worker`, `bstore_kv_sync`.
    pub threads: BTreeMap<String, f64>,
}

/// An OSD of a host whose threads are of interest, and the address at which it listens: several clusters on one machine may have
/// OSDs of the same number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OsdWish {
    pub osd: u32,
    pub address: Option<String>,
}

/// Of one step on one host: means over all seconds of its slices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostLoad {
    pub host: String,
    pub step: StepId,
    pub layer: Layer,
    pub target: String,
    pub pattern: Pattern,
    pub mean: HostSecond,
}
