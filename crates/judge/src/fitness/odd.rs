//! Which drive is slower than the others of its model?

use crate::entry::Entry;
use crate::outliers::slow_ones;
use crate::side_by_side::speeds;
use model::fitness::MANY;
use model::workload::MIB;
use model::{Durability, FitnessReason, JudgedDrive, Label, OpClass};

/// With two there is no odd one.
const FEWEST: usize = 3;
/// Several loads are compared, so that less than this share is not told, however certain it is.
const LEAST_SLOWER: f64 = 0.2;
/// Seen in one pass alone, something else may have used the machine just then: so many loads must show it.
const LOADS_OF_ONE_PASS: usize = 2;

/// The drive's target, and in what it is slowest.
pub fn odd_ones(entries: &[Entry], judged: &[JudgedDrive]) -> Vec<(String, FitnessReason)> {
    let mut found: Vec<(String, f64, FitnessReason)> = Vec::new();
    for alike in groups(judged) {
        for load in loads(entries, &alike) {
            let others = load.len() as u64 - 1;
            for (entry, slower_by) in slow_in(&load) {
                let what = what(entry);
                let reason = FitnessReason::SlowerThanTwins { what, slower_by, others };
                found.push((entry.figure.target.clone(), slower_by, reason));
            }
        }
    }
    let once = entries.iter().all(|entry| entry.figure.slices < 2);
    let shown = |target: &str| found.iter().filter(|(other, ..)| other == target).count();
    let least = if once { LOADS_OF_ONE_PASS } else { 1 };
    let mut found: Vec<_> = found.iter().filter(|(target, ..)| shown(target) >= least).cloned().collect();
    found.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    found.dedup_by(|next, kept| next.0 == kept.0);
    found.into_iter().map(|(target, _, reason)| (target, reason)).collect()
}

/// Targets of one model and size, measured in the same way, with OSDs beside them or without. Of what has no name of a model (volumes over
/// several drives) nothing says that it is alike. The size tells models apart whose names are cut short.
fn groups(judged: &[JudgedDrive]) -> Vec<Vec<&str>> {
    let kind = |drive: &JudgedDrive| {
        let device = drive.device.as_ref()?;
        let bytes = drive.about.as_ref().and_then(|about| about.queue.bytes).or(device.bytes);
        Some((device.model.clone()?, bytes, device.rotational, drive.through_file, !drive.beside.is_empty()))
    };
    let mut groups: Vec<(_, Vec<&str>)> = Vec::new();
    for (drive, own) in judged.iter().filter_map(|drive| Some((drive, kind(drive)?))) {
        match groups.iter_mut().find(|(other, _)| *other == own) {
            Some((_, alike)) => alike.push(&drive.target),
            None => groups.push((own, vec![&drive.target])),
        }
    }
    groups.into_iter().map(|(_, alike)| alike).filter(|alike| alike.len() >= FEWEST).collect()
}

/// Of every load that is compared the usable figures: small blocks at random, one in flight and many, and large blocks in order. What was
/// held back by the load's own host is at least that fast, which is enough for a peer.
fn loads<'e, 'a>(entries: &'e [Entry<'a>], alike: &[&str]) -> Vec<Vec<&'e Entry<'a>>> {
    let mut loads: Vec<Vec<&Entry>> = Vec::new();
    let compared = |entry: &&Entry| {
        let load = &entry.figure.workload;
        let known = entry.usable().is_some();
        let simple = !load.mix.is_mixed()
            && load.settings.is_empty()
            && load.rate.is_none()
            && (load.depth == 1 || load.depth == MANY || load.block >= MIB);
        known && simple && alike.contains(&entry.figure.target.as_str())
    };
    for entry in entries.iter().filter(compared) {
        let same = |other: &&Entry| {
            let (own, other) = (&entry.figure, &other.figure);
            let way = |figure: &model::Figure| {
                let load = &figure.workload;
                (figure.kind, load.block, load.durability, load.depth)
            };
            way(own) == way(other)
        };
        match loads.iter_mut().find(|peers| peers.first().is_some_and(same)) {
            Some(peers) => peers.push(entry),
            None => loads.push(vec![entry]),
        }
    }
    loads.into_iter().filter(|peers| peers.len() >= FEWEST).collect()
}

fn slow_in<'e, 'a>(peers: &[&'e Entry<'a>]) -> Vec<(&'e Entry<'a>, f64)> {
    let (logs, errors): (Vec<f64>, Vec<f64>) = speeds(peers).into_iter().map(|one| (one.log, one.error)).unzip();
    let held_back = |index: usize| matches!(peers[index].figure.label, Label::GeneratorLimited(_));
    let slow = slow_ones(&logs, &errors).into_iter().filter(|(index, by)| *by >= LEAST_SLOWER && !held_back(*index));
    slow.map(|(index, by)| (peers[index], by)).collect()
}

fn what(entry: &Entry) -> String {
    let load = &entry.figure.workload;
    let one = of_load(entry);
    if load.depth == MANY && load.block < MIB { format!("{one}, {MANY} in flight") } else { one }
}

fn of_load(entry: &Entry) -> String {
    let load = &entry.figure.workload;
    match (entry.figure.kind, load.block >= MIB) {
        (OpClass::Read, false) => "random reads".to_string(),
        (OpClass::Read, true) => "reads in order".to_string(),
        (_, true) => "writes in order".to_string(),
        (_, false) if load.durability == Durability::None => "random writes".to_string(),
        (_, false) => format!("durable {}", super::what(load.durability)),
    }
}
