//! Steps of the guest layer: disks of virtual machines, and file systems that are mounted in them, loaded inside.

use super::device::{self, name_on, on_host};
use super::file::MOST;
use crate::Request;
use crate::planner::draft::Draft;
use model::workload::{GIB, MIB};
use model::{
    Bytes, Client, ClientHost, Failure, Inventory, Layer, PathKind, Place, Site, SiteWish, Target, Workload, units,
};
use std::path::{Path, PathBuf};

/// Of each disk or folder, as of an image of the rbd layer.
const SPAN: Bytes = GIB;
const LAB_SPAN: Bytes = 64 * MIB;

/// What is to be looked at in each guest: what the user names, else what a lab's guest has, which is there to be written to.
pub fn wanted(inventory: &Inventory, request: &Request) -> Vec<(Option<ClientHost>, SiteWish)> {
    if !request.layers.contains(&Layer::Guest) {
        return Vec::new();
    }
    let targets = &request.targets;
    let of_lab = inventory.lab.as_ref().filter(|_| targets.guest_paths.is_empty()).map(|lab| &lab.guest_paths);
    let loads = Draft::new(inventory, request).workloads(Layer::Guest, MIB);
    let writes = loads.iter().any(|(_, load)| load.writes() || load.verify);
    let wish = |path: &PathBuf| SiteWish {
        path: path.clone(),
        writes,
        given_up: of_lab.is_some() || targets.destroy_data_on.contains(path),
    };
    let wishes: Vec<SiteWish> = of_lab.unwrap_or(&targets.guest_paths).iter().map(wish).collect();
    let in_each = |guest: &ClientHost| wishes.clone().into_iter().map(|wish| (Some(guest.clone()), wish)).collect();
    inventory.guests.iter().flat_map::<Vec<_>, _>(in_each).collect()
}

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    let sites = &draft.inventory.guest_sites;
    let named = draft.request.targets.guest_paths.clone();
    device::refuse_twice(&named)?;
    if sites.is_empty() {
        return refuse_none(draft);
    }
    let of_lab = draft.inventory.lab.iter().flat_map(|lab| lab.guest_paths.clone()).filter(|_| named.is_empty());
    let paths: Vec<PathBuf> = named.iter().cloned().chain(of_lab).collect();
    for (at, path) in paths.iter().enumerate() {
        let of_path = sites.iter().filter(|site| site.wish.path == *path).enumerate();
        let found = of_path.map(|(guest, site)| {
            let own = draft.name(&format!("guest{}.data{}", guest + 1, at + 1));
            in_guest(draft, site, &own).map_err(|failure| on_host(site, failure))
        });
        let found = found.collect::<Result<Vec<_>, Failure>>()?;
        add_path(draft, path, found);
    }
    Ok(())
}

/// Of a run of all layers it is none of them.
fn refuse_none(draft: &Draft) -> Result<(), Failure> {
    let (request, guests) = (draft.request, !draft.inventory.guests.is_empty());
    let text = match (request.targets.guest_paths.is_empty(), guests) {
        (true, false) if request.all_layers => return Ok(()),
        (_, true) => {
            "no disk of the guests is named: fathom guest DISK --guests LIST (fathom run --guest-disk DISK --guests LIST)"
        }
        (_, false) => {
            "no guest is named: fathom guest DISK --guests LIST (fathom run --guest-disk DISK --guests LIST), of virtual machines that are \
             reached by ssh; or a lab with one (--lab --with guest)"
        }
    };
    Err(Failure::Usage(text.to_string()))
}

/// What is loaded in one guest, and how much of it there is.
struct InGuest<'a> {
    site: &'a Site,
    target: Target,
    bytes: Bytes,
    /// A file of our own, which is yet to be made.
    own: bool,
}

/// A disk as it is; in a folder a file of this name, since guests may have the same folder, and one guest a folder twice.
fn in_guest<'a>(draft: &Draft, site: &'a Site, name: &str) -> Result<InGuest<'a>, Failure> {
    let shown = &site.wish.path;
    let seen = site.seen.as_ref().map_err(|not| Failure::from(not.clone()))?;
    let file_bytes = draft.options.working_set.unwrap_or(usual(draft));
    let (path, bytes, own) = match seen.found {
        PathKind::Device(bytes) | PathKind::File(bytes) if bytes > 0 => {
            device::refuse_larger(shown, draft.options.working_set, bytes)?;
            (shown.clone(), bytes, false)
        }
        PathKind::Device(_) => return Err(Failure::Usage(format!("{}: is a device of 0 bytes", shown.display()))),
        PathKind::File(_) => return Err(device::empty_file(shown)),
        PathKind::Folder => {
            refuse_full(shown, file_bytes, seen.free)?;
            (shown.join(name), file_bytes, true)
        }
        PathKind::Nothing => {
            return Err(Failure::Usage(format!("{}: there is no such disk or folder", shown.display())));
        }
    };
    let whole = matches!(seen.found, PathKind::Device(_)).then_some(bytes);
    let image = seen.images.first().filter(|_| whole.is_some()).and_then(|told| told.split_once(": "));
    let place = Place::Path { path, writable: own || site.wish.writes };
    let target = Target {
        host: site.host.as_ref().map(|guest| guest.known_as.clone()),
        bytes: whole,
        image: image.map(|(_, image)| image.to_string()),
        ..Target::new(Layer::Guest, name_on(site, &shown.display().to_string()), place)
    };
    Ok(InGuest { site, target, bytes, own })
}

fn refuse_full(folder: &Path, needed: Bytes, free: Option<Bytes>) -> Result<(), Failure> {
    match free.filter(|free| needed as f64 > *free as f64 * MOST) {
        Some(free) => Err(Failure::Usage(format!(
            "{}: {} would be written, and its file system, or a quota there, has {} left, of which nine tenths may be taken; make room there, or \
             write less: --working-set SIZE",
            folder.display(),
            units::bytes(needed),
            units::bytes(free)
        ))),
        None => Ok(()),
    }
}

fn usual(draft: &Draft) -> Bytes {
    if draft.small() { LAB_SPAN } else { SPAN }
}

/// The same disk or folder of all guests at once, as of all hosts that load a pool.
fn add_path(draft: &mut Draft, path: &Path, found: Vec<InGuest>) {
    for one in found.iter().filter(|one| one.own) {
        if let Place::Path { path, .. } = &one.target.place {
            draft.own_file(one.site.host.as_ref(), path.clone(), one.bytes);
        }
    }
    let several = found.len() > 1;
    let of = |one: &InGuest| if several { path.display().to_string() } else { one.target.name.clone() };
    let client = |one: &InGuest| Some(Client { host: one.site.host.as_ref()?.end.host.clone(), of: of(one) });
    let targets: Vec<Target> = found.iter().map(|one| Target { client: client(one), ..one.target.clone() }).collect();
    let bytes = found.iter().map(|one| one.bytes).min().unwrap_or(0);
    for (pattern, workload) in draft.workloads(Layer::Guest, usual(draft)) {
        let span = workload.span.min(bytes) / MIB * MIB;
        draft.step(pattern, targets.clone(), Workload { span, ..workload }, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::{plan, testing};
    use model::{Change, Endpoint, HostChange, LabLayout, Plan};
    use std::collections::BTreeMap;

    fn guest(name: &str) -> ClientHost {
        let end = Endpoint::new(name, "");
        ClientHost { end, others: BTreeMap::new(), known_as: name.into(), boot: name.into(), loads: false }
    }

    fn planned(guests: &[&str], paths: &[&str], found: PathKind) -> Result<(Plan, Request), Failure> {
        let mut inventory =
            Inventory { guests: guests.iter().map(|name| guest(name)).collect(), ..testing::inventory(3) };
        let mut request = testing::request(&[Layer::Guest]);
        request.targets.guest_paths = paths.iter().map(PathBuf::from).collect();
        let site = |(host, wish): (Option<ClientHost>, SiteWish)| {
            let mut site = Site { host, wish, ..testing::folder("/") };
            if let Ok(seen) = &mut site.seen {
                seen.found = found;
            }
            site
        };
        inventory.guest_sites = wanted(&inventory, &request).into_iter().map(site).collect();
        plan(&inventory, &request).map(|plan| (plan, request))
    }

    #[test]
    fn each_disk_is_loaded_in_all_guests_at_once() {
        let (plan, _) = planned(&["vm1", "vm2"], &["/dev/vdb", "/dev/vdc"], PathKind::Device(4 * GIB)).unwrap();
        assert!(plan.changes.is_empty());
        for step in &plan.steps {
            let names: Vec<&str> = step.targets.iter().map(|target| target.name.as_str()).collect();
            assert!(
                names == ["vm1:/dev/vdb", "vm2:/dev/vdb"] || names == ["vm1:/dev/vdc", "vm2:/dev/vdc"],
                "{names:?}"
            );
            assert!(step.of_clients() && step.chart && step.workload.span == GIB);
        }
        let (plan, _) = planned(&["vm1"], &["/dev/vdb"], PathKind::Device(GIB / 2)).unwrap();
        assert!(plan.steps.iter().all(|step| step.together() == "vm1:/dev/vdb" && step.workload.span == GIB / 2));
    }

    #[test]
    fn files_in_folders_share_no_name_wherever_the_folders_lie() {
        let (plan, _) = planned(&["vm1", "vm2"], &["/mnt/a", "/mnt/b"], PathKind::Folder).unwrap();
        let name = |change: &Change| match change {
            Change::OnHost { host: Some(_), what: HostChange::File { path, .. } } => {
                path.file_name().unwrap().to_owned()
            }
            other => panic!("{other:?}"),
        };
        let mut names: Vec<_> = plan.changes.iter().map(name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 4, "{:?}", plan.changes);
    }

    #[test]
    fn what_a_lab_has_is_there_to_be_written_to_and_what_is_named_is_not() {
        let mut inventory = Inventory { guests: vec![guest("guest")], ..testing::inventory(3) };
        let mut request = testing::request(&[Layer::Guest]);
        let given_up = |inventory: &Inventory, request: &Request| {
            wanted(inventory, request).into_iter().map(|(_, wish)| (wish.path, wish.given_up)).collect::<Vec<_>>()
        };
        let (name, client_address, guest_paths) = ("l".into(), "127.0.0.1".into(), vec!["/dev/vda".into()]);
        inventory.lab = Some(LabLayout { name, client_address, hosts: Vec::new(), osds: Vec::new(), guest_paths });
        assert_eq!(given_up(&inventory, &request), [("/dev/vda".into(), true)]);
        request.targets.guest_paths = vec!["/dev/vda".into(), "/dev/vdb".into()];
        request.targets.destroy_data_on = vec!["/dev/vdb".into()];
        assert_eq!(given_up(&inventory, &request), [("/dev/vda".into(), false), ("/dev/vdb".into(), true)]);
        request.layers = vec![testing::pools()];
        assert!(wanted(&inventory, &request).is_empty());
    }

    #[test]
    fn what_names_nothing_is_refused_with_what_to_type() {
        let why =
            |guests: &[&str], paths: &[&str], found: PathKind| planned(guests, paths, found).unwrap_err().to_string();
        assert!(why(&[], &["/dev/vdb"], PathKind::Folder).contains("no guest is named"));
        assert!(why(&["vm1"], &[], PathKind::Folder).contains("no disk of the guests is named"));
        assert!(why(&["vm1"], &["/a", "/a"], PathKind::Folder).contains("named twice"));
        assert!(why(&["vm1"], &["/dev/vdb"], PathKind::Nothing).contains("vm1: /dev/vdb: there is no such disk"));
    }
}
