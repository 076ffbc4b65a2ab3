//! A pool of RADOS: the primary OSD waits for the copies, and all its OSDs share the load.

use super::view::View;
use super::{Expectation, Passes, osd, pools};
use crate::books::{Model, Path};
use crate::placement::{below, lies_on};
use crate::redundancy::{Redundancy, redundancy};
use crate::words::{count, number};
use model::{Layer, LedgerRow, Sparse};

pub(super) const EXPECTATION: Expectation = Expectation {
    layer: Layer::Rados,
    stage,
    ceiling: |books, pattern| pools::ceiling(books, Layer::Rados, pattern),
    passes: Passes::All,
    impossible: |view| pools::impossible(view, sooner_than_an_osd),
};

fn stage(path: &mut Path) -> Option<LedgerRow> {
    path.over_network(Layer::Rados, model)
}

fn model(path: &mut Path) -> Option<Model> {
    // What copies cost does not explain a row that holds an OSD's whole part.
    path.whole?;
    let figures = path.books.figures(Layer::Rados, path.pattern);
    let pool = redundancy(path.books.record, figures.first()?.loads()?)?;
    match pool {
        Redundancy { erasure_k: Some(k), .. } if !path.pattern.writes() && k > 1 => {
            path.notes.push(format!(
                "{}: the primary gathers a stripe's {k} chunks, {} of them from other OSDs, no model",
                pool.words(),
                k - 1
            ));
            None
        }
        _ if !path.pattern.writes() => {
            Some(Model { expected: 0.0, because: "a read is the primary OSD's alone".to_string() })
        }
        Redundancy { erasure_k: Some(_), .. } => {
            path.notes.push(format!("{}: a small write reads and writes whole stripes, no model", pool.words()));
            None
        }
        Redundancy { size: 0 | 1, .. } => {
            Some(Model { expected: 0.0, because: "1 replica: nothing to wait for".to_string() })
        }
        _ => replication(path, pool),
    }
}

/// The primary waits for the slowest of the others, each of which is an OSD's whole way of its own.
fn replication(path: &Path, pool: Redundancy) -> Option<Model> {
    let way = osd::way(path.books)?;
    let others = pool.size - 1;
    let slowest = slowest_of(path, others)?;
    Some(Model {
        expected: way + slowest,
        because: format!(
            "{}: one more way through network and OSD ({} ms, as on reads), and the slowest of {} ({} ms over the mean)",
            pool.words(),
            number(way),
            count(others as usize, "commit", "commits"),
            number(slowest)
        ),
    })
}

/// How much longer than the mean the slowest of `n` writes takes, ms, by the measured distribution of the OSDs.
fn slowest_of(path: &Path, n: u32) -> Option<f64> {
    let figures = path.books.figures(Layer::Osd, path.pattern);
    let usable = figures.iter().filter(|entry| entry.usable().is_some());
    let samples = usable.flat_map(|entry| &entry.slices).filter(|slice| slice.void.is_none());
    let all = Sparse::merged(samples.flat_map(|slice| slice.counted()).map(|sample| &sample.service));
    mean_of_largest(&all, n).map(|largest| (largest - mean_of_largest(&all, 1).unwrap_or(largest)) / 1e6)
}

/// Mean of the largest of `n` independent draws, ns: Σ v (F(v)^n − F(v−)^n).
fn mean_of_largest(all: &Sparse, n: u32) -> Option<f64> {
    if all.count == 0 {
        return None;
    }
    let (mut below, mut mean) = (0.0, 0.0);
    for (index, ops) in &all.buckets {
        let (low, high) = Sparse::bucket_range(index);
        let up_to = below + ops as f64 / all.count as f64;
        mean += (low + high) as f64 / 2.0 * (up_to.powi(n as i32) - f64::powi(below, n as i32));
        below = up_to;
    }
    Some(mean)
}

/// It waits for an OSD. Where one of several was not measured, the quickest of them is not known.
fn sooner_than_an_osd(view: &View) -> Option<String> {
    let own = view.entry.loads().and_then(|place| lies_on(view.record, place));
    let beneath = |entry: &crate::entry::Entry| own.as_ref().is_none_or(|on| below(entry, view.record, Some(on)));
    let measured = view.writes_below(Layer::Osd, beneath);
    if own.is_some() && !pools::every_osd(view, &measured) {
        return None;
    }
    view.sooner_than(Layer::Osd, &measured)
}
