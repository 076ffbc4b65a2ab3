//! Which processes of this host are the wanted OSDs, and which are metadata servers.

use super::threads::{self, Threads};
use crate::command_line::{option, program};
use model::OsdWish;
use procfs::net::{TcpNetEntry, TcpState};
use procfs::process::{FDTarget, Process, all_processes};
use std::collections::BTreeSet;
use std::fs::metadata;
use std::net::Ipv4Addr;
use std::os::unix::fs::MetadataExt;

pub struct OsdProcess {
    pub id: u32,
    process: Process,
}

/// `mds.a`, and its process.
pub struct MdsProcess {
    pub name: String,
    process: Process,
}

impl OsdProcess {
    pub fn pid(&self) -> i32 {
        self.process.pid()
    }
}

/// All that run on this host, of whichever clusters.
pub fn all() -> Vec<OsdProcess> {
    let processes = all_processes().into_iter().flatten().flatten();
    processes.filter_map(|process| Some(OsdProcess { id: osd_of(&process.cmdline().ok()?)?, process })).collect()
}

/// Metadata servers on this host; of several of one name, which are of different clusters, none.
pub fn metadata_servers() -> Vec<MdsProcess> {
    let processes = all_processes().into_iter().flatten().flatten();
    let found: Vec<MdsProcess> =
        processes.filter_map(|process| Some(MdsProcess { name: mds_of(&process.cmdline().ok()?)?, process })).collect();
    let names: Vec<String> = found.iter().map(|mds| mds.name.clone()).collect();
    let alone = |mds: &MdsProcess| names.iter().filter(|name| **name == mds.name).count() == 1;
    found.into_iter().filter(alone).collect()
}

/// Those that are found beyond doubt.
pub fn find(wanted: &[OsdWish]) -> Vec<OsdProcess> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut osds = all();
    let found = |wish: &OsdWish| {
        let address = wish.address.as_ref().and_then(|address| address.parse().ok());
        let same = |osd: &&OsdProcess| osd.id == wish.osd;
        let one = match (osds.iter().filter(same).count(), address) {
            (1, _) => osds.iter().position(|osd| same(&osd)),
            (_, Some(address)) => osds.iter().position(|osd| same(&osd) && listens(&osd.process, address)),
            (_, None) => None,
        };
        one.map(|at| osds.swap_remove(at))
    };
    wanted.iter().filter_map(found).collect()
}

/// `ceph-osd -i 3`, `ceph-osd --id=3`, `ceph-osd -n osd.3`.
fn osd_of(words: &[String]) -> Option<u32> {
    id_of(words, "osd")?.parse().ok()
}

/// `mds.a` of `ceph-mds -i a`, `ceph-mds -n mds.a`.
fn mds_of(words: &[String]) -> Option<String> {
    id_of(words, "mds").map(|id| format!("mds.{id}"))
}

/// Of a daemon of this kind.
fn id_of(words: &[String], kind: &str) -> Option<String> {
    let (name, value) = option(words, &["-i", "--id", "-n", "--name"])?;
    if program(words)?.strip_prefix("ceph-") != Some(kind) {
        return None;
    }
    match ["-i", "--id"].contains(&name) {
        true => Some(value),
        false => value.strip_prefix(kind)?.strip_prefix('.').map(str::to_string),
    }
}

/// Does one of its sockets listen at this address, in its own network namespace?
fn listens(process: &Process, address: Ipv4Addr) -> bool {
    let here = |entry: &TcpNetEntry| entry.state == TcpState::Listen && entry.local_address.ip() == address;
    let sockets: Vec<u64> = process.tcp().into_iter().flatten().filter(here).map(|entry| entry.inode).collect();
    let mut files = process.fd().into_iter().flatten().flatten();
    files.any(|file| matches!(file.target, FDTarget::Socket(inode) if sockets.contains(&inode)))
}

impl MdsProcess {
    /// Empty: it is gone.
    pub fn threads(&self) -> Threads {
        threads::of(&self.process)
    }
}

impl OsdProcess {
    #[cfg(test)]
    pub fn of(id: u32, process: Process) -> OsdProcess {
        OsdProcess { id, process }
    }

    /// Empty: it is gone.
    pub fn threads(&self) -> Threads {
        threads::of(&self.process)
    }

    /// The inodes of its sockets. `None`: we may not see them, or they are in another network namespace than this thread.
    pub fn sockets(&self) -> Option<BTreeSet<u64>> {
        let namespace = |of: &str| metadata(format!("/proc/{of}/ns/net")).ok().map(|seen| (seen.dev(), seen.ino()));
        let same = namespace(&self.pid().to_string())? == namespace("thread-self")?;
        let files = self.process.fd().ok().filter(|_| same)?;
        let socket = |target| if let FDTarget::Socket(inode) = target { Some(inode) } else { None };
        Some(files.flatten().filter_map(|file| socket(file.target)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::os::fd::AsRawFd;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_string).collect()
    }

    #[test]
    fn an_osd_is_known_by_its_command_line() {
        for line in ["/usr/bin/ceph-osd -f -i 3 -c /x", "ceph-osd --cluster ceph --id=3", "ceph-osd -n osd.3 -f"] {
            assert_eq!(osd_of(&words(line)), Some(3), "{line}");
        }
        for line in ["ceph-mon -i 3", "grep ceph-osd -i 3", "ceph-osd -n mon.3", "ceph-osd -i", "ceph-osd --id x"] {
            assert_eq!(osd_of(&words(line)), None, "{line}");
        }
    }

    #[test]
    fn a_metadata_server_is_known_by_its_command_line() {
        for line in ["/usr/bin/ceph-mds -f --cluster ceph --id a", "ceph-mds -n mds.a -f", "ceph-mds -i a"] {
            assert_eq!(mds_of(&words(line)).as_deref(), Some("mds.a"), "{line}");
        }
        for line in ["ceph-osd -i 3", "grep ceph-mds -i a", "ceph-mds -n osd.3", "ceph-mds"] {
            assert_eq!(mds_of(&words(line)), None, "{line}");
        }
    }

    #[test]
    fn the_socket_that_listens_is_found() {
        let address = Ipv4Addr::new(127, 4, 7, 11);
        let own = Process::myself().unwrap();
        assert!(!listens(&own, address));
        let _listener = TcpListener::bind((address, 0)).unwrap();
        assert!(listens(&own, address));
    }

    #[test]
    fn threads_and_sockets_are_seen_until_it_is_gone() {
        let own = OsdProcess { id: 0, process: Process::myself().unwrap() };
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let number = std::fs::read_link(format!("/proc/self/fd/{}", socket.as_raw_fd())).unwrap();
        let sockets = own.sockets().unwrap();
        assert!(sockets.iter().any(|inode| number.to_str() == Some(&format!("socket:[{inode}]"))), "{sockets:?}");
        assert!(!own.threads().is_empty());
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let gone = OsdProcess { id: 0, process: Process::new(child.id() as i32).unwrap() };
        child.kill().and_then(|()| child.wait()).unwrap();
        assert!(gone.threads().is_empty());
        assert_eq!(gone.sockets(), None);
    }
}
