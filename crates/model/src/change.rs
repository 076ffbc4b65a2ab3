//! Everything that Fathom can do to a cluster or a host, and what undoes it. What is not here, Fathom cannot do.

use crate::gateway::Gateway;
use crate::nfs_export::NfsExport;
use crate::subject::osds_named;
use crate::workload::Bytes;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum Change {
    /// A pool of our own, labelled with application `fathom`. Undone by deleting it with all that is in it.
    /// `on`: its placement groups lie on these sets of OSDs, in turns; empty: where the cluster puts them.
    Pool {
        name: String,
        pg_num: u32,
        size: Option<u32>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        on: Vec<Vec<u32>>,
        /// Made as one that is there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        like: Option<PoolLike>,
    },
    /// Placement groups of a pool of our own, of one copy, are bound to OSDs so that each has some. Undone with the pool.
    Spread { pool: String },
    /// An image of our own. Undone by deleting it, with the snapshots of ours that it has.
    /// `data_pool`: where its bytes lie, if not in its pool.
    Image {
        pool: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data_pool: Option<String>,
        name: String,
        bytes: Bytes,
    },
    /// A clone of an image of our own, of its snapshot [`Change::BASE`]. Undone by deleting it.
    Clone {
        pool: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data_pool: Option<String>,
        name: String,
        parent: String,
    },
    /// Objects whose names begin with `prefix`, in a pool that is not ours. Undone by deleting exactly those.
    Objects { pool: String, prefix: String },
    /// A folder of our own in a file system of the cluster, which bears the run's name. Undone by deleting the files of ours in it, and it.
    /// `data_pool`: in which of the file system's pools the bytes of its files lie; `None`: as the file system has it.
    CephfsFolder {
        file_system: String,
        path: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data_pool: Option<String>,
    },
    /// A folder of our own in what an NFS server exports, which bears the run's name. Undone by deleting the files of ours in it, and it.
    NfsFolder { export: NfsExport, path: String },
    /// A bucket of our own. Undone by deleting it with the objects of ours that are in it.
    /// `placement`: of Ceph's gateways, `ID` or `ZONEGROUP:ID`: which pools its index and its objects lie in; `None`: the user's default.
    Bucket {
        gateway: Gateway,
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        placement: Option<String>,
    },
    /// An option in the cluster's configuration database. Undone by setting what was there, or removing it.
    Option { who: String, name: String, value: String },
    /// A cluster flag (`noscrub`). Undone by unsetting it if it was unset.
    Flag { name: String },
    /// A setting (`pg_autoscale_mode`) of a pool that is not ours. Undone by setting what was there.
    PoolSetting { pool: String, name: String, value: String },
    /// An OSD may be restarted with other options than it had. Undone by restarting it again, once they are back, if it was.
    Restart { osd: u32 },
    /// The manager's balancer is switched off. Undone by switching it on, if it was on; its mode stays.
    BalancerOff,
    /// Nothing of the cluster, but of one host: made and undone there.
    #[serde(untagged)]
    OnHost {
        /// As it stands in the list of hosts; `None`: this one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        host: Option<String>,
        #[serde(flatten)]
        what: HostChange,
    },
}

/// A pool that is made as one of the user's: with its rule, its `min_size`, its compression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolLike {
    pub pool: String,
    /// What is different in it, by the names of `ceph osd pool set`.
    pub but: BTreeMap<String, String>,
}

impl PoolLike {
    /// Options of a pool that change what it can do, by the names of `ceph osd pool set`; a target of scrubs or of recovery does not.
    pub const OPTIONS: [&str; 8] = [
        "compression_mode",
        "compression_algorithm",
        "compression_required_ratio",
        "compression_min_blob_size",
        "compression_max_blob_size",
        "csum_type",
        "csum_min_block",
        "csum_max_block",
    ];

    fn what(&self) -> String {
        let but: Vec<String> = self.but.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let but = if but.is_empty() { String::new() } else { format!(", but {}", but.join(", ")) };
        format!(" like pool {}{but}", self.pool)
    }
}

/// What can be done to a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum HostChange {
    /// A file of our own without a name: `path` is what it is called in plan and record, and its folder is where it lies. Undone by closing it.
    File { path: PathBuf, bytes: Bytes },
    /// A folder of our own, which bears the run's name. Undone by deleting the files of ours in it, and it.
    Folder { path: PathBuf },
    /// A setting of its kernel (`read_ahead_kb.sdb`). Undone by setting what was there.
    Setting { name: String, value: String },
}

impl HostChange {
    /// As shown to the user: `file /x/fathom.y`.
    pub fn what(&self) -> String {
        match self {
            HostChange::File { path, .. } => format!("file {}", path.display()),
            HostChange::Folder { path } => format!("folder {}", path.display()),
            HostChange::Setting { name, value } => format!("{name} = {value}"),
        }
    }
}

impl Change {
    /// Of what is there already and bears no run's name: that a run made it can't be seen of it.
    pub fn is_nameless(&self) -> bool {
        matches!(
            self,
            Change::Option { .. }
                | Change::Flag { .. }
                | Change::PoolSetting { .. }
                | Change::Restart { .. }
                | Change::BalancerOff
        )
    }

    /// The snapshot of which clones are made. Snapshots whose names begin so go with the image of ours that has them.
    pub const BASE: &str = "fathom.base";

    /// `option`: `WHO/NAME`, as in [`Workload::settings`](crate::Workload).
    pub fn option(option: &str, value: &str) -> Change {
        let (who, name) = who_and_name(option);
        Change::Option { who: who.to_string(), name: name.to_string(), value: value.to_string() }
    }

    /// `host`: as it stands in the list of hosts; `None`: this one.
    pub fn file(host: Option<&str>, path: PathBuf, bytes: Bytes) -> Change {
        Change::OnHost { host: host.map(str::to_string), what: HostChange::File { path, bytes } }
    }

    /// `host`: as it stands in the list of hosts; `None`: this one.
    pub fn folder(host: Option<&str>, path: PathBuf) -> Change {
        Change::OnHost { host: host.map(str::to_string), what: HostChange::Folder { path } }
    }

    /// `host`: as it stands in the list of hosts; `None`: this one.
    pub fn host_setting(host: Option<&str>, name: &str, value: &str) -> Change {
        let what = HostChange::Setting { name: name.to_string(), value: value.to_string() };
        Change::OnHost { host: host.map(str::to_string), what }
    }

    /// The host that it changes, if that is another one.
    pub fn other_host(&self) -> Option<&String> {
        match self {
            Change::OnHost { host, .. } => host.as_ref(),
            _ => None,
        }
    }

    /// Is it the file of our own that this host (`None`: the one on which Fathom runs) knows by this path?
    pub fn is_file(&self, host: Option<&str>, path: &Path) -> bool {
        match self {
            Change::OnHost { host: on, what: HostChange::File { path: ours, .. } } => {
                on.as_deref() == host && ours == path
            }
            _ => false,
        }
    }

    /// As shown to the user: `pool fathom.x`, `image rbd/fathom.y`, `file /x/fathom.z on host7`.
    pub fn what(&self) -> String {
        match self {
            Change::Pool { name, on, like, .. } => {
                format!("pool {name}{}{}", named(on), like.as_ref().map_or(String::new(), PoolLike::what))
            }
            Change::Spread { pool } => format!("placement groups of pool {pool} on every OSD"),
            Change::Image { pool, data_pool, name, .. } => {
                format!("image {pool}/{name}{}", data_in(data_pool.as_deref()))
            }
            Change::Clone { pool, data_pool, name, parent } => {
                format!("image {pool}/{name}, a clone of {parent}{}", data_in(data_pool.as_deref()))
            }
            Change::Objects { pool, prefix } => format!("objects {prefix}* in pool {pool}"),
            Change::CephfsFolder { file_system, path, data_pool } => {
                format!("folder {path} of file system {file_system}{}", data_in(data_pool.as_deref()))
            }
            Change::NfsFolder { export, path } => format!("folder {}", export.folder(path)),
            Change::Bucket { gateway, name, placement } => {
                let placement = placement.as_ref().map_or(String::new(), |id| format!(", placement {id}"));
                format!("bucket {name} at {}{placement}", gateway.url)
            }
            Change::Option { who, name, value } => format!("option {who}/{name} = {value}"),
            Change::Flag { name } => format!("flag {name}"),
            Change::PoolSetting { pool, name, value } => format!("pool {pool}: {name} = {value}"),
            Change::Restart { osd } => format!("restart of osd.{osd}"),
            Change::BalancerOff => "balancer off".to_string(),
            Change::OnHost { host: None, what } => what.what(),
            Change::OnHost { host: Some(host), what } => format!("{} on {host}", what.what()),
        }
    }
}

/// `, data in vms-ec`, of images and files whose bytes lie in a pool of their own.
pub fn data_in(data_pool: Option<&str>) -> String {
    data_pool.map_or(String::new(), |pool| format!(", data in {pool}"))
}

/// ` on osd.0, osd.1`; nothing if the cluster decides.
fn named(on: &[Vec<u32>]) -> String {
    let osds: BTreeSet<&u32> = on.iter().flatten().collect();
    if osds.is_empty() { String::new() } else { format!(" on {}", osds_named(osds)) }
}

/// Whose option it is, and which: of `osd/osd_op_queue`, and of one without a slash, which is everybody's.
pub fn who_and_name(option: &str) -> (&str, &str) {
    option.split_once('/').unwrap_or(("global", option))
}

/// A change in the journal, with what was there before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Undo {
    pub change: Change,
    /// The option's earlier value; `None`: there was none. Other changes need nothing.
    pub before: Option<String>,
    pub undone: bool,
    /// Why it is left as it is, if what bears its name now is not, or no more, the run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
}

impl Undo {
    /// `undone: …`, or `left as it is: …` and why.
    pub fn done(&self) -> String {
        match &self.left {
            Some(why) => format!("left as it is: {}: {why}", self.what()),
            None => format!("undone: {}", self.what()),
        }
    }

    /// With the value that comes, or came, back: that is what undoing does to the cluster.
    pub fn what(&self) -> String {
        let (what, before) = (self.change.what(), self.before.as_deref());
        match &self.change {
            Change::Option { name, .. } => {
                let back = before.map_or("not set".to_string(), |before| crate::secrets::value(name, before));
                format!("{what}, before: {back}")
            }
            Change::PoolSetting { .. } => format!("{what}, before: {}", before.unwrap_or("not known")),
            Change::OnHost { what: HostChange::Setting { .. }, .. } => match before {
                Some(before) => format!("{what}, before: {}", before.split_whitespace().collect::<Vec<_>>().join(" ")),
                // The journal of its host has it.
                None => what,
            },
            _ => what,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_back_is_told() {
        let undo = |change: Change, before: Option<&str>| {
            Undo { change, before: before.map(str::to_string), undone: false, left: None }.what()
        };
        let option = || Change::option("mon/x", "1");
        assert_eq!(undo(option(), Some("true")), "option mon/x = 1, before: true");
        assert_eq!(undo(option(), None), "option mon/x = 1, before: not set");
        assert_eq!(
            undo(Change::option("mon/x_secret", "1"), Some("HUSH")),
            "option mon/x_secret = 1, before: (hidden)"
        );
        assert_eq!(undo(Change::Flag { name: "noscrub".into() }, None), "flag noscrub");
        assert_eq!(undo(Change::file(None, "/x/own".into(), 1), None), "file /x/own");
        assert_eq!(undo(Change::file(Some("b7"), "/x/own".into(), 1), None), "file /x/own on b7");
    }

    #[test]
    fn a_file_of_an_earlier_release_is_one_of_this_host() {
        let read = |text: &str| serde_json::from_str::<Change>(text).unwrap();
        let own = r#"{"change":"file","path":"/x","bytes":7}"#;
        assert_eq!(read(own), Change::file(None, "/x".into(), 7));
        assert_eq!(serde_json::to_string(&read(own)).unwrap(), own);
        let other = Change::file(Some("b7"), "/x".into(), 7);
        assert_eq!(read(&serde_json::to_string(&other).unwrap()), other);
        assert!(serde_json::from_str::<Change>(r#"{"change":"pool","host":"b7","path":"/x","bytes":7}"#).is_err());
    }
}
