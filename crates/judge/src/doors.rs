//! What each door to a pool costs, beside objects of RADOS under the same work: images, files, and buckets at a gateway.

use crate::across::mean_over;
use crate::chart::{figures_of, is_image, severity};
use crate::entry::Entry;
use crate::multiple::over;
use model::{DoorPrice, Layer, Pattern, Target};

/// For each door and pattern that was measured, where objects of RADOS were loaded with the same work.
pub fn door_prices(entries: &[Entry]) -> Vec<DoorPrice> {
    let Some(rados) = Layer::ALL.into_iter().find(|layer| layer.of_pools() && layer.can().objects) else {
        return Vec::new();
    };
    // A device may be an image that a client maps.
    let doors = Layer::ALL.into_iter().filter(|layer| layer.is_door() || layer.of_disks());
    doors
        .flat_map(|door| Pattern::ALL.into_iter().flat_map(move |pattern| prices(entries, (rados, door), pattern)))
        .collect()
}

/// Of several gateways, or file systems, each has its own.
fn prices(entries: &[Entry], (rados, door): (Layer, Layer), pattern: Pattern) -> Vec<DoorPrice> {
    let (below, mut own) = (figures_of(entries, rados, pattern), figures_of(entries, door, pattern));
    own.retain(|entry| leads_to_pools(entry));
    let step = |entry: &&Entry| entry.step.id;
    let several = door.has_doors() || door.of_disks();
    let each = own.chunk_by(|a, b| !several || (step(a) == step(b) && a.door() == b.door()));
    each.filter_map(|own| price(own, &below, door, pattern)).collect()
}

fn price(own: &[&Entry], below: &[&Entry], door: Layer, pattern: Pattern) -> Option<DoorPrice> {
    let (first, other) = (own.first()?, below.first()?);
    if !same_work(first, other) {
        return None;
    }
    let (at_door, of_rados) = (mean_over(own)?, mean_over(below)?);
    let metric = pattern.metric(door);
    let slower = if metric.lower_is_better() { (&at_door, &of_rados) } else { (&of_rados, &at_door) };
    Some(DoorPrice {
        layer: door,
        pattern,
        metric,
        target: first.only_target().and_then(mapped).unwrap_or_else(|| first.figure.target.clone()),
        at_door,
        of_rados,
        door_label: gravest(own),
        rados_label: gravest(below),
        times: over(slower.0, slower.1)?,
    })
}

/// Of a mounted folder nobody says whose it is; devices are disks, but for images.
fn leads_to_pools(entry: &Entry) -> bool {
    let layer = entry.figure.layer;
    if layer.of_disks() { is_image(entry) } else { !layer.of_folders() || entry.step.loads_ceph() }
}

/// `/dev/rbd0: vms/disk, by krbd`
fn mapped(target: &Target) -> Option<String> {
    Some(format!("{}: {}", target.name, target.image.as_ref()?))
}

/// As large operations of the same kinds, as many in flight by as many clients.
fn same_work(one: &Entry, other: &Entry) -> bool {
    let of = |entry: &Entry| {
        let load = &entry.step.workload;
        (
            (load.block, load.sizes.clone()),
            load.depth,
            load.mix,
            load.clients,
            load.rate.map(|rate| rate.per_second.to_bits()),
            // Several disks of a step may have been loaded one after the other.
            if is_image(entry) { entry.figure.at_once as usize } else { entry.step.targets.len() },
        )
    };
    of(one) == of(other)
}

fn gravest(figures: &[&Entry]) -> String {
    let gravest = figures.iter().max_by_key(|entry| severity(&entry.figure.label));
    gravest.map_or(String::new(), |entry| entry.figure.label.name().to_string())
}
