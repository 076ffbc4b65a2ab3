//! On which of its devices an OSD whose commits are slow waits: on that of its data, or on that of its database and log.

use super::by_position::Slow;
use crate::diagnose::Case;
use model::{CommitParts, Metric, Pattern, Phrase, Quantity, StoreDevices, StoreTimes, phrase};

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
    /// `None`: its database lies with its data, or has spilled over to there; that is not known; its timers do not tell; or it waits on both.
    pub fn waits(&self, case: &Case) -> Option<Waits> {
        let others = self.all.osds.iter().filter(|other| other.osd != self.osd.osd);
        let others: Vec<CommitParts> = others.filter_map(|other| other.timers?.parts).collect();
        Waits::of(self.osd.osd, self.osd.timers?.parts?, &others, case)
    }
}

impl Waits {
    /// Of stores that were loaded by themselves, each alone.
    pub fn of_stores(osd: u32, pattern: Pattern, case: &Case) -> Option<Waits> {
        let stores = judge::stores(case.entries, case.record);
        let alike = |one: &&StoreTimes| one.by_itself && one.pattern == pattern && one.at_once == 1;
        let (own, others): (Vec<&StoreTimes>, Vec<&StoreTimes>) =
            stores.iter().filter(alike).partition(|one| one.osd == osd);
        let others: Vec<CommitParts> = others.iter().filter_map(|one| one.parts).collect();
        Waits::of(osd, own.first()?.parts?, &others, case)
    }

    fn of(osd: u32, own: CommitParts, others: &[CommitParts], case: &Case) -> Option<Waits> {
        let facts = case.osds().iter().find(|known| known.id == osd)?;
        let devices = Some(facts.store_devices()).filter(|devices| devices.apart == Some(true))?;
        // Its log may be what lies on the data's device.
        let looks = case.record.compactions().flat_map(|seen| &seen.osds).filter(|looks| looks.osd == osd);
        if looks.filter_map(|looks| looks.database).any(|database| database.spilled > 0) {
            return None;
        }
        let median = |of: fn(&CommitParts) -> f64| judge::median(&others.iter().map(of).collect::<Vec<_>>());
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
