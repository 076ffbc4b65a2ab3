//! What an OSD says of itself, its store and its host.

use super::Version;
use crate::stores::StoreDevices;
use crate::workload::Bytes;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct OsdFacts {
    pub id: u32,
    /// As the CRUSH map has it.
    pub host: String,
    pub class: Option<String>,
    pub up: Option<bool>,
    pub inside: Option<bool>,
    /// From 0 to 1: the share of its placement groups that it keeps.
    pub reweight: Option<f64>,
    pub crush_weight: Option<f64>,
    pub primary_affinity: Option<f64>,
    /// Share of its space that is in use.
    pub used: Option<f64>,
    pub bytes: Option<Bytes>,
    /// Copies of placement groups that it keeps.
    pub groups: Option<u32>,
    /// How many of these placement groups it is the primary of.
    pub primaries: Option<u32>,
    /// The monitors' `laggy_probability`: how likely it is that this OSD is marked down although it runs.
    pub laggy: Option<f64>,
    /// Seconds from the time when it was last marked down to the newest OSD map.
    pub down_before: Option<f64>,
    pub public_address: Option<String>,
    pub cluster_address: Option<String>,
    pub version: Option<Version>,
    /// The release that made its store.
    pub created_by: Option<Version>,
    /// `bluestore`, `filestore`.
    pub store: Option<String>,
    /// What the kernel said of its data device when the OSD began.
    pub rotational: Option<bool>,
    pub journal_rotational: Option<bool>,
    /// `hdd`, `ssd`: what the OSD takes its device for.
    pub taken_for: Option<String>,
    /// Kernel names of its disks: `sda`, `nvme0n1`, those of its database included.
    pub devices: Vec<String>,
    /// Of its data alone.
    pub data_devices: Vec<String>,
    /// Of its database and of its log, where these have devices of their own.
    pub db_devices: Vec<String>,
    pub wal_devices: Vec<String>,
    /// Kernel name and model of each, where known.
    pub models: Vec<(String, String)>,
    pub min_alloc: Option<Bytes>,
    pub optimal_io: Option<Bytes>,
    pub dedicated_db: Option<bool>,
    pub dedicated_wal: Option<bool>,
    pub db_bytes: Option<Bytes>,
    pub wal_bytes: Option<Bytes>,
    pub db_rotational: Option<bool>,
    /// `KernelDevice`, or another way to its device.
    pub driver: Option<String>,
    pub osd_type: Option<String>,
    /// The folder of its data.
    pub data: Option<String>,
    pub kernel: Option<String>,
    pub distribution: Option<String>,
    /// It runs in a container.
    pub container: Option<bool>,
    pub processor: Option<String>,
    pub memory: Option<Bytes>,
    pub swap: Option<Bytes>,
    pub numa_node: Option<i64>,
    pub network_numa_node: Option<i64>,
    pub store_numa_node: Option<i64>,
}

impl OsdFacts {
    /// On which devices its store works.
    pub fn store_devices(&self) -> StoreDevices {
        let apart = match (self.dedicated_db, self.dedicated_wal) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
        let log = if self.dedicated_wal == Some(true) { &self.wal_devices } else { &self.db_devices };
        StoreDevices { data: self.data_devices.clone(), log: log.clone(), apart }
    }

    /// Its data are on whole disks, not in files or on devices made of files: of those media and links tell nothing.
    pub fn on_disks(&self) -> bool {
        !self.data_devices.is_empty() && !self.data_devices.iter().any(|name| is_made(name))
    }

    pub fn on_nvme(&self) -> bool {
        self.on_disks() && self.data_devices.iter().all(|name| name.starts_with("nvme"))
    }

    /// On rotating disks, as far as device, kernel and class agree.
    pub fn on_hdd(&self) -> bool {
        self.on_disks() && !self.on_nvme() && self.rotational == Some(true) && self.class.as_deref() != Some("ssd")
    }

    pub fn on_flash(&self) -> bool {
        self.on_nvme() || (self.on_disks() && self.rotational == Some(false))
    }

    /// Flash by what its disks are called, whatever kernel and class say: NVMe, or a model that says SSD.
    pub fn is_named_flash(&self) -> bool {
        let says = |disk: &String| {
            self.models.iter().any(|(name, model)| name == disk && model.to_ascii_uppercase().contains("SSD"))
        };
        self.on_nvme() || (self.on_disks() && self.data_devices.iter().all(says))
    }

    /// The kernel says that its disk rotates, or it takes it for a hard disk.
    pub fn says_it_rotates(&self) -> bool {
        self.rotational == Some(true) || self.taken_for.as_deref() == Some("hdd")
    }

    /// It belongs to a throwaway cluster of Fathom's.
    pub fn of_lab(&self) -> bool {
        // In memory, or where all of it is.
        let own =
            |data: &String| data.split('/').any(|part| part.starts_with("fathom-")) || data.contains("/fathom/labs/");
        self.data.as_ref().is_some_and(own)
    }
}

/// The kernel makes it of a file, of memory or of an image.
pub(crate) fn is_made(name: &str) -> bool {
    let name = name.strip_prefix("/dev/").unwrap_or(name);
    ["loop", "ram", "zram", "nbd", "rbd"].iter().any(|kind| name.starts_with(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flash_is_known_by_the_model_of_the_disk_that_has_the_data() {
        let flash = |disk: &str, models: &[(&str, &str)]| {
            let models = models.iter().map(|(name, model)| (name.to_string(), model.to_string())).collect();
            OsdFacts { data_devices: vec![disk.to_string()], models, ..OsdFacts::default() }.is_named_flash()
        };
        assert!(flash("nvme0n1", &[]) && flash("sda", &[("sda", "Samsung_SSD_870")]));
        assert!(!flash("sda", &[("sda", "ST8000NM"), ("sdb", "INTEL_SSDSC2BB")]), "that is its database's");
        assert!(!flash("sda", &[]) && !OsdFacts::default().is_named_flash());
    }

    #[test]
    fn a_lab_is_known_by_where_its_data_are_whatever_they_lie_on() {
        let of_lab = |data: &str| OsdFacts { data: Some(data.to_string()), ..OsdFacts::default() }.of_lab();
        assert!(of_lab("/dev/shm/fathom-default-0a1b2c3d/osd.0") && of_lab("/root/.local/share/fathom/labs/x/osd.1"));
        assert!(!of_lab("/var/lib/ceph/osd/ceph-1") && !of_lab("/srv/fathom/labs"));
        assert!(!OsdFacts::default().of_lab());
    }
}
