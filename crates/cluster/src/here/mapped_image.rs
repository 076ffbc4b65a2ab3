//! Images of a Ceph cluster that are block devices of this host: which image, through which client.

use super::setup::text;
use std::path::Path;

/// The disks of these names that are images: `rbd0: vms/disk, by krbd`.
pub fn among<'a>(disks: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let image = |disk: &String| Some(format!("{disk}: {}", of(&Path::new("/sys/block").join(disk))?));
    disks.into_iter().filter_map(image).collect()
}

/// Of an image that krbd, `rbd-nbd` or `qemu-nbd` maps to the disk whose folder this is: `vms/disk, by krbd (queue_depth=64)`.
fn of(disk: &Path) -> Option<String> {
    by_krbd(&disk.join("device")).or_else(|| by_nbd(disk, Path::new("/proc")))
}

/// What the rbd driver tells in its folder of the device (`/sys/devices/rbd/0`; Documentation/ABI/testing/sysfs-bus-rbd).
fn by_krbd(device: &Path) -> Option<String> {
    let told = |file: &str| text(device.join(file));
    let (pool, name) = (told("pool")?, told("name")?);
    let namespace = told("pool_ns").map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let snapshot = told("current_snap").filter(|snapshot| snapshot != "-");
    let snapshot = snapshot.map(|snapshot| format!("@{snapshot}")).unwrap_or_default();
    let options = told("config_info").map(|info| options(&info)).unwrap_or_default();
    let options = if options.is_empty() { options } else { format!(" ({options})") };
    Some(format!("{pool}/{namespace}{name}{snapshot}, by krbd{options}"))
}

/// Of monitors, options, pool, image and snapshot those options that say how it is used, and not by whom.
fn options(config_info: &str) -> String {
    let all = config_info.split_whitespace().nth(1).unwrap_or_default();
    let whose = ["name=", "key=", "secret=", "fsid=", "crush_location=", "_pool_ns="];
    let how = all.split(',').filter(|option| !option.is_empty() && !whose.iter().any(|who| option.starts_with(who)));
    how.collect::<Vec<_>>().join(",")
}

/// The process that serves a network block device is told by the kernel; `rbd-nbd` and `qemu-nbd` have the image among their
/// words. Of a server of another host (`nbd-client`) nobody tells what it serves.
fn by_nbd(disk: &Path, processes: &Path) -> Option<String> {
    let process = text(disk.join("pid"))?.parse::<u32>().ok()?;
    let words = std::fs::read(processes.join(process.to_string()).join("cmdline")).ok()?;
    let words: Vec<String> =
        words.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    let program = Path::new(words.first()?).file_name()?.to_str()?;
    if program == "qemu-nbd" {
        return Some(format!("{}, by qemu-nbd", words.iter().find_map(|word| of_qemu(word))?));
    }
    if program != "rbd-nbd" {
        return None;
    }
    Some(match image_of(&words) {
        Some(image) => format!("{image}, by rbd-nbd"),
        None => "by rbd-nbd".to_string(),
    })
}

/// `rbd:vms/disk@snapshot:id=admin`, or `driver=rbd,pool=vms,image=disk` in one word, raw or below another driver. What follows the image may be
/// a key, and is left out.
fn of_qemu(word: &str) -> Option<String> {
    if let Some(named) = word.strip_prefix("rbd:") {
        let mut end = named.match_indices(':').map(|(at, _)| at).filter(|at| !named[..*at].ends_with('\\'));
        return Some(named[..end.next().unwrap_or(named.len())].replace('\\', ""));
    }
    let options: Vec<(&str, &str)> = word.split(',').filter_map(|option| option.split_once('=')).collect();
    let of = |wanted: &str| {
        options.iter().find(|(name, _)| name.strip_prefix("file.").unwrap_or(name) == wanted).map(|(_, value)| *value)
    };
    options.iter().find(|(name, value)| name.ends_with("driver") && *value == "rbd")?;
    let namespace = of("namespace").map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let snapshot = of("snapshot").map(|snapshot| format!("@{snapshot}")).unwrap_or_default();
    Some(format!("{}/{namespace}{}{snapshot}", of("pool")?, of("image")?))
}

/// Options of `rbd-nbd` that take the next word, where that is not joined to them by `=`, and say nothing of the image.
const OF_OTHERS: [&str; 21] = [
    "--device",
    "--id",
    "-n",
    "--name",
    "-c",
    "--conf",
    "-k",
    "--keyring",
    "--keyfile",
    "--cluster",
    "-m",
    "--io-timeout",
    "--timeout",
    "--reattach-timeout",
    "--nbds_max",
    "--max_part",
    "--cookie",
    "--user",
    "--log-file",
    "--snap-id",
    "-i",
];

/// `rbd-nbd --id NAME map --device /dev/nbd0 [POOL/[NAMESPACE/]]IMAGE`, or by options of their own. Without a pool it is that of the
/// user's configuration.
fn image_of(words: &[String]) -> Option<String> {
    let begin = words.iter().position(|word| word == "map" || word == "attach")? + 1;
    let mut words = words[begin..].iter().map(String::as_str).filter(|word| !word.is_empty());
    let (mut pool, mut namespace, mut image, mut snapshot) = (None, None, None, None);
    while let Some(word) = words.next() {
        let (option, joined) = word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value)));
        let mut value = || joined.or_else(|| words.next());
        match option {
            "-p" | "--pool" => pool = value(),
            "--namespace" => namespace = value(),
            "--image" => image = value(),
            "--snap" => snapshot = value(),
            _ if OF_OTHERS.contains(&option) => drop(value()),
            _ if word.starts_with('-') => {}
            _ => image = image.or(Some(word)),
        }
    }
    let place = [pool, namespace].into_iter().flatten().map(|part| format!("{part}/")).collect::<String>();
    let snapshot = snapshot.map(|snapshot| format!("@{snapshot}")).unwrap_or_default();
    Some(format!("{place}{}{snapshot}", image?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (file, words) in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, words).unwrap();
        }
        folder
    }

    #[test]
    fn an_image_of_krbd_is_told_with_how_it_is_used_and_without_whose_key_it_is() {
        let info = "10.0.0.1:6789 name=admin,key=client.admin,_pool_ns=tenant,queue_depth=64,lock_on_read vms disk -\n";
        let mapped = folder(&[
            ("device/pool", "vms\n"),
            ("device/name", "disk\n"),
            ("device/config_info", info),
            ("size", "8\n"),
        ]);
        assert_eq!(of(mapped.path()).unwrap(), "vms/disk, by krbd (queue_depth=64,lock_on_read)");
        let of_snapshot = folder(&[
            ("device/pool", "vms\n"),
            ("device/pool_ns", "tenant\n"),
            ("device/name", "disk\n"),
            ("device/current_snap", "monday\n"),
        ]);
        assert_eq!(of(of_snapshot.path()).unwrap(), "vms/tenant/disk@monday, by krbd");
        assert_eq!(of(folder(&[("device/model", "ST8000NM\n")]).path()), None);
    }

    #[test]
    fn an_image_of_qemu_nbd_is_told_without_whose_key_it_is() {
        let told = |words: &[&str]| {
            let cmdline = ["/usr/bin/qemu-nbd", "--connect=/dev/nbd0"].iter().chain(words).copied().collect::<Vec<_>>();
            let all = folder(&[("nbd0/pid", "77\n"), ("proc/77/cmdline", &cmdline.join("\0"))]);
            by_nbd(&all.path().join("nbd0"), &all.path().join("proc"))
        };
        let image = Some("vms/disk, by qemu-nbd".to_string());
        assert_eq!(told(&["-f", "raw", "rbd:vms/disk:id=admin:key=AQ=="]), image);
        assert_eq!(told(&["rbd:vms/disk"]), image);
        assert_eq!(told(&[r"rbd:vms/a\:b@monday:mon_host=10.0.0.1\:6789"]).unwrap(), "vms/a:b@monday, by qemu-nbd");
        assert_eq!(told(&["--image-opts", "driver=rbd,pool=vms,image=disk,user=admin"]), image);
        let below =
            "driver=raw,file.driver=rbd,file.pool=vms,file.namespace=tenant,file.image=disk,file.snapshot=monday";
        assert_eq!(told(&["--image-opts", below]).unwrap(), "vms/tenant/disk@monday, by qemu-nbd");
        assert_eq!(told(&["/srv/disk.qcow2"]), None);
        assert_eq!(told(&["--image-opts", "driver=file,filename=/srv/rbd"]), None);
    }

    #[test]
    fn an_image_of_rbd_nbd_is_told_by_the_words_of_its_process() {
        let told = |words: &[&str]| {
            let cmdline = words.join("\0");
            let all = folder(&[("nbd0/pid", "77\n"), ("proc/77/cmdline", &cmdline)]);
            by_nbd(&all.path().join("nbd0"), &all.path().join("proc"))
        };
        let image = Some("vms/disk, by rbd-nbd".to_string());
        assert_eq!(told(&["/usr/bin/rbd-nbd", "map", "vms/disk"]), image);
        let options = ["rbd-nbd", "--id", "admin", "map", "--device", "/dev/nbd0", "--cookie", "a/b", "vms/disk"];
        assert_eq!(told(&options), image);
        assert_eq!(told(&["rbd-nbd", "map", "--pool", "vms", "--image", "disk"]), image);
        assert_eq!(told(&["rbd-nbd", "map", "--exclusive", "--try-netlink", "vms/disk", "--read-only"]), image);
        assert_eq!(told(&["rbd-nbd", "map", "-p", "vms", "disk", "--io-timeout=5"]), image);
        assert_eq!(told(&["rbd-nbd", "map", "disk"]).unwrap(), "disk, by rbd-nbd");
        assert_eq!(told(&["rbd-nbd", "map", "--device"]).unwrap(), "by rbd-nbd");
        assert_eq!(told(&["qemu-nbd", "-c", "/dev/nbd0", "a/b"]), None);
        assert_eq!(told(&[]), None);
    }
}
