//! What the kernel of this host counts while something is loaded, as rates over about a second. Reads /proc and asks TCP; as with ss the kernel
//! loads its module tcp_diag for that where it is one, else nothing changes.

mod connections;
mod cpu;
mod disks;
mod inet_diag;
mod nics;
mod osds;
mod tcp;
mod threads;

pub(crate) use osds::{all as all_osds, find as find_osds};

use connections::ConnectionWatch;
use cpu::{Processors, Ticks, pressure, ticks};
use disks::disks;
use model::{HostSecond, OsdWish, Pressure};
use nics::{Nics, Segments, segments};
use osds::{MdsProcess, OsdProcess};
use procfs::net::InterfaceDeviceStatus;
use procfs::{Current, DiskStat, DiskStats, FromRead};
use std::collections::BTreeMap;
use std::fs::read_to_string;
use std::time::Instant;
use threads::Threads;

/// All counters at one time.
struct Snapshot {
    at: Instant,
    ticks: Option<Ticks>,
    processors: Processors,
    /// Microseconds in which some task waited for processor, I/O and memory.
    stalled: Option<[u64; 3]>,
    disks: BTreeMap<String, DiskStat>,
    nics: Nics,
    segments: Segments,
    /// By OSD.
    threads: BTreeMap<u32, Threads>,
    /// By metadata server.
    of_metadata_servers: BTreeMap<String, Threads>,
}

pub struct Sampler {
    osds: Vec<OsdProcess>,
    metadata_servers: Vec<MdsProcess>,
    last: Snapshot,
    connections: ConnectionWatch,
}

impl Sampler {
    /// `osds`: those of this host whose threads and connections are of interest; of metadata servers all are.
    pub fn start(osds: &[OsdWish]) -> Sampler {
        let (osds, metadata_servers) = (osds::find(osds), osds::metadata_servers());
        let (last, connections) = (snapshot(&osds, &metadata_servers), ConnectionWatch::start(&osds));
        Sampler { osds, metadata_servers, last, connections }
    }

    /// What happened since the last call, or the start. Its `at` is 0.
    pub fn second(&mut self) -> HostSecond {
        let now = snapshot(&self.osds, &self.metadata_servers);
        let before = std::mem::replace(&mut self.last, now);
        let mut second = between(&before, &self.last);
        let mut connections = self.connections.second(&self.osds);
        second.osds.iter_mut().for_each(|osd| osd.connections = connections.remove(&osd.osd));
        second
    }
}

fn snapshot(osds: &[OsdProcess], metadata_servers: &[MdsProcess]) -> Snapshot {
    let text = |path: &str| read_to_string(path).unwrap_or_default();
    let stall = |what: &str| pressure(&read_to_string(format!("/proc/pressure/{what}")).ok()?);
    let stalled = || Some([stall("cpu")?, stall("io")?, stall("memory")?]);
    // Of this thread, which may be in another network namespace than the process.
    let nics = InterfaceDeviceStatus::from_file("/proc/thread-self/net/dev");
    let stat = text("/proc/stat");
    Snapshot {
        at: Instant::now(),
        ticks: ticks(&stat),
        processors: cpu::processors(&stat),
        stalled: stalled(),
        disks: DiskStats::current().map(disks).unwrap_or_default(),
        nics: nics.map(|all| all.0).unwrap_or_default(),
        segments: segments(&text("/proc/thread-self/net/snmp")),
        threads: osds.iter().map(|osd| (osd.id, osd.threads())).collect(),
        of_metadata_servers: metadata_servers.iter().map(|mds| (mds.name.clone(), mds.threads())).collect(),
    }
}

fn between(before: &Snapshot, now: &Snapshot) -> HostSecond {
    let seconds = now.at.duration_since(before.at).as_secs_f64().max(1e-3);
    let (cpu, steal) = match (before.ticks, now.ticks) {
        (Some(before), Some(now)) => now.since(before),
        _ => (0.0, 0.0),
    };
    let stalled = |before: [u64; 3], now: [u64; 3]| {
        let share = |which: usize| (now[which].saturating_sub(before[which]) as f64 / 1e6 / seconds).min(1.0);
        Pressure { cpu: share(0), io: share(1), memory: share(2) }
    };
    HostSecond {
        at: 0.0,
        seconds,
        cpu,
        steal,
        pressure: before.stalled.zip(now.stalled).map(|(before, now)| stalled(before, now)),
        disks: disks::between(&before.disks, &now.disks, seconds),
        nics: nics::between(&before.nics, &now.nics, seconds),
        segments: now.segments.sent.saturating_sub(before.segments.sent),
        retransmitted: now.segments.again.saturating_sub(before.segments.again),
        osds: threads::between(&before.threads, &now.threads, seconds),
        interrupts: cpu::interrupts(&before.processors, &now.processors),
        metadata_servers: threads::of_metadata_servers(&before.of_metadata_servers, &now.of_metadata_servers, seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_busy_thread_is_seen() {
        let mut sampler = Sampler::start(&[]);
        let until = Instant::now() + Duration::from_millis(300);
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        let second = sampler.second();
        assert!(second.cpu > 0.0 && second.cpu <= 1.0, "{second:?}");
        assert!(second.seconds >= 0.3, "{second:?}");
        let interrupts = second.interrupts.unwrap();
        assert!(interrupts.processors > 0 && interrupts.processor < 1 << 16, "{second:?}");
    }
}
