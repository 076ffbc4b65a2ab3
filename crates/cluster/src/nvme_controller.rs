//! The controller of an NVMe drive, in sysfs: where its cache, its link and its sensor are.

use std::fs::{canonicalize, read_dir, read_to_string};
use std::path::{Path, PathBuf};

/// Of a disk's folder in `/sys/block`; `None`: it is no NVMe drive, or several controllers lead to it. With the kernel's own multipath
/// (`nvme_core.multipath`) a disk hangs on its subsystem, in which its controllers are.
pub fn of(disk: &Path) -> Option<PathBuf> {
    let device = canonicalize(disk.join("device")).ok()?;
    if is_controller(&device) {
        return Some(device);
    }
    device.file_name()?.to_str()?.strip_prefix("nvme-subsys")?;
    let mut all = read_dir(&device).ok()?.flatten().map(|entry| entry.path()).filter(|path| is_controller(path));
    let one = all.next().filter(|_| all.next().is_none())?;
    canonicalize(one).ok()
}

fn is_controller(path: &Path) -> bool {
    let number = path.file_name().and_then(|name| name.to_str()?.strip_prefix("nvme"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()))
}

/// One path of several to a drive (`nvme0c0n1`), which nobody can open.
pub fn is_hidden(disk: &Path) -> bool {
    read_to_string(disk.join("hidden")).is_ok_and(|flag| flag.trim() == "1")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};
    use std::os::unix::fs::symlink;

    /// A sysfs in which `nvme0n1` is the head of these controllers' paths.
    pub(crate) fn multipath(controllers: &[&str]) -> tempfile::TempDir {
        let sys = tempfile::tempdir().unwrap();
        let at = |place: &str| sys.path().join(place);
        let subsystem = at("devices/virtual/nvme-subsystem/nvme-subsys0");
        create_dir_all(subsystem.join("nvme0n1")).unwrap();
        create_dir_all(at("block/nvme0n1")).unwrap();
        symlink(&subsystem, at("block/nvme0n1/device")).unwrap();
        write(at("block/nvme0n1/size"), "2048\n").unwrap();
        for name in controllers {
            let own = at("devices/pci0000:00").join(format!("slot-{name}/nvme")).join(name);
            create_dir_all(&own).unwrap();
            symlink(&own, subsystem.join(name)).unwrap();
            let hidden = at("block").join(format!("nvme0c{}n1", name.trim_start_matches("nvme")));
            create_dir_all(&hidden).unwrap();
            write(hidden.join("hidden"), "1\n").unwrap();
        }
        sys
    }

    #[test]
    fn a_drive_below_its_subsystem_is_its_only_controllers() {
        let name = |sys: &tempfile::TempDir| {
            let found = of(&sys.path().join("block/nvme0n1"))?;
            Some(found.file_name()?.to_str()?.to_string())
        };
        assert_eq!(name(&multipath(&["nvme3"])).as_deref(), Some("nvme3"));
        assert_eq!(name(&multipath(&["nvme0", "nvme1"])), None, "either could be meant");
        let sys = multipath(&["nvme0"]);
        assert!(is_hidden(&sys.path().join("block/nvme0c0n1")) && !is_hidden(&sys.path().join("block/nvme0n1")));
        let controller = sys.path().join("devices/pci0000:00/slot-nvme0/nvme/nvme0");
        create_dir_all(sys.path().join("block/nvme1n1")).unwrap();
        symlink(&controller, sys.path().join("block/nvme1n1/device")).unwrap();
        assert_eq!(of(&sys.path().join("block/nvme1n1")), canonicalize(controller).ok());
    }
}
