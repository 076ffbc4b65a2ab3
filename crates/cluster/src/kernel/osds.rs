//! Which processes of this host are the wanted OSDs, and what their threads do.

use model::{OsdSecond, OsdWish};
use procfs::net::{TcpNetEntry, TcpState};
use procfs::process::{FDTarget, Process, all_processes};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// Clock ticks per second as the kernel shows them to programs, whatever it counts internally (USER_HZ).
const TICKS_A_SECOND: f64 = 100.0;

pub struct OsdProcess {
    pub id: u32,
    process: Process,
}

impl OsdProcess {
    pub fn pid(&self) -> i32 {
        self.process.pid()
    }
}

/// Those that are found beyond doubt.
pub fn find(wanted: &[OsdWish]) -> Vec<OsdProcess> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let all = all_processes().into_iter().flatten().flatten();
    let mut osds: Vec<OsdProcess> =
        all.filter_map(|process| Some(OsdProcess { id: osd_of(&process.cmdline().ok()?)?, process })).collect();
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
    let (program, rest) = words.split_first()?;
    if program.rsplit('/').next() != Some("ceph-osd") {
        return None;
    }
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (word.as_str(), None),
        };
        let mut value = || value.clone().or_else(|| rest.next().cloned());
        match name {
            "-i" | "--id" => return value()?.parse().ok(),
            "-n" | "--name" => return value()?.strip_prefix("osd.")?.parse().ok(),
            _ => {}
        }
    }
    None
}

/// Does one of its sockets listen at this address, in its own network namespace?
fn listens(process: &Process, address: Ipv4Addr) -> bool {
    let here = |entry: &TcpNetEntry| entry.state == TcpState::Listen && entry.local_address.ip() == address;
    let sockets: Vec<u64> = process.tcp().into_iter().flatten().filter(here).map(|entry| entry.inode).collect();
    let mut files = process.fd().into_iter().flatten().flatten();
    files.any(|file| matches!(file.target, FDTarget::Socket(inode) if sockets.contains(&inode)))
}

impl OsdProcess {
    /// Clock ticks so far, by kind of thread. Empty: it is gone.
    pub fn threads(&self) -> BTreeMap<String, u64> {
        let mut all = BTreeMap::new();
        let tasks = self.process.tasks().into_iter().flatten().flatten();
        for stat in tasks.filter_map(|task| task.stat().ok()) {
            *all.entry(kind(&stat.comm)).or_default() += stat.utime.saturating_add(stat.stime);
        }
        all
    }
}

/// `msgr-worker` of `msgr-worker-2`, `rocksdb:low` of `rocksdb:low0`.
fn kind(name: &str) -> String {
    name.trim_end_matches(|end: char| end.is_ascii_digit()).trim_end_matches('-').to_string()
}

type Ticks = BTreeMap<u32, BTreeMap<String, u64>>;

/// Processors used, kinds of threads that did nothing left out.
pub fn between(before: &Ticks, now: &Ticks, seconds: f64) -> Vec<OsdSecond> {
    let used = |own: &BTreeMap<String, u64>, earlier: &BTreeMap<String, u64>| {
        let more = |(name, ticks): (&String, &u64)| {
            let ticks = ticks.saturating_sub(earlier.get(name).copied().unwrap_or(*ticks));
            (ticks > 0).then(|| (name.clone(), ticks as f64 / TICKS_A_SECOND / seconds))
        };
        own.iter().filter_map(more).collect()
    };
    let both = now.iter().filter_map(|(osd, own)| Some((*osd, own, before.get(osd)?)));
    both.filter(|(_, own, _)| !own.is_empty())
        .map(|(osd, own, earlier)| OsdSecond { osd, threads: used(own, earlier) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

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
    fn kinds_of_threads_have_no_number() {
        assert_eq!(
            ["msgr-worker-2", "rocksdb:low0", "tp_osd_tp"].map(kind),
            ["msgr-worker", "rocksdb:low", "tp_osd_tp"]
        );
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
    fn threads_are_counted_until_they_are_gone() {
        let own = OsdProcess { id: 0, process: Process::myself().unwrap() };
        assert!(!own.threads().is_empty());
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let gone = OsdProcess { id: 0, process: Process::new(child.id() as i32).unwrap() };
        child.kill().and_then(|()| child.wait()).unwrap();
        assert!(gone.threads().is_empty());
    }
}
