//! Where a run takes place: the cluster that was named, a lab, or this host alone.

use super::client_hosts::{carries_osds, client_hosts, guest_hosts, known_as};
use super::restarts::Restarts;
use super::{Setup, again, new_head};
use agents::fleet::{self, Fleet, Wanted};
use agents::looks::Looks;
use agents::{AgentAccess, ClusterTexts};
use cluster::devices::buffered;
use cluster::{Cluster, scope};
use experiments::{Request, planner};
use model::{
    ClientHost, ExportSeen, Failure, HostFacts, HostSeen, Inventory, PathKind, Place, Plan, Record, RunHead, RunPlace,
    Scope, Site, SiteWish, Step, ThisHost,
};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

pub struct Resolved {
    pub inventory: Inventory,
    pub cluster: Option<Cluster>,
    /// To the gateways that are loaded.
    pub s3: s3::AccessByUrl,
    /// The hosts that load it; `None`: this one.
    pub fleet: Option<Rc<RefCell<Fleet>>>,
    /// What was looked at on this host, and what of it is held.
    pub looks: Looks,
    head: RunHead,
    /// Hosts that are meant and not tried, in words.
    pub left_out: Vec<String>,
    pub restarts: Restarts,
}

impl Resolved {
    /// Where a run will take place that is not prepared yet.
    ///
    /// # Errors
    /// Its cluster can't be reached.
    pub fn place(setup: &Setup, request: &Request) -> Result<RunPlace, Failure> {
        let cluster = needs_cluster(setup, request).then(|| reach(setup)).transpose()?;
        let fsid = cluster.map(|cluster| cluster.rados.fsid()).transpose()?;
        Ok(RunPlace::new(setup.lab.as_ref().is_some_and(|lab| lab.own), fsid, Some(cluster::here::host_name())))
    }

    pub fn prepare(setup: &Setup, request: &Request) -> Result<Resolved, Failure> {
        let cluster = needs_cluster(setup, request).then(|| reach(setup)).transpose();
        let cluster = cluster.map_err(|failure| or_named_devices(failure, request))?;
        let mut scope = match &cluster {
            Some(cluster) => scope::look(cluster)?,
            None => scope::without_cluster(),
        };
        let mut lab = setup.lab.as_ref().map(|lab| lab.layout.clone());
        if let Some(lab) = &mut lab {
            scope.cluster = Some(format!("lab:{}", lab.name));
            // The CRUSH map knows best which host an OSD is on.
            for osd in &mut lab.osds {
                let known = scope.osds.iter().find(|known| known.id == osd.id);
                osd.host = known.map_or_else(|| osd.host.clone(), |known| known.host.clone());
            }
        }
        let image = match (&cluster, &request.targets.pool, &request.targets.image) {
            (Some(cluster), Some(pool), Some(image)) => cluster::pools::image(cluster, pool, image)?,
            _ => None,
        };
        let of_lab = || setup.lab.as_ref()?.cephfs.clone();
        let cephfs = request.targets.cephfs.clone().or_else(of_lab);
        let cephfs = cephfs.filter(|_| request.layers.iter().any(|layer| layer.of_folders()));
        let cephfs = match &cluster {
            Some(cluster) => cephfs.map(|name| cluster::cephfs::look(cluster, &name)).transpose()?,
            None => None,
        };
        let exports = exports(setup, request)?;
        let head = new_head(&setup.command, setup.lab.as_ref().is_some_and(|lab| lab.own));
        let of_lab = || {
            let lab = setup.lab.as_ref()?;
            if request.targets.swift { lab.swift.clone() } else { lab.gateway.clone() }
        };
        let gateways = match request.layers.iter().any(|layer| layer.of_buckets()) {
            true if request.targets.gateways.is_empty() => Vec::from_iter(of_lab()),
            true => request.targets.gateways.clone(),
            false => Vec::new(),
        };
        let s3 = s3::access_to_all(&gateways).map_err(unkeyed)?;
        let (fleet, wanted) = match setup.hosts.named() {
            true => {
                let loads = || request.experiment.clients_most().or(request.workload.clients).unwrap_or(1);
                let loads = (request.needs_cluster() || cephfs.is_some()).then(loads);
                let (fleet, wanted) = clients(setup, cluster.as_ref(), &s3, loads)?;
                (Some(Rc::new(RefCell::new(fleet))), Some(wanted))
            }
            false => (None, None),
        };
        let names = |of: fn(&Wanted) -> &Vec<String>| wanted.as_ref().map_or(Vec::new(), |wanted| of(wanted).clone());
        let (mut left_out, guests) = (names(|wanted| &wanted.left_out), names(|wanted| &wanted.guests));
        let guests = fleet.as_ref().map_or(Vec::new(), |fleet| guest_hosts(&fleet.borrow(), &guests));
        let hosts = match &fleet {
            Some(fleet) => client_hosts(&fleet.borrow(), &guests, &scope, lab.as_ref(), &setup.networks)?,
            None if setup.networks.is_empty() => Vec::new(),
            None => return Err(Failure::Usage("--networks is of the ways between hosts; name them (--hosts)".into())),
        };
        if let Some(fleet) = &fleet {
            give_roles(&mut fleet.borrow_mut(), &hosts, &scope);
        }
        let here = ThisHost { name: cluster::here::host_name(), addresses: cluster::here::addresses() };
        let run = head.run.clone();
        let mut inventory = Inventory {
            run,
            scope,
            lab,
            here,
            image,
            gateways,
            cephfs,
            exports,
            hosts,
            guests,
            ..Inventory::default()
        };
        let (mut looks, in_turn) = (Looks::default(), in_turn(request));
        let mut look = |(host, wish): (Option<ClientHost>, SiteWish)| {
            let seen = match (&host, &fleet) {
                (Some(host), Some(fleet)) => fleet.borrow_mut().look(&host.end.host, &wish, in_turn),
                _ => looks.look(&wish, in_turn),
            };
            Site { host, wish, seen }
        };
        inventory.sites = planner::wanted_sites(&inventory, request).into_iter().map(&mut look).collect();
        inventory.folders = planner::wanted_folders(&inventory, request).into_iter().map(&mut look).collect();
        inventory.guest_sites = planner::wanted_guest_sites(&inventory, request).into_iter().map(&mut look).collect();
        inventory.replica_hosts = planner::wanted_replica_hosts(&inventory, request).into_iter().map(look).collect();
        left_out.extend(inventory.shared_machines());
        Ok(Resolved { inventory, cluster, s3, fleet, looks, head, left_out, restarts: Restarts::default() })
    }

    /// Paths of this host that are named, before anything else is reached or started for them.
    ///
    /// # Errors
    /// One can't be used, or may not be written to.
    pub fn prove_paths(request: &Request) -> Result<(), Failure> {
        let (mut looks, in_turn, mut inventory) = (Looks::default(), in_turn(request), Inventory::default());
        let wanted = planner::wanted_sites(&inventory, request).into_iter();
        let look = |(host, wish): (Option<ClientHost>, SiteWish)| Site { host, seen: looks.look(&wish, in_turn), wish };
        inventory.sites = wanted.map(look).collect();
        planner::refuse_sites(&inventory, request)
    }

    /// Where an earlier run took place: the same cluster, or none, and the same hosts.
    pub fn again(setup: &Setup, record: &Record) -> Result<Resolved, Failure> {
        let (run, plan, scope) = (&record.head.run, &record.plan, record.scope.clone());
        let cluster = match &scope.fsid {
            None => None,
            Some(fsid) => {
                let cluster = reach(setup)?;
                let found = cluster.rados.fsid()?;
                if found != *fsid {
                    let text =
                        format!("run {run} was on cluster {fsid}, and this is {found}; name its own with --conf");
                    return Err(Failure::Usage(text));
                }
                Some(cluster)
            }
        };
        let mut inventory = Inventory { run: run.clone(), scope, ..Inventory::default() };
        let (mut fleet, mut left_out) = (None, Vec::new());
        let s3 = s3::access_to_all(again::gateways(plan)).map_err(unkeyed)?;
        let loading = again::hosts(plan);
        if !loading.is_empty() {
            let connections = cluster.is_some().then(|| again::connections(plan));
            let (mut reached, without) = clients(setup, cluster.as_ref(), &s3, connections)?;
            if let Some(host) = loading.iter().find(|host| !reached.here().any(|seen| seen.name == **host)) {
                let text = format!(
                    "run {run} was loaded from {host}, which is not among the hosts; name all of them (--hosts)"
                );
                return Err(Failure::Usage(text));
            }
            let lab = setup.lab.as_ref().map(|lab| &lab.layout);
            inventory.guests = guest_hosts(&reached, &without.guests);
            inventory.hosts = client_hosts(&reached, &inventory.guests, &inventory.scope, lab, &setup.networks)?;
            give_roles(&mut reached, &inventory.hosts, &inventory.scope);
            (fleet, left_out) = (Some(Rc::new(RefCell::new(reached))), without.left_out);
        }
        let (looks, head, restarts) = (Looks::default(), record.head.clone(), Restarts::default());
        Ok(Resolved { inventory, cluster, s3, fleet, looks, head, left_out, restarts })
    }

    /// What the path is on that host (`None`: this one), and whether it may be loaded beside others that go to the same place.
    ///
    /// # Errors
    /// It can't be used, or may not be written to.
    pub fn look_in_turn(&mut self, host: Option<&str>, wish: &SiteWish) -> Result<PathKind, Failure> {
        let seen = match (host, &self.fleet) {
            (Some(host), Some(fleet)) => fleet.borrow_mut().look(host, wish, true),
            _ => self.looks.look(wish, true),
        };
        Ok(seen?.found)
    }

    /// Will what it runs on be there afterwards?
    pub fn lasts(&self) -> bool {
        !self.head.own_lab
    }

    /// OSD devices of hosts that can't be looked at: they are not measured. (One that was named ends the run.)
    pub fn unseen_disks(&self) -> Vec<String> {
        let unseen = |site: &Site| {
            let why = &site.seen.as_ref().err()?.says;
            let host = site.host.as_ref().map_or(String::new(), |host| format!("{}: ", host.end.host));
            Some(format!("{host}{why}; this disk is not measured"))
        };
        self.inventory.sites.iter().filter_map(unseen).collect()
    }

    /// What could not be looked at, here or by agents, and loop devices that are loaded or carry an OSD and are no disks.
    pub fn notes_of_paths(&self, plan: &Plan) -> Vec<String> {
        let by_agents = self.fleet.as_ref().map_or(Vec::new(), |fleet| fleet.borrow().unseen().to_vec());
        let mut notes = [self.looks.held.unseen(), by_agents].concat();
        notes.extend(self.inventory.sites.iter().chain(&self.inventory.folders).flat_map(on_images));
        notes.extend(self.inventory.guest_sites.iter().flat_map(attached));
        if plan.steps.iter().any(|step| step.layer.of_ceph()) {
            let devices = self.inventory.scope.devices.iter();
            let own = devices.filter(|device| device.host.as_ref() == Some(&self.inventory.here.name));
            let said = own.flat_map(|device| buffered(&Path::new("/dev").join(&device.path)));
            let more: BTreeSet<String> = said.filter(|one| !notes.contains(one)).collect();
            notes.extend(more);
        }
        notes
    }

    /// Hosts that load the cluster and carry it. That a lab is on this one goes without saying.
    pub fn shared_hosts(&self, plan: &Plan) -> Option<String> {
        let mut both: Vec<String> = Vec::new();
        if plan.steps.iter().any(|step| step.of_clients() && !step.layer.of_guests()) {
            let carries = |host: &&ClientHost| carries_osds(&host.known_as, &self.inventory.scope);
            both.extend(self.inventory.clients().filter(carries).map(|host| host.end.host.clone()));
        }
        if self.inventory.lab.is_none() && plan.steps.iter().any(from_here) {
            let seen = here();
            let known_as = known_as(&seen, &self.inventory.scope, None);
            both.extend(carries_osds(&known_as, &self.inventory.scope).then_some(seen.name));
        }
        (!both.is_empty()).then(|| {
            format!(
                "these hosts load the cluster and carry its OSDs: {}; they share processors and links, and alone the cluster might do \
                 more",
                both.join(", ")
            )
        })
    }

    pub fn head(&self) -> &RunHead {
        &self.head
    }
}

/// What NFS servers export, named or of the lab, if files are loaded at all.
fn exports(setup: &Setup, request: &Request) -> Result<Vec<ExportSeen>, Failure> {
    if !request.layers.iter().any(|layer| layer.of_folders()) {
        return Ok(Vec::new());
    }
    let of_lab = setup.lab.as_ref().and_then(|lab| lab.export.clone());
    let named = request.targets.exports.iter();
    let others = named.filter(|export| Some(*export) != of_lab.as_ref()).map(|export| (export, false));
    let all = others.chain(of_lab.iter().map(|export| (export, true)));
    all.map(|(export, of_cluster)| Ok(cluster::nfs_folders::look(export, of_cluster)?)).collect()
}

/// Does this host load the cluster? (The bench of the store runs within an OSD.)
fn from_here(step: &Step) -> bool {
    let loads = |place: &Place| {
        matches!(
            place,
            Place::Osd { .. }
                | Place::Pool { .. }
                | Place::Images { .. }
                | Place::Bucket { .. }
                | Place::Cephfs { .. }
                | Place::Nfs { .. }
        )
    };
    step.targets.iter().any(|target| target.client.is_none() && loads(&target.place))
}

/// This host, as an agent on it would tell of it.
fn here() -> HostSeen {
    let facts = HostFacts { scope: cluster::here::host(), nics: cluster::here::nics(), ..HostFacts::default() };
    HostSeen { name: cluster::here::host_name(), via: String::new(), agent_sent: false, clock: None, facts }
}

/// Loads one after the other may go to the same place.
fn in_turn(request: &Request) -> bool {
    request.experiment.pair().is_some() || !request.experiment.batches().is_empty()
}

fn unkeyed(error: s3::S3Error) -> Failure {
    Failure::Usage(error.to_string())
}

/// A cluster that was named tells on which networks its OSDs are, even where nothing loads it.
fn needs_cluster(setup: &Setup, request: &Request) -> bool {
    let asked = setup.hosts.named() && setup.access.conf.is_some();
    request.needs_cluster() || setup.lab.is_some() || asked
}

/// Disks alone need a cluster only to know which ones its OSDs have.
fn or_named_devices(failure: Failure, request: &Request) -> Failure {
    match failure {
        Failure::Usage(text) if request.layers.iter().all(|layer| layer.of_disks()) => {
            Failure::Usage(format!("{text}; or name what to measure: --device PATH"))
        }
        other => other,
    }
}

fn reach(setup: &Setup) -> Result<Cluster, Failure> {
    let mut access = setup.access.clone();
    if let Some(lab) = &setup.lab {
        access.conf.get_or_insert_with(|| lab.conf.clone());
    }
    Ok(Cluster::connect(&access)?)
}

/// Agents on all hosts, each of them connected to the cluster. Who can't do its part is told before anything is changed.
/// And which were left out. `s3`: to the gateways that are loaded. `connections`: of each agent to the cluster; `None`: it is not loaded.
fn clients(
    setup: &Setup,
    cluster: Option<&Cluster>,
    s3: &s3::AccessByUrl,
    connections: Option<u32>,
) -> Result<(Fleet, Wanted), Failure> {
    let of = || cluster.cloned().ok_or_else(|| Failure::Usage("--hosts orch: this run has no cluster".to_string()));
    let lab = setup.lab.as_ref().map(|lab| lab.layout.name.as_str());
    let wanted = fleet::wanted(&setup.hosts, lab, &of)?;
    let (mut fleet, silent) = fleet::connect_all(&wanted.hosts, &wanted.programs, setup.tell);
    fleet.spare(&wanted.spared);
    fleet::refuse_silent(&silent)?;
    let texts = |(cluster, clients): (&Cluster, u32)| {
        let (conf, keyring) = cluster.texts()?;
        let id = cluster.user().trim_start_matches("client.").to_string();
        Ok::<_, Failure>(ClusterTexts { conf, keyring, id, clients })
    };
    let cluster = cluster.zip(connections).map(texts).transpose()?;
    let access = AgentAccess { cluster, s3: s3.iter().map(|(url, access)| (url.clone(), access.into())).collect() };
    if access == AgentAccess::default() {
        return Ok((fleet, wanted));
    }
    match fleet.reach(&access).first() {
        Some((host, why)) => Err(Failure::Failed(format!("{host} does not reach the cluster: {why}"))),
        None => Ok((fleet, wanted)),
    }
}

/// Each agent learns which OSDs are its host's.
fn give_roles(fleet: &mut Fleet, hosts: &[ClientHost], scope: &Scope) {
    fleet.give_roles(|name| {
        let known_as = hosts.iter().find(|host| host.end.host == name).map_or(name, |host| host.known_as.as_str());
        let own = scope.osds.iter().filter(|osd| osd.up && osd.host == known_as);
        let osds = own.map(|osd| model::OsdWish { osd: osd.id, address: osd.address.clone() }).collect();
        (known_as.to_string(), osds)
    });
}

/// As what a guest sees its disks. Which cache and threads its hypervisor has for them it does not see.
fn attached(guest: &Site) -> Vec<String> {
    let name = guest.host.as_ref().map_or(String::new(), |host| format!("{}:", host.end.host));
    let path = guest.wish.path.display();
    let said =
        |disk: &String| format!("{name}{path} is on {}, as its guest sees it", disk.replacen(": ", " (", 1) + ")");
    guest.seen.as_ref().map_or(Vec::new(), |seen| seen.attached.iter().map(said).collect())
}

/// What looks like a drive and is a cluster.
fn on_images(site: &Site) -> Vec<String> {
    let host = site.host.as_ref().map_or(String::new(), |host| format!("{}:", host.end.host));
    let path = site.wish.path.display();
    let said = |image: &String| {
        format!(
            "{host}{path} is on an image of a Ceph cluster ({image}): its figures are of the cluster behind it, as those of the rbd layer, and of no drive"
        )
    };
    site.seen.as_ref().map_or(Vec::new(), |seen| seen.images.iter().map(said).collect())
}

#[cfg(test)]
mod tests {
    use super::super::client_hosts::tests::osds;
    use super::*;
    use model::testing;
    use model::{Pattern, Target, Workload};

    #[test]
    fn who_loads_from_here_is_known_by_what_is_loaded() {
        let (layer, pattern) = (testing::pools(), Pattern::ReadLatency);
        let step = |place: Place| {
            Step::new(0, layer, pattern, vec![Target::new(layer, "x", place)], Workload::canonical(pattern, 0, 1))
        };
        assert!(from_here(&step(Place::Pool { pool: "p".into(), prefix: String::new() })));
        assert!(!from_here(&step(Place::Store { osd: 0 })));
        let mut elsewhere = step(Place::Osd { osd: 0, pool: "p".into(), replicas: Vec::new() });
        assert!(from_here(&elsewhere));
        elsewhere.targets[0].client = Some(model::Client { host: "h".into(), of: "osd.0".into() });
        assert!(!from_here(&elsewhere));
        let scope = osds(&[(&here().name, "10.0.0.1")]);
        assert!(carries_osds(&known_as(&here(), &scope, None), &scope));
        let other = osds(&[("elsewhere", "203.0.113.1")]);
        assert!(!carries_osds(&known_as(&here(), &other, None), &other));
    }
}
