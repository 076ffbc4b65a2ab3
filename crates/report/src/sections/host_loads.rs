//! What other hosts' kernels counted while steps were measured: of each host the step that took most of each resource.

use crate::block::{Block, Row, Table};
use crate::{numbers, words};
use model::{Connection, DiskSecond, HostLoad, Interrupts, NicSecond, Report, Scope};
use std::collections::BTreeMap;

const NOTE: &str = "Means over the slices of the step that took the most of it; of a disk its waits, and what was in flight; \
                    interrupts (and softirqs) of the processor that had the most of them; of each OSD its busiest thread, and its worst \
                    TCP connection: segments are lost that were sent again and that the receiver did not have. \
                    Every step is in the JSON document.";

/// With more hosts than this, only the one that did most is shown.
const HOSTS_MOST: usize = 8;

/// A resource: its name, how much of it a step took, and that in words.
type Resource = (&'static str, fn(&HostLoad) -> f64, fn(&HostLoad) -> String);

const RESOURCES: [Resource; 9] = [
    ("processors", |load| load.mean.cpu, |load| numbers::share(load.mean.cpu)),
    (
        "interrupts",
        |load| load.mean.interrupts.map_or(0.0, |of| of.share),
        |load| load.mean.interrupts.as_ref().map_or(String::new(), interrupts),
    ),
    (
        "OSD thread",
        |load| busiest_thread(load).map_or(0.0, |(_, _, used)| used),
        |load| busiest_thread(load).map_or(String::new(), thread),
    ),
    ("disk", queue, |load| busiest(load).map_or(String::new(), disk)),
    ("network", moved, |load| fastest(load).map_or(String::new(), nic)),
    ("sent again", |load| load.mean.sent_again(), |load| numbers::share(load.mean.sent_again())),
    (
        "lost segments",
        |load| lossiest(load).map_or(0.0, |(_, one)| one.lost_share()),
        |load| lossiest(load).map_or(String::new(), connection),
    ),
    (
        "round trips",
        |load| slowest(load).map_or(0.0, |(_, one)| one.rtt_ms),
        |load| slowest(load).map_or(String::new(), connection),
    ),
    ("waits", waits, |load| {
        let pressure = load.mean.pressure.unwrap_or_default();
        let what = if pressure.cpu > pressure.io { "for a processor" } else { "for I/O" };
        format!("{} {what}", numbers::share(waits(load)))
    }),
];

/// A row for each resource of each host.
pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let mut hosts: BTreeMap<&str, Vec<&HostLoad>> = BTreeMap::new();
    for load in &report.host_loads {
        hosts.entry(&load.host).or_default().push(load);
    }
    let groups = if hosts.len() <= HOSTS_MOST {
        hosts.into_values().collect()
    } else {
        vec![report.host_loads.iter().collect()]
    };
    let rows: Vec<Row> = groups.iter().flat_map(|own| RESOURCES.iter().filter_map(move |one| row(own, one))).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    vec![Table::plain(["host", "what", "most", "while"], rows).into(), Block::note(NOTE)]
}

/// None of it at all is no row.
fn row(loads: &[&HostLoad], (name, of, words): &Resource) -> Option<Row> {
    let most = loads.iter().max_by(|a, b| of(a).total_cmp(&of(b))).filter(|load| of(load) > 0.0)?;
    Some(Row::new([most.host.clone(), (*name).to_string(), words(most), step(most)]))
}

fn waits(load: &HostLoad) -> f64 {
    load.mean.pressure.map_or(0.0, |pressure| pressure.cpu.max(pressure.io))
}

pub(super) fn step(load: &HostLoad) -> String {
    format!("{} {}", words::place(load.layer, &load.target), load.pattern.name())
}

pub(super) fn busiest(load: &HostLoad) -> Option<&DiskSecond> {
    load.mean.disks.iter().max_by(|a, b| a.queue.total_cmp(&b.queue))
}

fn queue(load: &HostLoad) -> f64 {
    busiest(load).map_or(0.0, |disk| disk.queue)
}

pub(super) fn disk(disk: &DiskSecond) -> String {
    let wait = |what: &str, ms: Option<f64>| ms.map(|ms| format!("{} ms a {what}", numbers::rough(ms)));
    let waits: Vec<String> = [wait("read", disk.read_ms), wait("write", disk.write_ms)].into_iter().flatten().collect();
    format!("{}: {}, {} in flight", disk.name, waits.join(", "), numbers::rough(disk.queue))
}

fn sum(nic: &NicSecond) -> f64 {
    nic.sent + nic.received
}

fn moved(load: &HostLoad) -> f64 {
    load.mean.nics.iter().map(sum).fold(0.0, f64::max)
}

pub(super) fn fastest(load: &HostLoad) -> Option<&NicSecond> {
    load.mean.nics.iter().max_by(|a, b| sum(a).total_cmp(&sum(b)))
}

pub(super) fn nic(nic: &NicSecond) -> String {
    let rate = |bytes: f64| format!("{} MB/s", numbers::rough(bytes / 1e6));
    format!("{}: {} out, {} in", nic.name, rate(nic.sent), rate(nic.received))
}

/// `processor 5 at 92 %, the others at 4 %`
pub(super) fn interrupts(of: &Interrupts) -> String {
    let own = format!("processor {} at {}", of.processor, numbers::share(of.share));
    let others = || format!("{own}, the others at {}", numbers::share(of.others_share));
    if of.processors > 1 { others() } else { own }
}

/// Of all OSDs: which one, kind of thread, and processors used.
fn busiest_thread(load: &HostLoad) -> Option<(u32, &str, f64)> {
    let all = load.mean.osds.iter().filter_map(|osd| osd.busiest_thread().map(|(kind, used)| (osd.osd, kind, used)));
    all.max_by(|(.., a), (.., b)| a.total_cmp(b))
}

fn thread((osd, kind, used): (u32, &str, f64)) -> String {
    format!("osd.{osd}: one {kind} at {} of a processor", numbers::share(used))
}

type OfOsd<'l> = (u32, &'l Connection);

fn worst(load: &HostLoad) -> impl Iterator<Item = OfOsd<'_>> {
    load.mean.osds.iter().filter_map(|osd| Some((osd.osd, osd.connections.as_ref()?.worst.as_ref()?)))
}

fn lossiest(load: &HostLoad) -> Option<OfOsd<'_>> {
    worst(load).max_by(|(_, a), (_, b)| a.lost_share().total_cmp(&b.lost_share()))
}

fn slowest(load: &HostLoad) -> Option<OfOsd<'_>> {
    worst(load).max_by(|(_, a), (_, b)| a.rtt_ms.total_cmp(&b.rtt_ms))
}

/// `osd.3 to 10.0.0.5:6801: 1.2 ms a round trip (0.1 at least), 12 of 3,456 segments lost`
pub(super) fn connection((osd, one): OfOsd) -> String {
    let least = one.rtt_min_ms.map(|ms| format!(" ({} at least)", numbers::rough(ms))).unwrap_or_default();
    let trip = format!("{} ms a round trip{least}", numbers::rough(one.rtt_ms));
    let lost = format!("{} of {} segments lost", numbers::count(one.lost()), numbers::count(one.segments));
    format!("osd.{osd} to {}: {trip}, {lost}", one.peer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Connections, HostSecond, OsdSecond, Pattern, StepId};

    fn load(osds: Vec<OsdSecond>) -> HostLoad {
        let interrupts =
            Interrupts { processor: 5, processors: 8, share: 0.92, others_share: 0.04, ..Interrupts::default() };
        HostLoad {
            host: "a".into(),
            step: StepId(0),
            layer: model::testing::pools(),
            target: "pool".into(),
            pattern: Pattern::WriteParallel,
            mean: HostSecond { osds, interrupts: Some(interrupts), ..HostSecond::default() },
        }
    }

    fn osd(osd: u32, rtt_ms: f64, retransmitted: u64) -> OsdSecond {
        let (peer, rtt_min_ms) = (format!("10.0.0.{osd}:6801"), Some(0.1));
        let worst =
            Some(Connection { peer, rtt_ms, rtt_min_ms, cwnd: 10, segments: 3456, retransmitted, needless: Some(2) });
        let connections = Some(Connections { worst, ..Connections::default() });
        let busiest = [("bstore_kv_sync".to_string(), 0.3 * f64::from(osd))].into();
        OsdSecond { osd, busiest, connections, ..OsdSecond::default() }
    }

    #[test]
    fn interrupts_threads_and_connections_are_told_of_the_osd_that_has_most() {
        let load = load(vec![osd(2, 1.2, 14), osd(3, 4.5, 2)]);
        let told = |name: &str| {
            let (_, of, words) = RESOURCES.iter().find(|(own, ..)| *own == name).unwrap();
            (of(&load) > 0.0).then(|| words(&load))
        };
        assert_eq!(told("interrupts").as_deref(), Some("processor 5 at 92 %, the others at 4 %"));
        assert_eq!(told("OSD thread").as_deref(), Some("osd.3: one bstore_kv_sync at 90 % of a processor"));
        let lost = "osd.2 to 10.0.0.2:6801: 1.20 ms a round trip (0.100 at least), 12 of 3,456 segments lost";
        assert_eq!(told("lost segments").as_deref(), Some(lost));
        let slow = "osd.3 to 10.0.0.3:6801: 4.50 ms a round trip (0.100 at least), 0 of 3,456 segments lost";
        assert_eq!(told("round trips").as_deref(), Some(slow));
    }

    #[test]
    fn what_is_not_known_is_no_row() {
        let mut load = load(vec![OsdSecond::default()]);
        load.mean.interrupts = None;
        assert!(RESOURCES.iter().all(|resource| row(&[&load], resource).is_none()));
    }
}
