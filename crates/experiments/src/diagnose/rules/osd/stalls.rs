//! An OSD that stops at times: it takes part in the few writes that take very long, and nobody else does.

use super::by_position::{Slow, Where};
use crate::diagnose::{Case, Suspect};
use judge::{at_least, median};
use model::{Metric, OsdStages, Quantity, Standing, Subject, phrase};

/// At least this share of the moments of long writes is its own: of a write's two OSDs either may be at fault, but one of all of them.
const SHARE_LEAST: f64 = 0.8;
/// How likely it may be, at most, that chance alone gives one of the OSDs its part in the long writes: in one of a thousand diagnoses.
const CHANCE_CERTAIN: f64 = 0.001;
/// The same of a hint.
const CHANCE_HINT: f64 = 0.05;
/// Of the time of its long writes at least this share is in its commits if its store stops: its commits may differ from others' anyway.
const OF_STORE: f64 = 0.7;
/// And less than this if its process stops. What lies between is told of neither.
const OF_PROCESS: f64 = 0.3;

pub struct Stalls {
    pub standing: Standing,
    pub spent: Where,
}

impl Slow<'_> {
    /// `None`: the long writes are not its own. Many of one moment count once.
    pub fn stalls(&self) -> Option<Stalls> {
        let own = self.osd.took_part;
        let (moments, writes) = (self.all.long.moments, self.all.operations);
        if moments == 0 || writes == 0 || (own.moments as f64) < SHARE_LEAST * moments as f64 {
            return None;
        }
        let chance = at_least(own.moments, moments, own.writes as f64 / writes as f64) * self.all.osds.len() as f64;
        let spent = self.stalls_in();
        // What its host does to it, or the way to its host, looks the same unless another OSD lies there.
        let whose = spent != Where::Unknown && (spent == Where::Store || self.has_neighbour());
        match chance {
            chance if chance < CHANCE_CERTAIN && whose => Some(Stalls { standing: Standing::Confirmed, spent }),
            chance if chance < CHANCE_HINT => Some(Stalls { standing: Standing::Hint, spent }),
            _ => None,
        }
    }

    /// Is another OSD of its host measured as well?
    pub(super) fn has_neighbour(&self) -> bool {
        let beside = |other: &&model::PositionOfOsd| other.host == self.osd.host && other.osd != self.osd.osd;
        self.all.osds.iter().filter(beside).any(|other| other.took_part.writes > 0)
    }

    /// In its store's commits if its timers have the time there; else its process stops, since timers begin when it reads a message.
    fn stalls_in(&self) -> Where {
        let Some(timers) = self.osd.timers else { return Where::Unknown };
        let own = self.osd.took_part;
        let longer = own.long_ms - own.long as f64 * self.all.usual.mean.value;
        let beyond = |of: fn(&OsdStages) -> f64| {
            let others = self.all.osds.iter().filter(|other| other.osd != self.osd.osd);
            let others: Vec<f64> = others.filter_map(|other| other.timers.as_ref()).map(of).collect();
            (of(&timers) - median(&others)) * own.writes as f64
        };
        match beyond(|timers| timers.commit) / longer {
            share if share >= OF_STORE => Where::Store,
            share if share < OF_PROCESS => Where::Process,
            _ => Where::Unknown,
        }
    }

    /// With the long writes as evidence.
    pub fn stalling(&self, says: model::Phrase, case: &Case) -> Suspect {
        let ms = |value: f64| Quantity::Value { value, metric: Metric::LatencyMean };
        let own = self.osd.took_part;
        let mut suspect = self.suspect(says, case);
        suspect.evidence.insert(
            0,
            phrase!(
                "{} of {} writes that took {} or more were with {}, on average {} each, and {} of the {} moments at which they came are its own; it has a part in {} of \
                 {} writes",
                Quantity::Count(own.long),
                Quantity::Count(self.all.long.writes),
                ms(self.all.long.above_ms),
                Subject::Osd(self.osd.osd),
                ms(own.long_ms / own.long.max(1) as f64),
                Quantity::Count(own.moments),
                Quantity::Count(self.all.long.moments),
                Quantity::Count(own.writes),
                Quantity::Count(self.all.operations)
            ),
        );
        suspect
    }
}
