//! The disks of this host, as the kernel lists them.

use super::host_name;
use model::DeviceScope;
use std::fs::{read_dir, read_to_string};
use std::path::Path;

/// Whole disks that hold something: no partitions, loop devices, memory disks or empty drives.
pub fn disks() -> Vec<DeviceScope> {
    let names = read_dir("/sys/block").into_iter().flatten().flatten();
    let mut names: Vec<String> = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    let real = |name: &String| {
        !["loop", "ram", "zram", "sr", "fd", "dm-", "md", "nbd", "rbd"].iter().any(|no| name.starts_with(no))
    };
    names.into_iter().filter(real).filter_map(|name| of_sysfs(&name)).collect()
}

fn of_sysfs(name: &str) -> Option<DeviceScope> {
    let folder = Path::new("/sys/block").join(name);
    let text = |file: &str| read_to_string(folder.join(file)).ok().map(|text| text.trim().to_string());
    let bytes = text("size")?.parse::<u64>().ok()? * 512;
    (bytes > 0).then(|| DeviceScope {
        path: format!("/dev/{name}"),
        host: Some(host_name()),
        model: text("device/model").filter(|model| !model.is_empty()),
        bytes: Some(bytes),
        rotational: text("queue/rotational").map(|flag| flag == "1"),
        osds: Vec::new(),
    })
}
