//! What must be true of this host before a lab is begun.

use crate::dirs::Dirs;
use crate::errors::LabError;
use crate::services::Service;
use crate::spec::{Backing, Spec};
use procfs::{Current, Meminfo};
use std::fs::OpenOptions;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

pub(crate) const MB: u64 = 1 << 20;
/// Resident memory of the daemons of a lab to begin with: fresh an OSD has 50 MB, after a first load 210 MB with the caches that
/// a lab's conf gives it. What it grows to is kept free by `Room`.
const MON_AND_MGR_MB: u64 = 340;
const OSD_MB: u64 = 300;
/// What a fresh lab occupies: the monitor's database, and per OSD the write-ahead log and tables of BlueStore.
const MON_DISK_MB: u64 = 150;
const OSD_DISK_MB: u64 = 100;
/// Requests of asynchronous I/O that an OSD reserves each time it opens a device (`bdev_aio_max_queue_depth`): that of its data twice, for
/// BlueStore and for its database's file system, and one for the database once.
const ASYNC_IO: u64 = 1024;

/// The programs that a lab starts.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    pub mon: PathBuf,
    pub mgr: PathBuf,
    pub osd: PathBuf,
    pub services: Vec<(Service, PathBuf)>,
}

/// What a service needs beside its own program, and the package that has it.
pub(crate) enum Need {
    Program(&'static str, &'static str),
    /// A library that a program loads, by its place below the system's libraries.
    Library(&'static str, &'static str),
    /// A device that it opens, and what to do where that can't be.
    Device(&'static str, &'static str),
}

impl Need {
    fn find(&self) -> Result<PathBuf, LabError> {
        match *self {
            Need::Program(program, package) => find(program, package),
            Need::Device(path, mend) => match OpenOptions::new().read(true).write(true).open(path) {
                Ok(_) => Ok(path.into()),
                Err(why) => Err(LabError::Usage(format!("{path} can't be opened ({why}): {mend}"))),
            },
            Need::Library(library, package) => {
                let own = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
                find_in([own.as_str(), "/usr/lib64", "/usr/lib"].map(PathBuf::from).into(), library, package)
            }
        }
    }
}

impl Programs {
    pub fn find(spec: &Spec) -> Result<Programs, LabError> {
        let service = |service: &Service| {
            let spec = service.spec();
            let program = find(spec.program, spec.package)?;
            spec.needs.iter().try_for_each(|need| need.find().map(drop))?;
            Ok((*service, program))
        };
        let programs = Programs {
            mon: find("ceph-mon", "ceph-mon")?,
            mgr: find("ceph-mgr", "ceph-mgr")?,
            osd: find("ceph-osd", "ceph-osd")?,
            services: spec.with.iter().map(service).collect::<Result<_, LabError>>()?,
        };
        if spec.hosts > 0 {
            find("ip", "iproute2")?;
        }
        if spec.backing == Backing::Loop {
            find("losetup", "mount")?;
        }
        Ok(programs)
    }
}

/// Looks along PATH, and where root's programs are, which a plain user's PATH may lack.
pub(crate) fn find(program: &'static str, package: &'static str) -> Result<PathBuf, LabError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places: Vec<PathBuf> = std::env::split_paths(&path).collect();
    if matches!(program, "ip" | "losetup" | "sshd" | "ganesha.nfsd") {
        places.extend(["/usr/sbin", "/sbin"].map(PathBuf::from));
    }
    find_in(places, program, package)
}

fn find_in(places: Vec<PathBuf>, program: &'static str, package: &'static str) -> Result<PathBuf, LabError> {
    let found = places.iter().map(|place| place.join(program)).find(|file| file.is_file());
    let searched = || places.iter().map(|place| place.display().to_string()).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| LabError::PackageMissing { program, package, searched: searched() })
}

/// No lab needs it.
pub(crate) fn sshd() -> Option<PathBuf> {
    find("sshd", "openssh-server").ok()
}

/// A system's program by its found path, else its bare name.
pub(crate) fn system(program: &'static str) -> PathBuf {
    find(program, "").unwrap_or_else(|_| PathBuf::from(program))
}

/// All that can be known before anything is made.
pub(crate) fn check(spec: &Spec, dirs: &Dirs) -> Result<Programs, LabError> {
    spec.check()?;
    dirs.check_length()?;
    check_rights(spec)?;
    let programs = Programs::find(spec)?;
    if let Some(port) = spec.port.filter(|_| spec.hosts == 0) {
        check_port(port)?;
        check_port(next_port(port)?)?;
    }
    check_memory(spec)?;
    check_async_io(spec)?;
    Ok(programs)
}

fn check_rights(spec: &Spec) -> Result<(), LabError> {
    if nix::unistd::geteuid().is_root() {
        return Ok(());
    }
    if spec.hosts > 0 {
        let instead = "leave --hosts out to have all daemons on the loopback address";
        return Err(LabError::NeedsRoot { what: "a lab with hosts of its own (--hosts)", instead });
    }
    if spec.backing == Backing::Loop {
        return Err(LabError::NeedsRoot { what: "--backing loop", instead: "take --backing file" });
    }
    Ok(())
}

pub(crate) fn next_port(port: u16) -> Result<u16, LabError> {
    port.checked_add(1)
        .ok_or_else(|| LabError::Usage(format!("--port {port} leaves no port above it for msgr1; take a lower one")))
}

fn check_port(port: u16) -> Result<(), LabError> {
    if port < 1024 && !nix::unistd::geteuid().is_root() {
        return Err(LabError::Usage(format!("--port {port} is one of root's; take one from 1024 on")));
    }
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map(drop).map_err(|why| LabError::PortTaken { port, why })
}

/// Two free ports in a row on the loopback address, from below the ports that the kernel gives to clients.
pub(crate) fn free_ports() -> Result<u16, LabError> {
    find_port(20_000, 2, 4000, |port| is_free(port) && is_free(port + 1))
}

/// A free port on the loopback address for a service, from below those of monitors, and none of the lab's other services.
pub(crate) fn free_service_port(taken: &[u16]) -> Result<u16, LabError> {
    // Four for each process: labs that begin side by side draft other ones.
    find_port(18_000 + taken.len() as u16, 4, 500, |port| !taken.contains(&port) && is_free(port))
}

fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// One of `count` ports that lie `apart`. Labs that begin at the same time look from different places on.
fn find_port(least: u16, apart: u16, count: u16, will_do: impl Fn(u16) -> bool) -> Result<u16, LabError> {
    let first = (std::process::id() % u32::from(count)) as u16;
    let mut candidates = (0..count).map(|step| least + apart * ((first + step) % count));
    candidates.find(|port| will_do(*port)).ok_or(LabError::NoneFree { what: "port" })
}

fn check_memory(spec: &Spec) -> Result<(), LabError> {
    let Some(free_mb) = free_memory_mb() else { return Ok(()) };
    let in_memory = if spec.backing == Backing::Memory { disk_mb(spec) } else { 0 };
    let need_mb = MON_AND_MGR_MB + OSD_MB * u64::from(spec.osds) + services_mb(spec) + in_memory;
    if free_mb < need_mb { Err(LabError::MemoryShort { need_mb, free_mb }) } else { Ok(()) }
}

/// Without them an OSD does not start.
fn check_async_io(spec: &Spec) -> Result<(), LabError> {
    let known = |name: &str| std::fs::read_to_string(format!("/proc/sys/fs/{name}")).ok()?.trim().parse::<u64>().ok();
    let (Some(most), Some(taken)) = (known("aio-max-nr"), known("aio-nr")) else { return Ok(()) };
    async_io_left(spec, most.saturating_sub(taken))
}

fn async_io_left(spec: &Spec, free: u64) -> Result<(), LabError> {
    let need = async_io(spec);
    if free < need { Err(LabError::AsyncIoShort { need, free }) } else { Ok(()) }
}

fn async_io(spec: &Spec) -> u64 {
    let opened = if spec.db.is_some() { 3 } else { 2 };
    ASYNC_IO * opened * u64::from(spec.osds)
}

fn services_mb(spec: &Spec) -> u64 {
    spec.with.iter().map(|service| service.spec().memory_mb).sum()
}

/// What the kernel says that it could give to programs; `None` where it does not say.
pub(crate) fn free_memory_mb() -> Option<u64> {
    Meminfo::current().ok()?.mem_available.map(|bytes| bytes / MB)
}

fn disk_mb(spec: &Spec) -> u64 {
    MON_DISK_MB + OSD_DISK_MB * u64::from(spec.osds)
}

/// Space for a fresh lab in `place`, which exists.
pub(crate) fn check_space(spec: &Spec, place: &Path) -> Result<(), LabError> {
    let (need_mb, free_mb) = (disk_mb(spec), free_mb(place)?);
    if free_mb < need_mb {
        return Err(LabError::DiskShort { path: place.to_owned(), need_mb, free_mb });
    }
    Ok(())
}

pub(crate) fn free_mb(place: &Path) -> Result<u64, LabError> {
    let stat = nix::sys::statvfs::statvfs(place)
        .map_err(|errno| LabError::io("cannot see the free space of", place)(errno.into()))?;
    Ok(stat.blocks_available() * stat.fragment_size() / MB)
}

/// BlueStore opens its file with O_DIRECT, which not every file system takes: tmpfs does from Linux 6.6 on.
pub(crate) fn check_direct_io(file: &Path, backing: Backing) -> Result<(), LabError> {
    let opened = OpenOptions::new().read(true).write(true).custom_flags(libc::O_DIRECT).open(file);
    let mend = match backing {
        Backing::Memory => "Linux does that in memory from 6.6 on; take --backing file or loop",
        Backing::File | Backing::Loop => "set XDG_DATA_HOME to a directory on ext4, xfs or btrfs",
    };
    opened.map(drop).map_err(|why| LabError::NoDirectIo { path: file.to_owned(), why, mend })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lab_that_would_not_come_up_for_want_of_asynchronous_io_is_refused() {
        let plain = Spec { osds: 3, ..Spec::default() };
        let db = Spec { db: Some(1 << 30), ..plain.clone() };
        assert!(async_io_left(&plain, 6144).is_ok() && async_io_left(&db, 9216).is_ok());
        for (spec, free) in [(plain, 6143), (db, 9215)] {
            let refused = async_io_left(&spec, free).unwrap_err();
            assert_eq!(refused.exit_code(), 3);
            assert!(refused.to_string().contains("fs.aio-max-nr"), "{refused}");
        }
    }
}
