//! Disks as the kernel uses them: scheduler, caches, links, where partitions begin (`/sys/block`).

use super::setup::{chosen, names, text};
use model::facts::BlockQueue;
use std::fs::{canonicalize, read_to_string};
use std::path::{Path, PathBuf};

/// Mounted from these, a disk serves the operating system.
const OF_SYSTEM: [&str; 6] = ["/", "/boot", "/var", "/var/lib", "/var/log", "/usr"];

pub fn all(folder: &Path) -> Vec<BlockQueue> {
    let made = ["loop", "ram", "zram", "sr", "fd", "dm-", "md", "nbd", "rbd"];
    let mounts = read_to_string("/proc/mounts").unwrap_or_default();
    let disks = names(folder).into_iter().filter(|name| !made.iter().any(|kind| name.starts_with(kind)));
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
    let link = |which: &str| link_of(pci.as_deref()?, which);
    BlockQueue {
        model: own("device/model"),
        vendor: own("device/vendor"),
        firmware: own("device/firmware_rev").or_else(|| own("device/rev")),
        rotational: own("queue/rotational").map(|flag| flag == "1"),
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
        link: link("current"),
        link_most: link("max"),
        iommu: pci.as_deref().map(iommu),
        sata_speed: sata_speed(&disk),
        partitions: partitions(&disk, &name),
        mounted: mounted(&disk, &name, mounts),
        health: None,
        name,
    }
}

fn pci_device(disk: &Path) -> Option<PathBuf> {
    let device = canonicalize(disk.join("device")).ok()?;
    device.ancestors().find(|folder| folder.join("current_link_speed").exists()).map(Path::to_path_buf).filter(|_| {
        // What hangs on a controller of many disks has no link of its own.
        disk.file_name().is_some_and(|name| name.to_string_lossy().starts_with("nvme"))
    })
}

/// The kind of its IOMMU group; a device without a group is not translated.
fn iommu(pci: &Path) -> String {
    let group = pci.join("iommu_group");
    match (group.exists(), text(group.join("type"))) {
        (false, _) => "off".to_string(),
        (true, kind) => kind.unwrap_or_else(|| "unknown".to_string()),
    }
}

/// `16.0 GT/s PCIe` and `4`.
pub(super) fn link_of(pci: &Path, which: &str) -> Option<(f64, u32)> {
    let speed = text(pci.join(format!("{which}_link_speed")))?;
    let width = text(pci.join(format!("{which}_link_width")))?;
    let (speed, width) = (speed.split_whitespace().next()?.parse().ok()?, width.parse().ok()?);
    (width > 0).then_some((speed, width))
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

    #[test]
    fn a_disk_is_read_and_what_it_lacks_is_unknown() {
        let folder = tempfile::tempdir().unwrap();
        for (file, words) in [
            ("sda/queue/scheduler", "mq-deadline [bfq] none\n"),
            ("sda/queue/rotational", "1\n"),
            ("sda/queue/write_cache", "write back\n"),
            ("sda/device/model", "ST8000NM \n"),
            ("sda/device/scsi_disk/0:0:0:0/cache_type", "write through\n"),
            ("sda/size", "2048\n"),
            ("sda/sda1/start", "2047\n"),
            ("loop0/size", "8\n"),
            ("pci/iommu_group/type", "DMA-FQ\n"),
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, words).unwrap();
        }
        assert_eq!((iommu(&folder.path().join("pci")).as_str(), iommu(folder.path()).as_str()), ("DMA-FQ", "off"));
        fs::remove_dir_all(folder.path().join("pci")).unwrap();
        let told = all(folder.path());
        assert_eq!(told.len(), 1);
        let disk = &told[0];
        assert_eq!((disk.name.as_str(), disk.scheduler.as_deref(), disk.rotational), ("sda", Some("bfq"), Some(true)));
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
