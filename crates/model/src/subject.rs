//! What a finding is about: a thing of the cluster, of a host, or of the network between hosts. It is never read out of a name.

use crate::layer::Layer;
use crate::target::{Place, Target, on_network};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    Osd(u32),
    /// A disk, partition or file.
    Disk {
        /// `None`: that on which Fathom runs.
        host: Option<String>,
        name: String,
    },
    /// All that is measured of a layer, or the disks of one host: `osd.*`, `node1.*`.
    Several {
        name: String,
    },
    /// Some other thing of a layer, by its name.
    Thing {
        layer: Layer,
        name: String,
    },
    /// A host, as it stands in the list of hosts.
    Host(String),
    /// All of it.
    Cluster,
    Pool(String),
    Image {
        pool: String,
        name: String,
    },
    /// By its kind and name: `mon.a`.
    Daemon(String),
    /// An option that is set, and for whom.
    Setting {
        who: String,
        name: String,
    },
    /// A part of the network between hosts. `network`: as of a target; `None`: the one on which they load the cluster.
    Network {
        part: NetworkPart,
        network: Option<String>,
    },
}

/// A part of the network between hosts; these as they stand in the list of hosts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkPart {
    /// All ways of a host; which of them are known to be bad.
    Host {
        name: String,
        sends: bool,
        receives: bool,
    },
    /// What one host sends to another.
    Way {
        from: String,
        to: String,
    },
    /// Both ways between two hosts.
    Link {
        one: String,
        other: String,
    },
    /// What lies between groups of hosts.
    Uplink(Vec<Vec<String>>),
    Whole,
}

impl Subject {
    /// What a target of a step is.
    pub fn of(target: &Target) -> Subject {
        match &target.place {
            Place::Osd { osd, .. } | Place::Store { osd } => Subject::Osd(*osd),
            Place::Path { .. } => Subject::Disk { host: target.host.clone(), name: target.name.clone() },
            Place::Pair { from, to, .. } => Subject::Network {
                part: NetworkPart::Way { from: from.host.clone(), to: to.host.clone() },
                network: target.network.clone(),
            },
            _ => Subject::Thing { layer: target.layer, name: target.name.clone() },
        }
    }

    pub fn part(&self) -> Option<&NetworkPart> {
        match self {
            Subject::Network { part, .. } => Some(part),
            _ => None,
        }
    }

    /// Of a part of the network between hosts: which of their networks.
    pub fn network(&self) -> Option<&str> {
        match self {
            Subject::Network { network, .. } => network.as_deref(),
            _ => None,
        }
    }
}

impl NetworkPart {
    pub fn of_host(name: impl Into<String>) -> NetworkPart {
        NetworkPart::Host { name: name.into(), sends: false, receives: false }
    }

    /// The hosts at its ends.
    pub fn ends(&self) -> BTreeSet<&str> {
        match self {
            NetworkPart::Host { name, .. } => BTreeSet::from([name.as_str()]),
            NetworkPart::Way { from: one, to: other } | NetworkPart::Link { one, other } => {
                BTreeSet::from([one.as_str(), other.as_str()])
            }
            NetworkPart::Uplink(groups) => groups.iter().flatten().map(String::as_str).collect(),
            NetworkPart::Whole => BTreeSet::new(),
        }
    }

    /// Between two hosts?
    pub fn is_link(&self) -> bool {
        matches!(self, NetworkPart::Way { .. } | NetworkPart::Link { .. })
    }

    pub fn on(self, network: Option<&str>) -> Subject {
        Subject::Network { part: self, network: network.map(str::to_string) }
    }
}

/// As a target is shown.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Osd(id) => write!(f, "osd.{id}"),
            Subject::Disk { name, .. }
            | Subject::Several { name }
            | Subject::Thing { name, .. }
            | Subject::Host(name)
            | Subject::Daemon(name) => f.write_str(name),
            Subject::Cluster => f.write_str("cluster"),
            Subject::Pool(name) => write!(f, "pool {name}"),
            Subject::Image { pool, name } => write!(f, "image {pool}/{name}"),
            Subject::Setting { who, name } => write!(f, "{who}/{name}"),
            Subject::Network { part, network } => f.write_str(&on_network(part.to_string(), network.as_deref())),
        }
    }
}

impl fmt::Display for NetworkPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkPart::Host { name, .. } => f.write_str(name),
            NetworkPart::Way { from, to } => write!(f, "{from}→{to}"),
            NetworkPart::Link { one, other } => write!(f, "{one}↔{other}"),
            NetworkPart::Uplink(groups) => {
                let groups: Vec<String> = groups.iter().map(|group| group.join(", ")).collect();
                f.write_str(&groups.join(" ↔ "))
            }
            NetworkPart::Whole => f.write_str("network.*"),
        }
    }
}

/// `osd.0, osd.1`
pub fn osds_named<'a>(osds: impl IntoIterator<Item = &'a u32>) -> String {
    osds.into_iter().map(|osd| format!("osd.{osd}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_shown_as_its_target_and_knows_its_hosts_without_reading_them_out_of_it() {
        let way = NetworkPart::Way { from: "a→b".into(), to: "c (x), d".into() };
        assert_eq!(way.ends(), BTreeSet::from(["a→b", "c (x), d"]));
        assert_eq!(way.on(Some("cluster")).to_string(), "a→b→c (x), d (cluster)");
        let uplink = NetworkPart::Uplink(vec![vec!["a".into(), "b".into()], vec!["c".into()]]);
        assert_eq!(uplink.clone().on(None).to_string(), "a, b ↔ c");
        assert_eq!(uplink.ends().len(), 3);
        assert_eq!(Subject::Osd(3).to_string(), "osd.3");
    }
}
