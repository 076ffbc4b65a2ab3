//! Steps of the device layer: a lab's probes, this host's OSD devices (read only), and what the user names.

use super::device_hosts;
use super::draft::{Draft, Inventory};
use super::sustained::{self, Room};
use agents::holding::named_twice;
use cluster::devices::{self, Refusal, look_at};
use experiments::Request;
use model::workload::{GIB, MIB};
use model::{Bytes, Change, DeviceScope, Failure, Found, Layer, Place, Plan, Target, Workload};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Enough to be larger than a drive's own cache.
pub const SPAN: Bytes = 4 * GIB;
pub const LAB_SPAN: Bytes = 512 * MIB;

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    if let Some(text) = named_twice(&draft.request.targets.paths) {
        return Err(Failure::Usage(text));
    }
    if !draft.inventory.sites.is_empty() {
        return device_hosts::add(draft);
    }
    for path in &draft.request.targets.paths {
        add_named(draft, path)?;
    }
    if draft.request.targets.paths.is_empty() {
        match draft.inventory.lab.clone() {
            Some(lab) => add_probes(draft, &lab)?,
            None => add_osd_devices(draft),
        }
    }
    Ok(())
}

pub fn target(name: String, host: Option<String>, path: &Path, writable: bool) -> Target {
    Target { host, ..Target::new(Layer::Device, name, Place::Path { path: path.to_path_buf(), writable }) }
}

/// Over a device all that is measured is spread, unless the user says how much of it counts, or another tool looks at the same place.
pub fn spread(draft: &Draft, targets: &[Target], span: Bytes) -> Option<Bytes> {
    let options = &draft.options;
    let in_order = options.working_set.is_some() || options.verify || options.as_fio;
    let sizes: Option<Vec<Bytes>> = targets.iter().map(|target| target.bytes).collect();
    sizes?.into_iter().min().filter(|bytes| *bytes > span && !in_order)
}

/// A device, and all of it.
fn device(name: String, host: Option<String>, path: &Path, writable: bool, bytes: Bytes) -> Target {
    Target { bytes: Some(bytes), ..target(name, host, path, writable) }
}

fn add_steps(draft: &mut Draft, target: &Target, span: Bytes, may_write: bool) {
    if draft.request.experiment.sustained().is_some_and(|wished| wished.alone) {
        return;
    }
    for (pattern, workload) in draft.workloads(Layer::Device, span) {
        if may_write || !workload.writes() {
            let spread = spread(draft, std::slice::from_ref(target), workload.span);
            draft.step(pattern, vec![target.clone()], Workload { spread, ..workload }, true);
        }
    }
}

fn add_named(draft: &mut Draft, path: &Path) -> Result<(), Failure> {
    // Also reads are of what was stamped first, if they are to be checked.
    let loads = draft.workloads(Layer::Device, MIB);
    let writes =
        draft.request.experiment.sustained().is_some() || loads.iter().any(|(_, load)| load.writes() || load.verify);
    let given_up = draft.request.targets.destroy_data_on.as_deref() == Some(path);
    let wanted = draft.options.working_set;
    match look_at(path)? {
        found @ (Found::Device(bytes) | Found::File(bytes)) if bytes > 0 => {
            if writes {
                draft.inventory.held.take(path, given_up).map_err(read_only_hint)?;
            }
            refuse_larger(path, wanted, bytes)?;
            let span = wanted.unwrap_or(SPAN).min(bytes) / MIB * MIB;
            let target = target(path.display().to_string(), Some(here(draft)), path, writes);
            let whole = matches!(found, Found::Device(_)).then_some(bytes);
            let target = Target { bytes: whole, on: whole.and_then(|_| linked(path)), ..target };
            add_steps(draft, &target, span, true);
            sustained::add(draft, &target, path, Room::All(bytes))?;
        }
        Found::Device(_) => return Err(Failure::Usage(format!("{}: is a device of 0 bytes", path.display()))),
        Found::Folder => add_own_file(draft, &path.join(draft.name("file")), path, wanted.unwrap_or(GIB))?,
        Found::Nothing => {
            refuse_missing_device(path)?;
            add_own_file(draft, path, path, wanted.unwrap_or(GIB))?;
        }
        Found::File(_) => return Err(empty_file(path)),
    }
    Ok(())
}

/// This host, as the cluster calls it.
fn here(draft: &Draft) -> String {
    let name = cluster::here::host_name();
    draft.inventory.scope.osd_host(&[&name]).map_or(name.clone(), str::to_string)
}

/// The device to which a link of /dev/disk leads.
fn linked(path: &Path) -> Option<String> {
    let leads_to = path.canonicalize().ok().filter(|leads_to| leads_to != path)?;
    Some(leads_to.display().to_string())
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

fn read_only_hint(refusal: Refusal) -> Failure {
    match Failure::from(refusal) {
        Failure::Refused(text) => {
            Failure::Refused(format!("{text}. Reading is safe: --patterns read-latency,read-parallel,read-linear"))
        }
        other => other,
    }
}

/// A file of our own at `path`, shown under the name that the user gave.
fn add_own_file(draft: &mut Draft, path: &Path, shown: &Path, bytes: Bytes) -> Result<(), Failure> {
    let target = target(shown.display().to_string(), Some(here(draft)), path, true);
    let tested = sustained::add(draft, &target, path, Room::Free)?;
    // A file for which another one stands is not needed.
    if tested || !draft.request.experiment.sustained().is_some_and(|wished| wished.alone) {
        draft.change(Change::File { path: path.to_path_buf(), bytes });
    }
    add_steps(draft, &target, bytes, true);
    Ok(())
}

/// One target for each disk: probes on the same file system are the same disk, measured once.
fn add_probes(draft: &mut Draft, lab: &lab::Lab) -> Result<(), Failure> {
    let mut seen: Vec<String> = Vec::new();
    for osd in &lab.osds {
        let device = match look_at(&osd.probe)? {
            Found::Device(bytes) => {
                let host = Some(osd.host.clone());
                let span = LAB_SPAN.min(bytes);
                // The lab's own, whatever an earlier run left there.
                draft.inventory.held.take(&osd.probe, true)?;
                let name = osd.probe.display().to_string();
                let own = device(name, host, &osd.probe, true, bytes);
                add_steps(draft, &Target { like_disks_of: vec![osd.id], ..own }, span, true);
                continue;
            }
            _ => osd.probe.parent().and_then(cluster::here::device_of),
        };
        let on = device.map(|device| device.path);
        let name = format!("file {}", on.as_ref().map_or("in memory".to_string(), |disk| format!("on {disk}")));
        if !seen.contains(&name) {
            seen.push(name.clone());
            let path = osd.probe.with_file_name(draft.name("probe"));
            let span = draft.options.working_set.unwrap_or(LAB_SPAN);
            draft.change(Change::File { path: path.clone(), bytes: span });
            let like_disks_of = lab.osds.iter().map(|osd| osd.id).collect();
            add_steps(draft, &Target { on, like_disks_of, ..target(name, None, &path, true) }, span, true);
        }
    }
    Ok(())
}

/// Raw reads of this host's OSD devices: safe while the OSDs run.
fn add_osd_devices(draft: &mut Draft) {
    for (path, device) in osd_devices(draft.inventory) {
        if let Ok(Found::Device(bytes)) = look_at(Path::new(&path)) {
            let span = SPAN.min(bytes) / MIB * MIB;
            let own = self::device(path.clone(), device.host.clone(), Path::new(&path), false, bytes);
            add_steps(draft, &own, span, false);
        }
    }
}

/// Those of this host, with their paths.
fn osd_devices(inventory: &Inventory) -> Vec<(String, &DeviceScope)> {
    let here = cluster::here::host_name();
    let own = inventory.scope.devices.iter().filter(|device| device.host.as_deref() == Some(&here));
    let path = |device: &DeviceScope| match device.path.starts_with('/') {
        true => device.path.clone(),
        false => format!("/dev/{}", device.path),
    };
    own.map(|device| (path(device), device)).collect()
}

/// OSD devices of this host that this user may not open: they are not measured.
pub fn closed(inventory: &Inventory, request: &Request) -> Vec<String> {
    let read = request.layers.iter().any(|layer| layer.of_disks()) && request.targets.paths.is_empty();
    if !read || !request.experiment.batches().is_empty() || inventory.lab.is_some() || !inventory.sites.is_empty() {
        return Vec::new();
    }
    let closed = |(path, _): (String, &DeviceScope)| look_at(Path::new(&path)).err();
    osd_devices(inventory)
        .into_iter()
        .filter_map(closed)
        .map(|why| format!("{why}; this disk is not measured"))
        .collect()
}

/// Loop devices of this host that are loaded, or carry an OSD, and are no disks.
pub fn buffered(inventory: &Inventory, plan: &Plan) -> Vec<String> {
    let steps = || plan.steps.iter().chain(plan.sustained.iter().map(|test| &test.step));
    let ours = |target: &&Target| target.client.is_none();
    let mut paths: Vec<PathBuf> = Vec::new();
    for target in steps().flat_map(|step| &step.targets).filter(ours) {
        if let Place::Path { path, .. } = &target.place {
            // A file of our own is not there yet.
            paths.push(if path.exists() { path.clone() } else { path.parent().unwrap_or(path).to_path_buf() });
        }
    }
    if steps().any(|step| step.layer.of_ceph()) {
        paths.extend(osd_devices(inventory).into_iter().map(|(path, _)| PathBuf::from(path)));
    }
    let said: BTreeSet<String> = paths.iter().flat_map(|path| devices::buffered(path)).collect();
    said.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::testing;
    use experiments::WorkloadOptions;

    #[test]
    fn a_device_is_measured_all_over_unless_somebody_says_which_part_or_looks_there_too() {
        let inventory = testing::inventory(0);
        let sized = |bytes: Option<Bytes>| Target { bytes, ..target("d".into(), None, Path::new("/dev/vdx"), true) };
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
