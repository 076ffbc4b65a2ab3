//! What a lab is made of, as it is told to others.

use crate::active_fault::ActiveFault;
use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::services::LabService;
use crate::spec::{Backing, Spec};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    Starting,
    Ready,
    /// Its supervisor was killed: nothing runs, and files, loop devices or namespaces may be left. `down`, or `up` under the same
    /// name, removes them.
    Broken,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::Starting => "starting",
            State::Ready => "ready",
            State::Broken => "broken",
        })
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabCluster {
    pub name: String,
    pub state: State,
    pub conf: PathBuf,
    pub dir: PathBuf,
    pub backing: Backing,
    pub fsid: String,
    pub hosts: Vec<Host>,
    pub osds: Vec<LabDaemon>,
    /// The daemons that run, with their process ids.
    pub daemons: Vec<Daemon>,
    /// What it offers beside its pools.
    #[serde(default)]
    pub services: Vec<LabService>,
    /// For `ssh -F`: how the lab's hosts are reached by their names; `None`: not by ssh.
    #[serde(default)]
    pub ssh_config: Option<PathBuf>,
    /// What was made wrong with it on purpose.
    #[serde(default)]
    pub faults: Vec<ActiveFault>,
    /// This host's own address as the lab's hosts see it: the bridge's, or 127.0.0.1.
    pub client_address: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Host {
    pub name: String,
    pub address: String,
    /// On the network on which the OSDs talk to each other, if they have one.
    #[serde(default)]
    pub cluster_address: Option<String>,
    /// Its network namespace (as in `ip netns exec`); `None`: the host is this one.
    pub namespace: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabDaemon {
    pub id: u32,
    pub host: String,
    /// The file or loop device that holds all of the OSD's data. For reading only.
    pub device: PathBuf,
    /// The device of its database, with the write-ahead log in it; `None`: both lie on `device`.
    #[serde(default)]
    pub db: Option<PathBuf>,
    /// Of the same kind and on the same disk as `device`, and free to be written on, up to `probe_bytes`. With backing `loop` it
    /// is a loop device that exists; else it is the path of a file that does not exist until somebody makes it. It goes when the lab goes.
    pub probe: PathBuf,
    pub probe_bytes: u64,
    /// Whether the cluster counts it as up and as in; `None`: not asked, or no answer.
    pub up: Option<bool>,
    #[serde(rename = "in")]
    pub inside: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Daemon {
    /// `mon.a`, `mgr.x`, `osd.0`.
    pub name: String,
    pub pid: i32,
}

impl Host {
    /// The one that the lab runs on, for a process that is none of the lab's hosts'.
    pub(crate) fn here() -> Host {
        Host { name: String::new(), address: String::new(), cluster_address: None, namespace: None }
    }
}

/// At most what a probe is written with, so that several of them don't fill a small disk.
pub(crate) const PROBE_BYTES: u64 = 1 << 30;

/// /24 networks of the hosts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subnets {
    pub public: [u8; 3],
    /// Of the OSDs among themselves.
    pub cluster: Option<[u8; 3]>,
}

pub(crate) const LOOPBACK: &str = "127.0.0.1";

impl LabCluster {
    /// A lab with all that is known before anything is made. `subnets`: if it has hosts of its own.
    pub(crate) fn drafted(spec: &Spec, dirs: &Dirs, fsid: String, subnets: Option<Subnets>) -> LabCluster {
        let within = |[a, b, c]: [u8; 3], last: u32| format!("{a}.{b}.{c}.{last}");
        let address = |last: u32| match subnets {
            Some(Subnets { public, .. }) => within(public, last),
            None => LOOPBACK.to_owned(),
        };
        let cluster = |last: u32| Some(within(subnets?.cluster?, last));
        let host = |number: u32| Host {
            name: format!("host{number}"),
            address: address(number),
            cluster_address: cluster(number),
            namespace: Some(format!("{}host{number}", dirs.namespace_prefix())),
        };
        let this_host = || Host { name: hostname(), address: address(0), cluster_address: None, namespace: None };
        let hosts: Vec<Host> = match spec.hosts {
            0 => vec![this_host()],
            number => (1..=number).map(host).collect(),
        };
        let osd = |id: u32| {
            let dir = dirs.data(spec.backing).join(format!("osd.{id}"));
            let host = hosts[id as usize % hosts.len()].name.clone();
            let (device, probe) = (dir.join("block"), dir.join("probe"));
            LabDaemon { id, host, device, db: None, probe, probe_bytes: PROBE_BYTES, up: None, inside: None }
        };
        LabCluster {
            name: dirs.name.clone(),
            state: State::Starting,
            conf: dirs.conf(),
            dir: dirs.dir.clone(),
            backing: spec.backing,
            fsid,
            osds: (0..spec.osds).map(osd).collect(),
            hosts,
            daemons: Vec::new(),
            services: Vec::new(),
            ssh_config: None,
            faults: Vec::new(),
            client_address: address(254),
        }
    }

    /// A lab of which only the name is left.
    pub(crate) fn unknown(dirs: &Dirs) -> LabCluster {
        let spec = Spec { osds: 0, ..Spec::default() };
        LabCluster::drafted(&spec, dirs, String::new(), None)
    }

    pub(crate) fn host(&self, name: &str) -> &Host {
        self.hosts.iter().find(|host| host.name == name).unwrap_or(&self.hosts[0])
    }

    /// The host of the monitor and the manager.
    pub(crate) fn first_host(&self) -> &Host {
        &self.hosts[0]
    }

    /// Written whole or not at all: others may read at any time.
    pub(crate) fn save(&self, dirs: &Dirs) -> Result<(), LabError> {
        let path = dirs.record();
        let new = path.with_extension("new");
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        fs::write(&new, text).and_then(|()| fs::rename(&new, &path)).map_err(LabError::io("cannot write", &path))
    }
}

/// This host's name up to the first dot, as Ceph takes it.
fn hostname() -> String {
    let whole = nix::unistd::gethostname().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match whole.split('.').next() {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => "localhost".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn osds_are_spread_over_hosts() {
        let dirs = Dirs::in_labs(Path::new("/labs"), "x");
        let spec = Spec { osds: 5, hosts: 2, ..Spec::default() };
        let subnets = Subnets { public: [10, 1, 2], cluster: Some([10, 1, 3]) };
        let lab = LabCluster::drafted(&spec, &dirs, String::new(), Some(subnets));
        let hosts: Vec<&str> = lab.osds.iter().map(|osd| osd.host.as_str()).collect();
        assert_eq!(hosts, ["host1", "host2", "host1", "host2", "host1"]);
        assert_eq!((lab.hosts[1].address.as_str(), lab.client_address.as_str()), ("10.1.2.2", "10.1.2.254"));
        assert_eq!(lab.hosts[1].cluster_address.as_deref(), Some("10.1.3.2"));
        assert_eq!(lab.osds[0].probe, Path::new("/labs/x/osd.0/probe"));
    }

    #[test]
    fn without_hosts_of_its_own_a_lab_is_on_loopback() {
        let dirs = Dirs::in_labs(Path::new("/labs"), "x");
        let spec = Spec { backing: Backing::Memory, ..Spec::default() };
        let lab = LabCluster::drafted(&spec, &dirs, String::new(), None);
        assert_eq!((lab.hosts.len(), lab.hosts[0].address.as_str(), &lab.hosts[0].namespace), (1, LOOPBACK, &None));
        assert_eq!(lab.client_address, LOOPBACK);
        assert!(lab.osds.iter().all(|osd| osd.probe.starts_with("/dev/shm") && osd.host == lab.hosts[0].name));
    }
}
