//! What other hosts' kernels counted while steps were measured: of each host the step that took most of each resource.

use crate::block::{Block, Row, Table};
use crate::{numbers, words};
use model::{DiskSecond, HostLoad, NicSecond, Report, Scope};
use std::collections::BTreeMap;

const NOTE: &str = "Means over the slices of the step that took the most of it; of a disk its waits, and what was in flight. \
                    Every step is in the JSON document.";

/// With more hosts than this, only the one that did most is shown.
const HOSTS_MOST: usize = 8;

/// A resource: its name, how much of it a step took, and that in words.
type Resource = (&'static str, fn(&HostLoad) -> f64, fn(&HostLoad) -> String);

const RESOURCES: [Resource; 5] = [
    ("processors", |load| load.mean.cpu, |load| numbers::share(load.mean.cpu)),
    ("disk", queue, |load| busiest(load).map_or(String::new(), disk)),
    ("network", moved, |load| fastest(load).map_or(String::new(), nic)),
    ("sent again", |load| load.mean.sent_again(), |load| numbers::share(load.mean.sent_again())),
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
