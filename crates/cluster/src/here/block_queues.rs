//! Disks as the kernel uses them: scheduler, caches, links, where partitions begin (`/sys/block`).

use super::setup::{chosen, names, text};
use crate::nvme_controller;
use model::facts::BlockQueue;
use std::fs::{canonicalize, read_to_string};
use std::path::{Path, PathBuf};

/// Mounted from these, a disk serves the operating system.
const OF_SYSTEM: [&str; 6] = ["/", "/boot", "/var", "/var/lib", "/var/log", "/usr"];

pub fn all(folder: &Path) -> Vec<BlockQueue> {
    let made = ["loop", "ram", "zram", "sr", "fd", "dm-", "md", "nbd", "rbd"];
    let mounts = read_to_string("/proc/mounts").unwrap_or_default();
    let is_made = |name: &String| made.iter().any(|kind| name.starts_with(kind));
    let disks =
        names(folder).into_iter().filter(|name| !is_made(name) && !nvme_controller::is_hidden(&folder.join(name)));
    disks.map(|name| one(folder, name, &mounts)).collect()
}

/// With what they say of their health, all at the same time: each may take seconds.
pub fn with_health(mut disks: Vec<BlockQueue>) -> Vec<BlockQueue> {
    std::thread::scope(|threads| {
        for disk in &mut disks {
            threads.spawn(|| disk.health = crate::smart::health(&disk.name).ok());
        }
    });
    disks
}

fn one(folder: &Path, name: String, mounts: &str) -> BlockQueue {
    let disk = folder.join(&name);
    let own = |file: &str| text(disk.join(file));
    let whole = |file: &str| own(file).and_then(|text| text.parse::<u64>().ok());
    // An NVMe namespace lies below its controller, and that below its PCI device.
    let pci = pci_device(&disk);
    BlockQueue {
        model: own("device/model"),
        vendor: own("device/vendor"),
        firmware: own("device/firmware_rev").or_else(|| own("device/rev")),
        rotational: own("queue/rotational").map(|flag| flag == "1"),
        turns_a_minute: std::fs::read(disk.join("device/vpd_pgb1")).ok().and_then(|page| turns_of_page(&page)),
        controller: controller(&disk),
        scheduler: own("queue/scheduler").map(|all| chosen(&all).unwrap_or(all)),
        write_cache: own("queue/write_cache"),
        cache_type: scsi(&disk, "scsi_disk", "cache_type"),
        requests: whole("queue/nr_requests"),
        queue_depth: whole("device/queue_depth"),
        optimal_io: whole("queue/optimal_io_size"),
        logical_block: whole("queue/logical_block_size"),
        physical_block: whole("queue/physical_block_size"),
        zoned: own("queue/zoned"),
        bytes: whole("size").map(|sectors| sectors * 512),
        numa_node: pci.as_deref().and_then(|pci| text(pci.join("numa_node"))?.parse().ok()).filter(|node| *node >= 0),
        link: pci.as_deref().and_then(link_now),
        link_most: pci.as_deref().and_then(link_most),
        iommu: pci.as_deref().map(iommu),
        sata_speed: sata_speed(&disk),
        partitions: partitions(&disk, &name),
        mounted: mounted(&disk, &name, mounts),
        health: None,
        name,
    }
}

fn pci_device(disk: &Path) -> Option<PathBuf> {
    // What hangs on a controller of many disks has no link of its own.
    let controller = nvme_controller::of(disk)?;
    controller.ancestors().find(|folder| folder.join("current_link_speed").exists()).map(Path::to_path_buf)
}

/// SBC-4, 6.6.2 "Block Device Characteristics VPD page".
fn turns_of_page(page: &[u8]) -> Option<u16> {
    let turns = u16::from_be_bytes([*page.get(4)?, *page.get(5)?]);
    (0x401..0xffff).contains(&turns).then_some(turns)
}

/// `0000:3b:00.0`, else `host7` or `nvme2`; of several controllers of one subsystem that subsystem.
fn controller(disk: &Path) -> Option<String> {
    let device = nvme_controller::of(disk).or_else(|| canonicalize(disk.join("device")).ok())?;
    let names: Vec<&str> = device.iter().filter_map(|name| name.to_str()).collect();
    let numbered = |name: &&&str| {
        let number = ["host", "nvme-subsys", "nvme"].iter().find_map(|kind| name.strip_prefix(kind));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()))
    };
    let found = names.iter().rev().find(|name| is_pci(name)).or_else(|| names.iter().rev().find(numbered))?;
    Some(found.to_string())
}

/// Domain, bus, device and function.
fn is_pci(name: &str) -> bool {
    let parts: Vec<&str> = name.split([':', '.']).collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let hex = parts.iter().all(|part| part.bytes().all(|c| c.is_ascii_hexdigit()));
    hex && matches!(lengths.as_slice(), [domain, 2, 2, 1] if *domain >= 4)
}

/// The kind of its IOMMU group; a device without a group is not translated.
fn iommu(pci: &Path) -> String {
    let group = pci.join("iommu_group");
    match (group.exists(), text(group.join("type"))) {
        (false, _) => "off".to_string(),
        (true, kind) => kind.unwrap_or_else(|| "unknown".to_string()),
    }
}

pub(super) fn link_now(pci: &Path) -> Option<(f64, u32)> {
    link_speed(pci, "current").zip(link_width(pci, "current"))
}

/// What the device can do, or the port that it is in, if that can do less. A device without a port above it has none.
pub(super) fn link_most(pci: &Path) -> Option<(f64, u32)> {
    let (speed, width) = (link_speed(pci, "max")?, link_width(pci, "max")?);
    let port = pci.parent();
    let port_speed = port.and_then(|port| link_speed(port, "max"));
    let port_width = port.and_then(|port| link_width(port, "max"));
    Some((port_speed.map_or(speed, |most| most.min(speed)), port_width.map_or(width, |most| most.min(width))))
}

/// `16.0 GT/s PCIe`.
fn link_speed(pci: &Path, which: &str) -> Option<f64> {
    text(pci.join(format!("{which}_link_speed")))?.split_whitespace().next()?.parse().ok()
}

fn link_width(pci: &Path, which: &str) -> Option<u32> {
    text(pci.join(format!("{which}_link_width")))?.parse().ok().filter(|width| *width > 0)
}

/// A file of the SCSI layer's folder of this kind: `device/scsi_disk/0:0:0:0/cache_type`.
fn scsi(disk: &Path, kind: &str, file: &str) -> Option<String> {
    let folder = disk.join("device").join(kind);
    let address = names(&folder).into_iter().next()?;
    text(folder.join(address).join(file))
}

/// The speed of the libata port to which the disk is attached.
fn sata_speed(disk: &Path) -> Option<String> {
    let device = canonicalize(disk.join("device")).ok()?;
    let port = device
        .ancestors()
        .find(|folder| folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ata")))?;
    let links = names(port).into_iter().filter(|name| name.starts_with("link"));
    links
        .filter_map(|link| text(port.join(&link).join("ata_link").join(&link).join("sata_spd")))
        .find(|speed| speed.ends_with("Gbps"))
}

fn partitions(disk: &Path, name: &str) -> Vec<(String, u64)> {
    let own = names(disk).into_iter().filter(|part| part.starts_with(name));
    own.filter_map(|part| Some((part.clone(), text(disk.join(&part).join("start"))?.parse().ok()?))).collect()
}

fn mounted(disk: &Path, name: &str, mounts: &str) -> Vec<String> {
    let parts: Vec<String> =
        partitions(disk, name).into_iter().map(|(part, _)| part).chain([name.to_string()]).collect();
    let own = |line: &str| {
        let mut fields = line.split_whitespace();
        let (device, place) = (fields.next()?.strip_prefix("/dev/")?, fields.next()?);
        (parts.iter().any(|part| part == device) && OF_SYSTEM.contains(&place)).then(|| place.to_string())
    };
    let mut places: Vec<String> = mounts.lines().filter_map(own).collect();
    places.sort();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Files of a made sysfs.
    fn write(folder: &Path, files: &[(&str, &str)]) {
        for (file, words) in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, words).unwrap();
        }
    }

    #[test]
    fn the_most_of_a_link_is_what_drive_and_slot_can_both_do() {
        let folder = tempfile::tempdir().unwrap();
        let drive = [
            ("root/port/drive/current_link_speed", "8.0 GT/s PCIe\n"),
            ("root/port/drive/current_link_width", "2\n"),
            ("root/port/drive/max_link_speed", "16.0 GT/s PCIe\n"),
            ("root/port/drive/max_link_width", "4\n"),
            ("root/port/drive/nvme/nvme0/model", "MODEL\n"),
            ("block/nvme0n1/size", "2048\n"),
        ];
        write(folder.path(), &drive);
        let controller = folder.path().join("root/port/drive/nvme/nvme0");
        std::os::unix::fs::symlink(controller, folder.path().join("block/nvme0n1/device")).unwrap();
        let link = || {
            let disk = all(&folder.path().join("block")).remove(0);
            (disk.link, disk.link_most)
        };
        assert_eq!(link(), (Some((8.0, 2)), Some((16.0, 4))), "there is no port");
        write(folder.path(), &[("root/port/max_link_speed", "8.0 GT/s PCIe\n"), ("root/port/max_link_width", "16\n")]);
        assert_eq!(link(), (Some((8.0, 2)), Some((8.0, 4))), "a slow slot with many lanes");
        write(folder.path(), &[("root/port/max_link_speed", "Unknown\n"), ("root/port/max_link_width", "2\n")]);
        assert_eq!(link(), (Some((8.0, 2)), Some((16.0, 2))), "a slot with two lanes");
    }

    #[test]
    fn an_nvme_drive_of_the_kernels_multipath_has_its_controllers_link_and_its_paths_are_no_disks() {
        let sys = nvme_controller::tests::multipath(&["nvme0"]);
        let slot = sys.path().join("devices/pci0000:00/slot-nvme0");
        write(&slot, &[("current_link_speed", "8.0 GT/s PCIe\n"), ("current_link_width", "4\n")]);
        let told = all(&sys.path().join("block"));
        let known: Vec<_> = told.iter().map(|disk| (disk.name.as_str(), disk.link)).collect();
        assert_eq!(known, [("nvme0n1", Some((8.0, 4)))]);
    }

    #[test]
    fn drives_of_one_hba_have_one_controller_and_others_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let of = |disk: &str, device: &str| {
            let (device, block) = (folder.path().join("devices").join(device), folder.path().join("block").join(disk));
            fs::create_dir_all(&device).unwrap();
            fs::create_dir_all(&block).unwrap();
            std::os::unix::fs::symlink(device, block.join("device")).unwrap();
            controller(&block)
        };
        let ports =
            ["host3/port-3:0/end_device-3:0/target3:0:0/3:0:0:0", "host3/port-3:1/end_device-3:1/target3:0:1/3:0:1:0"];
        for (disk, port) in ["sda", "sdb"].into_iter().zip(ports) {
            let found = of(disk, &format!("pci0000:3a/0000:3a:00.0/0000:3b:00.0/{port}"));
            assert_eq!(found.as_deref(), Some("0000:3b:00.0"));
        }
        assert_eq!(of("nvme0n1", "pci0000:00/0000:5e:00.0/nvme/nvme0").as_deref(), Some("0000:5e:00.0"));
        assert_eq!(of("sdc", "platform/host7/session1/target7:0:0/7:0:0:1").as_deref(), Some("host7"));
        assert_eq!(of("nvme2n1", "virtual/nvme-fabrics/ctl/nvme2").as_deref(), Some("nvme2"));
        assert_eq!(controller(&folder.path().join("block/none")), None);
    }

    #[test]
    fn a_disk_is_read_and_what_it_lacks_is_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            ("sda/queue/scheduler", "mq-deadline [bfq] none\n"),
            ("sda/queue/rotational", "1\n"),
            ("sda/queue/write_cache", "write back\n"),
            ("sda/device/model", "ST8000NM \n"),
            ("sda/device/scsi_disk/0:0:0:0/cache_type", "write through\n"),
            ("sda/size", "2048\n"),
            ("sda/sda1/start", "2047\n"),
            ("loop0/size", "8\n"),
            ("pci/iommu_group/type", "DMA-FQ\n"),
        ];
        write(folder.path(), &files);
        fs::write(folder.path().join("sda/device/vpd_pgb1"), [0, 0xb1, 0, 0x3c, 0x1c, 0x20, 0, 2]).unwrap();
        assert_eq!(turns_of_page(&[0, 0xb1, 0, 0x3c, 0, 1]), None, "flash");
        assert_eq!((iommu(&folder.path().join("pci")).as_str(), iommu(folder.path()).as_str()), ("DMA-FQ", "off"));
        fs::remove_dir_all(folder.path().join("pci")).unwrap();
        let told = all(folder.path());
        assert_eq!(told.len(), 1);
        let disk = &told[0];
        assert_eq!((disk.name.as_str(), disk.scheduler.as_deref(), disk.rotational), ("sda", Some("bfq"), Some(true)));
        assert_eq!(disk.turns_a_minute, Some(7200));
        assert_eq!((disk.cache_type.as_deref(), disk.bytes), (Some("write through"), Some(1 << 20)));
        assert_eq!(
            (disk.partitions.as_slice(), disk.queue_depth, disk.link),
            (&[("sda1".to_string(), 2047)][..], None, None)
        );
        assert_eq!(
            mounted(&folder.path().join("sda"), "sda", "/dev/sda1 / ext4 rw 0 0\n/dev/sdb1 /var ext4 rw 0 0"),
            ["/"]
        );
    }
}
