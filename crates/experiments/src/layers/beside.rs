//! Spare partitions, volumes and files: which OSDs have a part of the same disk, and serve their cluster meanwhile.

use crate::planner::draft::Draft;
use model::{Inventory, PathKind, Plan, Site, SiteSeen, Target, osds_named};
use std::collections::BTreeSet;

/// What is named on a disk that OSDs live on: by the processes of its host, and by what they told their cluster. `host`: as the cluster
/// knows it.
pub fn osds(draft: &Draft, site: &Site, host: &str) -> Vec<u32> {
    let named = draft.request.targets.paths.contains(&site.wish.path);
    let Some(seen) = site.seen.as_ref().ok().filter(|_| named) else { return Vec::new() };
    let told = of_scope(draft.inventory, seen, host);
    let all: BTreeSet<u32> = seen.osds.iter().copied().chain(told).collect();
    all.into_iter().collect()
}

fn of_scope<'a>(inventory: &'a Inventory, seen: &'a SiteSeen, host: &str) -> impl Iterator<Item = u32> + 'a {
    let scope = &inventory.scope;
    let host = host.to_string();
    let short = |path: &'a str| path.strip_prefix("/dev/").unwrap_or(path);
    let own = scope.devices.iter().filter(move |device| {
        device.host.as_ref() == Some(&host) && seen.disks.iter().any(|disk| disk == short(&device.path))
    });
    let up = |osd: &u32| scope.osds.iter().any(|known| known.id == *osd && known.up);
    own.flat_map(|device| device.osds.iter().copied()).filter(up)
}

/// The disk of a partition or volume, if it is one disk. A file says less of it: its file system has a part in its figures.
pub fn disk_of_part(seen: &SiteSeen) -> Option<String> {
    let [disk] = seen.disks.as_slice() else { return None };
    let disk = format!("/dev/{disk}");
    let own = seen.device.as_ref().map(|device| &device.path);
    (matches!(seen.found, PathKind::Device(_)) && own.is_some_and(|own| *own != disk)).then_some(disk)
}

/// What is to be known of figures that are measured beside OSDs.
pub fn notes(plan: &Plan) -> Vec<String> {
    let beside = plan.steps.iter().flat_map(|step| &step.targets).filter(|target| !target.beside.is_empty());
    let says = |target: &Target| {
        let (osds, serve) =
            (osds_named(&target.beside), if target.beside.len() > 1 { "serve their" } else { "serves its" });
        format!(
            "{} lies on the disk of {osds}, which {serve} cluster meanwhile: its figures are those of that disk under this load, and the \
             load of this run slows {osds} down",
            target.name
        )
    };
    beside.map(says).collect::<BTreeSet<String>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::testing;
    use model::DeviceScope;

    #[test]
    fn osds_are_known_by_their_processes_and_by_what_they_told_their_cluster_if_they_are_up() {
        let mut inventory = testing::inventory(4);
        let device = |path: &str, host: &str, osds: &[u32]| DeviceScope {
            path: path.into(),
            host: Some(host.into()),
            osds: osds.to_vec(),
            ..DeviceScope::default()
        };
        inventory.scope.devices =
            vec![device("sda", "host0", &[1, 2]), device("/dev/sda", "other", &[3]), device("sdb", "host0", &[0])];
        inventory.scope.osds[2].up = false;
        let mut site = testing::folder("/dev/sda4");
        let seen = site.seen.as_mut().unwrap();
        (seen.disks, seen.osds) = (vec!["sda".into()], vec![9]);
        let mut request = testing::request(&[testing::disks()]);
        let of = |request: &crate::Request| osds(&Draft::new(&inventory, request), &site, "host0");
        assert_eq!(of(&request), Vec::<u32>::new(), "devices of OSDs that nobody named are what they are");
        request.targets.paths = vec!["/dev/sda4".into()];
        assert_eq!(of(&request), [1, 9]);
    }

    #[test]
    fn a_partition_stands_for_its_disk_and_what_lies_on_several_for_none() {
        let disk = |found: PathKind, own: &str, disks: &[&str]| {
            let mut seen = testing::folder("/x").seen.unwrap();
            let device = DeviceScope { path: own.into(), ..DeviceScope::default() };
            (seen.found, seen.device) = (found, Some(device));
            seen.disks = disks.iter().map(|disk| disk.to_string()).collect();
            disk_of_part(&seen)
        };
        let part = PathKind::Device(1);
        assert_eq!(disk(part, "/dev/sda4", &["sda"]).as_deref(), Some("/dev/sda"));
        assert_eq!(disk(part, "/dev/sda", &["sda"]), None);
        assert_eq!(disk(part, "/dev/dm-1", &["sda", "sdb"]), None);
        assert_eq!(disk(PathKind::Folder, "/dev/sda4", &["sda"]), None);
    }
}
