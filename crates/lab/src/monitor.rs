//! What a new cluster is told, and asked, through its monitor.

use crate::build::{check_daemons, wait};
use crate::errors::LabError;
use crate::lab::LabCluster;
use crate::services::{self, ServicePool};
use crate::supervisor::Supervisor;
use ceph::{ClusterAccess, Rados};
use serde_json::{Value, json};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

/// The pool that a lab has from the beginning.
const POOL: &str = "rbd";
/// Its placement groups.
pub(crate) const POOL_PGS: u64 = 32;

pub(crate) struct Monitor<'a> {
    rados: Rados,
    supervisor: &'a Supervisor,
}

/// A connection to the lab of this conf. Nothing takes longer than `timeout`, so that a dead monitor, or OSD, is noticed.
pub(crate) fn connect(conf: &Path, timeout: Duration) -> Result<Rados, LabError> {
    let seconds = timeout.as_secs().max(1).to_string();
    let timeouts = ["rados_mon_op_timeout", "rados_osd_op_timeout"];
    let options = timeouts.map(|name| (name.to_owned(), seconds.clone())).into();
    let access =
        ClusterAccess { conf: Some(conf.to_owned()), options, connect_timeout: timeout, ..ClusterAccess::default() };
    Ok(Rados::connect(&access)?)
}

impl<'a> Monitor<'a> {
    /// Connects to the monitor that has just been started.
    pub fn reach(supervisor: &'a Supervisor, lab: &LabCluster, port: u16) -> Result<Monitor<'a>, LabError> {
        let ip = lab.first_host().address.parse().unwrap_or(Ipv4Addr::LOCALHOST);
        let address = SocketAddr::from((ip, port));
        // The library waits for seconds when its first try finds nobody.
        wait(supervisor, "the start of the monitor", 60, || {
            let tried = TcpStream::connect_timeout(&address, Duration::from_millis(500));
            Ok(tried.map(drop).map_err(|error| format!("{address}: {error}")))
        })?;
        let rados = connect(&lab.conf, Duration::from_secs(20)).map_err(|error| sink(supervisor, error))?;
        Ok(Monitor { rados, supervisor })
    }

    pub fn tell(&self, command: &Value) -> Result<Value, LabError> {
        check_daemons(self.supervisor)?;
        let reply = self.rados.mon_command(command).map_err(|error| sink(self.supervisor, error.into()))?;
        Ok(reply.json().unwrap_or(Value::Null))
    }

    /// Enters the OSDs and puts them into the CRUSH map, each under its host.
    pub fn enter_osds(&self, lab: &LabCluster, uuids: &[String]) -> Result<(), LabError> {
        for (osd, uuid) in lab.osds.iter().zip(uuids) {
            self.tell(&json!({"prefix": "osd new", "uuid": uuid, "id": osd.id}))?;
            let weight = self.supervisor.spec.size as f64 / f64::from(1u32 << 30) / 1024.0;
            let place = ["root=default".to_owned(), format!("host={}", osd.host)];
            self.tell(&json!({"prefix": "osd crush add", "id": osd.id, "weight": weight, "args": place}))?;
        }
        Ok(())
    }

    /// Makes the first pool, and sees to it that the manager makes none: devices that are files have no health to keep.
    pub fn make_pool(&self) -> Result<(), LabError> {
        let option = "mgr/devicehealth/enable_monitoring";
        self.tell(&json!({"prefix": "config set", "who": "mgr", "name": option, "value": "false", "force": true}))?;
        self.tell(&json!({"prefix": "osd pool create", "pool": POOL}))?;
        self.tell(&json!({"prefix": "osd pool application enable", "pool": POOL, "app": "rbd"})).map(drop)
    }

    pub fn make_service_pool(&self, pool: &ServicePool) -> Result<(), LabError> {
        // Since 17.2 a name that begins with a point is to be meant (`OSDMonitor.cc`); earlier monitors do not look at it.
        let create = json!({"prefix": "osd pool create", "pool": pool.name, "pg_num": pool.pgs, "pgp_num": pool.pgs,
                            "yes_i_really_mean_it": true});
        self.tell(&create)?;
        let Some(application) = pool.application else { return Ok(()) };
        self.tell(&json!({"prefix": "osd pool application enable", "pool": pool.name, "app": application})).map(drop)
    }

    pub fn wait_for_osds(&self, number: usize) -> Result<(), LabError> {
        wait(self.supervisor, "the start of the OSDs", 120, || {
            let stat = self.tell(&json!({"prefix": "osd stat", "format": "json"}))?;
            let count = |name: &str| stat[name].as_u64().unwrap_or(0) as usize;
            let (up, inside) = (count("num_up_osds"), count("num_in_osds"));
            Ok(if up == number && inside == number { Ok(()) } else { Err(format!("{up} up, {inside} in of {number}")) })
        })
    }

    /// The manager's word counts: it must have heard of the pool's placement groups, and of no other state.
    pub fn wait_until_clean(&self) -> Result<(), LabError> {
        let groups = POOL_PGS + services::pgs(&self.supervisor.spec.with);
        wait(self.supervisor, "active+clean of all placement groups", 120, || {
            let status = self.tell(&json!({"prefix": "status", "format": "json"}))?;
            Ok(if is_clean(&status, groups) { Ok(()) } else { Err(status["pgmap"]["pgs_by_state"].to_string()) })
        })
    }
}

/// `status` counts only what the manager has told; pools that it knows of and that have no counted group show as 0 groups.
/// `wanted`: placement groups of all pools that were made; with fewer, the manager has not heard of all.
fn is_clean(status: &Value, wanted: u64) -> bool {
    let map = &status["pgmap"];
    let states = map["pgs_by_state"].as_array().map(Vec::as_slice).unwrap_or_default();
    let groups = map["num_pgs"].as_u64().unwrap_or(0);
    let clean: u64 = states
        .iter()
        .filter(|state| state["state_name"] == "active+clean")
        .filter_map(|state| state["count"].as_u64())
        .sum();
    map["num_pools"].as_u64().unwrap_or(0) >= 1 && groups >= wanted && clean == groups
}

fn sink(supervisor: &Supervisor, error: LabError) -> LabError {
    check_daemons(supervisor).err().unwrap_or(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_means_every_group_of_at_least_the_first_pool() {
        let status =
            |groups: u64, states: Value| json!({"pgmap": {"num_pools": 1, "num_pgs": groups, "pgs_by_state": states}});
        let of = |state: &str, count: u64| json!({"state_name": state, "count": count});
        assert!(is_clean(&status(33, json!([of("active+clean", 33)])), 32));
        assert!(!is_clean(&status(33, json!([of("active+clean", 33)])), 34));
        assert!(!is_clean(&status(33, json!([of("active+clean", 32), of("peering", 1)])), 32));
        assert!(!is_clean(&status(1, json!([of("active+clean", 1)])), 32));
        assert!(!is_clean(&json!({}), 32));
    }
}
