//! fio: how it writes numbers and options, its job files, its results.

pub mod job_file;
pub mod options;
mod rate;
pub mod results;
pub mod shape;
pub mod values;

pub use results::read;

use model::{Access, Bytes, Durability, Layer, OpMix, Workload};
use shape::Shape;
use std::collections::BTreeMap;

/// Bytes of the working set over all jobs; `None`: it is not said. Jobs without a file name have a file each; those of one
/// file, image or set of objects share it.
pub fn span(shape: &Shape) -> Option<Bytes> {
    let own = shape.layer == Layer::Rados || (shape.layer == Layer::Device && shape.filename.is_none());
    shape.size?.checked_mul(if own { Bytes::from(shape.jobs) } else { 1 })
}

/// As a workload of ours over `span` bytes; the layer chooses its engine. Only a device is asked for durable writes: clusters answer
/// durably in any case.
pub fn workload(shape: &Shape, span: Bytes, seed: u64) -> Workload {
    let asked = shape.layer == Layer::Device && shape.writes();
    Workload {
        rate: shape.rate,
        clients: 1,
        verify: false,
        settings: BTreeMap::new(),
        block: shape.block,
        depth: shape.depth,
        jobs: shape.jobs,
        mix: OpMix::reads(shape.read_percent),
        access: shape.access,
        durability: if asked { shape.durability } else { Durability::None },
        span,
        spread: None,
        object: object(shape),
        tree: None,
        buckets: 1,
        part: None,
        sizes: None,
        delete_at_once: None,
        seed,
        engine: None,
        options: cache(shape).into_iter().collect(),
    }
}

/// Bytes of an object: fio's rados engine makes `nrfiles` of a job's size.
fn object(shape: &Shape) -> Option<Bytes> {
    if shape.layer == Layer::Rados { shape.size.map(|size| size / Bytes::from(shape.files)) } else { None }
}

/// fio leaves librbd's cache as the cluster has it, which is on; Fathom's own images go without.
fn cache(shape: &Shape) -> Option<(String, String)> {
    (shape.layer == Layer::Rbd).then(|| ("cache".to_string(), "on".to_string()))
}

/// May the jobs of this shape share what they work on as ours do, each with a part of its own? Places that are drawn
/// evenly over the whole fall as evenly on all parts.
pub fn divisible(shape: &Shape) -> bool {
    shape.jobs == 1 || shape.filename.is_none() || shape.access == Access::Random
}
