//! What the OSD map and the statistics say of a pool.

use crate::workload::Bytes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PoolFacts {
    pub id: i64,
    pub name: String,
    /// `None`: not known.
    pub erasure: Option<bool>,
    pub size: Option<u32>,
    pub min_size: Option<u32>,
    pub pg_num: Option<u32>,
    pub pgp_num: Option<u32>,
    pub pg_num_target: Option<u32>,
    pub pgp_num_target: Option<u32>,
    /// `on`, `warn`, `off`.
    pub autoscale: Option<String>,
    pub flags: Vec<String>,
    pub applications: Vec<String>,
    pub crush_rule: Option<i64>,
    /// Options that are set: `compression_mode`, `csum_type`, `target_size_ratio`.
    pub options: BTreeMap<String, String>,
    /// Of an erasure-coded pool: `k`, `m`, `plugin`, `stripe_unit`.
    pub profile: BTreeMap<String, String>,
    pub stripe_width: Option<Bytes>,
    /// `None`: it is no tier, as of the next.
    pub tier_of: Option<i64>,
    pub read_tier: Option<i64>,
    pub write_tier: Option<i64>,
    pub cache_mode: Option<String>,
    pub quota_bytes: Option<u64>,
    pub quota_objects: Option<u64>,
    pub fast_read: Option<bool>,
    /// Without replicas.
    pub stored: Option<Bytes>,
    pub objects: Option<u64>,
    /// Shares of the room that it may use which is used.
    pub used: Option<f64>,
    /// What clients did just then.
    pub load: Option<PoolLoad>,
}

/// What clients read from and write to a pool, by the manager's count of the last seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PoolLoad {
    pub operations_per_second: f64,
    pub bytes_per_second: f64,
}

impl PoolFacts {
    pub fn flag(&self, name: &str) -> bool {
        self.flags.iter().any(|flag| flag == name)
    }

    /// For data of users: not one of those that Ceph keeps for itself.
    pub fn of_users(&self) -> bool {
        !self.name.starts_with('.') && !self.name.starts_with("device_health_metrics")
    }

    pub fn has(&self, application: &str) -> bool {
        self.applications.iter().any(|own| own == application)
    }

    /// Bytes of an object on average; `None`: there are none, or it is not known.
    pub fn object_bytes(&self) -> Option<f64> {
        let objects = self.objects.filter(|objects| *objects > 0)?;
        Some(self.stored? as f64 / objects as f64)
    }

    /// A number of its erasure code.
    pub fn code(&self, name: &str) -> Option<u32> {
        self.profile.get(name)?.parse().ok()
    }
}
