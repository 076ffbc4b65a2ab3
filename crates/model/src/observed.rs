//! What the kernels of hosts counted, second by second, while a step was measured.

use crate::layer::Layer;
use crate::pattern::Pattern;
use crate::step_id::StepId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

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

/// While a slice was measured: OSDs whose placement groups were scrubbed, recovered, moved or trimmed, with the words of their states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OsdsAtWork {
    pub step: StepId,
    pub pass: u32,
    pub osds: BTreeMap<u32, BTreeSet<String>>,
}

/// While a slice was measured, or since the one before it: OSDs that were down and came up again, and how often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CameBack {
    pub step: StepId,
    pub pass: u32,
    pub osds: BTreeMap<u32, u32>,
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
    /// `None`: the kernel does not count it, or an older run did not look.
    #[serde(default)]
    pub interrupts: Option<Interrupts>,
    /// All that run on it; none in an older run.
    #[serde(default)]
    pub metadata_servers: Vec<MdsSecond>,
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

/// The processor that spent the most of its time in interrupts and softirqs, beside all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interrupts {
    /// Its number.
    pub processor: u32,
    /// How many processors there are.
    pub processors: u32,
    /// Of its time, in interrupts and softirqs.
    pub share: f64,
    pub idle: f64,
    /// The means of all others; 0 if there are none.
    pub others_share: f64,
    pub others_idle: f64,
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
    /// The same of the busiest single thread of each kind, 0 to 1.
    #[serde(default)]
    pub busiest: BTreeMap<String, f64>,
    /// `None`: not known, since its sockets could not be looked at, or an older run did not.
    #[serde(default)]
    pub connections: Option<Connections>,
}

impl OsdSecond {
    /// The busiest single thread: its kind, and how much of a processor it used.
    pub fn busiest_thread(&self) -> Option<(&str, f64)> {
        most(&self.busiest)
    }
}

/// A metadata server of CephFS.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MdsSecond {
    /// `mds.a`
    pub name: String,
    /// Processors used, by kind of thread: `ms_dispatch`, `msgr-worker`, `mds_rank_progr`.
    pub threads: BTreeMap<String, f64>,
}

impl MdsSecond {
    /// Processors that all its threads used together.
    pub fn processors(&self) -> f64 {
        self.threads.values().sum()
    }

    /// The busiest kind of its threads, and how much of a processor these used.
    pub fn busiest_kind(&self) -> Option<(&str, f64)> {
        most(&self.threads)
    }
}

fn most(threads: &BTreeMap<String, f64>) -> Option<(&str, f64)> {
    let all = threads.iter().map(|(kind, used)| (kind.as_str(), *used));
    all.max_by(|(_, a), (_, b)| a.total_cmp(b))
}

/// What an OSD's TCP connections did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Connections {
    pub count: u32,
    /// Segments that all of them sent.
    pub segments: u64,
    /// Of these, sent again.
    pub retransmitted: u64,
    /// Of these, the ones that the receiver says it had already (DSACK); `None`: that is not known (no SACK, or before Linux 4.19).
    pub needless: Option<u64>,
    /// That which lost the most segments; where none lost any, the one with the longest round trip among those that sent much.
    pub worst: Option<Connection>,
}

/// One TCP connection, seen from the OSD.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Connection {
    /// Address and port of the other end.
    pub peer: String,
    /// Round trips as the kernel smooths them.
    pub rtt_ms: f64,
    /// The shortest one so far; `None`: there was none yet.
    pub rtt_min_ms: Option<f64>,
    /// The congestion window, in segments.
    pub cwnd: u32,
    /// As of all connections, since it was told last or the watching began.
    pub segments: u64,
    pub retransmitted: u64,
    pub needless: Option<u64>,
}

impl Connection {
    /// Segments sent again that the receiver did not have: only these were lost. Where it is not known which, all of them.
    pub fn lost(&self) -> u64 {
        self.retransmitted.saturating_sub(self.needless.unwrap_or(0))
    }

    pub fn lost_share(&self) -> f64 {
        self.lost() as f64 / self.segments.max(1) as f64
    }

    /// The worst is the greatest: by the share that was lost, where more than a few were, then by how many, then by round trip.
    pub fn compare(&self, other: &Connection) -> Ordering {
        let share = |one: &Connection| if one.lost() > Connection::FEW { one.lost_share() } else { 0.0 };
        let lost = share(self).total_cmp(&share(other)).then(self.lost().cmp(&other.lost()));
        lost.then(self.rtt_ms.total_cmp(&other.rtt_ms))
    }

    /// Segments that healthy connections lose.
    pub const FEW: u64 = 2;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_of_earlier_runs_are_read() {
        let earlier = r#"{"at":1.0,"seconds":1.0,"cpu":0.5,"steal":0.0,"pressure":null,"disks":[],"nics":[],"segments":7,
            "retransmitted":1,"osds":[{"osd":3,"threads":{"msgr-worker":0.2}}]}"#;
        let second: HostSecond = serde_json::from_str(earlier).unwrap();
        let [osd] = second.osds.as_slice() else { panic!("{second:?}") };
        assert_eq!((osd.threads["msgr-worker"], osd.busiest_thread(), &osd.connections), (0.2, None, &None));
        assert_eq!((second.interrupts, second.metadata_servers), (None, Vec::new()));
    }
}
