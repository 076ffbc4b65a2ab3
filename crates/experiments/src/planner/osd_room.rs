//! How much room each OSD has until it is nearly full, and on which of them something takes the most of it.

use super::redundancy::Filled;
use model::workload::MIB;
use model::{Bytes, Inventory, OsdScope};

/// How full an OSD may be, as a share, unless the cluster says otherwise: beyond it monitors warn, and a run writes no more
/// (`mon_osd_nearfull_ratio`).
const NEARLY_FULL: f64 = 0.85;
/// All data of a run take at most this share of what is free below that: placement is uneven, stores keep what was overwritten for a
/// while, and the OSD's own bench and others write, too.
pub const PART: f64 = 0.5;
/// An OSD's store reserves its next log ahead, and aborts where it can't: 282 MB of one of 1 GiB (Ceph 16.2, `bluefs _allocate`).
const LOG_AHEAD: Bytes = 300 * MIB;

/// An OSD, how much room it has until it is nearly full, and how much comes to it.
pub struct Tightest {
    pub id: u32,
    pub room: Bytes,
    pub needed: Bytes,
}

impl Tightest {
    pub fn takes_more_than(&self, part: f64) -> bool {
        self.needed as f64 > self.room as f64 * part
    }
}

/// The OSD that this fills the most, for the room that it has; `None`: of none the room is known.
pub fn tightest(inventory: &Inventory, filled: &Filled) -> Option<Tightest> {
    let rooms = rooms(inventory).into_iter();
    let all = rooms.filter_map(|(id, room)| Some(Tightest { id, room, needed: *filled.get(&id)? }));
    let share = |osd: &Tightest| osd.needed as f64 / osd.room.max(1) as f64;
    // Of equal ones the first.
    all.reduce(|most, osd| if share(&osd) > share(&most) { osd } else { most })
}

/// The room of each OSD that holds data, as far as it is known.
pub fn rooms(inventory: &Inventory) -> Filled {
    let nearly_full = inventory.scope.nearfull.unwrap_or(NEARLY_FULL);
    let room = |osd: &OsdScope| {
        let below = (osd.bytes? as f64 * nearly_full) as Bytes;
        Some((osd.id, below.saturating_sub(osd.bytes_used?).saturating_sub(LOG_AHEAD)))
    };
    inventory.scope.osds.iter().filter(|osd| osd.up && osd.inside).filter_map(room).collect()
}
