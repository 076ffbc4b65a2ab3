//! Where a run takes place: the cluster that is named, a lab, other hosts, or this host alone.

use crate::cli::Common;
use crate::cli::hosts::HostArgs;
use crate::cli::run_options::RunOptions;
use ::run::{Resolved, Setup, SetupLab, ToUndo, again};
use agents::fleet::HostOptions;
use cluster::devices::look_at;
use experiments::Request;
use lab::Service;
use model::{Failure, Gateway, LabHost, LabLayout, LabOsd, Layer, PathKind, Record, Spare};
use std::path::PathBuf;

/// A lab that was started for this run; it goes with this.
pub struct OwnLab(String, ToUndo);

impl Drop for OwnLab {
    fn drop(&mut self) {
        if let Err(error) = lab::down(&self.0) {
            eprintln!(
                "fathom: lab {} could not be taken down: {error}; try: fathom lab down --name {}",
                self.0, self.0
            );
        }
    }
}

/// With the lab, if it is there for this run alone.
/// `request`: what will be measured there, which may be refused before a lab is started for it.
///
/// # Errors
/// There is no such lab and none can be started, or it could not be of use.
pub fn of(
    common: &Common,
    options: &RunOptions,
    request: Option<&Request>,
) -> Result<(Setup<'static>, Option<OwnLab>), Failure> {
    options.hosts.refuse_ways_to_none()?;
    let mut hosts = options.hosts.options();
    let of_guests = request.is_some_and(|request| request.layers.iter().any(|layer| layer.of_guests()));
    refuse_idle_guests(&hosts, of_guests)?;
    let (lab, own) = match options.lab.as_deref() {
        Some(name) => {
            let prove = || request.map_or(Ok(()), |request| prove_paths(request, hosts.named()));
            let mut services = options.services();
            // A lab that is started for this layer by its name has what it is started for.
            let of_gateway = |request: &Request| {
                let named = !request.all_layers && request.layers.iter().any(|layer| layer.of_buckets());
                request.targets.gateways.is_empty() && named
            };
            if request.is_some_and(of_gateway) && !services.contains(&Service::Rgw) {
                services.push(Service::Rgw);
            }
            let of_files = |request: &Request| {
                let named = request.layers.iter().all(|layer| layer.of_folders());
                let targets = &request.targets;
                targets.cephfs.is_none() && targets.folders.is_empty() && targets.exports.is_empty() && named
            };
            if request.is_some_and(of_files) && !services.contains(&Service::Cephfs) {
                services.push(Service::Cephfs);
            }
            let of_guest = |request: &Request| request.layers.iter().all(|layer| layer.of_guests());
            if request.is_some_and(of_guest) && hosts.guests.is_none() && !services.contains(&Service::Guest) {
                services.push(Service::Guest);
            }
            // A guest is beside hosts.
            let number = hosts.number().or(services.contains(&Service::Guest).then_some(HOSTS_BESIDE_GUEST));
            running_or_new(common, name, (number, &services), &prove)?
        }
        None => (None, None),
    };
    let lab = lab.map(|lab| with_own_guest(SetupLab { own: own.is_some(), ..described(&lab) }, &hosts));
    let has_guest = lab.as_ref().is_some_and(|lab| !lab.layout.guest_paths.is_empty());
    // One that is measured as a host is no guest.
    if has_guest && of_guests && !names_guest(&hosts) {
        hosts.guests.get_or_insert_with(|| lab::GUEST.to_string());
    }
    Ok((Setup { lab, hosts, networks: options.networks.clone(), ..without_hosts(common) }, own))
}

/// What is there to be written to in the lab's guest may hold somebody's data in another one.
fn with_own_guest(mut lab: SetupLab, hosts: &HostOptions) -> SetupLab {
    if hosts.guests.as_ref().is_some_and(|list| list != lab::GUEST) {
        lab.layout.guest_paths.clear();
    }
    lab
}

/// As `fathom lab guest` has them.
const HOSTS_BESIDE_GUEST: u32 = 3;

/// Whoever names a guest for another layer means a disk of that guest, and this host has one of the same name.
fn refuse_idle_guests(hosts: &HostOptions, of_guests: bool) -> Result<(), Failure> {
    match hosts.guests.as_ref().filter(|_| !of_guests) {
        Some(list) => Err(Failure::Usage(format!(
            "--guests {list}: guests load the guest layer alone, and this measures none of it: take `fathom guest DISK --guests {list}`, or name \
             them as hosts (--hosts {list}) to measure there what is of any host"
        ))),
        None => Ok(()),
    }
}

/// Is the lab's guest among the hosts that are named?
fn names_guest(hosts: &HostOptions) -> bool {
    let lists = [&hosts.hosts, &hosts.osd_hosts].into_iter().flatten();
    lists.flat_map(|list| list.split(',')).any(|host| host.trim() == lab::GUEST)
}

/// What is wished of the lab (`--with`) and this run does not load.
pub fn not_loaded(options: &RunOptions, request: &Request) -> Vec<String> {
    let has = |own: fn(Layer) -> bool| request.layers.iter().any(|layer| own(*layer));
    let in_guest = has(Layer::of_guests) || names_guest(&options.hosts.options());
    let idle = |service: &Service| match service {
        Service::Cephfs => !has(Layer::of_folders),
        Service::Rgw => !has(Layer::of_buckets) || !request.targets.gateways.is_empty(),
        Service::Nfs => !has(Layer::of_folders),
        Service::Guest => !in_guest,
    };
    let mend = |service: Service| match service {
        Service::Cephfs | Service::Nfs => "name the file layer, or leave it out",
        Service::Rgw => "name the object layer, and no other gateway, or leave it out",
        Service::Guest => "name the guest layer, or leave it out",
    };
    let told = |service: Service| format!("--with {service}: nothing of it is loaded by this run; {}", mend(service));
    options.services().into_iter().filter(idle).map(told).collect()
}

/// Where an earlier run took place: its own lab, another one that is named, or what the options say; and its hosts, unless others are named.
pub fn of_earlier(
    common: &Common,
    record: &Record,
    lab: Option<&str>,
    hosts: &HostArgs,
) -> Result<Setup<'static>, Failure> {
    let recorded = record.scope.cluster.as_deref().and_then(|cluster| cluster.strip_prefix("lab:"));
    let name = lab.or(recorded.filter(|_| common.cluster.conf.is_none()));
    let lab = name.map(running).transpose()?.map(|lab| described(&lab));
    let recorded = again::hosts(&record.plan);
    if recorded.is_empty() {
        hosts.refuse_ways_to_none()?;
    }
    let mut hosts = hosts.options();
    if !hosts.named() && !recorded.is_empty() {
        // A lab's hosts are reached as a lab's: elsewhere their names may be those of other machines.
        let guests = again::guests(&record.plan);
        let others: Vec<&str> = recorded.difference(&guests).copied().collect();
        let of_lab = lab.as_ref().filter(|lab| others.iter().all(|name| is_of_lab(lab, name)));
        let number = of_lab.map(|lab| lab.layout.hosts.len().to_string());
        hosts.hosts = (!others.is_empty()).then(|| number.unwrap_or_else(|| others.join(",")));
        hosts.guests = (!guests.is_empty()).then(|| Vec::from_iter(guests).join(","));
    }
    let lab = lab.map(|lab| with_own_guest(lab, &hosts));
    Ok(Setup { lab, hosts, ..without_hosts(common) })
}

/// Is this the name by which a host of the lab is reached?
fn is_of_lab(lab: &SetupLab, name: &str) -> bool {
    let own = |host: &LabHost| {
        let namespace = host.namespace.as_deref().unwrap_or_default();
        [&host.name, &format!("here:{}", host.name), &format!("netns:{namespace}")].iter().any(|own| *own == name)
    };
    lab.layout.hosts.iter().any(own)
}

fn without_hosts(common: &Common) -> Setup<'static> {
    Setup {
        access: common.cluster.access(),
        lab: None,
        hosts: HostOptions::default(),
        networks: Vec::new(),
        command: crate::typed::command_line(),
        tell: if common.quiet { &silent } else { &aloud },
    }
}

fn aloud(text: &str) {
    eprintln!("{text}");
}

fn silent(_: &str) {}

fn described(lab: &lab::LabCluster) -> SetupLab {
    let host = |host: &lab::Host| LabHost {
        name: host.name.clone(),
        address: host.address.clone(),
        namespace: host.namespace.clone(),
    };
    let spare = |path: &PathBuf| match look_at(path) {
        Ok(PathKind::Device(_)) => Spare::Device(path.clone()),
        _ => Spare::Folder(path.parent().unwrap_or(path).to_path_buf()),
    };
    let osd = |osd: &lab::LabDaemon| LabOsd { id: osd.id, host: osd.host.clone(), spare: spare(&osd.probe) };
    let guest = lab.services.iter().find(|service| service.service == Service::Guest);
    let layout = LabLayout {
        guest_paths: guest.map_or(Vec::new(), |guest| guest.paths.clone()),
        name: lab.name.clone(),
        client_address: lab.client_address.clone(),
        hosts: lab.hosts.iter().map(host).collect(),
        osds: lab.osds.iter().map(osd).collect(),
    };
    let gateway = lab.services.iter().filter(|service| service.service == Service::Rgw).find_map(|service| {
        let (url, credentials) = (service.url.clone()?, service.credentials.clone());
        let (region, profile) = (s3::REGION.to_string(), None);
        Some(Gateway { url, region, virtual_host: false, swift: false, credentials, profile, authorities: None })
    });
    let swift = gateway.clone().map(|gateway| {
        let (url, profile) = (gateway.url.clone() + s3::SWIFT_LOG_IN, Some(lab::SWIFT_PROFILE.to_string()));
        Gateway { url, swift: true, profile, ..gateway }
    });
    let has_files = lab.services.iter().any(|service| service.service == Service::Cephfs);
    let cephfs = has_files.then(|| lab::FILE_SYSTEM.to_string());
    let nfs = lab.services.iter().find(|service| service.service == Service::Nfs);
    let export = nfs.and_then(|service| service.url.as_deref()?.parse().ok());
    SetupLab { layout, conf: lab.conf.clone(), gateway, swift, cephfs, export, own: false }
}

fn running(name: &str) -> Result<lab::LabCluster, Failure> {
    let ready = lab::status(name)?.filter(|lab| lab.state == lab::State::Ready);
    ready.ok_or_else(|| Failure::Failed(format!("lab {name}, on which the run took place, does not run any more")))
}

/// Paths that are named are of this machine, whatever lab is started on it: what can't be measured is told before.
fn prove_paths(request: &Request, hosts: bool) -> Result<(), Failure> {
    if request.targets.paths.is_empty() {
        return Ok(());
    }
    if !hosts && request.layers.iter().all(|layer| layer.of_disks()) {
        let text = "--lab: what is named is of this host, and nothing of a lab would be measured; leave it out";
        return Err(Failure::Usage(text.to_string()));
    }
    Resolved::prove_paths(request)
}

/// The running lab of that name, or a new one for this run. `prove`: nothing speaks against starting it.
fn running_or_new(
    common: &Common,
    name: &str,
    (hosts, services): (Option<u32>, &[Service]),
    prove: &dyn Fn() -> Result<(), Failure>,
) -> Result<(Option<lab::LabCluster>, Option<OwnLab>), Failure> {
    match lab::status(name)? {
        Some(lab) if lab.state == lab::State::Ready => {
            let has = |service: &&Service| lab.services.iter().any(|own| own.service == **service);
            if let Some(lacking) = services.iter().find(|service| !has(service)) {
                return Err(Failure::Usage(format!(
                    "lab {name} runs without {lacking}: take it down (fathom lab down --name {name}), or name another lab"
                )));
            }
            return Ok((Some(lab), None));
        }
        Some(lab) if lab.state == lab::State::Starting => {
            return Err(Failure::Failed(format!("lab {name} is still starting; see fathom lab status --name {name}")));
        }
        // A broken lab's leftovers go before a new one of its name comes.
        _ => prove()?,
    }
    let mut tell = |text: &str| {
        if !common.quiet {
            eprintln!("{text}");
        }
    };
    let others: Vec<String> = lab::list()?.into_iter().map(|lab| lab.name).filter(|other| other != name).collect();
    if !others.is_empty() {
        tell(&format!("there is no lab {name} (labs: {}): one is started, and goes at the end", others.join(", ")));
    }
    let (name_of_own, with) = (name.to_string(), services.to_vec());
    let spec = lab::Spec { name: name_of_own, hosts: hosts.unwrap_or(0), with, ..lab::Spec::default() };
    let room = lab::Room::of(name, spec.backing, spec.db)?;
    room.smaller(spec.osds).into_iter().for_each(|text| tell(&text));
    let spec = lab::Spec { size: room.each(spec.osds), ..spec };
    let to_undo = ToUndo::begins();
    let lab = lab::up(&spec, &mut tell)?;
    Ok((Some(lab), Some(OwnLab(name.to_string(), to_undo))))
}
