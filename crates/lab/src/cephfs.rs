//! A file system with one metadata server.

use crate::build::wait;
use crate::errors::LabError;
use crate::lab::LabCluster;
use crate::monitor::Monitor;
use crate::services::{MEMORY_MB, Place, Service, ServicePool, ServiceSpec};
use crate::supervisor::Supervisor;
use serde_json::json;

/// What its file system is called.
pub const FILE_SYSTEM: &str = "cephfs";
const METADATA: &str = "cephfs_metadata";
const DATA: &str = "cephfs_data";

pub(crate) const SPEC: ServiceSpec = ServiceSpec {
    service: Service::Cephfs,
    name: "cephfs",
    daemon: "mds.a",
    entity: "mds.a",
    caps: &[("mon", "allow profile mds"), ("mgr", "allow profile mds"), ("osd", "allow *"), ("mds", "allow *")],
    program: "ceph-mds",
    package: "ceph-mds",
    needs: &[],
    builds_on: &[],
    memory_mb: MEMORY_MB,
    hidden: &[],
    arguments: |place| ["-f", "-i", "a", "-c", &place.conf.to_string_lossy()].map(str::to_owned).into(),
    pools: &[
        ServicePool { name: METADATA, pgs: 16, application: None },
        ServicePool { name: DATA, pgs: 32, application: None },
    ],
    own_address: None,
    url: None,
    paths: |_| Vec::new(),
    keys: false,
    fetch: || Ok(()),
    conf,
    prepare,
    wait: wait_until_active,
};

fn conf(place: &Place) -> String {
    let Place { data, socket, log, address, .. } = place;
    format!(
        "mds data = {}\nadmin socket = {}\nlog file = {}\npublic addr = {address}\n\
         # Each state on its way up is told with a beacon, by default every four seconds.\nmds beacon interval = 0.5",
        data.display(),
        socket.display(),
        log.display()
    )
}

fn prepare(_: &Supervisor, _: &LabCluster, monitor: &Monitor) -> Result<(), LabError> {
    monitor.tell(&json!({"prefix": "fs new", "fs_name": FILE_SYSTEM, "metadata": METADATA, "data": DATA})).map(drop)
}

pub(crate) fn wait_until_active(supervisor: &Supervisor, _: &LabCluster, monitor: &Monitor) -> Result<(), LabError> {
    wait(supervisor, "the start of the metadata server", 60, || {
        let status = monitor.tell(&json!({"prefix": "status", "format": "json"}))?;
        let state = &status["fsmap"]["by_rank"][0]["status"];
        Ok(if *state == "up:active" { Ok(()) } else { Err(state.to_string()) })
    })
}
