//! What the monitors and the manager say of a cluster.

use super::{BucketIndex, ImageFacts, MetadataServer, OsdFacts, PoolFacts, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `None` and absent: not asked, or not told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClusterFacts {
    pub fsid: Option<String>,
    /// A throwaway cluster of Fathom's: its media, sizes and processors are made up.
    pub lab: bool,
    /// Kind of daemon to versions with the number of daemons: `osd` to `16.2.15` to 3.
    pub versions: Option<BTreeMap<String, Vec<(Version, u32)>>>,
    pub require_osd_release: Option<String>,
    pub require_min_client: Option<String>,
    pub nearfull: Option<f64>,
    pub osds: Option<Vec<OsdFacts>>,
    pub pools: Option<Vec<PoolFacts>>,
    /// Those that are measured and not the run's own; `None`: there is none, or it did not answer.
    pub images: Option<Vec<ImageFacts>>,
    /// Set by somebody: in the monitors' database, or in the configuration file of the OSD that was asked.
    pub options: Option<Vec<SetOption>>,
    /// Flags of the OSD map that stop something.
    pub flags: Option<Vec<String>>,
    /// The same of single OSDs, hosts and classes: `osd.3: noout`.
    pub part_flags: Option<Vec<String>>,
    pub health: Option<Vec<HealthCheck>>,
    /// How many placement groups are in each state, `active+clean` among them.
    pub groups: Option<BTreeMap<String, u32>>,
    /// Objects that lie where they should not, or lack a copy.
    pub misplaced: Option<u64>,
    pub degraded: Option<u64>,
    pub recovering_bytes_per_second: Option<u64>,
    pub balancer: Option<Balancer>,
    /// Pools whose number of placement groups the autoscaler is about to change, with the number that it wants.
    pub autoscaling: Option<Vec<(String, u32)>>,
    /// What the manager says goes on, in its words.
    pub progress: Option<Vec<String>>,
    pub monitors: Option<MonitorFacts>,
    pub manager_modules: Option<Vec<String>>,
    pub crush_rules: Option<Vec<CrushRule>>,
    pub buckets: Option<Vec<Bucket>>,
    pub tunables: Option<Tunables>,
    pub file_systems: Option<Vec<FileSystem>>,
    /// Gateways for objects: name to what each tells.
    pub gateways: Option<BTreeMap<String, BTreeMap<String, String>>>,
    pub clients: Option<Vec<ClientRelease>>,
    /// The active ones; `None`: there is no file system, or none answered, or libcephfs is missing.
    pub metadata_servers: Option<Vec<MetadataServer>>,
    /// Indexes of buckets, the fullest first; `None`: there are none, they may not be read, or there are too many of them to look at each.
    pub bucket_indexes: Option<Vec<BucketIndex>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SetOption {
    /// `global`, `osd`, `osd.3`, `osd/class:ssd`.
    pub who: String,
    pub name: String,
    pub value: String,
    /// `None`: in the monitors' database; else `file`, `env`, `override`.
    pub origin: Option<String>,
    /// Of an option that single OSDs have in the monitors' database: what those have that have none; and whether daemons take it up while
    /// they run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_runtime: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HealthCheck {
    pub id: String,
    pub severity: String,
    pub says: String,
    /// Somebody said that it is not to be told.
    pub muted: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Balancer {
    pub active: bool,
    /// `upmap`, `crush-compat`, `none`.
    pub mode: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MonitorFacts {
    pub known: u32,
    pub in_quorum: u32,
    /// The largest difference of a monitor's clock to the leader's, seconds; `None`: there is one monitor, or it is not told.
    pub clock_skew: Option<f64>,
    /// Their data lie on rotating disks: names of those.
    pub on_rotating: Option<Vec<String>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CrushRule {
    pub id: i64,
    pub name: String,
    /// Device classes that its steps take; an empty name: any.
    pub classes: Vec<String>,
    /// What it takes (`default`), if that and one choice of as many places as there are copies is all that it does, as of rules that
    /// `ceph osd crush rule create-replicated` makes. `None`: it does more, or that was not told.
    pub root: Option<String>,
    /// What it keeps copies apart by, even if several lie within each: `host`; `osd`: nothing above OSDs.
    pub domain: Option<String>,
    /// Classes of the OSDs that it reaches, with their number; `None`: an OSD's class is not known.
    pub reaches: Option<BTreeMap<String, u32>>,
}

/// A part of the CRUSH map that is no OSD.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Bucket {
    pub name: String,
    /// `host`, `rack`, `root`.
    pub kind: String,
    pub weight: f64,
    pub algorithm: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tunables {
    pub profile: Option<String>,
    pub optimal: Option<bool>,
    pub legacy: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileSystem {
    pub name: String,
    pub metadata_pool: Option<i64>,
    /// The first is the default one.
    pub data_pools: Vec<i64>,
    pub ranks: Option<u32>,
    pub ranks_wanted: Option<u32>,
    pub standbys: Option<u32>,
    pub flags: Vec<String>,
}

/// How many connected clients have the features of this release.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClientRelease {
    pub release: String,
    pub number: u32,
}
