//! How far Ceph is from what any replicated store could do at best on the same disks and network.

use crate::across::mean_over;
use crate::chart::{figures_of, severity};
use crate::entry::{Entry, spread};
use crate::redundancy::{Redundancy, redundancy};
use model::{Distance, Estimate, Layer, Multiple, Pattern, Place, Record};

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

/// Of two independent values, by Fieller's theorem. Where the interval of what it is divided by reaches zero, nothing bounds the ratio
/// from above.
fn over(a: &Estimate, b: &Estimate) -> Option<Multiple> {
    let square = |one: &Estimate| (spread(one) / one.value).powi(2);
    let (value, of_a, of_b) = (a.value / b.value, square(a), square(b));
    let root = (1.0 - (1.0 - of_a) * (1.0 - of_b)).max(0.0).sqrt();
    (value.is_finite() && root.is_finite()).then(|| Multiple {
        value,
        low: value * (1.0 - of_a).max(0.0) / (1.0 + root),
        high: (of_b < 1.0).then(|| value * (1.0 + root) / (1.0 - of_b)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_has_the_errors_of_both() {
        let ratio = over(&Estimate::new(6.0, 0.18), &Estimate::new(2.0, 0.08)).unwrap();
        assert!((ratio.value - 3.0).abs() < 1e-12);
        // Nearly 5 %: 3 % and 4 % in squares.
        let high = ratio.high.unwrap();
        assert!((high / 3.155 - 1.0).abs() < 1e-3 && (ratio.low / 2.855 - 1.0).abs() < 1e-3, "{ratio:?}");
        assert_eq!(over(&Estimate::new(1.0, 0.1), &Estimate::new(0.0, 0.1)), None);
    }

    #[test]
    fn over_what_may_be_nothing_there_is_no_upper_bound() {
        let ratio = over(&Estimate::new(142.0, 24.0), &Estimate::new(2.3, 2.6)).unwrap();
        // The most that the floor may be, 4.9 ms, fits 29 times into 142 ms.
        assert!(ratio.high.is_none() && (ratio.low / 28.3 - 1.0).abs() < 0.01, "{ratio:?}");
        let near = over(&Estimate::new(142.0, 24.0), &Estimate::new(2.3, 2.29)).unwrap();
        assert!(near.high.unwrap() > 100.0 * near.value && (near.low / ratio.low - 1.0).abs() < 0.2, "{near:?}");
        assert_eq!(over(&Estimate::new(1.0, 2.0), &Estimate::new(1.0, 0.1)).unwrap().low, 0.0);
    }
}
