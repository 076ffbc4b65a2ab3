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
    Facts(Part),
}

/// A part of what a cluster and its hosts say of themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
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
    Gateways,
    Clients,
    /// How hosts with OSDs are set up.
    Hosts,
    /// Virtual machines on hosts that were looked at, with OSDs or without.
    Guests,
}

impl<'c> Case<'c> {
    pub fn of(assessed: &'c Assessment<'c>) -> Case<'c> {
        let Assessment { record, entries, tests, outliers, host_loads, .. } = assessed;
        Case { record, entries, tests, outliers, host_loads, positions: assessed.positions.as_ref() }
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

impl Part {
    pub fn name(self) -> &'static str {
        match self {
            Part::Options => "options that are set",
            Part::Flags => "flags of the OSD map",
            Part::Health => "the cluster's health checks",
            Part::Groups => "states of placement groups",
            Part::Osds => "what OSDs say of themselves",
            Part::Pools => "settings of pools",
            Part::Images => "parent, snapshots and writers of an image",
            Part::Versions => "versions of daemons",
            Part::Crush => "the CRUSH map",
            Part::Balancer => "the balancer's state",
            Part::Autoscaler => "what the autoscaler is about to do",
            Part::Monitors => "state of the monitors",
            Part::Modules => "modules of the manager",
            Part::FileSystems => "file systems",
            Part::Gateways => "object gateways",
            Part::Clients => "releases of connected clients",
            Part::Hosts => "how hosts with OSDs are set up",
            Part::Guests => "virtual machines on the hosts",
        }
    }

    /// What it needs to be known.
    pub fn needs(self) -> &'static str {
        match self {
            Part::Groups | Part::Balancer | Part::Autoscaler => "a manager that answers, and a user with mgr 'allow r'",
            Part::Hosts => {
                "an agent on the hosts with OSDs, as root: fathom audit --osd-hosts LIST (or run it on such a host)"
            }
            Part::Images => "an image that is measured: fathom diagnose --pool POOL --image IMAGE",
            Part::Guests => "an agent on the hosts with virtual machines, as root (or run it on such a host)",
            _ => "monitors that answer, and a user with mon 'allow r'",
        }
    }

    pub fn is_known(self, facts: &Facts) -> bool {
        let ClusterFacts { options, flags, health, groups, osds, pools, versions, crush_rules, .. } = &facts.cluster;
        match self {
            Part::Options => options.is_some(),
            Part::Flags => flags.is_some(),
            Part::Health => health.is_some(),
            Part::Groups => groups.is_some(),
            Part::Osds => osds.is_some(),
            Part::Pools => pools.is_some(),
            Part::Images => facts.cluster.images.is_some(),
            Part::Versions => versions.is_some(),
            Part::Crush => crush_rules.is_some(),
            Part::Balancer => facts.cluster.balancer.is_some(),
            Part::Autoscaler => facts.cluster.autoscaling.is_some(),
            Part::Monitors => facts.cluster.monitors.is_some(),
            Part::Modules => facts.cluster.manager_modules.is_some(),
            Part::FileSystems => facts.cluster.file_systems.is_some(),
            Part::Gateways => facts.cluster.gateways.is_some(),
            Part::Clients => facts.cluster.clients.is_some(),
            Part::Hosts => facts.hosts.iter().any(HostSetup::has_osds),
            Part::Guests => facts.hosts.iter().any(|host| host.guests.is_some()),
        }
    }
}
