//! Facts of the host on which Fathom runs.

pub mod attached;
mod block_queues;
mod bonds;
mod disks;
mod guests;
pub mod mapped_image;
mod missing;
pub mod mounts;
mod nic_setup;
pub(crate) mod nics;
mod osds_beside;
mod processes;
pub mod quotas;
mod setup;

pub use nics::{addresses, nics};
pub use osds_beside::osds_on;
pub use setup::setup;

use model::{DeviceScope, DriveAbout, HostFacts, HostScope};
use procfs::{Current, Meminfo};
use std::fs::read_to_string;
use std::path::Path;

pub fn host_name() -> String {
    nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok()).unwrap_or_else(|| "localhost".to_string())
}

pub fn host() -> HostScope {
    let cpuinfo = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = cpuinfo.lines().find(|line| line.starts_with(name))?;
        line.split_once(':').map(|(_, value)| value.trim().to_string())
    };
    HostScope {
        name: host_name(),
        address: None,
        namespace: None,
        kernel: read_to_string("/proc/sys/kernel/osrelease").ok().map(|text| text.trim().to_string()),
        cpu: field("model name"),
        cores: std::thread::available_parallelism().ok().map(|n| n.get() as u32),
        memory: Meminfo::current().ok().map(|memory| memory.mem_total),
        here: true,
    }
}

/// All of it, as an agent tells it.
pub fn facts() -> HostFacts {
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).ok().flatten();
    HostFacts {
        scope: host(),
        nics: nics(),
        disks: disks::disks(),
        user: user.map_or_else(|| nix::unistd::geteuid().to_string(), |user| user.name),
        boot: read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_string(),
        ceph: ceph::release(),
        missing: missing::missing(),
    }
}

/// The drive on which a path lies, also through a volume, with its health; `None`: what it lies on is no drive that the kernel lists, or
/// several.
pub fn drive_of(path: &std::path::Path) -> Option<DriveAbout> {
    let whole = one_disk_of(path)?;
    let mut queue = block_queues::all(Path::new("/sys/block")).into_iter().find(|queue| queue.name == whole)?;
    let mut health = crate::smart::health(&queue.name);
    if let Ok(health) = &mut health {
        queue.model = health.model.clone().or(queue.model);
        health.temperature_most = crate::temperature::most(&queue.name).or(health.temperature_most);
    }
    Some(DriveAbout { queue, health })
}

/// The only disk below a path.
fn one_disk_of(path: &Path) -> Option<String> {
    let mut disks = crate::devices::disks_of(path).into_iter();
    disks.next().filter(|_| disks.next().is_none())
}

/// The block device that holds a path: `/dev/vda`, with its model. `None` for memory file systems.
pub fn device_of(path: &std::path::Path) -> Option<DeviceScope> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let metadata = std::fs::metadata(path).ok()?;
    let number = if metadata.file_type().is_block_device() { metadata.rdev() } else { metadata.dev() };
    let (major, minor) = (nix::sys::stat::major(number), nix::sys::stat::minor(number));
    let folder = std::fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()?;
    let name = folder.file_name()?.to_string_lossy().into_owned();
    // A partition's queue and model are its disk's.
    let disk = if folder.join("partition").exists() { folder.parent()?.to_path_buf() } else { folder.clone() };
    let text = |file: &str| read_to_string(disk.join(file)).ok().map(|text| text.trim().to_string());
    Some(DeviceScope {
        path: format!("/dev/{name}"),
        host: Some(host_name()),
        // A volume has none itself.
        model: text("device/model").or_else(|| {
            let below = Path::new("/sys/block").join(one_disk_of(path)?).join("device/model");
            read_to_string(below).ok().map(|text| text.trim().to_string())
        }),
        bytes: read_to_string(folder.join("size")).ok().and_then(|n| n.trim().parse::<u64>().ok()).map(|n| n * 512),
        rotational: text("queue/rotational").map(|flag| flag == "1"),
        osds: Vec::new(),
    })
}
