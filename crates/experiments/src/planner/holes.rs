//! Devices that are files with holes: what is written to them must not fill the file system on which these lie.

use model::{Bytes, Failure, Holes, Inventory, Place, Plan, Site, Step, Target, Until, units};
use std::collections::BTreeMap;

/// Of the free room, what may be taken.
const MOST: f64 = 0.9;

/// What all files on one file system may take of its room, which changes while it is looked at.
#[derive(Default)]
struct Room {
    taken: Bytes,
    free: Option<Bytes>,
}

/// # Errors
/// What is planned could fill the file system on which the file of a device, or a file that was there before, lies.
pub fn refuse_too_much(inventory: &Inventory, plan: &Plan) -> Result<(), Failure> {
    let mut rooms: BTreeMap<(&str, u64), Room> = BTreeMap::new();
    // What a lab may take was looked at when it came up.
    let of_lab = |site: &Site| {
        inventory.lab.iter().flat_map(|lab| &lab.osds).any(|osd| osd.spare.path() == site.wish.path.as_path())
    };
    let sites = inventory.sites.iter().chain(&inventory.guest_sites);
    for site in sites.filter(|site| !of_lab(site)) {
        let Some(Holes { file, bytes, free, file_system }) =
            site.seen.as_ref().ok().and_then(|seen| seen.holes.as_ref())
        else {
            continue;
        };
        let Some(free) = free else {
            return Err(Failure::Usage(format!(
                "{}: lies in {file}, which is not found by that name any more (deleted, below another mount, or in another mount \
                 namespace): how much room its file system has is not known; set the device up again over a file that is there",
                site.wish.path.display()
            )));
        };
        let host = site.host.as_ref().map_or("", |host| &host.end.host);
        let room = rooms.entry((host, *file_system)).or_default();
        room.taken = room.taken.saturating_add((*bytes).min(written_to(plan, site)));
        let free = room.free.map_or(*free, |known| known.min(*free));
        room.free = Some(free);
        if room.taken as f64 > free as f64 * MOST {
            return Err(Failure::Usage(format!(
                "{}: lies in {file}, a file with holes, and {} could be written into them while its file system has {} left, of which \
                 nine tenths may be taken; make room there, or write less: --working-set SIZE, --volume SIZE",
                site.wish.path.display(),
                units::bytes(room.taken),
                units::bytes(free),
            )));
        }
    }
    Ok(())
}

/// At most, if no two loads go to the same place. What is read is written before, where that may be.
fn written_to(plan: &Plan, site: &Site) -> Bytes {
    let host = site.host.as_ref().map(|host| host.end.host.as_str());
    let own = |target: &Target| {
        let on = target.client.as_ref().map(|client| client.host.as_str());
        let there = matches!(&target.place, Place::Path { path, writable: true } if *path == site.wish.path);
        there && on == host
    };
    let goes_there = |step: &&Step| step.targets.iter().any(own);
    let steps = plan.steps.iter().filter(goes_there).map(|step| step.workload.span);
    let sustained = plan.experiment.sustained().iter().filter(|test| goes_there(&&test.step)).map(|test| {
        let filled = test.fill.as_ref().map_or(0, |level| level.workload.span);
        let most = if test.until == Until::Steady { test.step.workload.span } else { test.most() };
        filled.saturating_add(most)
    });
    steps.chain(sustained).fold(0, Bytes::saturating_add)
}
