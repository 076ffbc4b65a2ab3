//! What rules look at: the record of a run, and what the judge made of it.

use judge::{Assessment, Entry};
use model::facts::{ClusterFacts, Facts, HostSetup};
use model::{HostLoad, Outlier, Positions, Record};
use std::collections::BTreeSet;

#[derive(Clone, Copy)]
pub struct Case<'c> {
    pub record: &'c Record,
    /// Every figure with its step and its slices.
    pub entries: &'c [Entry<'c>],
    /// Those of tests; no rule suspects anybody by them.
    pub tests: &'c [Entry<'c>],
    pub outliers: &'c [Outlier],
    pub host_loads: &'c [HostLoad],
    pub positions: Option<&'c Positions>,
}

/// Where evidence is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Figures,
    /// Targets that are slower than their peers.
    Outliers,
    /// Counters of hosts' kernels.
    HostLoads,
    /// What hosts' kernels tell of their bonds.
    Bonds,
    /// What each of several streams between two hosts carried.
    Streams,
    /// How large a packet gets from host to host.
    PathMtus,
    /// What RocksDB wrote while a step was measured.
    Compactions,
    /// Writes between pairs of OSDs, in turns.
    Positions,
    /// What the cluster and its hosts say of themselves, and of that this part.
    Facts(FactsPart),
}

/// A part of what a cluster and its hosts say of themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactsPart {
    Options,
    Flags,
    Health,
    Groups,
    Osds,
    Pools,
    /// Images that are measured and not the run's own.
    Images,
    Versions,
    Crush,
    Balancer,
    Autoscaler,
    Monitors,
    Modules,
    FileSystems,
    MetadataServers,
    Gateways,
    BucketIndexes,
    Clients,
    /// How hosts with OSDs are set up.
    Hosts,
    /// Virtual machines on hosts that were looked at, with OSDs or without.
    Guests,
    /// CephFS as the kernels of hosts that were looked at have it mounted, with OSDs or without.
    FileMounts,
}

impl<'c> Case<'c> {
    pub fn of(assessed: &'c Assessment<'c>) -> Case<'c> {
        let Assessment { record, entries, tests, outliers, host_loads, .. } = assessed;
        Case { record, entries, tests, outliers, host_loads, positions: assessed.positions.as_ref() }
    }

    /// What the cluster calls this host, and how that stands in the list of hosts, from which findings have their names.
    pub fn names_of_host<'a>(&'a self, host: &'a str) -> BTreeSet<&'a str> {
        let hosts = self.record.hosts_observed().flat_map(|observed| &observed.hosts);
        let named = hosts.filter(|own| own.host == host && !own.named.is_empty()).map(|own| own.named.as_str());
        named.chain([host]).collect()
    }

    /// The networks between hosts of which there are figures; `None`: the one on which they load the cluster, always among them.
    pub fn networks(&self) -> BTreeSet<Option<&'c str>> {
        self.entries.iter().map(|entry| entry.figure.network.as_deref()).chain([None]).collect()
    }
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Source::Figures => "figures",
            Source::Outliers => "outliers among figures",
            Source::HostLoads => "counters of the hosts' kernels",
            Source::Bonds => "the state of bonds in the hosts' kernels",
            Source::Streams => "what each stream between two hosts carried",
            Source::PathMtus => "packet sizes between hosts",
            Source::Compactions => "compactions of RocksDB",
            Source::Positions => "writes between pairs of OSDs, in turns",
            Source::Facts(part) => part.name(),
        }
    }

    pub fn is_recorded(self, case: &Case) -> bool {
        let record = case.record;
        match self {
            Source::Figures => !case.entries.is_empty(),
            Source::Outliers => !case.outliers.is_empty(),
            Source::HostLoads => !case.host_loads.is_empty(),
            Source::Bonds => !record.bonds().is_empty(),
            Source::Streams => record.streams().next().is_some(),
            Source::PathMtus => !record.path_mtus().is_empty(),
            Source::Compactions => record.compactions().next().is_some(),
            Source::Positions => case.positions.is_some(),
            Source::Facts(part) => record.facts().is_some_and(|facts| part.is_known(facts)),
        }
    }
}

impl FactsPart {
    pub fn name(self) -> &'static str {
        match self {
            FactsPart::Options => "options that are set",
            FactsPart::Flags => "flags of the OSD map",
            FactsPart::Health => "the cluster's health checks",
            FactsPart::Groups => "states of placement groups",
            FactsPart::Osds => "what OSDs say of themselves",
            FactsPart::Pools => "settings of pools",
            FactsPart::Images => "parent, snapshots and writers of an image",
            FactsPart::Versions => "versions of daemons",
            FactsPart::Crush => "the CRUSH map",
            FactsPart::Balancer => "the balancer's state",
            FactsPart::Autoscaler => "what the autoscaler is about to do",
            FactsPart::Monitors => "state of the monitors",
            FactsPart::Modules => "modules of the manager",
            FactsPart::FileSystems => "file systems",
            FactsPart::MetadataServers => "what metadata servers say of clients and caches",
            FactsPart::Gateways => "object gateways",
            FactsPart::BucketIndexes => "how full indexes of buckets are",
            FactsPart::Clients => "releases of connected clients",
            FactsPart::Hosts => "how hosts with OSDs are set up",
            FactsPart::Guests => "virtual machines on the hosts",
            FactsPart::FileMounts => "mounts of CephFS by the hosts' kernels",
        }
    }

    /// What it needs to be known.
    pub fn needs(self) -> &'static str {
        match self {
            FactsPart::Groups | FactsPart::Balancer | FactsPart::Autoscaler => {
                "a manager that answers, and a user with mgr 'allow r'"
            }
            FactsPart::Hosts => {
                "an agent on the hosts with OSDs, as root: fathom audit --osd-hosts LIST (or run it on such a host)"
            }
            FactsPart::Images => "an image that is measured: fathom diagnose --pool POOL --image IMAGE",
            FactsPart::MetadataServers => {
                "a file system with an active metadata server, libcephfs (package libcephfs2) here, and a user with mds 'allow *'"
            }
            FactsPart::BucketIndexes => {
                "an object gateway's index pool of at most 2,000 objects, and a user with osd 'allow rx' for it"
            }
            FactsPart::Guests => "an agent on the hosts with virtual machines, as root (or run it on such a host)",
            FactsPart::FileMounts => "an agent on the hosts that mount CephFS (or run it on such a host)",
            _ => "monitors that answer, and a user with mon 'allow r'",
        }
    }

    pub fn is_known(self, facts: &Facts) -> bool {
        let ClusterFacts { options, flags, health, groups, osds, pools, versions, crush_rules, .. } = &facts.cluster;
        match self {
            FactsPart::Options => options.is_some(),
            FactsPart::Flags => flags.is_some(),
            FactsPart::Health => health.is_some(),
            FactsPart::Groups => groups.is_some(),
            FactsPart::Osds => osds.is_some(),
            FactsPart::Pools => pools.is_some(),
            FactsPart::Images => facts.cluster.images.is_some(),
            FactsPart::Versions => versions.is_some(),
            FactsPart::Crush => crush_rules.is_some(),
            FactsPart::Balancer => facts.cluster.balancer.is_some(),
            FactsPart::Autoscaler => facts.cluster.autoscaling.is_some(),
            FactsPart::Monitors => facts.cluster.monitors.is_some(),
            FactsPart::Modules => facts.cluster.manager_modules.is_some(),
            FactsPart::FileSystems => facts.cluster.file_systems.is_some(),
            FactsPart::MetadataServers => facts.cluster.metadata_servers.is_some(),
            FactsPart::Gateways => facts.cluster.gateways.is_some(),
            FactsPart::BucketIndexes => facts.cluster.bucket_indexes.is_some(),
            FactsPart::Clients => facts.cluster.clients.is_some(),
            FactsPart::Hosts => facts.hosts.iter().any(HostSetup::has_osds),
            FactsPart::Guests => facts.hosts.iter().any(|host| host.guests.is_some()),
            FactsPart::FileMounts => facts.hosts.iter().any(|host| host.file_mounts.is_some()),
        }
    }
}
