//! Latencies as histograms: counted for every operation, and asked for quantiles again and again. A crate of its own, since it is compiled with
//! optimisation where the rest is not.

mod buckets;
mod histogram;

pub use buckets::{Buckets, Iter};
pub use histogram::{Latencies, Sparse};
