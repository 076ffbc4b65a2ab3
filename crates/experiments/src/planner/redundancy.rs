//! How many bytes OSDs hold for one that is written to a pool.

use model::units::counted;
use model::{Bytes, Inventory, PoolScope};

/// Of a pool that is not known: Ceph's usual size (`osd_pool_default_size`).
const COPIES: u32 = 3;

/// All copies or chunks of an object, and how many of them are needed to read it: one of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Redundancy {
    all: u32,
    needed: u32,
}

impl Redundancy {
    /// `None`: nobody knows the pool, and it has three copies.
    pub fn of(pool: Option<&PoolScope>) -> Redundancy {
        let usual = Redundancy::copies(COPIES);
        let of = |pool: &PoolScope| Redundancy { all: pool.size.max(1), needed: pool.erasure_k.unwrap_or(1).max(1) };
        pool.map_or(usual, of)
    }

    /// Of the pool of this name, with one that the run makes: `made` copies.
    pub fn of_name(inventory: &Inventory, pool: &str, made: Option<u32>) -> Redundancy {
        let there = inventory.scope.pools.iter().find(|known| known.name == pool);
        made.map_or_else(|| Redundancy::of(there), Redundancy::copies)
    }

    pub fn copies(copies: u32) -> Redundancy {
        Redundancy { all: copies.max(1), needed: 1 }
    }

    /// Bytes on all OSDs for one that is written; no OSD holds two copies.
    pub fn factor(self, osds: u64) -> f64 {
        u64::from(self.all).min(osds.max(1)) as f64 / f64::from(self.needed)
    }

    /// What comes to each OSD of so many bytes, if they are placed evenly.
    pub fn on_each(self, bytes: Bytes, osds: u64) -> Bytes {
        let (all, osds) = (u128::from(self.all).min(osds.max(1).into()), u128::from(osds.max(1)));
        let each = (u128::from(bytes) * all).div_ceil(osds * u128::from(self.needed));
        Bytes::try_from(each).unwrap_or(Bytes::MAX)
    }

    /// `3 copies`, `2+1 chunks`.
    pub fn words(self) -> String {
        match self.needed {
            1 => counted(self.all.into(), "copy", "copies"),
            k => format!("{k}+{} chunks", self.all.saturating_sub(k)),
        }
    }
}

/// OSDs that hold data, at least one.
pub fn osds(inventory: &Inventory) -> u64 {
    inventory.scope.osds.iter().filter(|osd| osd.up && osd.inside).count().max(1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(size: u32, erasure_k: Option<u32>) -> PoolScope {
        PoolScope { size, erasure_k, ..PoolScope::default() }
    }

    #[test]
    fn copies_and_chunks_come_to_osds() {
        let (three, chunks) = (Redundancy::of(None), Redundancy::of(Some(&pool(6, Some(4)))));
        assert_eq!((three.on_each(100, 10), chunks.on_each(100, 10)), (30, 15));
        assert_eq!((three.factor(10), three.factor(2), chunks.factor(10)), (3.0, 2.0, 1.5));
        assert_eq!((three.words(), chunks.words()), ("3 copies".to_string(), "4+2 chunks".to_string()));
        let one = Redundancy::of(Some(&pool(1, None)));
        assert_eq!((one.on_each(100, 10), one.words()), (10, "1 copy".to_string()));
        assert_eq!(three.on_each(Bytes::MAX, 1), Bytes::MAX);
    }
}
