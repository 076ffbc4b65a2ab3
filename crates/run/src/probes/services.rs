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
}

pub fn start<'a>(sources: &Sources<'a>) -> Option<Box<dyn Probe + 'a>> {
    let fsid = sources.scope.fsid.clone()?;
    let (cluster, fleet) = (sources.cluster, sources.fleet);
    Some(Box::new(Services { cluster, fsid, answer: true, files: false, fleet, before: None }))
}

impl Probe for Services<'_> {
    fn begin(&mut self, step: &Step) {
        self.files = step.layer.of_folders();
        self.before = step.may_ask_services().then(|| self.counted()).filter(|looks| !looks.is_empty());
    }

    fn end(&mut self, slice: &SliceDone) -> Vec<Observation> {
        let Some(before) = self.before.take() else { return Vec::new() };
        let daemons = service_counters::between(&before, &self.counted());
        let times = ServiceTimes { step: slice.step, pass: slice.pass, daemons };
        if times.daemons.is_empty() { Vec::new() } else { vec![Observation::ServiceTimes(times)] }
    }
}

impl Services<'_> {
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
