//! How hot a drive is now: by the kernel's sensor where it has one, which costs the drive least, else by smartctl.

use crate::{nvme_controller, smart};
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

/// °C of a disk, as in /sys/block; `None`: it does not tell.
pub fn now(disk: &str) -> Option<f64> {
    by_kernel(&Path::new("/sys/block").join(disk), NOW).or_else(|| smart::temperature(disk))
}

/// °C from which on it is too hot for its maker, as the kernel knows it: of NVMe the warning's threshold (WCTEMP).
pub fn most(disk: &str) -> Option<f64> {
    by_kernel(&Path::new("/sys/block").join(disk), MOST)
}

const NOW: &str = "temp1_input";
const MOST: &str = "temp1_max";

/// The sensors of a drive hang on its device (SATA: module drivetemp) or on the controller's (NVMe): `device/hwmon/hwmon3`, `device/hwmon3`.
/// The first input is the drive as a whole (the kernel's Documentation/hwmon/drivetemp.rst; NVMe's composite temperature).
fn by_kernel(disk: &Path, file: &str) -> Option<f64> {
    let device = nvme_controller::of(disk).unwrap_or_else(|| disk.join("device"));
    let sensors = |folder: &Path| -> Vec<PathBuf> {
        let entries = read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_sensor = |path: &PathBuf| {
            path.file_name()
                .and_then(|name| name.to_str()?.strip_prefix("hwmon"))
                .is_some_and(|number| !number.is_empty())
        };
        entries.filter(is_sensor).collect()
    };
    let all = sensors(&device).into_iter().chain(sensors(&device.join("hwmon")));
    let celsius = all.filter_map(|sensor| read_to_string(sensor.join(file)).ok()?.trim().parse::<f64>().ok());
    { celsius }.map(|thousandths| thousandths / 1e3).find(|celsius| smart::PLAUSIBLE.contains(celsius))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_kernels_sensor_is_read_wherever_it_hangs() {
        let folder = tempfile::tempdir().unwrap();
        let sensor = |disk: &str, place: &str, text: &str| {
            let sensor = folder.path().join(disk).join(place);
            fs::create_dir_all(&sensor).unwrap();
            fs::write(sensor.join("temp1_input"), text).unwrap();
        };
        sensor("sda", "device/hwmon/hwmon2", "41000\n");
        sensor("nvme0n1", "device/hwmon12", "50850\n");
        sensor("sdb", "device/hwmon/hwmon3", "0\n");
        sensor("sdc", "device/hwmon/hwmon4", "x\n");
        let told = |disk: &str| by_kernel(&folder.path().join(disk), NOW);
        assert_eq!(["sda", "nvme0n1", "sdb", "sdc", "none"].map(told), [Some(41.0), Some(50.85), None, None, None]);
        let sys = nvme_controller::tests::multipath(&["nvme0"]);
        let sensor = sys.path().join("devices/pci0000:00/slot-nvme0/nvme/nvme0/hwmon3");
        fs::create_dir_all(&sensor).unwrap();
        fs::write(sensor.join(NOW), "45000\n").unwrap();
        assert_eq!(by_kernel(&sys.path().join("block/nvme0n1"), NOW), Some(45.0), "below its subsystem");
    }
}
