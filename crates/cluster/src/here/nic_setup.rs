//! Network interfaces as they are set up: driver, duplex, the slot that they are in (`/sys/class/net`).

use super::block_queues::{link_most, link_now};
use super::nics;
use super::setup::{names, text};
use model::facts::NicSetup;
use std::fs::{canonicalize, read_link};
use std::path::Path;

const FOLDER: &str = "/sys/class/net";

/// Those that are up, with what is below them: the legs of bonds and bridges.
pub fn all() -> Vec<NicSetup> {
    let known = nics();
    let mut all: Vec<NicSetup> = known
        .iter()
        .map(|nic| {
            let own = of_sysfs(Path::new(FOLDER), &nic.name);
            NicSetup {
                megabits: nic.megabits,
                mtu: nic.mtu,
                bond: nic.bond.clone(),
                addresses: nic.addresses.clone(),
                ..own
            }
        })
        .collect();
    let legs = names(Path::new(FOLDER)).into_iter().filter(|name| known.iter().all(|nic| nic.name != *name));
    all.extend(legs.map(|name| of_sysfs(Path::new(FOLDER), &name)).filter(|nic| nic.part_of.is_some()));
    all
}

fn of_sysfs(folder: &Path, name: &str) -> NicSetup {
    let own = folder.join(name);
    let file = |file: &str| text(own.join(file));
    let device = canonicalize(own.join("device")).ok();
    let last = |link: std::io::Result<std::path::PathBuf>| {
        link.ok().and_then(|link| link.file_name().map(|name| name.to_string_lossy().into_owned()))
    };
    let physical = device.is_some();
    let megabits = file("speed").and_then(|speed| speed.parse::<u32>().ok()).filter(|speed| *speed > 0);
    NicSetup {
        name: name.to_string(),
        physical,
        up: file("operstate").filter(|state| state != "unknown").map(|state| state == "up"),
        megabits: megabits.filter(|_| physical),
        duplex: file("duplex").filter(|duplex| physical && duplex != "unknown"),
        mtu: file("mtu").and_then(|mtu| mtu.parse().ok()),
        driver: last(read_link(own.join("device/driver"))),
        numa_node: device
            .as_deref()
            .and_then(|device| text(device.join("numa_node"))?.parse().ok())
            .filter(|node| *node >= 0),
        link: device.as_deref().and_then(link_now),
        link_most: device.as_deref().and_then(link_most),
        part_of: last(read_link(own.join("master"))),
        ..NicSetup::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_virtual_interface_has_no_speed_and_a_card_has_its_link() {
        let folder = tempfile::tempdir().unwrap();
        for (file, words) in [
            ("veth0/speed", "10000\n"),
            ("veth0/mtu", "1500\n"),
            ("eth0/speed", "25000\n"),
            ("eth0/duplex", "full\n"),
            ("eth0/device/current_link_speed", "8.0 GT/s PCIe\n"),
            ("eth0/device/current_link_width", "4\n"),
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, words).unwrap();
        }
        let told = of_sysfs(folder.path(), "veth0");
        assert_eq!((told.physical, told.megabits, told.mtu), (false, None, Some(1500)));
        let told = of_sysfs(folder.path(), "eth0");
        assert_eq!((told.megabits, told.link, told.link_most), (Some(25_000), Some((8.0, 4)), None));
    }
}
