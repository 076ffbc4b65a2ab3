//! What rules look at: the record of a run, and what the judge made of it.

use judge::{Assessment, Entry};
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
        }
    }
}
