//! Steps of the device layer on other hosts: each disk alone, all of a host together, all of all hosts together.

use super::device::{LAB_SPAN, SPAN, refuse_larger, refuse_missing_device, spread};
use super::draft::{ClientHost, Draft, Inventory};
use experiments::Request;
use model::pattern::Family;
use model::workload::{GIB, MIB};
use model::{Bytes, Client, Failure, Found, HostFile, Layer, NotFree, Pattern, Place, SiteWish, Target, Workload};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A path of a host that loads, as its agent found it.
pub struct Site {
    pub host: ClientHost,
    pub wish: SiteWish,
    pub found: Result<Found, NotFree>,
}

/// The paths that the hosts' agents are to look at: those that the user names, on each host; else the probes of a lab, which are
/// written full so that there is something to be read; else the
/// hosts' OSD devices, which are only read.
pub fn wanted(inventory: &Inventory, request: &Request) -> Vec<(ClientHost, SiteWish)> {
    if inventory.hosts.is_empty() || !request.layers.contains(&Layer::Device) {
        return Vec::new();
    }
    let loads = Draft::new(inventory, request).workloads(Layer::Device, MIB);
    let writes = loads.iter().any(|(_, load)| load.writes());
    let named = || named(request, writes);
    let probes = |host: &ClientHost, lab: &lab::Lab| -> Vec<SiteWish> {
        let own = lab.osds.iter().filter(|osd| osd.host == host.known_as && is_device(&osd.probe));
        own.map(|osd| SiteWish { path: osd.probe.clone(), writes: true, given_up: true }).collect()
    };
    let osd_devices = |host: &ClientHost| -> Vec<SiteWish> {
        let own = inventory.scope.devices.iter().filter(|device| device.host.as_deref() == Some(&host.known_as));
        own.map(|device| SiteWish { path: Path::new("/dev").join(&device.path), writes: false, given_up: false })
            .collect()
    };
    // What is named may be another place in each pod of a node; a device of the cluster is the same one.
    let machines =
        if request.targets.paths.is_empty() { inventory.machines() } else { inventory.hosts.iter().collect() };
    let of = |host: &ClientHost| match (&inventory.lab, request.targets.paths.is_empty()) {
        (_, false) => named(),
        (Some(lab), true) => probes(host, lab),
        (None, true) => osd_devices(host),
    };
    machines.into_iter().flat_map(|host| of(host).into_iter().map(|wish| (host.clone(), wish))).collect()
}

/// What the user named, on each host.
pub fn named(request: &Request, writes: bool) -> Vec<SiteWish> {
    let wish = |path: &PathBuf| SiteWish {
        path: path.clone(),
        writes,
        given_up: request.targets.destroy_data_on.as_deref() == Some(path.as_path()),
    };
    request.targets.paths.iter().map(wish).collect()
}

/// A lab runs on this very machine.
fn is_device(path: &Path) -> bool {
    matches!(cluster::devices::look_at(path), Ok(Found::Device(_)))
}

/// A disk or file to load, and how much of it there is.
pub struct Disk {
    pub target: Target,
    pub bytes: Bytes,
    /// Which kernel's.
    boot: String,
    host: String,
}

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    let inventory = draft.inventory;
    let named = !draft.request.targets.paths.is_empty();
    let mut disks = Vec::new();
    for site in &inventory.sites {
        match disk(draft, site, draft.options.working_set.unwrap_or(GIB)) {
            Ok(disk) => disks.push(disk),
            // One that was not named is one less.
            Err(failure) if named => return Err(failure),
            Err(_) => {}
        }
    }
    let span = if draft.small() { LAB_SPAN } else { SPAN };
    for (pattern, workload) in draft.workloads(Layer::Device, span) {
        let fit: Vec<&Disk> = disks.iter().filter(|disk| writable(&disk.target) || !workload.writes()).collect();
        for round in rounds(draft, &fit) {
            add_step(draft, pattern, &workload, &round, true);
        }
        if pattern.family() != Family::Latency {
            together(&fit).into_iter().for_each(|all| add_step(draft, pattern, &workload, &all, false));
        }
    }
    Ok(())
}

/// What is found there, as a target of the device layer; a file that is yet to be made is planned with it.
/// `file_bytes`: how large.
pub fn disk(draft: &mut Draft, site: &Site, file_bytes: Bytes) -> Result<Disk, Failure> {
    let (shown, host) = (&site.wish.path, &site.host);
    let name = format!("{}:{}", host.end.host, shown.display());
    let at_host = |failure: Failure| match failure {
        Failure::Refused(text) => Failure::Refused(format!("{}: {text}", host.end.host)),
        Failure::Usage(text) => Failure::Usage(format!("{}: {text}", host.end.host)),
        other => other,
    };
    let mut own_file = |path: PathBuf| {
        let file = HostFile { host: host.end.host.clone(), path: path.clone(), bytes: file_bytes };
        // Two layers may load the same one.
        match draft.host_files.iter_mut().find(|known| known.host == file.host && known.path == file.path) {
            Some(known) => known.bytes = known.bytes.max(file_bytes),
            None => draft.host_files.push(file),
        }
        (path, file_bytes, true)
    };
    let device = matches!(site.found, Ok(Found::Device(_)));
    let (path, bytes, writable) = match site.found.clone().map_err(|not| at_host(Failure::from(not)))? {
        Found::Device(bytes) | Found::File(bytes) if bytes > 0 => {
            refuse_larger(shown, draft.options.working_set, bytes).map_err(at_host)?;
            (shown.clone(), bytes, site.wish.writes)
        }
        Found::Device(_) | Found::File(_) => {
            return Err(at_host(Failure::Usage(format!("{}: is there, and empty", shown.display()))));
        }
        Found::Folder => own_file(shown.join(format!("fathom.{}.file", draft.inventory.run))),
        Found::Nothing => {
            refuse_missing_device(shown).map_err(at_host)?;
            own_file(shown.clone())
        }
    };
    let client = Some(Client { host: host.end.host.clone(), of: name.clone() });
    let known_as = Some(host.known_as.clone());
    let whole = device.then_some(bytes);
    let target = Target::new(Layer::Device, name, Place::Path { path, writable });
    let probed = draft.inventory.lab.iter().flat_map(|lab| &lab.osds).filter(|osd| osd.probe == *shown);
    let like_disks_of = probed.map(|osd| osd.id).collect();
    let target = Target { host: known_as, client, bytes: whole, like_disks_of, ..target };
    Ok(Disk { target, bytes, boot: host.boot.clone(), host: host.end.host.clone() })
}

pub fn writable(target: &Target) -> bool {
    matches!(target.place, Place::Path { writable: true, .. })
}

/// One disk of each machine at a time: they share nothing. Hosts of the same kernel share all that a machine has, so their disks
/// have their turns one after the other.
fn rounds<'d>(draft: &Draft, disks: &[&'d Disk]) -> Vec<Vec<&'d Disk>> {
    let mut machines: BTreeMap<&str, Vec<&Disk>> = BTreeMap::new();
    for disk in disks {
        machines.entry(&disk.boot).or_default().push(disk);
    }
    // What is compared with itself, or searched, has one figure.
    let one_by_one = draft.request.goal.bound.is_some() || draft.request.experiment.pair().is_some();
    if one_by_one || machines.contains_key("") {
        return disks.iter().map(|disk| vec![*disk]).collect();
    }
    let most = machines.values().map(Vec::len).max().unwrap_or(0);
    (0..most).map(|turn| machines.values().filter_map(|own| own.get(turn).copied()).collect()).collect()
}

/// All of each host that has several, then all there are.
fn together<'d>(disks: &[&'d Disk]) -> Vec<Vec<&'d Disk>> {
    let hosts: BTreeSet<&str> = disks.iter().map(|disk| disk.host.as_str()).collect();
    let of = |host: &str| disks.iter().copied().filter(|disk| disk.host == host).collect::<Vec<_>>();
    let each = hosts.iter().map(|host| of(host)).filter(|own| own.len() > 1);
    let all = (hosts.len() > 1).then(|| disks.to_vec());
    each.chain(all).collect()
}

/// As much of each as the smallest has.
fn add_step(draft: &mut Draft, pattern: Pattern, workload: &Workload, disks: &[&Disk], alone: bool) {
    let bytes = disks.iter().map(|disk| disk.bytes).min().unwrap_or(0);
    let span = workload.span.min(bytes) / MIB * MIB;
    let targets: Vec<Target> = disks.iter().map(|disk| disk.target.clone()).collect();
    let workload = Workload { span, spread: spread(draft, &targets, span), ..workload.clone() };
    match alone {
        true => draft.step_apart(pattern, targets, workload),
        false => draft.step(pattern, targets, workload, false),
    }
}
