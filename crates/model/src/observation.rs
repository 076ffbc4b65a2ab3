//! What was seen beside the load: while slices were measured, or before the first. A kind is a variant, and nothing else lists kinds.

use crate::background::Compaction;
use crate::bond::HostBond;
use crate::drive::Temperatures;
use crate::facts::Facts;
use crate::held_operations::HeldOperations;
use crate::image_states::StateTimes;
use crate::observed::{CameBack, Observed, OsdsAtWork, PgsSeen};
use crate::osd_times::OsdTimes;
use crate::pages::PagesRead;
use crate::path_mtu::PathMtu;
use crate::record::{Gap, Record};
use crate::service_times::ServiceTimes;
use crate::slow_operations::SlowOperations;
use crate::streams::Streams;
use serde::{Deserialize, Serialize};

/// The archive keeps the variant's name as the kind of a row. What is of a slice comes before the slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Observation {
    /// What the OSDs' stores did while a slice was measured.
    Compaction(Compaction),
    /// How long operations took in the OSDs, stretch by stretch, while a slice was measured.
    OsdTimes(OsdTimes),
    /// How long requests took in gateways and metadata servers while a slice was measured.
    ServiceTimes(ServiceTimes),
    /// The slowest operations that OSDs remember of a slice.
    SlowOperations(SlowOperations),
    /// Where operations were held up when OSDs complained of slow ones.
    HeldOperations(HeldOperations),
    /// What the kernels of hosts counted while a slice was measured.
    #[serde(rename = "observed")]
    Hosts(Observed),
    /// In which states placement groups were while a slice was measured, if not all were active and clean.
    PgsSeen(PgsSeen),
    /// Which OSDs scrubbed, recovered, moved or trimmed placement groups.
    OsdsAtWork(OsdsAtWork),
    /// Which OSDs were down and came up again.
    CameBack(CameBack),
    /// What each of several streams carried while a slice was measured.
    Streams(Streams),
    /// Whether there was something to be read, in a slice that reads.
    PagesRead(PagesRead),
    /// A host that should have loaded went missing while a slice was measured.
    Gap(Gap),
    /// Operations on an image in one of its states, one after the other.
    ImageState(StateTimes),
    /// How hot drives were between two loads.
    Temperatures(Temperatures),
    /// How large packets get between hosts, looked at before the first step.
    PathMtus(Vec<PathMtu>),
    /// Interfaces of the hosts that share their traffic as one, looked at before the first step.
    Bonds(Vec<HostBond>),
    /// What the cluster and its hosts say of themselves, looked at before the first step.
    Facts(Box<Facts>),
}

impl Observation {
    /// The variants' names.
    pub const KINDS: &[&str] = &[
        "compaction",
        "osd-times",
        "service-times",
        "slow-operations",
        "held-operations",
        "observed",
        "pgs-seen",
        "osds-at-work",
        "came-back",
        "streams",
        "pages-read",
        "gap",
        "image-state",
        "temperatures",
        "path-mtus",
        "bonds",
        "facts",
    ];
}

/// All of one kind, in the order in which they were seen.
impl Record {
    /// The same, in which this was seen as well.
    pub fn with(mut self, seen: Observation) -> Record {
        self.observations.push(seen);
        self
    }

    pub fn compactions(&self) -> impl DoubleEndedIterator<Item = &Compaction> {
        self.observations
            .iter()
            .filter_map(|seen| if let Observation::Compaction(own) = seen { Some(own) } else { None })
    }

    pub fn osd_times(&self) -> impl Iterator<Item = &OsdTimes> {
        self.observations.iter().filter_map(|seen| if let Observation::OsdTimes(own) = seen { Some(own) } else { None })
    }

    pub fn service_times(&self) -> impl Iterator<Item = &ServiceTimes> {
        self.observations
            .iter()
            .filter_map(|seen| if let Observation::ServiceTimes(own) = seen { Some(own) } else { None })
    }

    pub fn slow_operations(&self) -> impl Iterator<Item = &SlowOperations> {
        self.observations
            .iter()
            .filter_map(|seen| if let Observation::SlowOperations(own) = seen { Some(own) } else { None })
    }

    pub fn held_operations(&self) -> impl Iterator<Item = &HeldOperations> {
        self.observations
            .iter()
            .filter_map(|seen| if let Observation::HeldOperations(own) = seen { Some(own) } else { None })
    }

    pub fn hosts_observed(&self) -> impl Iterator<Item = &Observed> {
        self.observations.iter().filter_map(|seen| if let Observation::Hosts(own) = seen { Some(own) } else { None })
    }

    pub fn came_back(&self) -> impl Iterator<Item = &CameBack> {
        self.observations.iter().filter_map(|seen| if let Observation::CameBack(own) = seen { Some(own) } else { None })
    }

    pub fn osds_at_work(&self) -> impl Iterator<Item = &OsdsAtWork> {
        self.observations
            .iter()
            .filter_map(|seen| if let Observation::OsdsAtWork(own) = seen { Some(own) } else { None })
    }

    pub fn pgs_seen(&self) -> impl Iterator<Item = &PgsSeen> {
        self.observations.iter().filter_map(|seen| if let Observation::PgsSeen(own) = seen { Some(own) } else { None })
    }

    pub fn temperatures(&self) -> impl DoubleEndedIterator<Item = &Temperatures> {
        self.observations
            .iter()
            .filter_map(|seen| if let Observation::Temperatures(own) = seen { Some(own) } else { None })
    }

    pub fn image_states(&self) -> impl Iterator<Item = &StateTimes> {
        self.observations
            .iter()
            .filter_map(|seen| if let Observation::ImageState(own) = seen { Some(own) } else { None })
    }

    pub fn streams(&self) -> impl Iterator<Item = &Streams> {
        self.observations.iter().filter_map(|seen| if let Observation::Streams(own) = seen { Some(own) } else { None })
    }

    pub fn pages_read(&self) -> impl Iterator<Item = &PagesRead> {
        self.observations
            .iter()
            .filter_map(|seen| if let Observation::PagesRead(own) = seen { Some(own) } else { None })
    }

    pub fn gaps(&self) -> impl Iterator<Item = &Gap> {
        self.observations.iter().filter_map(|seen| if let Observation::Gap(own) = seen { Some(own) } else { None })
    }

    /// What was seen last: a run that is taken up again looks anew.
    pub fn path_mtus(&self) -> &[PathMtu] {
        let own = |seen: &'_ Observation| matches!(seen, Observation::PathMtus(_));
        match self.observations.iter().rfind(|seen| own(seen)) {
            Some(Observation::PathMtus(paths)) => paths,
            _ => &[],
        }
    }

    /// What was seen last.
    pub fn bonds(&self) -> &[HostBond] {
        let own = |seen: &'_ Observation| matches!(seen, Observation::Bonds(_));
        match self.observations.iter().rfind(|seen| own(seen)) {
            Some(Observation::Bonds(bonds)) => bonds,
            _ => &[],
        }
    }
    /// What was seen last.
    pub fn facts(&self) -> Option<&Facts> {
        self.observations
            .iter()
            .rev()
            .find_map(|seen| if let Observation::Facts(own) = seen { Some(&**own) } else { None })
    }
}
