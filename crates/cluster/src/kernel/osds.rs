//! Which processes of this host are the wanted OSDs, and what their threads do.

use model::{OsdSecond, OsdWish};
use std::collections::BTreeMap;
use std::fs::{read_dir, read_link, read_to_string};
use std::net::Ipv4Addr;

/// What the kernel shows to programs, whatever it counts in itself (USER_HZ).
const TICKS_A_SECOND: f64 = 100.0;

pub struct OsdProcess {
    pub id: u32,
    pub pid: u32,
}

/// Those that are found beyond doubt.
pub fn find(wanted: &[OsdWish]) -> Vec<OsdProcess> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let pids = read_dir("/proc").into_iter().flatten().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let osds: Vec<(u32, u32)> = pids.filter_map(|pid| Some((pid, osd_of(&cmdline(pid)?)?))).collect();
    let process = |wish: &OsdWish| {
        let same: Vec<u32> = osds.iter().filter(|(_, id)| *id == wish.osd).map(|(pid, _)| *pid).collect();
        let address = wish.address.as_ref().and_then(|address| address.parse().ok());
        let sure = match (same.as_slice(), address) {
            ([only], _) => Some(*only),
            (several, Some(address)) => several.iter().copied().find(|pid| listens(*pid, address)),
            (_, None) => None,
        };
        sure.map(|pid| OsdProcess { id: wish.osd, pid })
    };
    wanted.iter().filter_map(process).collect()
}

fn cmdline(pid: u32) -> Option<Vec<String>> {
    let text = read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
    Some(text.split('\0').filter(|word| !word.is_empty()).map(str::to_string).collect())
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
fn listens(pid: u32, address: Ipv4Addr) -> bool {
    let table = read_to_string(format!("/proc/{pid}/net/tcp")).unwrap_or_default();
    let sockets = listening(&table, address);
    let files = read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let mut links = files.filter_map(|file| read_link(file.path()).ok());
    !sockets.is_empty() && links.any(|link| sockets.iter().any(|socket| link.to_str() == Some(socket)))
}

/// `socket:[12345]` of those that listen at the address: `sl local_address rem_address st … inode`, state 0A, and addresses as the
/// processor has them in memory.
fn listening(table: &str, address: Ipv4Addr) -> Vec<String> {
    let hex = format!("{:08X}", u32::from_ne_bytes(address.octets()));
    let own = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (here, _) = fields.get(1)?.rsplit_once(':')?;
        let listens = here == hex && *fields.get(3)? == "0A";
        listens.then(|| fields.get(9).map(|inode| format!("socket:[{inode}]")))?
    };
    table.lines().skip(1).filter_map(own).collect()
}

impl OsdProcess {
    /// Clock ticks so far, by kind of thread. Empty: it is gone.
    pub fn threads(&self) -> BTreeMap<String, u64> {
        let mut all = BTreeMap::new();
        let tasks = read_dir(format!("/proc/{}/task", self.pid)).into_iter().flatten().flatten();
        for stat in tasks.filter_map(|task| read_to_string(task.path().join("stat")).ok()) {
            if let Some((name, ticks)) = thread(&stat) {
                *all.entry(kind(&name)).or_default() += ticks;
            }
        }
        all
    }
}

/// Name, and ticks in user and kernel mode: the name is in parentheses, and may hold some.
fn thread(stat: &str) -> Option<(String, u64)> {
    let (open, close) = (stat.find('(')?, stat.rfind(')')?);
    let mut fields = stat.get(close + 1..)?.split_whitespace();
    let (user, system) = (fields.nth(11)?.parse::<u64>().ok()?, fields.next()?.parse::<u64>().ok()?);
    Some((stat.get(open + 1..close)?.to_string(), user.saturating_add(system)))
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
    use proptest::prelude::*;

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
    fn a_threads_name_may_hold_anything() {
        let stat = "12 (msgr) (2) S 1 1 1 0 -1 0 0 0 0 0 70 30 0 0 20 0 1 0 5 0";
        assert_eq!(thread(stat), Some(("msgr) (2".to_string(), 100)));
        assert_eq!(kind("msgr-worker-2"), "msgr-worker");
        assert_eq!(kind("tp_osd_tp"), "tp_osd_tp");
    }

    #[test]
    fn the_socket_that_listens_is_found() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
                     0: 0100007F:1A90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0\n   \
                     1: 0100007F:1A90 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0\n";
        assert_eq!(listening(table, Ipv4Addr::LOCALHOST), ["socket:[4711]"]);
        assert!(listening(table, Ipv4Addr::new(10, 0, 0, 1)).is_empty());
    }

    #[test]
    fn own_threads_are_counted() {
        let own = OsdProcess { id: 0, pid: std::process::id() };
        assert!(!own.threads().is_empty());
        let gone = OsdProcess { id: 0, pid: u32::MAX };
        assert!(gone.threads().is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in ".{0,120}", table in "x\n( *[0-9]: [0-9A-F:]{0,20} [0-9A-F:]{0,20} 0A x x x x x 1\n){0,3}") {
            thread(&text);
            listening(&table, Ipv4Addr::LOCALHOST);
            osd_of(&words(&text));
        }
    }
}
