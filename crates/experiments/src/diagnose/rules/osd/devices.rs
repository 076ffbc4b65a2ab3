//! On which of its devices an OSD whose commits are slow waits: on that of its data, or on that of its database and log.

use super::by_position::Slow;
use crate::diagnose::Case;
use model::{CommitParts, Metric, Phrase, Quantity, StoreDevices, phrase};

/// At least this share of the time by which its commits take longer than others' is on one of both devices, if that one is the cause: what
/// lies between is reported as neither. Of an OSD with 100 operations a second on one device, see docs/method.md, "By position".
const OF_ONE: f64 = 0.8;

/// Of an OSD whose database lies on a device of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsOn {
    Data,
    Log,
}

/// What an OSD's commits wait for on each of its devices, beside the median of the others.
pub struct Waits {
    pub on: WaitsOn,
    own: CommitParts,
    others: CommitParts,
    devices: StoreDevices,
}

impl Slow<'_> {
    /// `None`: its database lies with its data, that is not known, its timers do not tell, or it waits on both.
    pub fn waits(&self, case: &Case) -> Option<Waits> {
        let facts = case.osds().iter().find(|osd| osd.id == self.osd.osd)?;
        let devices = Some(facts.store_devices()).filter(|devices| devices.apart == Some(true))?;
        let own = self.osd.timers?.parts?;
        let others = self.all.osds.iter().filter(|other| other.osd != self.osd.osd);
        let others: Vec<CommitParts> = others.filter_map(|other| other.timers?.parts).collect();
        let median = |of: fn(&CommitParts) -> f64| judge::median(&others.iter().map(of).collect::<Vec<_>>()).max(0.0);
        let others = (!others.is_empty())
            .then(|| CommitParts { data: median(|parts| parts.data), log: median(|parts| parts.log) })?;
        let (data, log) = ((own.data - others.data).max(0.0), (own.log - others.log).max(0.0));
        let on = match log / (data + log) {
            share if share >= OF_ONE => WaitsOn::Log,
            share if share <= 1.0 - OF_ONE => WaitsOn::Data,
            _ => return None,
        };
        Some(Waits { on, own, others, devices })
    }
}

impl Waits {
    /// `the device of its database and log (sdb), not that of its data (sdc)`
    pub fn says(&self) -> Phrase {
        let named = |what: &str, names: &[String]| match names {
            [] => what.to_string(),
            names => format!("{what} ({})", names.join(", ")),
        };
        let log = |what| named(what, &self.devices.log);
        let data = |what| named(what, &self.devices.data);
        match self.on {
            WaitsOn::Log => {
                phrase!("{}, not {}", log("the device of its database and log"), data("that of its data"))
            }
            WaitsOn::Data => {
                phrase!("{}, not {}", data("the device of its data"), log("that of its database and log"))
            }
        }
    }

    pub fn evidence(&self) -> Phrase {
        let ms = |value: f64| Quantity::Value { value, metric: Metric::LatencyMean };
        phrase!(
            "of a commit it waits {} until the log of its database is written (kv_commit_lat), others {}, and {} for its data (state_aio_wait_lat, kv_flush_lat), others {}",
            ms(self.own.log),
            ms(self.others.log),
            ms(self.own.data),
            ms(self.others.data)
        )
    }
}
