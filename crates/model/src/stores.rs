//! What OSDs' stores do on the device of their data, and what on that of their database and its log.

use crate::layer::Layer;
use crate::pattern::Pattern;
use crate::phrase;
use crate::phrase::{Phrase, Quantity};
use crate::units::bytes;
use crate::workload::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Of one OSD, in the slices of one figure of writes; everybody's operations count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoreTimes {
    pub layer: Layer,
    pub pattern: Pattern,
    pub target: String,
    /// How many targets were loaded at once.
    pub at_once: u32,
    /// The store was loaded by the OSD's own bench, and not by clients.
    pub by_itself: bool,
    pub osd: u32,
    pub devices: StoreDevices,
    /// Transactions that became durable, and how long one took, ms.
    pub commits: u64,
    pub commit: f64,
    /// Of that, ms; null: the OSD does not count it.
    pub parts: Option<CommitParts>,
    /// A flush of the data's device by the thread that commits (`kv_flush_lat`), and a write of RocksDB's log, made durable
    /// (`kv_commit_lat`), ms; null: not counted.
    pub flush: Option<f64>,
    pub log: Option<f64>,
    /// Null: the database has no device of its own, or that was not told.
    pub database: Option<DatabaseLook>,
}

/// Kernel names of the devices of an OSD; empty: not told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoreDevices {
    pub data: Vec<String>,
    /// Of RocksDB's log: those of the log alone, else those of the database.
    pub log: Vec<String>,
    /// Does the log lie on other devices than the data? Null: not told.
    pub apart: Option<bool>,
}

/// Of a mean commit, ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommitParts {
    /// Data written, and that device flushed.
    pub data: f64,
    /// RocksDB's log written and made durable.
    pub log: f64,
}

/// A database that has a device of its own, at the end of a slice, and what RocksDB did meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DatabaseLook {
    /// Bytes of its own device, and those of them in use.
    pub size: Bytes,
    pub used: Bytes,
    /// Bytes of the database that lie on the data's device, since they found no room or no place on its own (spillover).
    pub spilled: Bytes,
    /// By how much that grew in the slice.
    pub grown: Bytes,
    /// Bytes that RocksDB read from its devices in the slice, and those of them from the data's device; null: the release does not count
    /// them.
    pub read: Option<Bytes>,
    pub read_spilled: Option<Bytes>,
}

impl DatabaseLook {
    /// How much lies on the data's device, and what that costs, as far as the OSD counts it; `None`: nothing lies there.
    pub fn spillover(&self) -> Option<Phrase> {
        if self.spilled == 0 {
            return None;
        }
        let grown = match self.grown {
            0 => Phrase::default(),
            grown => phrase!(", {} of it since the slices began", bytes(grown)),
        };
        let read = match (self.read_spilled, self.read) {
            (Some(there), Some(all)) if all > 0 => {
                let share = Quantity::Share(there.min(all) as f64 / all as f64);
                phrase!("{} of the {} that RocksDB read meanwhile came from there", share, bytes(all))
            }
            (Some(_), Some(_)) => "RocksDB read nothing meanwhile".into(),
            _ => "how much RocksDB reads there, its release does not count".into(),
        };
        let (spilled, used, size) = (bytes(self.spilled), bytes(self.used), bytes(self.size));
        Some(phrase!(
            "{} of its database lie on the device of its data{} (of its own device {} of {} are in use); {}",
            spilled,
            grown,
            used,
            size,
            read
        ))
    }

    /// The two of them together; `later` is of a later slice.
    pub fn then(self, later: DatabaseLook) -> DatabaseLook {
        let both = |of: fn(&DatabaseLook) -> Option<Bytes>| Some(of(&self)?.saturating_add(of(&later)?));
        DatabaseLook {
            grown: self.grown.saturating_add(later.grown),
            read: both(|look| look.read),
            read_spilled: both(|look| look.read_spilled),
            ..later
        }
    }
}
