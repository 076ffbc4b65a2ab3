//! What a cluster's map says: flags, primary affinities, the ratio from which an OSD is nearly full, pools.

use crate::errors::LabError;
use crate::faults::access::LabAccess;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A flag of all OSDs, such as noout.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Flag {
    flag: String,
    before: bool,
}

impl Flag {
    pub fn all(access: &LabAccess, flags: &[&str]) -> Result<Vec<Flag>, LabError> {
        let dump = access.tell(&json!({"prefix": "osd dump"}))?;
        let set: Vec<&Value> = dump["flags_set"].as_array().into_iter().flatten().collect();
        let flag = |flag: &&str| Flag { flag: (*flag).to_owned(), before: set.iter().any(|known| *known == flag) };
        Ok(flags.iter().map(flag).collect())
    }

    pub fn resource(&self) -> String {
        format!("flag {}", self.flag)
    }

    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        access.tell(&json!({"prefix": "osd set", "key": self.flag})).map(drop)
    }

    pub fn undo(&self, access: &LabAccess) -> Result<(), LabError> {
        if self.before {
            return Ok(());
        }
        access.tell(&json!({"prefix": "osd unset", "key": self.flag})).map(drop)
    }
}

/// How willing an OSD is to be a primary: 0 is never.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Affinity {
    osd: u32,
    affinity: f64,
    before: f64,
}

impl Affinity {
    /// 1 for this OSD, 0 for all others.
    pub fn all_on(access: &LabAccess, chosen: u32) -> Result<Vec<Affinity>, LabError> {
        let dump = access.tell(&json!({"prefix": "osd dump"}))?;
        let affinity = |known: &Value| {
            let osd = known["osd"].as_u64()? as u32;
            let affinity = f64::from(u8::from(osd == chosen));
            Some(Affinity { osd, affinity, before: known["primary_affinity"].as_f64().unwrap_or(1.0) })
        };
        Ok(dump["osds"].as_array().into_iter().flatten().filter_map(affinity).collect())
    }

    pub fn resource(&self) -> String {
        format!("primary affinity of osd.{}", self.osd)
    }

    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        self.set(access, self.affinity)
    }

    pub fn undo(&self, access: &LabAccess) -> Result<(), LabError> {
        self.set(access, self.before)
    }

    fn set(&self, access: &LabAccess, weight: f64) -> Result<(), LabError> {
        access.tell(&json!({"prefix": "osd primary-affinity", "id": self.osd, "weight": weight})).map(drop)
    }
}

/// From which part of its room in use an OSD is called nearly full.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NearfullRatio {
    ratio: f64,
    before: f64,
}

impl NearfullRatio {
    pub fn new(access: &LabAccess, ratio: f64) -> Result<NearfullRatio, LabError> {
        let dump = access.tell(&json!({"prefix": "osd dump"}))?;
        // It is a float in the map: 0.85 comes back as 0.8500000238.
        let before = dump["nearfull_ratio"].as_f64().map_or(0.85, |ratio| (ratio * 1e6).round() / 1e6);
        Ok(NearfullRatio { ratio, before })
    }

    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        set_ratio(access, self.ratio)
    }

    pub fn undo(&self, access: &LabAccess) -> Result<(), LabError> {
        set_ratio(access, self.before)
    }
}

fn set_ratio(access: &LabAccess, ratio: f64) -> Result<(), LabError> {
    access.tell(&json!({"prefix": "osd set-nearfull-ratio", "ratio": ratio})).map(drop)
}

/// A pool of the fault's own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OwnPool {
    pub name: String,
    pg_num: u32,
}

impl OwnPool {
    pub fn new(fault: &str, pg_num: u32) -> OwnPool {
        OwnPool { name: format!("fault.{fault}"), pg_num }
    }

    pub fn make(&self, access: &LabAccess) -> Result<(), LabError> {
        let (pool, groups) = (&self.name, self.pg_num);
        access.tell(&json!({"prefix": "osd pool create", "pool": pool, "pg_num": groups, "pgp_num": groups}))?;
        access.tell(&json!({"prefix": "osd pool application enable", "pool": pool, "app": "rbd"}))?;
        access.wait("the pool's placement groups", || {
            let stat = access.tell(&json!({"prefix": "osd dump"}))?;
            Ok(stat["pools"].as_array().into_iter().flatten().any(|one| one["pool_name"] == *pool))
        })
    }

    /// With all that is in it.
    pub fn undo(&self, access: &LabAccess) -> Result<(), LabError> {
        let (pool, sure) = (&self.name, "yes_i_really_really_mean_it");
        access.tell(&json!({"prefix": "osd pool delete", "pool": pool, "pool2": pool, sure: true})).map(drop)
    }
}
