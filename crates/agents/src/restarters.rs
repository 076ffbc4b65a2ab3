//! Who restarts OSDs: the supervisor of a lab, cephadm, or systemd of the hosts on which they are.

use crate::fleet::Fleet;
use cluster::Cluster;
use cluster::restart::Restarter;
use std::cell::RefCell;
use std::rc::Rc;

pub struct Restarters {
    cluster: Cluster,
    /// Hosts on which agents run, for where neither a lab nor cephadm is there.
    fleet: Option<Rc<RefCell<Fleet>>>,
}

enum Way {
    Lab(String),
    Cephadm,
    /// The host as it stands in the list of hosts, and as it calls itself.
    Host(String, String),
}

/// In words, what is missing.
const NOBODY: &str = "who restarts it is not known: it is of no lab and not of cephadm, and no agent runs on its host; name the hosts of OSDs: \
                      --osd-hosts LIST --sudo";

impl Restarters {
    pub fn of(cluster: Cluster, fleet: Option<Rc<RefCell<Fleet>>>) -> Rc<Restarters> {
        Rc::new(Restarters { cluster, fleet })
    }

    fn way(&self, osd: u32) -> Result<Way, String> {
        let told = |error: cluster::ClusterError| error.to_string();
        let fsid = self.cluster.rados.fsid().map_err(|error| error.to_string())?;
        if let Some(lab) = lab_of(&fsid) {
            return Ok(Way::Lab(lab));
        }
        if self.cluster.orch_has_osd(osd) {
            return Ok(Way::Cephadm);
        }
        let fleet = self.fleet.as_ref().ok_or(NOBODY)?.try_borrow().map_err(|_| "the agents are busy")?;
        let own = self.cluster.host_of_osd(osd).map_err(told)?;
        let named = fleet.calls_itself(&own).ok_or_else(|| format!("{NOBODY} (its host is {own})"))?;
        Ok(Way::Host(named, own))
    }

    fn ask_host(&self, host: &str, osd: u32) -> Result<(), String> {
        let fleet = self.fleet.as_ref().ok_or(NOBODY)?;
        let mut fleet = fleet.try_borrow_mut().map_err(|_| "the agents are busy")?;
        fleet.restart_osd(host, osd).map_err(|why| format!("{host}: {why}"))
    }

    /// # Errors
    /// Nobody is known who could restart it.
    pub fn prove(&self, osd: u32) -> Result<(), String> {
        self.way(osd).map(drop)
    }
}

impl Restarter for Restarters {
    fn knows(&self, osd: u32) -> bool {
        self.way(osd).is_ok()
    }

    fn restart(&self, osd: u32) -> Result<(), String> {
        match self.way(osd)? {
            Way::Lab(lab) => {
                let done = lab::daemon(&lab, &format!("osd.{osd}"), lab::Act::Restart);
                done.map_err(|error| error.to_string())
            }
            Way::Cephadm => self.cluster.orch_restart_osd(osd).map_err(|error| error.to_string()),
            Way::Host(host, _) => self.ask_host(&host, osd),
        }
    }

    fn command(&self, osd: u32) -> String {
        match self.way(osd) {
            Ok(Way::Lab(lab)) => format!("fathom lab daemon restart osd.{osd} --name {lab}"),
            Ok(Way::Cephadm) => format!("ceph orch daemon restart osd.{osd}"),
            Ok(Way::Host(_, own)) => format!("ssh {own} systemctl restart ceph-osd@{osd}"),
            Err(_) => format!("systemctl restart ceph-osd@{osd}"),
        }
    }
}

/// The lab of this user that is this cluster.
fn lab_of(fsid: &str) -> Option<String> {
    let ready = |lab: &lab::LabCluster| lab.state == lab::State::Ready && lab.fsid == fsid;
    lab::list().ok()?.into_iter().find(ready).map(|lab| lab.name)
}
