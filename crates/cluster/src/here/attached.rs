//! How disks are attached to this host, as far as its kernel tells (`/sys/block`): of a virtual machine, as what its host shows them.

use super::setup::{names, text};
use std::fs::canonicalize;
use std::path::Path;

/// `vda: virtio-blk, 4 queues, write back`; of those of which nothing is told, nothing.
pub fn among<'a>(disks: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let told = |disk: &String| Some(format!("{disk}: {}", of(Path::new("/sys"), disk)?));
    disks.into_iter().filter_map(told).collect()
}

/// Its bus, how many queues the kernel has for it, and what the kernel takes its cache for: `write through` has none to be flushed.
fn of(sys: &Path, disk: &str) -> Option<String> {
    let folder = sys.join("block").join(disk);
    let bus = bus(sys, &folder, disk)?;
    let queues = names(&folder.join("mq")).len();
    let queues = (queues > 1).then(|| format!("{queues} queues"));
    Some(
        [Some(bus), queues, text(folder.join("queue/write_cache"))]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", "),
    )
}

fn bus(sys: &Path, folder: &Path, disk: &str) -> Option<String> {
    let place = canonicalize(folder).ok()?.display().to_string();
    if disk.starts_with("nvme") {
        let controller = format!("nvme{}", disk.trim_start_matches("nvme").split('n').next().unwrap_or_default());
        let transport = text(sys.join("class/nvme").join(controller).join("transport"));
        let over = transport.filter(|transport| transport != "pcie").map(|transport| format!(" over {transport}"));
        return Some(format!("NVMe{}", over.unwrap_or_default()));
    }
    // A SCSI disk is below its adapter (`host2`), which says by which driver it is driven.
    let adapter = place.split('/').find(|part| part.strip_prefix("host").is_some_and(is_number));
    let driver = adapter.and_then(|adapter| text(sys.join("class/scsi_host").join(adapter).join("proc_name")));
    match driver.as_deref() {
        Some("virtio_scsi") => Some("virtio-scsi".to_string()),
        _ if place.contains("/ata") => Some("SATA".to_string()),
        _ if place.contains("/usb") => Some("USB".to_string()),
        Some(driver) => Some(format!("SCSI by {driver}")),
        None if place.contains("/virtio") => Some("virtio-blk".to_string()),
        None => None,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};
    use std::os::unix::fs::symlink;

    /// A disk in a tree as the kernel has it.
    fn told(place: &str, disk: &str, queues: usize, cache: &str, further: &[(&str, &str)]) -> Option<String> {
        let sys = tempfile::tempdir().unwrap();
        let own = sys.path().join("devices").join(place).join(disk);
        create_dir_all(own.join("queue")).unwrap();
        (0..queues).for_each(|queue| create_dir_all(own.join("mq").join(queue.to_string())).unwrap());
        write(own.join("queue/write_cache"), cache).unwrap();
        create_dir_all(sys.path().join("block")).unwrap();
        symlink(&own, sys.path().join("block").join(disk)).unwrap();
        for (file, content) in further {
            let file = sys.path().join(file);
            create_dir_all(file.parent().unwrap()).unwrap();
            write(file, content).unwrap();
        }
        of(sys.path(), disk)
    }

    #[test]
    fn a_disk_is_told_by_its_bus_its_queues_and_its_cache() {
        let told = |place, disk, queues, cache, further: &[_]| told(place, disk, queues, cache, further).unwrap();
        let virtio = told("pci0000:00/0000:00:04.0/virtio1/block", "vda", 4, "write back\n", &[]);
        assert_eq!(virtio, "virtio-blk, 4 queues, write back");
        let place = "pci0000:00/0000:00:05.0/virtio2/host2/target2:0:0/2:0:0:1/block";
        let scsi = told(place, "sdb", 1, "write through\n", &[("class/scsi_host/host2/proc_name", "virtio_scsi\n")]);
        assert_eq!(scsi, "virtio-scsi, write through");
        let place = "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block";
        let sata = told(place, "sda", 1, "write back\n", &[("class/scsi_host/host0/proc_name", "ahci\n")]);
        assert_eq!(sata, "SATA, write back");
        let place = "pci0000:00/0000:00:06.0/host3/target3:0:0/3:0:0:0/block";
        let other = told(place, "sdc", 1, "write back\n", &[("class/scsi_host/host3/proc_name", "sym53c8xx\n")]);
        assert_eq!(other, "SCSI by sym53c8xx, write back");
        let nvme = told("pci0000:00/0000:00:07.0/nvme/nvme0", "nvme0n1", 2, "write back\n", &[]);
        assert_eq!(nvme, "NVMe, 2 queues, write back");
        let place = "virtual/nvme-subsystem/nvme-subsys1";
        let fabric = told(place, "nvme1n1", 2, "write back\n", &[("class/nvme/nvme1/transport", "tcp\n")]);
        assert_eq!(fabric, "NVMe over tcp, 2 queues, write back");
    }

    #[test]
    fn what_is_no_disk_of_a_bus_is_not_told() {
        assert_eq!(told("virtual/block", "loop0", 1, "write back\n", &[]), None);
        assert_eq!(of(Path::new("/nowhere"), "vda"), None);
    }
}
