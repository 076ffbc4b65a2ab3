//! A running lab, as a fault reaches it: its daemons through its supervisor, its cluster through the monitor.

use crate::dirs::Dirs;
use crate::down::order;
use crate::errors::LabError;
use crate::lab::{LabCluster, State};
use crate::monitor;
use crate::nfs;
use crate::process_group;
use crate::rgw;
use crate::services::Service;
use crate::wire::{Act, Answer, SupervisorCommand};
use ceph::{CephError, Rados};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

const MONITOR_TIMEOUT: Duration = Duration::from_secs(20);
/// After a start, OSDs are up within seconds, and their placement groups active.
const ACTIVE_SECONDS: u64 = 120;

pub(crate) struct LabAccess {
    pub dirs: Dirs,
    pub lab: LabCluster,
    rados: OnceCell<Arc<Rados>>,
}

impl LabAccess {
    pub fn of(name: &str) -> Result<LabAccess, LabError> {
        let dirs = Dirs::of(name)?;
        let lab = crate::look::look(&dirs).ok_or_else(|| LabError::NoSuchLab { name: name.to_owned() })?;
        if lab.state != State::Ready {
            return Err(LabError::NotReady { name: name.to_owned(), state: lab.state });
        }
        Ok(LabAccess { dirs, lab, rados: OnceCell::new() })
    }

    /// For tests of what asks no daemon.
    #[cfg(test)]
    pub fn without_cluster(labs: &Path) -> LabAccess {
        let dirs = Dirs::in_labs(labs, "x");
        LabAccess { lab: LabCluster::unknown(&dirs), dirs, rados: OnceCell::new() }
    }

    /// The connection is made with the first question.
    pub fn rados(&self) -> Result<&Arc<Rados>, LabError> {
        if let Some(rados) = self.rados.get() {
            return Ok(rados);
        }
        let rados = monitor::connect(&self.lab.conf, MONITOR_TIMEOUT)?;
        Ok(self.rados.get_or_init(|| Arc::new(rados)))
    }

    /// A command for the monitor.
    pub fn tell(&self, command: &Value) -> Result<Value, LabError> {
        let mut command = command.clone();
        command["format"] = json!("json");
        let reply = self.rados()?.mon_command(&command)?;
        Ok(reply.json().unwrap_or(Value::Null))
    }

    /// A command for an OSD itself.
    pub fn ask_osd(&self, osd: u32, command: &Value) -> Result<Value, LabError> {
        let reply = self.rados()?.osd_command(osd, command)?;
        Ok(reply.json()?)
    }

    /// The images of a pool; `None`: there is no such pool.
    pub fn images(&self, pool: &str) -> Result<Option<Vec<String>>, LabError> {
        found(self.rados()?.open_pool(pool).and_then(|pool| pool.images()))
    }

    pub fn order(&self, command: &SupervisorCommand) -> Result<(), LabError> {
        match order(&self.dirs, command)? {
            Answer::Done => Ok(()),
            Answer::Failed { text, exit_code } => Err(LabError::Told { text, exit_code }),
        }
    }

    pub fn act(&self, daemon: &str, act: Act) -> Result<(), LabError> {
        self.order(&SupervisorCommand::Daemon { name: daemon.to_owned(), act })
    }

    /// Ceph's own program for images; its standard output.
    pub fn rbd(&self, words: &[&str]) -> Result<String, LabError> {
        let mut command = process_group::tool(Path::new("rbd"), &self.lab.conf, &self.dirs);
        let output = process_group::run(command.args(words))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// The program for administering gateways; its standard output.
    pub fn radosgw_admin(&self, words: &[&str]) -> Result<String, LabError> {
        let mut command = process_group::tool(Path::new("radosgw-admin"), &self.lab.conf, &self.dirs);
        let output = process_group::run(command.args(words))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    pub fn pid(&self, daemon: &str) -> Option<i32> {
        process_group::daemons(&self.dirs).into_iter().find(|one| one.name == daemon).map(|one| one.pid)
    }

    pub fn osd_names(&self) -> Vec<String> {
        self.lab.osds.iter().map(|osd| crate::daemons::osd(osd.id)).collect()
    }

    /// Kills these OSDs and starts them again, one after the other, and waits until each is up; of gateways and NFS servers, that end in order
    /// instead, until each answers.
    pub fn restart(&self, daemons: &[String]) -> Result<(), LabError> {
        for daemon in daemons {
            if daemon == rgw::SPEC.daemon {
                // One that was killed is waited for by all others, and by itself, for 30 s whenever a bucket is made.
                self.act(daemon, Act::Restart)?;
                self.wait("the start of the object gateway", || Ok(rgw::ask(&rgw::address(&self.lab)).is_ok()))?;
                continue;
            }
            if daemon == nfs::SPEC.daemon {
                self.act(daemon, Act::Restart)?;
                self.wait("the start of the NFS server", || Ok(nfs::ask(nfs::address(&self.lab)).is_ok()))?;
                continue;
            }
            let before = self.up_from(daemon)?.unwrap_or(0);
            // One that does not run is only started.
            let _ = self.act(daemon, Act::Kill);
            self.act(daemon, Act::Start)?;
            self.wait("the start of the OSD", || Ok(self.up_from(daemon)?.is_some_and(|epoch| epoch > before)))?;
        }
        if daemons.is_empty() { Ok(()) } else { self.wait_active() }
    }

    /// For faults of what a lab offers beside its pools: the daemon that serves it.
    pub fn need_service(&self, fault: &str, wanted: Service) -> Result<&str, LabError> {
        let own = self.lab.services.iter().find(|service| service.service == wanted);
        own.map(|service| service.daemon.as_str()).ok_or_else(|| LabError::FaultNotHere {
            fault: fault.to_owned(),
            why: format!("the lab {} does not offer {wanted}", self.lab.name),
            mend: match wanted {
                Service::Cephfs => "start one that does: `fathom lab up --with cephfs`",
                Service::Rgw => "start one that does: `fathom lab up --with rgw`",
                Service::Nfs => "start one that does: `fathom lab up --with nfs`",
                Service::Guest => "start one that does: `fathom lab guest`",
            },
        })
    }

    /// The epoch in which an OSD was last seen to come up; `None`: it is down.
    pub fn up_from(&self, daemon: &str) -> Result<Option<u64>, LabError> {
        let dump = self.tell(&json!({"prefix": "osd dump"}))?;
        let mut osds = dump["osds"].as_array().into_iter().flatten();
        let osd = osds.find(|osd| osd["osd"].as_u64().is_some_and(|id| format!("osd.{id}") == daemon));
        Ok(osd.filter(|osd| osd["up"] == 1).and_then(|osd| osd["up_from"].as_u64()))
    }

    /// Until every placement group takes reads and writes again.
    pub fn wait_active(&self) -> Result<(), LabError> {
        self.wait("active placement groups", || {
            let status = self.tell(&json!({"prefix": "status"}))?;
            let mut states = status["pgmap"]["pgs_by_state"].as_array().into_iter().flatten();
            Ok(states.all(|state| state["state_name"].as_str().is_some_and(|name| name.starts_with("active"))))
        })
    }

    pub fn wait(&self, what: &'static str, seen: impl Fn() -> Result<bool, LabError>) -> Result<(), LabError> {
        let until = Instant::now() + Duration::from_secs(ACTIVE_SECONDS);
        while !seen()? {
            if Instant::now() > until {
                let seen = "nothing of it".to_owned();
                return Err(LabError::TooSlow { what, seconds: ACTIVE_SECONDS, seen });
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// For faults of links, which a lab on the loopback address has not.
    pub fn need_hosts(&self, fault: &str) -> Result<(), LabError> {
        if self.lab.hosts.iter().all(|host| host.namespace.is_some()) {
            return Ok(());
        }
        let why = format!("the lab {} has no hosts of its own, all of it is on the loopback address", self.lab.name);
        Err(LabError::FaultNotHere { fault: fault.to_owned(), why, mend: "start one with `fathom lab up --hosts 3`" })
    }
}

/// `None`: it does not exist. Not to know whether it does is an error.
pub(crate) fn found<T>(answer: Result<T, CephError>) -> Result<Option<T>, LabError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(CephError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What a program answered as JSON.
pub(crate) fn read_json<T: DeserializeOwned>(command: &str, answer: &str) -> Result<T, LabError> {
    serde_json::from_str(answer).map_err(|error| {
        let why = format!("its answer is not the JSON that was expected: {error}");
        LabError::Tool { command: command.to_owned(), why }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_does_not_exist_is_gone() -> Result<(), LabError> {
        let what = || "open pool p".to_owned();
        assert_eq!(found(Ok(1))?, Some(1));
        assert_eq!(found::<()>(Err(CephError::NotFound { what: what(), status: String::new() }))?, None);
        for other in [
            CephError::TimedOut { what: what(), status: String::new() },
            CephError::Errno { what: what(), errno: libc::EIO },
        ] {
            assert!(found::<()>(Err(other)).is_err());
        }
        Ok(())
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_no_empty_list() {
        let read = |answer| read_json::<Vec<String>>("radosgw-admin bucket list", answer);
        assert_eq!(read("[\"a\"]\n").ok(), Some(vec!["a".to_owned()]));
        assert_eq!(read("[]").ok(), Some(Vec::new()));
        let error = read("").map_err(|error| error.to_string());
        assert!(error.is_err_and(|text| text.contains("radosgw-admin bucket list")));
    }
}
