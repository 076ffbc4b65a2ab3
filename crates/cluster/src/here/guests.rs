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
    let drive_list: Vec<Fields> =
        of("drive").filter(|drive| drive.get("file").is_some_and(|file| is_image(file))).collect();
    let drives = drive_list.iter().filter_map(|drive| match drive.get("if").map(String::as_str) {
        Some("none") => shown_as(drive.get("id")?, &devices),
        // Without a word QEMU takes the board's own, which is IDE.
        None => Some("ide".to_string()),
        Some(other) => Some(other.to_string()),
    });
    let name = of("name").next().and_then(|name| name.get("guest").or(name.get("")).cloned()).unwrap_or_default();
    let own: Vec<&Fields> = images(&of_rbd, &backends, &drive_list);
    // A limit of a group holds for the images that name it.
    let named_group = |group: &Fields| {
        let own_name =
            |one: &&Fields| ["throttle-group", "throttling.group"].iter().any(|key| one.get(*key) == group.get("id"));
        group.contains_key("id") && own.iter().any(own_name)
    };
    let groups: Vec<Fields> = of("object").filter(named_group).collect();
    let shown: Vec<&Fields> = devices.iter().filter(|device| shows(device, &of_rbd, &drive_list)).collect();
    let virtio: Vec<&&Fields> = shown.iter().filter(|device| is_virtio(device, &devices)).collect();
    let with_thread = virtio.iter().filter(|device| thread_of(device, &devices)).count();
    Guest {
        name,
        disks: named.chain(drives).collect(),
        caches: own.iter().filter_map(|one| cache(one)).collect(),
        own_threads: with_thread as u32,
        main_thread: (virtio.len() - with_thread) as u32,
        limits: own.into_iter().chain(&groups).flat_map(limits).collect(),
        processors: of("smp").next().and_then(|smp| processors(&smp)),
    }
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

/// What is said of images themselves: drives, and nodes that are one or stand before one.
fn images<'f>(of_rbd: &[&str], nodes: &'f [Fields], drives: &'f [Fields]) -> Vec<&'f Fields> {
    let own = |node: &&Fields| node.get("node-name").is_some_and(|name| of_rbd.contains(&name.as_str()));
    nodes.iter().filter(own).chain(drives).collect()
}

/// It shows an image to the guest.
fn shows(device: &Fields, of_rbd: &[&str], drives: &[Fields]) -> bool {
    let of_drive = |name: &String| drives.iter().any(|drive| drive.get("id") == Some(name));
    device.get("drive").is_some_and(|name| of_rbd.contains(&name.as_str()) || of_drive(name))
}

/// By virtio-blk, or as a SCSI disk behind virtio-scsi.
fn is_virtio(device: &Fields, devices: &[Fields]) -> bool {
    let of = |device: &Fields| device.get("driver").is_some_and(|driver| driver.starts_with("virtio-"));
    of(device) || controller(device, devices).is_some_and(of)
}

/// The device or its controller names a thread for I/O, or several.
fn thread_of(device: &Fields, devices: &[Fields]) -> bool {
    let own = |device: &Fields| device.contains_key("iothread") || device.contains_key("iothread-vq-mapping");
    own(device) || controller(device, devices).is_some_and(own)
}

fn controller<'f>(device: &Fields, devices: &'f [Fields]) -> Option<&'f Fields> {
    let bus = device.get("bus")?.split('.').next();
    devices.iter().find(|other| other.get("id").map(String::as_str) == bus)
}

/// In the words of -drive cache=; of a node by whether it goes past the host's cache, and whether flushes are left out.
fn cache(image: &Fields) -> Option<String> {
    let on = |value: &String| value == "on" || value == "true";
    if let Some(word) = image.get("cache") {
        // A node has an object here: `{"direct":true,"no-flush":false}`.
        return match serde_json::from_str::<Value>(word) {
            Ok(Value::Object(words)) if words.get("no-flush") == Some(&Value::Bool(true)) => Some("unsafe".to_string()),
            Ok(Value::Object(words)) => words.get("direct")?.as_bool().map(by_direct),
            _ => Some(word.clone()),
        };
    }
    if image.get("cache.no-flush").is_some_and(on) {
        return Some("unsafe".to_string());
    }
    image.get("cache.direct").map(|word| by_direct(on(word)))
}

fn by_direct(direct: bool) -> String {
    if direct { "none" } else { "writeback" }.to_string()
}

/// `throttling.iops-total=500`; of groups `limits.iops-total`, `x-iops-total`. A limit of 0 is none.
fn limits(image: &Fields) -> Vec<String> {
    // As JSON a group has an object here.
    let within = image.get("limits").and_then(|text| serde_json::from_str::<BTreeMap<String, f64>>(text).ok());
    let within = within.into_iter().flatten().filter(|(_, most)| *most > 0.0);
    let within = within.map(|(name, most)| format!("limits.{name}={most}"));
    let is_limit = |name: &str| {
        ["throttling.", "x-iops-", "x-bps-", "limits.iops-", "limits.bps-"].iter().any(|start| name.starts_with(start))
            || ["iops", "iops_rd", "iops_wr", "bps", "bps_rd", "bps_wr"].contains(&name)
    };
    let set = image.iter().filter(|(name, value)| is_limit(name) && value.parse::<f64>().is_ok_and(|most| most > 0.0));
    set.map(|(name, value)| format!("{name}={value}")).chain(within).collect()
}

/// `4`, `4,sockets=1,cores=4`, `cpus=4`, `sockets=1,cores=2,threads=2`.
fn processors(smp: &Fields) -> Option<u32> {
    let number = |name: &str| smp.get(name).and_then(|value| value.parse::<u32>().ok());
    let product = || {
        let parts = ["sockets", "cores", "threads"].map(number);
        parts.iter().any(Option::is_some).then(|| parts.iter().flatten().product())
    };
    number("driver").or_else(|| number("cpus")).or_else(product)
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
        let Guest { name, disks, .. } = guest(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>());
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
    fn caches_threads_limits_and_processors_are_read() {
        let of = |line: &str| guest(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>());
        let by_drive = of(
            "kvm -smp 4,sockets=1,cores=4 -drive file=rbd:p/i,id=d0,if=none,cache=writeback,throttling.iops-total=500,bps=0 \
                           -object iothread,id=t0 -device virtio-blk-pci,drive=d0,iothread=t0",
        );
        assert_eq!(
            (by_drive.caches, by_drive.limits),
            (vec!["writeback".into()], vec!["throttling.iops-total=500".to_string()])
        );
        assert_eq!((by_drive.own_threads, by_drive.main_thread, by_drive.processors), (1, 0, Some(4)));
        let by_node = of(
            r#"kvm -smp cpus=2 -blockdev {"driver":"rbd","pool":"p","image":"i","node-name":"s","cache":{"direct":false,"no-flush":true}}
            -device virtio-scsi-pci,id=scsi0 -device scsi-hd,bus=scsi0.0,drive=s"#,
        );
        assert_eq!((by_node.caches, by_node.own_threads, by_node.main_thread), (vec!["unsafe".to_string()], 0, 1));
        assert_eq!((by_node.processors, by_node.limits), (Some(2), vec![]));
        let group = r#"kvm -object {"qom-type":"throttle-group","id":"g","limits":{"iops-total":500,"bps-total":0}}
            -object throttle-group,id=h,x-iops-total=9 -blockdev {"driver":"rbd","image":"i","node-name":"s"}
            -blockdev {"driver":"throttle","node-name":"t","throttle-group":"g","file":"s"} -device virtio-blk-pci,drive=t"#;
        assert_eq!(of(group).limits, ["limits.iops-total=500"]);
        let other = of(
            "kvm -drive file=/srv/x.raw,id=d,if=none,cache=unsafe,iops=5 -device virtio-blk-pci,drive=d -drive file=rbd:p/i,if=ide",
        );
        assert_eq!((other.caches, other.limits, other.main_thread, other.processors), (vec![], vec![], 0, None));
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
        assert_eq!(
            all(folder.path()),
            Some(vec![Guest { name: "c".into(), disks: vec!["ide".into()], ..Guest::default() }])
        );
    }
}
