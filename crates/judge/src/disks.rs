//! Which measured disk an OSD lies on, and who shares it.

use crate::durable::as_stores_do;
use crate::entry::Entry;
use model::{OsdScope, Pattern, Place, Record};

/// `/dev/sdb` and `sdb` are the same.
fn short(path: &str) -> &str {
    path.strip_prefix("/dev/").unwrap_or(path)
}

pub fn osd_of(place: &Place) -> Option<u32> {
    match place {
        Place::Osd { osd, .. } | Place::Store { osd } => Some(*osd),
        _ => None,
    }
}

fn scope_of<'a>(record: &'a Record, place: &Place) -> Option<&'a OsdScope> {
    let id = osd_of(place)?;
    record.scope.osds.iter().find(|osd| osd.id == id)
}

/// The usable figure of the very disk that an OSD lies on, measured alone; `None`: not known, or not measured. Of durable writes in
/// two ways it is the store's: a store flushes, so that its writes may well be quicker than those with O_DSYNC.
pub fn disk_of<'e, 'a>(
    entries: &'e [Entry<'a>],
    record: &Record,
    place: &Place,
    pattern: Pattern,
) -> Option<&'e Entry<'a>> {
    let osd = scope_of(record, place)?;
    let of_disk = |entry: &&Entry| {
        let usable = entry.figure.at_once == 1 && entry.usable().is_some();
        entry.figure.layer.of_disks() && entry.is_of(pattern) && usable && is_disk_of(entry, osd)
    };
    entries.iter().filter(of_disk).min_by_key(|entry| !as_stores_do(entry.step.workload.durability))
}

/// Is this figure's only target the disk of that OSD's data?
pub fn is_disk_of(entry: &Entry, osd: &OsdScope) -> bool {
    let (Some(target), Some(device)) = (entry.only_target(), osd.device.as_deref()) else { return false };
    let disk = short(device);
    let path = matches!(&target.place, Place::Path { path, .. } if short(&path.to_string_lossy()) == disk);
    let here = target.host.as_ref().is_none_or(|host| *host == osd.host) || target.beside.contains(&osd.id);
    let stands = target.on.as_deref().unwrap_or(&target.name);
    here && (path || short(stands) == disk)
}

/// Does the OSD lie on this figure's only target, perhaps on others as well?
pub fn lies_on(entry: &Entry, osd: &OsdScope) -> bool {
    let each = osd.device.iter().flat_map(|devices| devices.split(','));
    { each }.any(|device| is_disk_of(entry, &OsdScope { device: Some(device.to_string()), ..osd.clone() }))
}

/// How many targets of this figure's step were loaded on that disk at the same time, itself included.
pub fn sharing_disk(entries: &[Entry], record: &Record, entry: &Entry, disk: &Entry) -> u32 {
    let same = |place: &Place| {
        let other = disk_of(entries, record, place, disk.figure.pattern);
        other.is_some_and(|other| other.step.id == disk.step.id && other.target == disk.target)
    };
    (entry.step.targets.iter().filter(|target| same(&target.place)).count() as u32).max(1)
}

/// How many of them lie on the same host.
pub fn sharing_host(entry: &Entry) -> u32 {
    let host = entry.figure.host.as_deref();
    (entry.step.targets.iter().filter(|target| target.host.as_deref() == host).count() as u32).max(1)
}
