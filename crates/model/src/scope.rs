//! What is there: hosts, devices, OSDs, pools, versions, options, health. Looked at, never changed.

use crate::workload::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::BTreeSet;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scope {
    /// `None`: no cluster was asked for.
    pub fsid: Option<String>,
    /// `lab:NAME` for a lab.
    pub cluster: Option<String>,
    /// `HEALTH_OK`, …, with the checks that are not fine.
    pub health: Option<String>,
    pub health_checks: Vec<String>,
    /// Daemon type to versions: `osd` to `16.2.15`.
    pub versions: BTreeMap<String, Vec<String>>,
    /// Version of the client library that was used.
    pub client_version: Option<String>,
    pub hosts: Vec<HostScope>,
    pub devices: Vec<DeviceScope>,
    pub osds: Vec<OsdScope>,
    pub pools: Vec<PoolScope>,
    /// The OSDs on which a pool may lie that is made without a word on its rule, as those of a run are. Empty: all, or not known.
    #[serde(default)]
    pub new_pool_osds: Vec<u32>,
    /// What keeps replicas of such a pool apart: `host`, `osd`, `rack`; `None`: not known.
    #[serde(default)]
    pub new_pool_apart: Option<String>,
    /// As `PoolScope::takes`, of the rule of such a pool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_pool_takes: Vec<RuleTake>,
    /// Replicas of placement groups that the monitors allow for each OSD (`mon_max_pg_per_osd`).
    #[serde(default)]
    pub pgs_per_osd_most: Option<u32>,
    /// From which share of its room on an OSD is called nearly full (`mon_osd_nearfull_ratio`, `ceph osd set-nearfull-ratio`).
    #[serde(default)]
    pub nearfull: Option<f64>,
    /// May placement groups be bound to OSDs one by one (`pg-upmap`: `require-min-compat-client` is luminous or later)?
    #[serde(default)]
    pub pg_upmap: Option<bool>,
    /// Options of the cluster that differ from their defaults: `osd.2/debug_osd` to its value.
    pub options: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostScope {
    pub name: String,
    pub address: Option<String>,
    /// Network namespace, for a lab's host.
    pub namespace: Option<String>,
    pub kernel: Option<String>,
    pub cpu: Option<String>,
    pub cores: Option<u32>,
    pub memory: Option<Bytes>,
    /// The host on which Fathom runs.
    pub here: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceScope {
    pub path: String,
    pub host: Option<String>,
    pub model: Option<String>,
    pub bytes: Option<Bytes>,
    pub rotational: Option<bool>,
    /// The OSDs that live on it, or have their database or journal there.
    pub osds: Vec<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OsdScope {
    pub id: u32,
    pub host: String,
    /// What of the CRUSH map it lies in between its host and the root: `rack` to the rack's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub within: BTreeMap<String, String>,
    pub class: Option<String>,
    /// The disk of its data; several with commas between them.
    pub device: Option<String>,
    pub up: bool,
    pub inside: bool,
    /// How often it leads placement groups, of 1; `None`: not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary_affinity: Option<f64>,
    /// Its share of the data in the CRUSH map.
    #[serde(default)]
    pub crush_weight: Option<f64>,
    pub address: Option<String>,
    /// Where other OSDs reach it, if that is another address.
    #[serde(default)]
    pub cluster_address: Option<String>,
    pub version: Option<String>,
    /// `bluestore`, `memstore`.
    pub store: Option<String>,
    pub bytes: Option<Bytes>,
    pub bytes_used: Option<Bytes>,
}

/// What runs of one series have in common: the cluster, or, without one, the host on which they ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunPlace {
    /// By its fsid: a name may be that of another one by now.
    Cluster(String),
    Host(String),
    /// Labs that were started for a run each, on this host: each has another fsid, and they are alike.
    OwnLab(String),
    /// Another tool measured it.
    Untold,
}

impl RunPlace {
    /// `own_lab`: a lab was started for the run.
    pub fn new(own_lab: bool, fsid: Option<String>, here: Option<String>) -> RunPlace {
        match (fsid, here) {
            (Some(_), Some(host)) if own_lab => RunPlace::OwnLab(host),
            (Some(fsid), _) => RunPlace::Cluster(fsid),
            (None, Some(host)) => RunPlace::Host(host),
            (None, None) => RunPlace::Untold,
        }
    }
}

impl Scope {
    /// The host on which Fathom ran.
    pub fn here(&self) -> Option<&HostScope> {
        self.hosts.iter().find(|host| host.here)
    }

    /// The host with OSDs that has one of these names, else the only one that is the same without its domain: `a.rack1` and `a.rack2` are two
    /// hosts.
    pub fn osd_host(&self, names: &[&str]) -> Option<&str> {
        let hosts = || self.osds.iter().map(|osd| osd.host.as_str());
        let short = |name: &str| name.split('.').next().unwrap_or(name).to_string();
        let alike: BTreeSet<&str> = hosts().filter(|host| names.iter().any(|own| short(host) == short(own))).collect();
        let only = alike.first().copied().filter(|_| alike.len() == 1);
        hosts().find(|host| names.contains(host)).or(only)
    }

    /// The pools that somebody may name: those that other runs made for themselves are left out.
    pub fn pools_to_name(&self) -> String {
        let names = self.pools.iter().map(|pool| pool.name.as_str()).filter(|name| !name.starts_with("fathom."));
        names.collect::<Vec<_>>().join(", ")
    }
}

impl OsdScope {
    /// May it lead every placement group that is bound to it?
    pub fn leads(&self) -> bool {
        self.primary_affinity.is_none_or(|affinity| affinity >= 1.0)
    }

    /// May placement groups lie on it?
    pub fn takes_data(&self) -> bool {
        self.inside && self.crush_weight != Some(0.0)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PoolScope {
    pub id: i64,
    pub name: String,
    /// Replicas, or k+m of an erasure-coded pool.
    pub size: u32,
    pub min_size: u32,
    /// Data chunks of an erasure-coded pool.
    pub erasure_k: Option<u32>,
    /// Parts of its objects may be written: of every replicated pool, and of an erasure-coded one that is told to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overwrites: Option<bool>,
    pub pg_num: u32,
    /// `on`, `warn`, `off`; `None`: the release has no autoscaler, or an older record does not tell.
    #[serde(default)]
    pub pg_autoscale_mode: Option<String>,
    pub applications: Vec<String>,
    /// The OSDs on which its CRUSH rule lets it lie. Empty: all, or not known.
    #[serde(default)]
    pub osds: Vec<u32>,
    /// What keeps its replicas apart: `host`, `osd`, `rack`; `None`: not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<String>,
    /// Where its rule takes more than once, as one that keeps a first copy on faster disks: each of them. Empty: it takes once, or not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub takes: Vec<RuleTake>,
    /// `None`: none, as of the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota_bytes: Option<Quota>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota_objects: Option<Quota>,
    /// Writes to it wait until there is room: of its quota, or on an OSD.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub full: bool,
}

/// What a CRUSH rule places from one `take` to its `emit`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleTake {
    /// The OSDs below what it takes.
    pub osds: Vec<u32>,
    /// How many copies, or chunks: as many as this if positive, else so many fewer than the pool has.
    pub copies: i64,
    /// What keeps these apart, as of the pool.
    pub apart: Option<String>,
}

impl RuleTake {
    /// Of a pool with so many copies, of which so many have no place yet.
    pub fn places(&self, size: u32, open: u32) -> u32 {
        let copies = if self.copies > 0 { self.copies } else { i64::from(size) + self.copies };
        copies.clamp(0, i64::from(open)) as u32
    }
}

/// How much of a pool there may be, before all writes to it wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quota {
    pub most: u64,
    /// As the cluster counts it: bytes without replicas, holes as well.
    pub used: u64,
}

impl Quota {
    pub fn left(&self) -> u64 {
        self.most.saturating_sub(self.used)
    }
}
