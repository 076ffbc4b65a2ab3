//! What other hosts' kernels counted, step by step: a table for each host.

use super::host_loads::{busiest, connection, disk, fastest, interrupts, nic, step};
use crate::block::{Block, Row, Table};
use crate::numbers::{self, NOTHING};
use model::{HostLoad, Report, Scope};
use std::collections::BTreeMap;

/// With more hosts than this the section is left out, since nobody would read it; every step is in the JSON document.
const HOSTS_MOST: usize = 32;
/// At most this many kinds of threads are named of each OSD and metadata server.
const THREADS: usize = 3;
const HEADING: [&str; 9] = [
    "step",
    "processors",
    "interrupts",
    "daemons' threads",
    "disk",
    "network",
    "sent again",
    "OSDs' worst connections",
    "waits",
];

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let mut hosts: BTreeMap<&str, Vec<&HostLoad>> = BTreeMap::new();
    report.host_loads.iter().for_each(|load| hosts.entry(&load.host).or_default().push(load));
    if hosts.len() > HOSTS_MOST {
        return Vec::new();
    }
    let fold = |(host, loads): (&str, Vec<&HostLoad>)| {
        let most = loads.iter().map(|load| load.mean.cpu).fold(0.0, f64::max);
        let title = format!("{host}: processors up to {}", numbers::share(most));
        Block::fold(title, vec![Table::plain(HEADING, loads.into_iter().map(row)).into()])
    };
    hosts.into_iter().map(fold).collect()
}

fn row(load: &HostLoad) -> Row {
    let nothing = || NOTHING.to_string();
    let waits = |of: model::Pressure| format!("processor {}, I/O {}", numbers::share(of.cpu), numbers::share(of.io));
    Row::new([
        step(load),
        numbers::share(load.mean.cpu),
        load.mean.interrupts.as_ref().map_or_else(nothing, interrupts),
        threads(load),
        busiest(load).map_or_else(nothing, disk),
        fastest(load).map_or_else(nothing, nic),
        if load.mean.segments > 0 { numbers::share(load.mean.sent_again()) } else { nothing() },
        connections(load),
        load.mean.pressure.map_or_else(nothing, waits),
    ])
}

/// The busiest kinds of each OSD and metadata server, in processors, and an OSD's busiest single thread.
fn threads(load: &HostLoad) -> String {
    let of_osd = |osd: &model::OsdSecond| {
        let busiest = osd.busiest_thread().map(|(kind, used)| format!(" (one {kind}: {})", numbers::share(used)));
        format!("osd.{}: {}{}", osd.osd, kinds(&osd.threads), busiest.unwrap_or_default())
    };
    let of_mds = |mds: &model::MdsSecond| format!("{}: {}", mds.name, kinds(&mds.threads));
    listed(load.mean.osds.iter().map(of_osd).chain(load.mean.metadata_servers.iter().map(of_mds)))
}

fn kinds(threads: &BTreeMap<String, f64>) -> String {
    let mut all: Vec<(&String, f64)> = threads.iter().map(|(name, used)| (name, *used)).collect();
    all.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let named: Vec<String> =
        all.iter().take(THREADS).map(|(name, used)| format!("{name} {}", numbers::rough(*used))).collect();
    if named.is_empty() { "idle".to_string() } else { named.join(", ") }
}

fn connections(load: &HostLoad) -> String {
    let worst = |osd: &model::OsdSecond| Some(connection((osd.osd, osd.connections.as_ref()?.worst.as_ref()?)));
    listed(load.mean.osds.iter().filter_map(worst))
}

fn listed(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    if all.is_empty() { NOTHING.to_string() } else { all.join("; ") }
}
