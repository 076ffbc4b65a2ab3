//! How many copies or chunks a pool makes of what is written to it.

use model::{Change, Place, Record};

/// Ceph's own default.
const DEFAULT_SIZE: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redundancy {
    /// Replicas, or k+m.
    pub size: u32,
    /// Data chunks of an erasure-coded pool.
    pub erasure_k: Option<u32>,
    /// Nothing in the record says it: Ceph's default is taken.
    pub assumed: bool,
}

impl Redundancy {
    /// Bytes on disks for one byte of the client's.
    pub fn factor(&self) -> f64 {
        f64::from(self.size.max(1)) / f64::from(self.erasure_k.unwrap_or(1).max(1))
    }

    /// Bytes that come in at the OSDs' hosts for one byte that a client writes: to the primary all of it, from there a copy to each of
    /// the others, or a chunk to each of the others of an erasure-coded pool.
    pub fn write_traffic(&self) -> f64 {
        let others = f64::from(self.size.max(1) - 1);
        1.0 + others / f64::from(self.erasure_k.unwrap_or(1).max(1))
    }

    /// Bytes that go out of the OSDs' hosts for one byte that a client reads. The primary of an erasure-coded pool holds one of the k
    /// chunks, gets the others from their OSDs, and sends the whole to the client.
    pub fn read_traffic(&self) -> f64 {
        let chunks = f64::from(self.erasure_k.unwrap_or(1).max(1));
        1.0 + (chunks - 1.0) / chunks
    }

    /// As shown behind a division: `3 replicas`, `(4+2)/4 chunks`.
    pub fn words(&self) -> String {
        match (self.erasure_k, self.size) {
            (Some(k), size) => format!("({k}+{})/{k} chunks", size.saturating_sub(k)),
            (None, 1) => "1 replica".to_string(),
            (None, size) if self.assumed => format!("{size} replicas (Ceph's default, assumed)"),
            (None, size) => format!("{size} replicas"),
        }
    }
}

/// The redundancy of the pool in which a target's data lie: as the run made it, as it was found, else the cluster's default.
pub fn redundancy(record: &Record, place: &Place) -> Option<Redundancy> {
    let pool = place.data_pool()?;
    let replicas = |size| Redundancy { size, erasure_k: None, assumed: false };
    if let Some(found) = record.scope.pools.iter().find(|found| found.name == pool) {
        return Some(Redundancy { size: found.size, erasure_k: found.erasure_k, assumed: false });
    }
    let made = record.plan.changes.iter().find_map(|change| match change {
        Change::Pool { name, size, .. } if name == pool => *size,
        _ => None,
    });
    Some(made.map(replicas).or_else(|| default_size(record).map(replicas)).unwrap_or(Redundancy {
        size: DEFAULT_SIZE,
        erasure_k: None,
        assumed: true,
    }))
}

fn default_size(record: &Record) -> Option<u32> {
    let set = record.scope.options.iter().find(|(name, _)| name.ends_with("osd_pool_default_size"));
    set.and_then(|(_, value)| value.parse().ok())
}
