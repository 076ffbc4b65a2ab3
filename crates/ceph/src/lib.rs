//! The only door to Ceph's client libraries.

/// A connection to a cluster.
pub struct Rados;
