//! Which OSDs are to be compared with each other. Ceph's device class alone does not say it: NVMe and SATA flash share `ssd`, and hard disks
//! with and without a database on flash share `hdd`.

use crate::facts::{OsdFacts, is_made};
use crate::scope::{DeviceScope, OsdScope, Scope};
use std::collections::BTreeMap;

/// OSDs of the same kin should be alike. `None`: not known; such OSDs are compared with those of which as little is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kin {
    class: Option<String>,
    nvme: Option<bool>,
    /// Of NVMe `None` as well: some hypervisors have it rotate. Nor do devices that are made of files tell.
    rotational: Option<bool>,
    /// Its database, or the log of that, is known to lie on flash that is not the device of its data. One that lies on another hard disk is
    /// no reason to be of another kin, but may be why that OSD is slow.
    log_on_flash: bool,
}

impl Kin {
    /// Of each OSD, as it says itself.
    pub fn of_facts(osds: &[OsdFacts]) -> BTreeMap<u32, Kin> {
        osds.iter().map(|osd| (osd.id, Kin::told(osd))).collect()
    }

    /// Of each OSD, as it was seen before a plan was made.
    pub fn of_scope(scope: &Scope) -> BTreeMap<u32, Kin> {
        // Looked through once: large clusters have thousands of devices.
        let mut devices: BTreeMap<u32, Vec<&DeviceScope>> = BTreeMap::new();
        for device in &scope.devices {
            device.osds.iter().for_each(|osd| devices.entry(*osd).or_default().push(device));
        }
        let of = |osd: &OsdScope| devices.get(&osd.id).map_or(&[][..], Vec::as_slice);
        scope.osds.iter().map(|osd| (osd.id, Kin::seen(osd, of(osd)))).collect()
    }

    /// What more than half of these are; `None`: there is no such kin, and what is usual among them is usual of none.
    pub fn of_most<'k>(all: impl IntoIterator<Item = &'k Kin>) -> Option<&'k Kin> {
        let counts = counted(all);
        let total: usize = counts.values().sum();
        counts.into_iter().find(|(_, count)| 2 * count > total).map(|(kin, _)| kin)
    }

    /// The one that most of these are, be they more than half or not.
    pub fn most_common<'k>(all: impl IntoIterator<Item = &'k Kin>) -> Option<&'k Kin> {
        counted(all).into_iter().max_by_key(|(_, count)| *count).map(|(kin, _)| kin)
    }

    fn told(osd: &OsdFacts) -> Kin {
        let devices = osd.store_devices();
        let on_data = !devices.log.is_empty() && devices.log.iter().all(|name| devices.data.contains(name));
        // The kernel's word for the device of the log; without a log of its own that is the database's.
        let log_rotates = match osd.dedicated_wal {
            Some(true) => osd.journal_rotational,
            _ => osd.db_rotational.or(osd.journal_rotational),
        };
        Kin {
            class: osd.class.clone(),
            nvme: nvme(&devices.data),
            rotational: rotates(&devices.data, osd.rotational),
            log_on_flash: devices.apart == Some(true) && !on_data && is_flash(&devices.log, log_rotates),
        }
    }

    /// `devices`: all on which it has something.
    fn seen(osd: &OsdScope, devices: &[&DeviceScope]) -> Kin {
        let data: Vec<String> = osd.device.iter().flat_map(|names| names.split(',')).map(str::to_string).collect();
        let (of_data, others): (Vec<&DeviceScope>, Vec<&DeviceScope>) =
            devices.iter().copied().partition(|device| data.contains(&device.path));
        let rotational = |devices: &[&DeviceScope]| devices.iter().find_map(|device| device.rotational);
        let others_names: Vec<String> = others.iter().map(|device| device.path.clone()).collect();
        Kin {
            class: osd.class.clone(),
            nvme: nvme(&data),
            rotational: rotates(&data, rotational(&of_data)),
            log_on_flash: !data.is_empty() && is_flash(&others_names, rotational(&others)),
        }
    }
}

fn counted<'k>(all: impl IntoIterator<Item = &'k Kin>) -> BTreeMap<&'k Kin, usize> {
    let mut counts = BTreeMap::new();
    all.into_iter().for_each(|kin| *counts.entry(kin).or_default() += 1);
    counts
}

/// By what its disks are called; `None`: that is not known.
fn nvme(names: &[String]) -> Option<bool> {
    let one = |name: &String| name.strip_prefix("/dev/").unwrap_or(name).starts_with("nvme");
    (!names.is_empty()).then(|| names.iter().all(one))
}

fn rotates(names: &[String], kernel_says: Option<bool>) -> Option<bool> {
    kernel_says.filter(|_| nvme(names) != Some(true) && !names.iter().any(|name| is_made(name)))
}

fn is_flash(names: &[String], kernel_says: Option<bool>) -> bool {
    nvme(names) == Some(true) || rotates(names, kernel_says) == Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `data` and `log` are names of disks with commas between them; the log's is empty where it lies with the data.
    fn facts(class: &str, data: &str, rotational: bool, log: &str, log_rotates: Option<bool>) -> OsdFacts {
        let names = |text: &str| -> Vec<String> {
            text.split(',').filter(|name| !name.is_empty()).map(str::to_string).collect()
        };
        OsdFacts {
            class: Some(class.into()),
            data_devices: names(data),
            db_devices: names(log),
            rotational: Some(rotational),
            dedicated_db: Some(!log.is_empty()),
            dedicated_wal: Some(false),
            db_rotational: log_rotates,
            ..OsdFacts::default()
        }
    }

    /// The same as a scope has it, which knows of no log's device whether it rotates.
    fn seen(class: &str, data: &str, rotational: bool, log: &str) -> Kin {
        let device = |path: &str, rotational| DeviceScope {
            path: path.into(),
            rotational,
            osds: vec![0],
            ..DeviceScope::default()
        };
        let osd = OsdScope { class: Some(class.into()), device: Some(data.into()), ..OsdScope::default() };
        let own = data.split(',').map(|name| device(name, Some(rotational)));
        let apart = log.split(',').filter(|name| !name.is_empty()).map(|name| device(name, None));
        let scope = Scope { osds: vec![osd], devices: own.chain(apart).collect(), ..Scope::default() };
        Kin::of_scope(&scope).remove(&0).unwrap()
    }

    #[test]
    fn osds_of_one_class_are_kin_if_their_disks_and_what_their_databases_lie_on_are_alike() {
        let kin = |osd: &OsdFacts| Kin::told(osd);
        let nvme = kin(&facts("ssd", "nvme0n1", false, "", None));
        let sata = kin(&facts("ssd", "sda", false, "", None));
        let disk = kin(&facts("hdd", "sda", true, "", None));
        let with_flash = kin(&facts("hdd", "sda", true, "nvme0n1", None));
        let all = [&nvme, &sata, &disk, &with_flash];
        assert!((0..4).all(|a| (0..a).all(|b| all[a] != all[b])), "{all:?}");
        assert_eq!(kin(&facts("ssd", "nvme7n1", true, "", None)), nvme, "NVMe that its kernel takes for a hard disk");
        assert_eq!(kin(&facts("hdd", "sdb", true, "sdc", Some(false))), with_flash);
        // A database on a part of the same disk, or on another hard disk, is none on flash.
        assert_eq!(kin(&facts("hdd", "sda", true, "sda", Some(true))), disk);
        assert_eq!(kin(&facts("hdd", "sda", true, "sdb", Some(true))), disk);
    }

    #[test]
    fn a_scope_tells_the_same_as_far_as_it_knows() {
        assert_eq!(seen("ssd", "nvme0n1", false, ""), Kin::told(&facts("ssd", "nvme0n1", false, "", None)));
        assert_eq!(seen("ssd", "/dev/nvme0n1", false, ""), Kin::told(&facts("ssd", "nvme0n1", false, "", None)));
        assert_eq!(seen("hdd", "sda,sdb", true, ""), Kin::told(&facts("hdd", "sda,sdb", true, "", None)));
        assert_eq!(seen("hdd", "sda", true, "nvme0n1"), Kin::told(&facts("hdd", "sda", true, "nvme0n1", None)));
        assert_eq!(seen("hdd", "sda", true, "sdz"), seen("hdd", "sda", true, ""), "whether sdz is flash is not known");
    }

    /// A lab's fault gives one OSD a slow device for its database: that one is to be found.
    #[test]
    fn devices_that_are_made_of_files_are_no_flash() {
        let apart = Kin::told(&facts("hdd", "loop0", false, "loop5", Some(false)));
        assert_eq!(apart, Kin::told(&facts("hdd", "loop1", true, "", None)));
        assert_eq!(seen("hdd", "/dev/loop0", false, "/dev/loop5"), apart);
    }

    #[test]
    fn without_facts_the_class_alone_tells() {
        let of = |class: &str| OsdScope { class: Some(class.into()), ..OsdScope::default() };
        let scope = Scope { osds: vec![of("ssd")], ..Scope::default() };
        let known = OsdFacts { class: Some("ssd".into()), ..OsdFacts::default() };
        assert_eq!(Kin::of_scope(&scope)[&0], Kin { class: Some("ssd".into()), ..Kin::default() });
        assert_eq!(Kin::told(&known), Kin::of_scope(&scope)[&0]);
    }

    #[test]
    fn the_usual_kin_is_that_of_more_than_half() {
        let of = |class: &str| Kin { class: Some(class.into()), ..Kin::default() };
        let (a, b, c) = (of("a"), of("b"), of("c"));
        assert_eq!(Kin::of_most([&a, &a, &b]), Some(&a));
        assert_eq!((Kin::of_most([&a, &b]), Kin::of_most([&a, &a, &b, &c]), Kin::of_most([])), (None, None, None));
        assert_eq!((Kin::most_common([&a, &a, &b, &c]), Kin::most_common([])), (Some(&a), None));
    }
}
