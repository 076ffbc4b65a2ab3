//! fio: how it writes numbers and options, its job files, its results.

pub mod job_file;
pub mod options;
mod rate;
pub mod results;
pub mod shape;
pub mod values;

pub use results::read;

use model::{Access, Bytes, Layer};
use shape::Shape;

/// Bytes of the working set over all jobs; `None`: it is not said. Jobs without a file name have a file each; those of one
/// file, image or set of objects share it.
pub fn span(shape: &Shape) -> Option<Bytes> {
    let own = shape.layer == Layer::Rados || (shape.layer == Layer::Device && shape.filename.is_none());
    shape.size?.checked_mul(if own { Bytes::from(shape.jobs) } else { 1 })
}

/// Bytes of an object: fio's rados engine makes `nrfiles` of a job's size.
pub fn object(shape: &Shape) -> Option<Bytes> {
    if shape.layer == Layer::Rados { shape.size.map(|size| size / Bytes::from(shape.files)) } else { None }
}

/// fio leaves librbd's cache as the cluster has it, which is on; Fathom's own images go without.
pub fn cache(shape: &Shape) -> Option<(String, String)> {
    (shape.layer == Layer::Rbd).then(|| ("cache".to_string(), "on".to_string()))
}

/// May the jobs of this shape share what they work on as ours do, each with a part of its own? Places that are drawn
/// evenly over the whole fall as evenly on all parts.
pub fn divisible(shape: &Shape) -> bool {
    shape.jobs == 1 || shape.filename.is_none() || shape.access == Access::Random
}
