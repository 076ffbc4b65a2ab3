//! What there is to measure and to measure from, looked up once before a plan is made: cluster, lab, hosts, paths.

use crate::gateway::Gateway;
use crate::nfs_export::NfsExport;
use crate::scope::Scope;
use crate::site::{NotFree, SiteSeen, SiteWish};
use crate::target::Endpoint;
use crate::workload::Bytes;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::PathBuf;

/// What a plan stands on.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    pub run: String,
    pub scope: Scope,
    pub lab: Option<LabLayout>,
    /// The host on which Fathom was started.
    pub here: ThisHost,
    /// The image that the user named; `None`: none was named, or it does not exist.
    pub image: Option<ImageSeen>,
    /// The object gateways to load.
    pub gateways: Vec<Gateway>,
    /// The cluster's file system to load by libcephfs; `None`: none is named.
    pub cephfs: Option<CephfsSeen>,
    /// What NFS servers export, to be loaded without a mount.
    pub exports: Vec<ExportSeen>,
    /// Hosts with agents; empty: this one does everything.
    pub hosts: Vec<ClientHost>,
    /// Virtual machines with agents, which load their own disks and nothing else.
    pub guests: Vec<ClientHost>,
    /// Paths to load: of these hosts, else of this one.
    pub sites: Vec<Site>,
    /// Folders of mounted file systems, to make files in: of these hosts, else of this one.
    pub folders: Vec<Site>,
    /// Disks and folders of guests.
    pub guest_sites: Vec<Site>,
    /// Where they could keep replicas for the floor.
    pub replica_hosts: Vec<Site>,
}

#[derive(Clone, Debug, Default)]
pub struct ThisHost {
    pub name: String,
    pub addresses: BTreeSet<IpAddr>,
}

/// An image of somebody else's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageSeen {
    pub bytes: Bytes,
    /// Where its bytes lie, if not in its pool.
    pub data_pool: Option<String>,
}

/// What an NFS server exports, as it answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportSeen {
    pub export: NfsExport,
    /// It is known to serve a file system of the cluster.
    pub of_cluster: bool,
    /// Bytes and files that it has room for; `None`: it does not tell.
    pub bytes_free: Option<Bytes>,
    pub files_free: Option<u64>,
}

/// A file system of the cluster.
#[derive(Clone, Debug, Default)]
pub struct CephfsSeen {
    pub name: String,
    /// Where the bytes of its files may lie.
    pub data_pools: Vec<String>,
    /// Where they lie, unless a folder says otherwise; `None`: it was not told.
    pub root_pool: Option<String>,
}

/// A path of a host, as it was found there.
#[derive(Clone, Debug)]
pub struct Site {
    /// `None`: this host.
    pub host: Option<ClientHost>,
    pub wish: SiteWish,
    pub seen: Result<SiteSeen, NotFree>,
}

/// A throwaway cluster on this machine.
#[derive(Clone, Debug)]
pub struct LabLayout {
    pub name: String,
    /// This host's own address as the lab's hosts see it.
    pub client_address: String,
    pub hosts: Vec<LabHost>,
    pub osds: Vec<LabOsd>,
    /// Disks of its guest, which are there to be written to, and folders that are mounted there; empty: it has no guest.
    pub guest_paths: Vec<PathBuf>,
}

#[derive(Clone, Debug)]
pub struct LabHost {
    pub name: String,
    pub address: String,
    /// Its network namespace; `None`: the host is this one.
    pub namespace: Option<String>,
}

#[derive(Clone, Debug)]
pub struct LabOsd {
    pub id: u32,
    pub host: String,
    pub spare: Spare,
}

/// What is of the same kind and on the same disk as an OSD's data, and free to be written on.
#[derive(Clone, Debug, PartialEq)]
pub enum Spare {
    Device(PathBuf),
    /// A file of our own may be made here.
    Folder(PathBuf),
}

impl Spare {
    pub fn path(&self) -> &PathBuf {
        match self {
            Spare::Device(path) | Spare::Folder(path) => path,
        }
    }
}

/// A host with an agent.
#[derive(Clone, Debug)]
pub struct ClientHost {
    /// As it stands in the list of hosts, and the address at which others reach it.
    pub end: Endpoint,
    /// Its addresses on other networks that are to be measured, by their names.
    pub others: BTreeMap<String, Endpoint>,
    /// The cluster's name for it.
    pub known_as: String,
    /// Which start of which kernel it runs on.
    pub boot: String,
    /// It loads the cluster; else it is only looked at, and loads its own disks and links.
    pub loads: bool,
}

/// The name of the network on which OSDs talk to each other, where it is not the one on which clients talk to them.
pub const CLUSTER: &str = "cluster";

/// A network between hosts.
#[derive(Clone, Debug)]
pub struct Network {
    /// As of a target.
    pub name: Option<String>,
    pub ends: Vec<Endpoint>,
}

impl Inventory {
    /// Between which of the hosts' addresses: where they load the cluster, then each other network with those that are on it.
    pub fn networks(&self) -> Vec<Network> {
        let hosts = self.machines();
        let main = Network { name: None, ends: hosts.iter().map(|host| host.end.clone()).collect() };
        let names: BTreeSet<&String> = hosts.iter().flat_map(|host| host.others.keys()).collect();
        let other = |name: &String| {
            let ends = hosts.iter().filter_map(|host| host.others.get(name).cloned()).collect();
            Network { name: Some(name.clone()), ends }
        };
        [main].into_iter().chain(names.into_iter().map(other)).filter(|network| network.ends.len() > 1).collect()
    }

    /// One agent of each machine: pods of a node, or a host under two names, have the same disks and links.
    pub fn machines(&self) -> Vec<&ClientHost> {
        let (namespaces, mut seen) = (self.namespaces(), BTreeSet::new());
        self.hosts.iter().filter(|host| namespaces || host.boot.is_empty() || seen.insert(&host.boot)).collect()
    }

    pub fn one_machine(&self, one: &ClientHost, other: &ClientHost) -> bool {
        let same = !one.boot.is_empty() && one.boot == other.boot;
        one.end.host == other.end.host || (same && !self.namespaces())
    }

    /// All hosts have one kernel: they are network namespaces, each of which stands for a host.
    fn namespaces(&self) -> bool {
        self.hosts.windows(2).all(|pair| pair[0].boot == pair[1].boot)
    }

    /// Says which hosts share a machine with another.
    pub fn shared_machines(&self) -> Vec<String> {
        let firsts: BTreeMap<&String, &String> =
            self.machines().into_iter().map(|first| (&first.boot, &first.end.host)).collect();
        let shared = |host: &ClientHost| {
            let first = firsts.get(&host.boot).filter(|first| **first != &host.end.host && !host.boot.is_empty())?;
            Some(format!(
                "{} runs on the same machine as {first}: its network and disks are measured once, from {first}",
                host.end.host
            ))
        };
        if self.namespaces() { Vec::new() } else { self.hosts.iter().filter_map(shared).collect() }
    }

    /// The hosts that load the cluster; none: this one does.
    pub fn clients(&self) -> impl Iterator<Item = &ClientHost> {
        self.hosts.iter().filter(|host| host.loads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inventory(hosts: &[(&str, &str)]) -> Inventory {
        let host = |(name, boot): &(&str, &str)| ClientHost {
            end: Endpoint::new(*name, "10.0.0.1"),
            others: BTreeMap::new(),
            known_as: name.to_string(),
            boot: boot.to_string(),
            loads: true,
        };
        let hosts = hosts.iter().map(host).collect();
        Inventory { hosts, ..Inventory::default() }
    }

    #[test]
    fn two_pods_of_a_node_are_one_machine_and_namespaces_of_one_kernel_are_hosts() {
        let names =
            |inventory: &Inventory| inventory.machines().iter().map(|host| host.end.host.clone()).collect::<Vec<_>>();
        let pods = inventory(&[("osd-0", "x"), ("osd-1", "x"), ("osd-2", "y"), ("osd-3", "")]);
        assert_eq!(names(&pods), ["osd-0", "osd-2", "osd-3"]);
        assert_eq!(pods.shared_machines().len(), 1);
        assert!(pods.shared_machines()[0].starts_with("osd-1 runs on the same machine as osd-0"));
        let namespaces = inventory(&[("host1", "x"), ("host2", "x"), ("host3", "x")]);
        assert_eq!((names(&namespaces).len(), namespaces.shared_machines().len()), (3, 0));
    }
}
