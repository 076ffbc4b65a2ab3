//! What a lab offers beside its pools: an object gateway, a file system. One file each, one row each.

use crate::cephfs;
use crate::errors::LabError;
use crate::lab::LabCluster;
use crate::monitor::Monitor;
use crate::preflight;
use crate::rgw;
use crate::supervisor::{Supervisor, progress};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write as _};
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    /// A file system with one metadata server.
    Cephfs,
    /// An object gateway: S3 and Swift.
    Rgw,
}

/// A service that a lab has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabService {
    pub service: Service,
    /// `rgw.a`.
    pub daemon: String,
    /// Where it is reached by HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A file of keys, as the AWS tools read it (`AWS_SHARED_CREDENTIALS_FILE`); readable by its owner alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<PathBuf>,
}

/// A pool of a service, made before the lab is ready, so that none comes about under a measurement.
pub(crate) struct ServicePool {
    pub name: &'static str,
    pub pgs: u32,
    /// What the cluster is told that it is for; `None`: it is told later, by whoever takes it.
    pub application: Option<&'static str>,
}

/// How a service is made.
pub(crate) struct ServiceSpec {
    pub service: Service,
    /// What users call it.
    pub name: &'static str,
    pub daemon: &'static str,
    /// Its name and its rights in the keyring.
    pub entity: &'static str,
    pub caps: &'static [(&'static str, &'static str)],
    pub program: &'static str,
    pub package: &'static str,
    pub arguments: &'static [&'static str],
    pub pools: &'static [ServicePool],
    /// Its port by HTTP on a host of its own; it has a user then, whose keys lie in a file. `None`: it is not reached by HTTP.
    pub http: Option<u16>,
    /// Its lines in the conf, below a heading that is its entity's name.
    pub conf: fn(&Place) -> String,
    /// What it needs before it is started, once its pools are there.
    pub prepare: fn(&Supervisor, &LabCluster, &Monitor) -> Result<(), LabError>,
    /// Waits until it serves.
    pub wait: fn(&Supervisor, &LabCluster, &Monitor) -> Result<(), LabError>,
}

/// Where a service keeps its files, and where it listens.
pub(crate) struct Place {
    pub data: PathBuf,
    pub socket: PathBuf,
    pub log: PathBuf,
    pub address: String,
    pub port: u16,
}

/// In the order of [`Service`].
static SERVICES: [ServiceSpec; 2] = [cephfs::SPEC, rgw::SPEC];

impl Service {
    pub(crate) fn spec(self) -> &'static ServiceSpec {
        &SERVICES[self as usize]
    }

    /// The one whose daemon this is.
    pub(crate) fn of_daemon(name: &str) -> Option<&'static ServiceSpec> {
        SERVICES.iter().find(|spec| spec.daemon == name)
    }
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spec().name)
    }
}

/// Placement groups of all pools of these.
pub(crate) fn pgs(services: &[Service]) -> u64 {
    services.iter().flat_map(|service| service.spec().pools).map(|pool| u64::from(pool.pgs)).sum()
}

/// The sections of the conf.
pub(crate) fn conf(supervisor: &Supervisor, lab: &LabCluster) -> String {
    let (spec, dirs) = (&supervisor.spec, &supervisor.dirs);
    let mut text = String::new();
    for service in &lab.services {
        let own = service.service.spec();
        let place = Place {
            data: dirs.data(spec.backing).join(own.daemon),
            socket: dirs.run().join(format!("{}.asok", own.daemon)),
            log: dirs.log(&format!("{}.own", own.daemon)),
            address: lab.first_host().address.clone(),
            port: service.url.as_deref().and_then(port).unwrap_or_default(),
        };
        let _ = writeln!(text, "\n[{}]\n{}", own.entity, (own.conf)(&place));
    }
    text
}

fn port(url: &str) -> Option<u16> {
    url.rsplit(':').next()?.parse().ok()
}

pub(crate) fn make_pools(services: &[Service], monitor: &Monitor) -> Result<(), LabError> {
    services.iter().flat_map(|service| service.spec().pools).try_for_each(|pool| monitor.make_service_pool(pool))
}

/// Once all placement groups are clean: makes what each needs, starts its daemon, and waits until it serves.
pub(crate) fn start(supervisor: &Supervisor, lab: &LabCluster, monitor: &Monitor) -> Result<(), LabError> {
    for service in &lab.services {
        progress(format!("starting {}", service.daemon));
        (service.service.spec().prepare)(supervisor, lab, monitor)?;
        crate::daemons::start(supervisor, lab, &service.daemon)?;
    }
    lab.services.iter().try_for_each(|service| (service.service.spec().wait)(supervisor, lab, monitor))
}

/// The services of a lab that is yet to be made.
pub(crate) fn drafted(supervisor: &Supervisor, lab: &LabCluster) -> Result<Vec<LabService>, LabError> {
    supervisor.spec.with.iter().map(|service| draft(*service, supervisor, lab)).collect()
}

fn draft(service: Service, supervisor: &Supervisor, lab: &LabCluster) -> Result<LabService, LabError> {
    let spec = service.spec();
    let daemon = spec.daemon.to_owned();
    let Some(own_port) = spec.http else { return Ok(LabService { service, daemon, url: None, credentials: None }) };
    // Hosts of their own have all ports for themselves.
    let port = if supervisor.spec.hosts > 0 { own_port } else { preflight::free_gateway_port()? };
    let url = Some(format!("http://{}:{port}", lab.first_host().address));
    Ok(LabService { service, daemon, url, credentials: Some(supervisor.dirs.s3_credentials()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_that_of_its_service() {
        for (at, spec) in SERVICES.iter().enumerate() {
            assert_eq!((spec.service as usize, spec.service.to_string()), (at, spec.name.to_owned()));
            assert_eq!(Service::of_daemon(spec.daemon).map(|found| found.service), Some(spec.service));
        }
    }
}
