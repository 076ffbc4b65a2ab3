//! Which disks have their turns together: those that hold nothing back of each other.

use super::device::Disk;
use crate::Experiment;
use crate::planner::draft::Draft;
use model::workload::MIB;
use model::{Inventory, Site, Workload};
use std::collections::{BTreeMap, BTreeSet};

/// One disk of each machine at a time: they share nothing. Hosts of the same kernel share all that a machine has, so their disks
/// have their turns one after the other.
pub(super) fn rounds<'d, 'a>(draft: &Draft, disks: &[&'d Disk<'a>]) -> Vec<Vec<&'d Disk<'a>>> {
    let mut machines: BTreeMap<&str, Vec<&Disk>> = BTreeMap::new();
    for disk in disks {
        machines.entry(disk.boot()).or_default().push(disk);
    }
    // What is compared with itself, or searched, has one figure.
    let one_by_one = matches!(draft.request.experiment, Experiment::HighestRate(_) | Experiment::PairedComparison(_));
    if one_by_one || machines.contains_key("") {
        return disks.iter().map(|disk| vec![*disk]).collect();
    }
    let most = machines.values().map(Vec::len).max().unwrap_or(0);
    (0..most).map(|turn| machines.values().filter_map(|own| own.get(turn).copied()).collect()).collect()
}

/// Drives of a host that share nothing but its processors have their turns together, as many as these can load without holding one back.
pub(super) fn rounds_of_judged<'d, 'a>(
    draft: &Draft,
    disks: &[&'d Disk<'a>],
    load: &Workload,
) -> Vec<Vec<&'d Disk<'a>>> {
    let mut machines: BTreeMap<&str, Vec<Vec<&Disk>>> = BTreeMap::new();
    for disk in disks {
        let turns = machines.entry(disk.boot()).or_default();
        let most = at_once(processors(draft.inventory, disk.site), load);
        let free = |turn: &&mut Vec<&Disk>| turn.len() < most && turn.iter().all(|other| are_apart(other, disk, load));
        match turns.iter_mut().find(free) {
            Some(turn) => turn.push(disk),
            None => turns.push(vec![disk]),
        }
    }
    let most = machines.values().map(Vec::len).max().unwrap_or(0);
    (0..most).map(|turn| machines.values().filter_map(|own| own.get(turn)).flatten().copied().collect()).collect()
}

/// Two drives that the kernel lists, and not parts of one. What is more than one small operation at a time may fill what drives of flash share:
/// the link of their controller, the lanes of its expander. Those that turn, as they say themselves, fill neither with what they do.
fn are_apart(one: &Disk, other: &Disk, load: &Workload) -> bool {
    let queue = |disk: &Disk| disk.site.seen.as_ref().ok().and_then(|seen| Some(seen.drive.as_ref()?.queue.clone()));
    let (Some(one), Some(other)) = (queue(one), queue(other)) else { return false };
    let apart = matches!((one.controller, other.controller), (Some(one), Some(other)) if one != other);
    let turn = one.turns_a_minute.is_some() && other.turns_a_minute.is_some();
    one.name != other.name && (apart || turn || is_small(load))
}

/// One small operation in flight.
fn is_small(load: &Workload) -> bool {
    load.depth == 1 && load.block < MIB
}

/// One operation in flight needs half a processor of the fastest drive, many of them several.
fn at_once(processors: u32, load: &Workload) -> usize {
    let each = if is_small(load) { 2 } else { 8 };
    (processors / each).max(1) as usize
}

/// Of the path's host; one, if that is not known.
fn processors(inventory: &Inventory, site: &Site) -> u32 {
    let named = |name: &str| inventory.scope.hosts.iter().find(|host| host.name == name);
    let host = site.host.as_ref().map_or_else(
        || inventory.scope.hosts.iter().find(|host| host.here),
        |host| named(&host.known_as).or_else(|| named(&host.end.host)),
    );
    host.and_then(|host| host.cores).unwrap_or(1)
}

/// All of each host that has several, then all there are. What the user named on this host is measured one by one.
pub(super) fn together<'d, 'a>(disks: &[&'d Disk<'a>]) -> Vec<Vec<&'d Disk<'a>>> {
    let disks: Vec<&Disk> = disks.iter().copied().filter(|disk| disk.site.host.is_some()).collect();
    let hosts: BTreeSet<&str> = disks.iter().map(|disk| disk.host()).collect();
    let of = |host: &str| disks.iter().copied().filter(|disk| disk.host() == host).collect::<Vec<_>>();
    let each = hosts.iter().map(|host| of(host)).filter(|own| own.len() > 1);
    let all = (hosts.len() > 1).then(|| disks.to_vec());
    each.chain(all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::device::disk;
    use crate::planner::testing;
    use model::workload::GIB;
    use model::{Layer, Pattern};

    #[test]
    fn drives_that_are_apart_have_their_turns_together_as_far_as_processors_reach() {
        let mut inventory = testing::inventory(0);
        let cores = |inventory: &mut Inventory, cores: u32| {
            inventory.scope.hosts = vec![model::HostScope { here: true, cores: Some(cores), ..Default::default() }];
        };
        let site = |path: &str, drive: Option<(&str, &str)>, turns: Option<u16>| {
            let mut site = testing::folder(path);
            let queue = |(name, controller): (&str, &str)| model::facts::BlockQueue {
                name: name.to_string(),
                controller: Some(controller.to_string()),
                turns_a_minute: turns,
                ..Default::default()
            };
            let about = |drive| model::DriveAbout { queue: queue(drive), health: Err("x".into()) };
            site.seen.as_mut().unwrap().drive = drive.map(about);
            site
        };
        let (a, b) = (Some(("sda", "hba")), Some(("sdb", "hba")));
        let sites = |turns: Option<u16>| {
            let nvme = Some(("nvme0n1", "pci"));
            [("/a", a, turns), ("/b", b, turns), ("/b1", b, turns), ("/n", nvme, None), ("/l", None, None)]
                .map(|(path, drive, turns)| site(path, drive, turns))
        };
        let rounds = |inventory: &Inventory, load: &Workload, sites: &[Site]| {
            let request = testing::request(&[Layer::Device]);
            let draft = Draft::new(inventory, &request);
            let all: Vec<Disk> = sites.iter().map(|site| disk(&draft, site, GIB).unwrap()).collect();
            let rounds = rounds_of_judged(&draft, &all.iter().collect::<Vec<_>>(), load);
            let path = |disk: &&Disk| disk.site.wish.path.display().to_string();
            rounds.iter().map(|round| round.iter().map(path).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
        };
        let of = |inventory: &Inventory, load: &Workload| rounds(inventory, load, &sites(None));
        let alone = Workload::canonical(Pattern::ReadLatency, GIB, 1);
        let many = Workload { depth: 32, ..Workload::canonical(Pattern::ReadParallel, GIB, 1) };
        cores(&mut inventory, 2);
        assert_eq!(of(&inventory, &alone), ["/a", "/b", "/b1", "/n", "/l"]);
        cores(&mut inventory, 8);
        assert_eq!(of(&inventory, &alone), ["/a /b /n", "/b1", "/l"]);
        assert_eq!(of(&inventory, &many), ["/a", "/b", "/b1", "/n", "/l"]);
        cores(&mut inventory, 16);
        assert_eq!(of(&inventory, &many), ["/a /n", "/b", "/b1", "/l"], "drives of one controller may fill its link");
        assert_eq!(rounds(&inventory, &many, &sites(Some(7200))), ["/a /b", "/b1 /n", "/l"], "disks that turn do not");
    }
}
