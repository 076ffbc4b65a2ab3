//! Steps of the device layer: each disk alone, all of a host together, all of all hosts together.

use super::device_turns::{rounds, rounds_of_judged, together};
use super::{beside, disk_shape};
use crate::planner::draft::Draft;
use crate::planner::sustained::{self, WritableRoom};
use crate::{Experiment, Request, fitness};
use model::pattern::Family;
use model::workload::{GIB, MIB};
use model::{
    Bytes, Client, ClientHost, DeviceScope, Failure, Inventory, LabOsd, Layer, NotFree, PathKind, Pattern, Place, Site,
    SiteWish, Spare, Target, Workload,
};
use std::path::{Path, PathBuf};

/// Enough to be larger than a drive's own cache.
const SPAN: Bytes = 4 * GIB;
const LAB_SPAN: Bytes = 512 * MIB;

/// The paths that are to be looked at, and on which hosts (`None`: this one): those that the user names; else the probes of a lab, which
/// are written full so that there is something to be read; else the hosts' OSD devices, which are only read.
pub fn wanted(inventory: &Inventory, request: &Request) -> Vec<(Option<ClientHost>, SiteWish)> {
    if !request.layers.contains(&Layer::Device) {
        return Vec::new();
    }
    let named = !request.targets.paths.is_empty();
    // What is named may be another place in each pod of a node; a device of the cluster is the same one.
    let hosts: Vec<Option<ClientHost>> = match (inventory.hosts.is_empty(), named) {
        (true, _) => vec![None],
        (false, true) => inventory.hosts.iter().cloned().map(Some).collect(),
        (false, false) => inventory.machines().into_iter().cloned().map(Some).collect(),
    };
    let writes = writes(&Draft::new(inventory, request));
    let of = |host: Option<ClientHost>| {
        let sites = match &inventory.lab {
            _ if named => self::named(request, writes),
            Some(_) => probes(inventory, host.as_ref()),
            None => osd_devices(inventory, host.as_ref()),
        };
        sites.into_iter().map(move |wish| (host.clone(), wish))
    };
    hosts.into_iter().flat_map(of).collect()
}

/// Also reads are of what was stamped first, if they are to be checked.
fn writes(draft: &Draft) -> bool {
    let loads = draft.workloads(Layer::Device, MIB);
    draft.request.experiment.sustained().is_some() || loads.iter().any(|(_, load)| load.writes() || load.verify)
}

/// What the user named.
pub fn named(request: &Request, writes: bool) -> Vec<SiteWish> {
    let wish = |path: &PathBuf| SiteWish {
        path: path.clone(),
        writes,
        given_up: request.targets.destroy_data_on.contains(path),
    };
    request.targets.paths.iter().map(wish).collect()
}

/// The lab's own, whatever an earlier run left there. A file beside an OSD's data is a disk of this machine, not of one of its hosts.
fn probes(inventory: &Inventory, host: Option<&ClientHost>) -> Vec<SiteWish> {
    let device = |spare: &Spare| matches!(spare, Spare::Device(_));
    let osds = inventory.lab.iter().flat_map(|lab| &lab.osds);
    let own = osds.filter(|osd| host.is_none_or(|host| osd.host == host.known_as && device(&osd.spare)));
    let wish = |path: &PathBuf| SiteWish { path: path.clone(), writes: true, given_up: true };
    own.map(|osd| wish(osd.spare.path())).collect()
}

/// Safe to be read while the OSDs run.
fn osd_devices(inventory: &Inventory, host: Option<&ClientHost>) -> Vec<SiteWish> {
    let host = host.map_or(&inventory.here.name, |host| &host.known_as);
    let own = inventory.scope.devices.iter().filter(|device| device.host.as_ref() == Some(host));
    let wish =
        |device: &DeviceScope| SiteWish { path: Path::new("/dev").join(&device.path), writes: false, given_up: false };
    own.map(wish).collect()
}

/// A disk or file to load, and how much of it there is.
pub struct Disk<'a> {
    pub(super) site: &'a Site,
    pub target: Target,
    pub bytes: Bytes,
    /// A file of our own, which is yet to be made.
    own: bool,
}

impl Disk<'_> {
    /// As the list of hosts has it; empty: this one.
    pub(super) fn host(&self) -> &str {
        self.site.host.as_ref().map_or("", |host| &host.end.host)
    }

    /// Which start of which kernel; empty: not known.
    pub(super) fn boot(&self) -> &str {
        self.site.host.as_ref().map_or("", |host| &host.boot)
    }
}

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    let disks = disks(draft)?;
    let before = draft.steps.len();
    add_all(draft, &disks)?;
    let wished = draft.options.working_set;
    let steps = draft.steps[before..].iter().filter(|step| step.layer == Layer::Device);
    steps.into_iter().try_for_each(|step| disk_shape::refuse(&step.together(), &step.workload, wished))
}

fn add_all(draft: &mut Draft, disks: &[Disk]) -> Result<(), Failure> {
    let alone = draft.request.experiment.sustained().is_some_and(|wished| wished.alone);
    for disk in disks {
        let room = if disk.own { WritableRoom::Free } else { WritableRoom::All(disk.bytes) };
        let tested = sustained::add(draft, &disk.target, disk.site, room)?;
        // A file for which another one stands is not needed.
        if tested || !alone {
            // A test of sustained writes has a volume of its own, for which there has to be room.
            if !alone {
                refuse_without_room(disk)?;
            }
            make(draft, disk);
        }
    }
    if alone {
        return Ok(());
    }
    if matches!(draft.request.experiment, Experiment::Fitness(_)) {
        return judged(draft, disks);
    }
    let span = if draft.small() { LAB_SPAN } else { SPAN };
    for (pattern, workload) in draft.workloads(Layer::Device, span) {
        let fit: Vec<&Disk> = disks.iter().filter(|disk| writable(&disk.target) || !workload.writes()).collect();
        for round in rounds(draft, &fit) {
            add_step(draft, pattern, &workload, &round, true);
        }
        // A point of a sweep is each disk alone.
        if pattern.family() != Family::Latency && !draft.request.experiment.is_sweep() {
            together(&fit).into_iter().for_each(|all| add_step(draft, pattern, &workload, &all, false));
        }
    }
    Ok(())
}

/// # Errors
/// One of the paths can't be measured.
pub fn refuse(draft: &Draft) -> Result<(), Failure> {
    let judged = matches!(draft.request.experiment, Experiment::Fitness(_));
    let drive = |disk: &Disk| fitness::drive(&disk.target, disk.site, writable(&disk.target)).map(drop);
    disks(draft)?.iter().filter(|_| judged).try_for_each(drive)
}

/// Each drive in every way that its fitness is told by. None of it is a cell of the chart.
fn judged(draft: &mut Draft, disks: &[Disk]) -> Result<(), Failure> {
    for disk in disks {
        let drive = fitness::drive(&disk.target, disk.site, writable(&disk.target))?;
        draft.judged.push(drive);
    }
    let loads = fitness::loads(&draft.options, if draft.small() { LAB_SPAN } else { SPAN });
    let all: Vec<&Disk> = disks.iter().collect();
    for (pattern, workload) in &loads {
        for round in rounds_of_judged(draft, &all, workload) {
            add_judging(draft, *pattern, workload, &round);
        }
    }
    let here = draft.inventory.here.name.clone();
    let other = |disk: &Disk| fitness::other_cache(disk.site, &here);
    let switchable: Vec<&Disk> = disks.iter().filter(|disk| other(disk).is_some()).collect();
    for (pattern, workload) in fitness::small_writes(&loads) {
        for round in rounds_of_judged(draft, &switchable, &workload) {
            let settings = round.iter().filter_map(|disk| other(disk)).collect();
            add_judging(draft, pattern, &Workload { settings, ..workload.clone() }, &round);
        }
    }
    Ok(())
}

fn add_judging(draft: &mut Draft, pattern: Pattern, workload: &Workload, disks: &[&Disk]) {
    add_step(draft, pattern, workload, disks, true);
    draft.steps.last_mut().into_iter().for_each(|step| step.chart = false);
}

/// Each once: files on the same disk are the same disk.
fn disks<'a>(draft: &Draft<'a>) -> Result<Vec<Disk<'a>>, Failure> {
    let inventory = draft.inventory;
    let paths = &draft.request.targets.paths;
    let named = !paths.is_empty();
    refuse_twice(paths)?;
    let file_bytes = draft.options.working_set.unwrap_or(if draft.small() { LAB_SPAN } else { GIB });
    let mut disks: Vec<Disk> = Vec::new();
    for site in inventory.sites.iter().filter(|site| !named || paths.contains(&site.wish.path)) {
        let found = file_of_lab(draft, site, file_bytes).map_or_else(|| disk(draft, site, file_bytes), Ok);
        match found {
            Ok(disk) if disks.iter().any(|known| known.target.name == disk.target.name) => {}
            Ok(disk) => disks.push(disk),
            Err(failure) if named => return Err(failure),
            // One that was not named is one less.
            Err(_) => {}
        }
    }
    Ok(disks)
}

/// In a lab whose OSDs lie in files: a file beside theirs, which stands for all of them that are on the same disk.
fn file_of_lab<'a>(draft: &Draft<'a>, site: &'a Site, bytes: Bytes) -> Option<Disk<'a>> {
    let lab = draft.inventory.lab.as_ref()?;
    let seen = site.seen.as_ref().ok()?;
    let spare = Spare::Folder(site.wish.path.clone());
    lab.osds.iter().find(|osd| osd.spare == spare)?;
    let on = seen.device.as_ref().map(|device| device.path.clone());
    let name = format!("file {}", on.as_ref().map_or("in memory".to_string(), |disk| format!("on {disk}")));
    let path = site.wish.path.join(draft.name("probe"));
    let like_disks_of = lab.osds.iter().map(|osd| osd.id).collect();
    let target = Target { on, like_disks_of, ..Target::new(Layer::Device, name, Place::Path { path, writable: true }) };
    Some(Disk { site, target, bytes, own: true })
}

/// What is found there, as a target of the device layer. `file_bytes`: how large a file of our own would be.
pub fn disk<'a>(draft: &Draft<'a>, site: &'a Site, file_bytes: Bytes) -> Result<Disk<'a>, Failure> {
    found(draft, site, file_bytes).map_err(|failure| on_host(site, failure))
}

fn found<'a>(draft: &Draft<'a>, site: &'a Site, file_bytes: Bytes) -> Result<Disk<'a>, Failure> {
    let SiteWish { path: shown, writes, .. } = &site.wish;
    let reads = !matches!(draft.request.experiment, Experiment::Fitness(_));
    let seen = site.seen.as_ref().map_err(|not| refused(not.clone(), reads))?;
    let own = |path: PathBuf| (path, file_bytes, true, true);
    let (path, bytes, writable, own) = match seen.found {
        PathKind::Device(bytes) | PathKind::File(bytes) if bytes > 0 => {
            refuse_larger(shown, draft.options.working_set, bytes)?;
            (shown.clone(), bytes, *writes, false)
        }
        PathKind::Device(_) => return Err(Failure::Usage(format!("{}: is a device of 0 bytes", shown.display()))),
        PathKind::File(_) => return Err(empty_file(shown)),
        PathKind::Folder => own(shown.join(draft.name("file"))),
        PathKind::Nothing => {
            refuse_missing_device(shown)?;
            own(shown.clone())
        }
    };
    let name = name_on(site, &shown.display().to_string());
    let client = site.host.as_ref().map(|host| Client { host: host.end.host.clone(), of: name.clone() });
    let whole = matches!(seen.found, PathKind::Device(_)).then_some(bytes);
    let probed = probed(draft.inventory, shown);
    let host = known_as(draft.inventory, site);
    let link = whole.and_then(|_| seen.leads_to.clone()).filter(|_| site.host.is_none());
    // A file on one has its file system in between.
    let image =
        seen.images.first().filter(|_| whole.is_some()).and_then(|told| Some(told.split_once(": ")?.1.to_string()));
    let target = Target {
        image,
        on: beside::disk_of_part(seen).or(link),
        beside: beside::osds(draft, site, &host),
        host: Some(host),
        client,
        bytes: whole,
        like_disks_of: probed.map(|osd| osd.id).collect(),
        ..Target::new(Layer::Device, name, Place::Path { path, writable })
    };
    Ok(Disk { site, target, bytes, own })
}

/// What it is called: on another host with that host's name.
pub fn name_on(site: &Site, shown: &str) -> String {
    site.host.as_ref().map_or(shown.to_string(), |host| format!("{}:{shown}", host.end.host))
}

/// The lab's OSDs whose probe this is.
fn probed<'a>(inventory: &'a Inventory, path: &Path) -> impl Iterator<Item = &'a LabOsd> {
    inventory.lab.iter().flat_map(|lab| &lab.osds).filter(move |osd| osd.spare == Spare::Device(path.to_path_buf()))
}

/// The path's host, as the cluster calls it.
fn known_as(inventory: &Inventory, site: &Site) -> String {
    let here = &inventory.here.name;
    match &site.host {
        Some(host) => host.known_as.clone(),
        None => match probed(inventory, &site.wish.path).next() {
            Some(osd) => osd.host.clone(),
            None => inventory.scope.osd_host(&[here]).map_or(here.clone(), str::to_string),
        },
    }
}

/// What was refused on another host says on which.
pub fn on_host(site: &Site, failure: Failure) -> Failure {
    let Some(host) = &site.host else { return failure };
    match failure {
        Failure::Refused(text) => Failure::Refused(format!("{}: {text}", host.end.host)),
        Failure::Usage(text) => Failure::Usage(format!("{}: {text}", host.end.host)),
        other => other,
    }
}

/// `reads`: reads alone would do.
fn refused(not: NotFree, reads: bool) -> Failure {
    let says = match not.holds && reads {
        true => format!("{}. Reading is safe: --patterns read-latency,read-parallel,read-linear", not.says),
        false => not.says,
    };
    Failure::from(NotFree { says, ..not })
}

fn refuse_without_room(disk: &Disk) -> Result<(), Failure> {
    let free = disk.site.seen.as_ref().ok().and_then(|seen| seen.free).filter(|_| disk.own);
    disk_shape::refuse_without_room(&disk.target.name, disk.bytes, free)
}

/// Plans the file, if it is yet to be made.
pub fn make(draft: &mut Draft, disk: &Disk) {
    if let (true, Place::Path { path, .. }) = (disk.own, &disk.target.place) {
        draft.own_file(disk.site.host.as_ref(), path.clone(), disk.bytes);
    }
}

pub fn refuse_twice(paths: &[PathBuf]) -> Result<(), Failure> {
    let twice = paths.iter().enumerate().find(|(at, path)| paths[..*at].contains(path));
    match twice {
        Some((_, path)) => Err(Failure::Usage(format!("{} is named twice; name it once", path.display()))),
        None => Ok(()),
    }
}

/// What is asked for is loaded, or nothing: a smaller set would answer another question.
pub fn refuse_larger(path: &Path, wanted: Option<Bytes>, bytes: Bytes) -> Result<(), Failure> {
    match wanted.filter(|wanted| *wanted > bytes) {
        Some(wanted) => Err(Failure::Usage(format!(
            "{}: --working-set {wanted} is more than its {bytes} bytes; name less",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// A file in /dev would be one in memory, beside the device that was meant.
pub fn refuse_missing_device(path: &Path) -> Result<(), Failure> {
    let devices = path.starts_with("/dev") && !path.starts_with("/dev/shm");
    if devices { Err(Failure::Usage(format!("{}: there is no such device", path.display()))) } else { Ok(()) }
}

pub fn empty_file(path: &Path) -> Failure {
    let mend = "delete it: Fathom makes the file itself and deletes it afterwards";
    Failure::Refused(format!("{}: is a file that is there already, and empty; {mend}", path.display()))
}

pub fn writable(target: &Target) -> bool {
    matches!(target.place, Place::Path { writable: true, .. })
}

/// Over a device all that is measured is spread, unless the user says how much of it counts, or another tool looks at the same place.
fn spread(draft: &Draft, targets: &[Target], span: Bytes) -> Option<Bytes> {
    let options = &draft.options;
    let in_order = options.working_set.is_some() || options.verify || options.as_fio;
    let sizes: Option<Vec<Bytes>> = targets.iter().map(|target| target.bytes).collect();
    sizes?.into_iter().min().filter(|bytes| *bytes > span && !in_order)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WorkloadOptions;
    use crate::planner::testing;

    #[test]
    fn a_device_is_measured_all_over_unless_somebody_says_which_part_or_looks_there_too() {
        let inventory = testing::inventory(0);
        let place = || Place::Path { path: "/dev/vdx".into(), writable: true };
        let sized = |bytes: Option<Bytes>| Target { bytes, ..Target::new(Layer::Device, "d", place()) };
        let of = |targets: &[Target], change: fn(&mut WorkloadOptions)| {
            let mut request = testing::request(&[Layer::Device]);
            change(&mut request.workload);
            spread(&Draft::new(&inventory, &request), targets, SPAN)
        };
        let (large, larger, file) = (sized(Some(8 * GIB)), sized(Some(1 << 41)), sized(None));
        assert_eq!(of(std::slice::from_ref(&large), |_| ()), Some(8 * GIB));
        assert_eq!(of(&[larger.clone(), large.clone()], |_| ()), Some(8 * GIB));
        assert_eq!(of(&[large.clone(), file], |_| ()), None);
        assert_eq!(of(&[sized(Some(SPAN))], |_| ()), None);
        for in_order in [
            |options: &mut WorkloadOptions| options.working_set = Some(MIB),
            |options: &mut WorkloadOptions| options.verify = true,
            |options: &mut WorkloadOptions| options.as_fio = true,
        ] {
            assert_eq!(of(std::slice::from_ref(&large), in_order), None);
        }
    }
}
