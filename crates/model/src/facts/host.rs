//! How a host is set up: kernel, processors, memory, disks, network, and the daemons that run on it.

use crate::bond::Bond;
use crate::drive_health::DriveHealth;
use crate::workload::Bytes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostSetup {
    pub name: String,
    pub kernel: Option<String>,
    /// Of the kernel, without what is secret.
    pub command_line: Option<String>,
    /// It runs on a hypervisor.
    pub virtual_machine: Option<bool>,
    pub processor: Option<String>,
    pub cores: Option<u32>,
    /// `on`, `off`, `forceoff`, `notsupported`.
    pub threads_per_core: Option<String>,
    /// Every governor that some processor has; empty: the kernel shows none.
    pub governors: Vec<String>,
    /// `intel_pstate`, `acpi-cpufreq`.
    pub frequency_driver: Option<String>,
    pub energy_preferences: Vec<String>,
    /// Of the first processor.
    pub idle_states: Vec<IdleState>,
    pub numa_nodes: Option<u32>,
    pub memory: Option<Bytes>,
    pub swap: Option<Bytes>,
    pub huge_pages: Option<String>,
    pub clock_source: Option<String>,
    pub clock_sources: Vec<String>,
    /// Those that rules read, by their names: `vm.swappiness`.
    pub sysctls: BTreeMap<String, String>,
    /// Profile of tuned.
    pub tuned: Option<String>,
    /// What the controllers of disks are called, where the kernel says that they are RAID controllers.
    pub raid_controllers: Option<Vec<String>>,
    pub disks: Vec<BlockQueue>,
    pub nics: Vec<NicSetup>,
    /// Of the cluster, beyond doubt.
    pub daemons: Vec<DaemonProcess>,
    /// Share of its time since it started that its hypervisor gave to others; `None`: it is no virtual machine, or it is not told.
    pub stolen: Option<f64>,
    /// Virtual machines that run on it and have images of a cluster as disks.
    pub guests: Option<Vec<Guest>>,
    /// CephFS as its kernel has it mounted; `None`: that is not known.
    pub file_mounts: Option<Vec<FileMount>>,
}

/// A CephFS that the kernel has mounted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileMount {
    /// Where: `/mnt/home`.
    pub at: String,
    /// Of its options those that rules read, as the kernel tells them: `rasize=131072`, `wsync`. Most are told only where they differ from the
    /// kernel's default.
    pub options: Vec<String>,
}

impl FileMount {
    pub fn has(&self, option: &str) -> bool {
        self.options.iter().any(|own| own == option)
    }

    /// `rasize=131072`: 131072.
    pub fn number(&self, option: &str) -> Option<Bytes> {
        self.options.iter().find_map(|own| own.strip_prefix(option)?.strip_prefix('=')?.parse().ok())
    }
}

/// A virtual machine of QEMU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Guest {
    pub name: String,
    /// As what each of its images is shown to it: `virtio-blk-pci`, `ide-hd`, `scsi-hd on lsi`.
    pub disks: Vec<String>,
    /// QEMU's cache of each of its images, where a word says it: `writeback`, `none`, `unsafe`.
    pub caches: Vec<String>,
    /// Of images that are shown by virtio: how many have a thread of their own for their I/O, and how many have not.
    pub own_threads: u32,
    pub main_thread: u32,
    /// Limits that QEMU holds its images to: `throttling.iops-total=500`.
    pub limits: Vec<String>,
    pub processors: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IdleState {
    pub name: String,
    /// To leave it, µs.
    pub exit_us: Option<u64>,
    pub disabled: Option<bool>,
}

/// A disk as the kernel uses it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BlockQueue {
    pub name: String,
    pub model: Option<String>,
    pub vendor: Option<String>,
    pub firmware: Option<String>,
    pub rotational: Option<bool>,
    /// By the drive's own word; `None`: it tells nothing, as virtual ones, or is flash.
    pub turns_a_minute: Option<u16>,
    /// What its data go through: the PCI function below which it is, else its SCSI host or NVMe controller.
    pub controller: Option<String>,
    /// The one in use.
    pub scheduler: Option<String>,
    /// What the kernel takes the disk's cache for: `write back`, `write through`.
    pub write_cache: Option<String>,
    /// What the SCSI layer read of the disk.
    pub cache_type: Option<String>,
    pub requests: Option<u64>,
    /// The depth of the device's own queue.
    pub queue_depth: Option<u64>,
    pub optimal_io: Option<u64>,
    pub logical_block: Option<u64>,
    pub physical_block: Option<u64>,
    pub zoned: Option<String>,
    pub bytes: Option<Bytes>,
    pub numa_node: Option<i64>,
    /// Of its PCIe link: GT/s and lanes, now, and at most by drive and slot.
    pub link: Option<(f64, u32)>,
    pub link_most: Option<(f64, u32)>,
    /// How the addresses of its transfers are translated: `DMA`, `DMA-FQ`, `identity`; `off`: not at all.
    pub iommu: Option<String>,
    /// `6.0 Gbps`.
    pub sata_speed: Option<String>,
    /// Offsets of its partitions, in sectors of 512 bytes.
    pub partitions: Vec<(String, u64)>,
    /// Something of the operating system is mounted from it.
    pub mounted: Vec<String>,
    /// `None`: it tells nothing, or it could not be asked.
    pub health: Option<DriveHealth>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NicSetup {
    pub name: String,
    /// It is a piece of hardware.
    pub physical: bool,
    pub up: Option<bool>,
    pub megabits: Option<u32>,
    pub duplex: Option<String>,
    pub mtu: Option<u32>,
    pub driver: Option<String>,
    pub numa_node: Option<i64>,
    pub link: Option<(f64, u32)>,
    pub link_most: Option<(f64, u32)>,
    pub bond: Option<Bond>,
    pub addresses: Vec<String>,
    /// The bond or bridge that it is a part of.
    pub part_of: Option<String>,
}

/// A process of Ceph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DaemonProcess {
    /// `osd.3`.
    pub name: String,
    /// Processors on which it may run.
    pub processors: Option<u32>,
    /// As many processors as its control group may use at once.
    pub quota: Option<f64>,
    /// Share of the periods in which it was held back since it began.
    pub throttled: Option<f64>,
    pub memory_limit: Option<Bytes>,
    /// `tcmalloc`, `jemalloc`, `glibc`.
    pub allocator: Option<String>,
    /// The file of that library: `libtcmalloc.so.4.5.9`.
    pub allocator_file: Option<String>,
    /// Bytes of tcmalloc's caches of threads, where its environment says it.
    pub thread_cache: Option<Bytes>,
    pub open_files: Option<u64>,
    /// Its program was replaced on disk since it began.
    pub replaced: Option<bool>,
}

impl HostSetup {
    pub fn sysctl(&self, name: &str) -> Option<u64> {
        self.sysctls.get(name)?.split_whitespace().next()?.parse().ok()
    }

    /// A word of the kernel's command line.
    pub fn booted_with(&self, word: &str) -> bool {
        self.command_line.iter().flat_map(|line| line.split_whitespace()).any(|own| own == word)
    }

    /// OSDs of the cluster run on it.
    pub fn has_osds(&self) -> bool {
        self.daemons.iter().any(|daemon| daemon.name.starts_with("osd."))
    }

    pub fn osds(&self) -> impl Iterator<Item = &DaemonProcess> {
        self.daemons.iter().filter(|daemon| daemon.name.starts_with("osd."))
    }
}
