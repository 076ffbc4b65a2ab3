//! What a lab offers beside its pools: an object gateway, a file system, by NFS as well, and a virtual machine that uses it. One file each, one row each.

use crate::cephfs;
use crate::errors::LabError;
use crate::guest;
use crate::lab::{Host, LabCluster};
use crate::monitor::Monitor;
use crate::nfs;
use crate::preflight::{self, Need};
use crate::rgw;
use crate::supervisor::{Supervisor, progress};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    /// A file system with one metadata server.
    Cephfs,
    /// An object gateway: S3 and Swift.
    Rgw,
    /// The file system by NFS.
    Nfs,
    /// A virtual machine that uses images, and the file system, as a client does.
    Guest,
}

/// A service that a lab has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabService {
    pub service: Service,
    /// `rgw.a`.
    pub daemon: String,
    /// Where it is reached, if not as the cluster is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A file of keys, as the AWS tools read it (`AWS_SHARED_CREDENTIALS_FILE`); readable by its owner alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<PathBuf>,
    /// Devices and folders in it that can be measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathBuf>,
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
    #[cfg_attr(not(test), expect(dead_code, reason = "its place in the list tells it; a test compares both"))]
    pub service: Service,
    /// What users call it.
    pub name: &'static str,
    pub daemon: &'static str,
    /// Its name and its rights in the keyring.
    pub entity: &'static str,
    pub caps: &'static [(&'static str, &'static str)],
    pub program: &'static str,
    pub package: &'static str,
    /// What else must be on this host.
    pub needs: &'static [Need],
    /// Without them it serves nothing: the lab gets them as well.
    pub builds_on: &'static [Service],
    pub memory_mb: u64,
    /// Files of this host that it would change things of the host's own services by, and does not reach.
    pub hidden: &'static [&'static str],
    pub arguments: fn(&Place) -> Vec<String>,
    pub pools: &'static [ServicePool],
    /// It is a machine beside the lab's hosts, at this address; `None`: it runs on the first of them.
    pub own_address: Option<fn(&LabCluster) -> String>,
    /// `None`: it is reached as the cluster is.
    pub url: Option<Url>,
    /// What can be measured in it, by the services of its lab.
    pub paths: fn(&[Service]) -> Vec<PathBuf>,
    /// It has a user whose keys lie in a file.
    pub keys: bool,
    /// Gets what this host does not have from elsewhere, before anything is made.
    pub fetch: fn() -> Result<(), LabError>,
    /// Its lines in the conf, below a heading that is its entity's name.
    pub conf: fn(&Place) -> String,
    /// What it needs before it is started, once its pools are there.
    pub prepare: fn(&Supervisor, &LabCluster, &Monitor) -> Result<(), LabError>,
    /// Waits until it serves.
    pub wait: fn(&Supervisor, &LabCluster, &Monitor) -> Result<(), LabError>,
}

/// Where a service is reached.
pub(crate) struct Url {
    pub scheme: &'static str,
    /// On a host of its own.
    pub port: u16,
    /// After the port.
    pub path: &'static str,
}

/// A gateway has 44 MB when it starts, a metadata server 23, and both grow under load.
pub(crate) const MEMORY_MB: u64 = 150;

/// Where a service keeps its files, and where it listens.
pub(crate) struct Place {
    pub data: PathBuf,
    pub socket: PathBuf,
    pub log: PathBuf,
    /// What it says.
    pub output: PathBuf,
    /// Of the cluster.
    pub conf: PathBuf,
    /// Of a machine of its own: its interface on the lab's bridge.
    pub link: String,
    pub address: String,
    pub port: u16,
}

/// In the order of [`Service`].
static SERVICES: &[ServiceSpec] = &[cephfs::SPEC, rgw::SPEC, nfs::SPEC, guest::SPEC];

impl Service {
    pub(crate) fn spec(self) -> &'static ServiceSpec {
        &SERVICES[self as usize]
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

/// With those that they build on; each once, in the order in which they are started.
pub(crate) fn complete(services: &[Service]) -> Vec<Service> {
    let below = services.iter().flat_map(|service| service.spec().builds_on);
    services.iter().chain(below).copied().collect::<BTreeSet<_>>().into_iter().collect()
}

/// The sections of the conf.
pub(crate) fn conf(supervisor: &Supervisor, lab: &LabCluster) -> String {
    let mut text = String::new();
    for service in &lab.services {
        let spec = service.service.spec();
        let _ = writeln!(text, "\n[{}]\n{}", spec.entity, (spec.conf)(&place(supervisor, lab, service)));
    }
    text
}

pub(crate) fn place(supervisor: &Supervisor, lab: &LabCluster, service: &LabService) -> Place {
    let dirs = &supervisor.dirs;
    Place {
        data: dirs.data(supervisor.spec.backing).join(&service.daemon),
        socket: dirs.run().join(format!("{}.asok", service.daemon)),
        log: dirs.log(&format!("{}.own", service.daemon)),
        output: dirs.log(&service.daemon),
        conf: lab.conf.clone(),
        link: dirs.guest_port(),
        address: address(lab, service.service.spec()),
        port: service.url.as_deref().and_then(port).unwrap_or_default(),
    }
}

fn address(lab: &LabCluster, spec: &ServiceSpec) -> String {
    spec.own_address.map_or_else(|| lab.first_host().address.clone(), |address| address(lab))
}

/// `127.0.0.1:8080` of `http://127.0.0.1:8080/path`.
pub(crate) fn host_and_port(url: &str) -> Option<&str> {
    url.split_once("://")?.1.split('/').next()
}

fn port(url: &str) -> Option<u16> {
    host_and_port(url)?.rsplit(':').next()?.parse().ok()
}

/// Starts the daemon of one of the lab's services.
pub(crate) fn start_daemon(supervisor: &Supervisor, lab: &LabCluster, service: &LabService) -> Result<(), LabError> {
    let (programs, spec) = (&supervisor.programs.services, service.service.spec());
    let program = programs.iter().find(|(known, _)| *known == service.service).map(|(_, program)| program);
    // None: it is not of this lab, which its callers have seen to.
    let Some(program) = program else { return Ok(()) };
    let arguments = (spec.arguments)(&place(supervisor, lab, service));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let here = Host::here();
    let host = if spec.own_address.is_some() { &here } else { lab.first_host() };
    supervisor.process_group.start_without((&service.daemon, host), program, &arguments, spec.hidden)
}

pub(crate) fn make_pools(services: &[Service], monitor: &Monitor) -> Result<(), LabError> {
    services.iter().flat_map(|service| service.spec().pools).try_for_each(|pool| monitor.make_service_pool(pool))
}

/// Once all placement groups are clean: makes what each needs, starts its daemon, and waits until it serves.
pub(crate) fn start(supervisor: &Supervisor, lab: &LabCluster, monitor: &Monitor) -> Result<(), LabError> {
    for service in &lab.services {
        progress(format!("starting {}", service.daemon));
        (service.service.spec().prepare)(supervisor, lab, monitor)?;
        start_daemon(supervisor, lab, service)?;
    }
    lab.services.iter().try_for_each(|service| (service.service.spec().wait)(supervisor, lab, monitor))
}

/// The services of a lab that is yet to be made.
pub(crate) fn drafted(supervisor: &Supervisor, lab: &LabCluster) -> Result<Vec<LabService>, LabError> {
    let mut drafted = Vec::new();
    for service in &supervisor.spec.with {
        (service.spec().fetch)()?;
        let taken: Vec<u16> = drafted.iter().filter_map(|one: &LabService| port(one.url.as_deref()?)).collect();
        drafted.push(draft(*service, supervisor, lab, &taken)?);
    }
    Ok(drafted)
}

fn draft(service: Service, supervisor: &Supervisor, lab: &LabCluster, taken: &[u16]) -> Result<LabService, LabError> {
    let spec = service.spec();
    let url = |url: &Url| -> Result<String, LabError> {
        // Hosts of their own have all ports for themselves.
        let own = supervisor.spec.hosts > 0;
        let port = if own { url.port } else { preflight::free_service_port(taken)? };
        Ok(format!("{}://{}:{port}{}", url.scheme, address(lab, spec), url.path))
    };
    let url = spec.url.as_ref().map(url).transpose()?;
    let credentials = spec.keys.then(|| supervisor.dirs.s3_credentials());
    let paths = (spec.paths)(&supervisor.spec.with);
    Ok(LabService { service, daemon: spec.daemon.to_owned(), url, credentials, paths })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_that_of_its_service() {
        for (at, spec) in SERVICES.iter().enumerate() {
            assert_eq!((spec.service as usize, spec.service.to_string()), (at, spec.name.to_owned()));
        }
    }

    #[test]
    fn a_service_comes_with_what_it_builds_on() {
        assert_eq!(complete(&[Service::Nfs]), [Service::Cephfs, Service::Nfs]);
        assert_eq!(complete(&[Service::Rgw, Service::Cephfs, Service::Rgw]), [Service::Cephfs, Service::Rgw]);
        assert_eq!(complete(&[]), []);
    }

    #[test]
    fn a_url_tells_whom_to_connect_to() {
        assert_eq!(host_and_port("nfs://10.1.2.1:2049/cephfs"), Some("10.1.2.1:2049"));
        assert_eq!(port("http://127.0.0.1:8080"), Some(8080));
        assert_eq!(port("elsewhere"), None);
    }
}
