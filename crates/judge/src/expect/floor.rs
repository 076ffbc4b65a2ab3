//! How far Ceph is from what any replicated store could do at best on the same disks and network.

use crate::across::mean_over;
use crate::chart::{figures_of, severity};
use crate::entry::Entry;
use crate::multiple::over;
use crate::redundancy::{Redundancy, redundancy};
use model::{Distance, Estimate, Layer, Pattern, Place, Record};

/// For each pattern of which there is a floor with as many replicas as the pool that was written to has.
pub fn distances(entries: &[Entry], record: &Record) -> Vec<Distance> {
    Pattern::ALL.into_iter().filter_map(|pattern| distance(entries, record, pattern)).collect()
}

fn distance(entries: &[Entry], record: &Record, pattern: Pattern) -> Option<Distance> {
    let figures = figures_of(entries, Layer::Rados, pattern);
    let pool = redundancy(record, figures.first()?.step.targets.first().map(|target| &target.place)?)?;
    // An erasure-coded pool keeps no replicas.
    let Redundancy { size, erasure_k: None, .. } = pool else { return None };
    let ceph = mean_over(&figures)?;
    let gravest = figures.iter().max_by_key(|entry| severity(&entry.figure.label))?;
    // Loaded by as many clients at once.
    let clients = figures.first()?.step.targets.len();
    let whole = |entry: &Entry| entry.target.is_none() || entry.step.targets.len() == 1;
    let same = |entry: &&Entry| {
        entry.is(Layer::Floor, pattern)
            && whole(entry)
            && entry.step.targets.len() == clients
            && replicas(entry) == Some(size as usize)
    };
    let metric = pattern.metric(Layer::Rados);
    let lower_is_better = metric.lower_is_better();
    let speed = |estimate: &Estimate| if lower_is_better { -estimate.value } else { estimate.value };
    // Made durable in two ways, it is the worse one, as of the disks below Ceph.
    let floors = entries.iter().filter(same).filter_map(|entry| Some((entry, entry.usable()?)));
    let (entry, floor) = floors.min_by(|a, b| speed(&a.1).total_cmp(&speed(&b.1)))?;
    let slower = if lower_is_better { (ceph, floor) } else { (floor, ceph) };
    Some(Distance {
        pattern,
        metric,
        replicas: size,
        on: entry.figure.target.clone(),
        floor,
        ceph,
        floor_label: entry.figure.label.name().to_string(),
        ceph_label: gravest.figure.label.name().to_string(),
        times: over(&slower.0, &slower.1)?,
    })
}

fn replicas(entry: &Entry) -> Option<usize> {
    match &entry.step.targets.first()?.place {
        Place::Replicas { replicas, .. } => Some(replicas.len()),
        _ => None,
    }
}
