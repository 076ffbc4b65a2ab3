//! Virtual machines of QEMU on this host: as what images of a cluster are shown to them (command lines of processes, of which nothing else is kept).

use super::setup::names;
use model::facts::Guest;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{read, read_to_string};
use std::path::Path;

/// `None`: the processes can't be seen.
pub fn all(processes: &Path) -> Option<Vec<Guest>> {
    let ids: Vec<String> = names(processes).into_iter().filter(|name| name.parse::<u32>().is_ok()).collect();
    let is_one = |id: &&String| {
        let name = read_to_string(processes.join(id).join("comm")).unwrap_or_default();
        name.starts_with("qemu") || name.trim() == "kvm"
    };
    let line = |id: &String| {
        let line = read(processes.join(id).join("cmdline")).ok()?;
        let words = line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
        Some(words.filter(|word| !word.is_empty()).collect::<Vec<_>>())
    };
    let guests = ids.iter().filter(is_one).filter_map(line).map(|line| guest(&line));
    (!ids.is_empty()).then(|| guests.filter(|guest| !guest.disks.is_empty()).collect())
}

fn guest(line: &[String]) -> Guest {
    let of = |wanted: &'static str| {
        let option = move |word: &String| word.trim_start_matches('-') == wanted && word.starts_with('-');
        line.windows(2).filter(move |pair| option(&pair[0])).map(|pair| fields(&pair[1]))
    };
    let devices: Vec<Fields> = of("device").collect();
    let backends: Vec<Fields> = of("blockdev").collect();
    // An image as it is, and what is put before it: `raw` on the image.
    let mut of_rbd: Vec<&str> = Vec::new();
    for backend in &backends {
        let below = backend.get("file").map(String::as_str);
        let image =
            backend.values().any(|value| is_image(value)) || backend.get("driver").is_some_and(|own| own == "rbd");
        if image || below.is_some_and(|below| of_rbd.contains(&below)) {
            of_rbd.extend(backend.get("node-name").map(String::as_str));
        }
    }
    let named = of_rbd.iter().filter_map(|node| shown_as(node, &devices));
    let drives: Vec<Fields> =
        of("drive").filter(|drive| drive.get("file").is_some_and(|file| is_image(file))).collect();
    let drives = drives.iter().filter_map(|drive| match drive.get("if").map(String::as_str) {
        Some("none") => shown_as(drive.get("id")?, &devices),
        // Without a word QEMU takes the board's own, which is IDE.
        None => Some("ide".to_string()),
        Some(other) => Some(other.to_string()),
    });
    let name = of("name").next().and_then(|name| name.get("guest").or(name.get("")).cloned()).unwrap_or_default();
    Guest { name, disks: named.chain(drives).collect() }
}

/// The device that has this drive; of a SCSI disk its controller as well, since that is what is emulated.
fn shown_as(drive: &str, devices: &[Fields]) -> Option<String> {
    let device = devices.iter().find(|device| device.get("drive").is_some_and(|own| own == drive))?;
    let model = device.get("driver")?;
    let bus = device.get("bus").filter(|_| model.starts_with("scsi-")).and_then(|bus| bus.split('.').next());
    let controller = devices.iter().find(|other| bus.is_some() && other.get("id").map(String::as_str) == bus);
    match controller.and_then(|controller| controller.get("driver")) {
        Some(controller) => Some(format!("{model} on {controller}")),
        None => Some(model.clone()),
    }
}

/// By librbd, or mapped by the kernel.
fn is_image(file: &str) -> bool {
    file.starts_with("rbd:") || file.starts_with("/dev/rbd")
}

type Fields = BTreeMap<String, String>;

/// `driver,key=value,…`, or the same as JSON.
fn fields(text: &str) -> Fields {
    if let Ok(Value::Object(object)) = serde_json::from_str(text) {
        let word = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
        return object.into_iter().map(|(key, value)| (key, word(value))).collect();
    }
    let mut found = Fields::new();
    for part in text.split(',') {
        match part.split_once('=') {
            Some((key, value)) => found.entry(key.to_string()).or_insert(value.to_string()),
            None => found.entry(if found.is_empty() { "driver" } else { "" }.to_string()).or_insert(part.to_string()),
        };
    }
    if let Some(first) = found.get("driver").cloned() {
        found.entry(String::new()).or_insert(first);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn disks(line: &str) -> (String, Vec<String>) {
        let Guest { name, disks } = guest(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>());
        (name, disks)
    }

    fn told(name: &str, disks: &[&str]) -> (String, Vec<String>) {
        (name.to_string(), disks.iter().map(|disk| disk.to_string()).collect())
    }

    #[test]
    fn a_drive_is_shown_as_its_device_or_as_what_qemu_takes_by_itself() {
        let plain = "kvm -m 16384 -drive format=raw,file=rbd:libvirt-pool/CentOS8 -net nic";
        assert_eq!(disks(plain), told("", &["ide"]));
        let virtio =
            "kvm -name web,debug-threads=on -drive id=rbd0,if=none,file=rbd:p/i -device virtio-blk-pci,drive=rbd0";
        assert_eq!(disks(virtio), told("web", &["virtio-blk-pci"]));
        let scsi = "kvm -name guest=db -device lsi,id=scsihw0 -drive file=/dev/rbd-pve/f/p/vm,if=none,id=d0 \
                    -device scsi-hd,bus=scsihw0.0,drive=d0 -drive file=/var/x.iso,if=none,id=d1 -device ide-cd,drive=d1";
        assert_eq!(disks(scsi), told("db", &["scsi-hd on lsi"]));
    }

    #[test]
    fn nodes_of_libvirt_are_followed_to_their_device() {
        let line = r#"qemu-kvm -name guest=a,debug-threads=on
            -blockdev {"driver":"rbd","pool":"p","image":"i","node-name":"s"} -blockdev {"node-name":"f","driver":"raw","file":"s"}
            -device {"driver":"ide-hd","bus":"ide.0","drive":"f","id":"sata0"}"#;
        assert_eq!(disks(line), told("a", &["ide-hd"]));
    }

    #[test]
    fn processes_that_are_none_and_guests_without_images_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(all(folder.path()), None);
        for (id, comm, line) in [
            ("1", "bash", "-drive\0file=rbd:p/i"),
            ("2", "qemu-system-x86", "qemu\0-drive\0file=/srv/disk.raw"),
            ("3", "kvm", "kvm\0-name\0c\0-drive\0file=rbd:p/i:key=secret"),
        ] {
            fs::create_dir(folder.path().join(id)).unwrap();
            fs::write(folder.path().join(id).join("comm"), format!("{comm}\n")).unwrap();
            fs::write(folder.path().join(id).join("cmdline"), line).unwrap();
        }
        assert_eq!(all(folder.path()), Some(vec![Guest { name: "c".into(), disks: vec!["ide".into()] }]));
    }
}
