//! How many bytes OSDs hold for one that is written to a pool.

use super::placement::copies_on;
use model::units::counted;
use model::{Bytes, Inventory, PoolScope};
use std::collections::BTreeMap;

/// Bytes by OSD.
pub type Filled = BTreeMap<u32, Bytes>;

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

    pub fn copies(copies: u32) -> Redundancy {
        Redundancy { all: copies.max(1), needed: 1 }
    }

    /// What comes to each OSD of so many bytes in this pool; `None`: in one that is made without a word on its rule.
    pub fn on_osds(self, inventory: &Inventory, pool: Option<&PoolScope>, bytes: Bytes) -> Filled {
        let of = |held: f64| (bytes as f64 * held / f64::from(self.needed)).ceil() as Bytes;
        copies_on(inventory, pool, self.all).into_iter().map(|(osd, held)| (osd, of(held))).collect()
    }

    /// `3 copies`, `2+1 chunks`.
    pub fn words(self) -> String {
        match self.needed {
            1 => counted(self.all.into(), "copy", "copies"),
            k => format!("{k}+{} chunks", self.all.saturating_sub(k)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::testing;

    fn pool(size: u32, erasure_k: Option<u32>) -> PoolScope {
        PoolScope { size, erasure_k, ..PoolScope::default() }
    }

    #[test]
    fn copies_and_chunks_come_to_osds() {
        let inventory = testing::inventory(12);
        let (three, chunks) = (Redundancy::of(None), Redundancy::of(Some(&pool(6, Some(4)))));
        let on = |redundancy: Redundancy, bytes| redundancy.on_osds(&inventory, None, bytes)[&7];
        assert_eq!((on(three, 100), on(chunks, 100)), (25, 13));
        assert_eq!((three.words(), chunks.words()), ("3 copies".to_string(), "4+2 chunks".to_string()));
        let one = Redundancy::of(Some(&pool(1, None)));
        assert_eq!((on(one, 100), one.words()), (9, "1 copy".to_string()));
    }
}
