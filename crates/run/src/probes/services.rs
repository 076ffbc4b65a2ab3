//! How long requests took in object gateways and metadata servers: their counters before and after a slice that asks them.

use super::{Probe, SliceDone, Sources};
use agents::fleet::Fleet;
use cluster::{Cluster, service_counters};
use model::{Observation, ServiceLook, ServiceTimes, Step};
use std::cell::RefCell;

struct Services<'a> {
    cluster: &'a Cluster,
    fsid: String,
    /// Metadata servers have answered whenever they were asked by the library; else those are taken that are seen on the hosts.
    answer: bool,
    /// The step that goes on is of files.
    files: bool,
    fleet: Option<&'a RefCell<Fleet>>,
    /// Before the slice that goes on, if it asks any.
    before: Option<Vec<ServiceLook>>,
    /// Metadata servers when its last window was over.
    loaded: Vec<ServiceLook>,
}

pub fn start<'a>(sources: &Sources<'a>) -> Option<Box<dyn Probe + 'a>> {
    let fsid = sources.scope.fsid.clone()?;
    let (cluster, fleet) = (sources.cluster, sources.fleet);
    Some(Box::new(Services { cluster, fsid, answer: true, files: false, fleet, before: None, loaded: Vec::new() }))
}

impl Probe for Services<'_> {
    fn begin(&mut self, step: &Step) {
        self.files = step.layer.of_folders();
        self.loaded.clear();
        self.before = step.may_ask_services().then(|| self.counted()).filter(|looks| !looks.is_empty());
    }

    /// Sessions that are opened make files, and look for their folders, which are no operations of the load.
    fn opened(&mut self) {
        let now = self.metadata_servers();
        self.before.iter_mut().for_each(|before| replace(before, &now));
    }

    /// Those that are closed delete what they have made.
    fn loaded(&mut self) {
        self.loaded = self.metadata_servers();
    }

    fn end(&mut self, slice: &SliceDone) -> Vec<Observation> {
        let Some(before) = self.before.take() else { return Vec::new() };
        let mut after = self.counted();
        replace(&mut after, &self.loaded);
        let daemons = service_counters::between(&before, &after);
        let times = ServiceTimes { step: slice.step, pass: slice.pass, daemons };
        if times.daemons.is_empty() { Vec::new() } else { vec![Observation::ServiceTimes(times)] }
    }
}

/// By the later look, where there is one.
fn replace(looks: &mut [ServiceLook], later: &[ServiceLook]) {
    for look in looks {
        let own = later.iter().find(|later| later.process == look.process);
        own.into_iter().for_each(|later| *look = later.clone());
    }
}

impl Services<'_> {
    /// Without the agents, while a slice of files goes on; else none.
    fn metadata_servers(&self) -> Vec<ServiceLook> {
        let mut looks = match (self.files && self.before.is_some(), self.answer) {
            (false, _) => Vec::new(),
            (true, true) => service_counters::metadata_servers(self.cluster),
            (true, false) => service_counters::look(&self.fsid),
        };
        looks.retain(|look| look.daemon.starts_with(service_counters::MDS));
        looks
    }

    /// On this host, and on those whose agents we have; metadata servers wherever they are.
    fn counted(&mut self) -> Vec<ServiceLook> {
        let mut looks = service_counters::look(&self.fsid);
        looks.extend(self.fleet.into_iter().flat_map(|fleet| fleet.borrow_mut().services(&self.fsid)));
        if self.files && self.answer {
            let servers = service_counters::metadata_servers(self.cluster);
            self.answer = !servers.is_empty();
            if self.answer {
                looks.retain(|look| !look.daemon.starts_with(service_counters::MDS));
                looks.extend(servers);
            }
        }
        looks
    }
}
