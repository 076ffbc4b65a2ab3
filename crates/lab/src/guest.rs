//! A virtual machine with the lab's images, its file system and NFS as they are used: a disk of QEMU, and the kernel's own clients.
//!
//! It is emulated, so that no processor has to offer virtualization, and it has no image to boot from: it sees the file system of this host,
//! read-only, so that every program of this host runs there.

use crate::cephfs;
use crate::daemons::log_end;
use crate::errors::LabError;
use crate::guest_boot;
use crate::lab::LabCluster;
use crate::monitor::Monitor;
use crate::nfs;
use crate::preflight::{self, Need};
use crate::process_group::tool;
use crate::secrets;
use crate::services::{self, Place, Service, ServicePool, ServiceSpec, Url};
use crate::ssh;
use crate::supervisor::{Supervisor, progress};
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// What it is called as a host.
pub const GUEST: &str = "guest";
/// Last byte of its address: above those of the lab's hosts, below that of this host.
const LAST_BYTE: u8 = 253;
const POOL: &str = "guest";
/// The image that is its first disk, and that which its kernel maps.
const IMAGES: [&str; 2] = ["virtio", "krbd"];
const IMAGE_SIZE: &str = "1G";
const GUEST_MB: &str = "768";
/// Of the emulator itself.
const EMULATOR_MB: u64 = 150;
const DISKS: [&str; 2] = ["/dev/vda", "/dev/rbd0"];
const CEPHFS: &str = "/mnt/cephfs";
const NFS: &str = "/mnt/nfs";
/// Where its folder of the lab is inside.
const INSIDE: &str = "/run/fathom-guest";
/// Emulated, it starts within 10 s; on a busy machine it may take several times as long.
const START_SECONDS: u64 = 180;

pub(crate) const SPEC: ServiceSpec = ServiceSpec {
    service: Service::Guest,
    name: GUEST,
    daemon: "guest.a",
    entity: "client.guest.a",
    caps: &[
        ("mon", "profile rbd, allow r"),
        ("mgr", "profile rbd pool=guest"),
        ("osd", "profile rbd pool=guest, allow rw tag cephfs data=cephfs"),
        ("mds", "allow rw"),
    ],
    program: "qemu-system-x86_64",
    package: "qemu-system-x86",
    needs: &[
        Need::Library("qemu/block-rbd.so", "qemu-block-extra"),
        Need::Program("busybox", "busybox-static"),
        Need::Program("sshd", "openssh-server"),
        Need::Program("rbd", "ceph-common"),
        Need::Program("bash", "bash"),
        Need::Device(
            "/dev/net/tun",
            "a guest's network needs it; load the module (`modprobe tun`), or give a container the device (`--device /dev/net/tun`)",
        ),
    ],
    builds_on: &[],
    memory_mb: 768 + EMULATOR_MB,
    hidden: &[],
    arguments,
    pools: &[ServicePool { name: POOL, pgs: 32, application: Some("rbd") }],
    own_address: Some(address),
    url: Some(Url { scheme: "ssh", port: 22, path: "" }),
    paths,
    keys: false,
    fetch: || guest_boot::made(&|text| progress(text)).map(drop),
    conf,
    prepare,
    wait: wait_until_ready,
};

/// On the lab's network.
pub(crate) fn address(lab: &LabCluster) -> String {
    let (network, _) = lab.client_address.rsplit_once('.').unwrap_or_default();
    format!("{network}.{LAST_BYTE}")
}

fn paths(with: &[Service]) -> Vec<PathBuf> {
    let folders = [(Service::Cephfs, CEPHFS), (Service::Nfs, NFS)];
    let folders = folders.into_iter().filter(|(service, _)| with.contains(service)).map(|(_, folder)| folder);
    DISKS.into_iter().chain(folders).map(PathBuf::from).collect()
}

fn arguments(place: &Place) -> Vec<String> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    // A comma separates what QEMU takes as one word.
    let whole = |path: &Path| text(path).replace(',', ",,");
    let boots = |name: &str| text(&place.data.join(name));
    let disk = json!({
        "driver": "rbd", "node-name": "disk", "pool": POOL, "image": IMAGES[0], "conf": place.conf,
        "user": SPEC.entity.trim_start_matches("client."), "cache": {"direct": true},
    });
    let shares = [("host", "/".to_owned(), ",readonly=on"), ("guest", whole(&place.data), "")];
    let mut words =
        ["-machine", "q35", "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", GUEST_MB].map(str::to_owned).to_vec();
    let mut add = |name: &str, value: String| words.extend([name.to_owned(), value]);
    add("-display", "none".to_owned());
    add("-kernel", boots(guest_boot::KERNEL));
    add("-initrd", boots(guest_boot::INITRAMFS));
    add("-append", "console=ttyS0 quiet panic=1".to_owned());
    // What the emulator says and the console are one log.
    add("-chardev", format!("file,id=console,append=on,path={}", whole(&place.output)));
    add("-serial", "chardev:console".to_owned());
    for (name, path, more) in shares {
        add("-fsdev", format!("local,id={name},path={path},security_model=none,multidevs=remap{more}"));
        add("-device", format!("virtio-9p-pci,fsdev={name},mount_tag={name}"));
    }
    add("-netdev", format!("tap,id=net,ifname={},script=no,downscript=no", place.link));
    add("-device", "virtio-net-pci,netdev=net,romfile=".to_owned());
    add("-blockdev", disk.to_string());
    add("-device", "virtio-blk-pci,drive=disk".to_owned());
    words.extend(["-nodefaults", "-no-reboot"].map(str::to_owned));
    words
}

/// As a client of the cluster.
fn conf(place: &Place) -> String {
    format!("log file = {}", place.log.display())
}

/// Once all that it mounts is served.
fn prepare(supervisor: &Supervisor, lab: &LabCluster, monitor: &Monitor) -> Result<(), LabError> {
    let service = |wanted: Service| lab.services.iter().find(|own| own.service == wanted);
    let Some(own) = service(Service::Guest) else { return Ok(()) };
    let served = [(Service::Cephfs, cephfs::SPEC.wait), (Service::Nfs, nfs::SPEC.wait)];
    served
        .into_iter()
        .filter(|(other, _)| service(*other).is_some())
        .try_for_each(|(_, wait)| wait(supervisor, lab, monitor))?;
    let rbd = preflight::find("rbd", "ceph-common")?;
    for image in IMAGES {
        let mut command = tool(&rbd, &lab.conf, &supervisor.dirs);
        command.args(["create", "--size", IMAGE_SIZE]).arg(format!("{POOL}/{image}"));
        supervisor.process_group.run(&mut command)?;
    }
    let boot = guest_boot::made(&|text| progress(text))?;
    let place = services::place(supervisor, lab, own);
    for name in [guest_boot::KERNEL, guest_boot::INITRAMFS] {
        let link = place.data.join(name);
        symlink(boot.join(name), &link).map_err(LabError::io("cannot make the link", &link))?;
    }
    let write = |name: &str, text: &str| {
        let path = place.data.join(name);
        fs::write(&path, text).map_err(LabError::io("cannot write", &path))
    };
    write("start", include_str!("guest/start.sh"))?;
    write("sshd_config", &ssh::daemon_config(Path::new(INSIDE)))?;
    let nfs_url = service(Service::Nfs).and_then(|nfs| nfs.url.as_deref());
    write("settings", &settings(supervisor, lab, nfs_url)?)?;
    ssh::give_keys(&supervisor.dirs, &place.data)
}

/// What the start script reads. Nothing of it holds a character that a shell would take for more than itself.
fn settings(supervisor: &Supervisor, lab: &LabCluster, nfs_url: Option<&str>) -> Result<String, LabError> {
    let has_files = lab.services.iter().any(|own| own.service == Service::Cephfs);
    let server = nfs_url.and_then(services::host_and_port).and_then(|text| text.split_once(':')).unwrap_or_default();
    let sshd = preflight::find("sshd", "openssh-server")?.to_string_lossy().into_owned();
    let monitor = format!("{}:{}", lab.first_host().address, crate::build::ports(supervisor)?.msgr1);
    let secret = secrets::key_of(&supervisor.dirs.keyring(), SPEC.entity)?;
    let own = address(lab);
    let image = format!("{POOL} {}", IMAGES[1]);
    let values: [(&str, &str); 11] = [
        ("address", &own),
        ("monitor", &monitor),
        ("user", SPEC.entity.trim_start_matches("client.")),
        ("secret", &secret),
        ("image", &image),
        ("cephfs", if has_files { CEPHFS } else { "" }),
        ("nfs", if nfs_url.is_some() { NFS } else { "" }),
        ("nfs_server", server.0),
        ("nfs_port", server.1),
        ("nfs_export", nfs::EXPORT),
        ("sshd", &sshd),
    ];
    let mut text = String::new();
    for (name, value) in values {
        let _ = writeln!(text, "{name}='{value}'");
    }
    Ok(text)
}

fn wait_until_ready(supervisor: &Supervisor, lab: &LabCluster, _: &Monitor) -> Result<(), LabError> {
    let own = lab.services.iter().find(|own| own.service == Service::Guest);
    let Some(place) = own.map(|own| services::place(supervisor, lab, own)) else { return Ok(()) };
    progress("waiting until the guest is ready");
    crate::build::wait(supervisor, "the start of the guest", START_SECONDS, || {
        let ready = place.data.join("ready").exists();
        Ok(if ready { Ok(()) } else { Err(format!("its console:\n{}", log_end(&place.output))) })
    })
}
