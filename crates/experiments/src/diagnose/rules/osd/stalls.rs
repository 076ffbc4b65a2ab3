//! An OSD that stops at times: it takes part in the few writes that take very long, and nobody else does.

use super::by_position::{Slow, Where};
use crate::diagnose::{Case, Suspect};
use judge::{at_least, median};
use model::{Metric, OsdStages, Quantity, Standing, Subject, phrase};

/// It takes part in at least this share of the long writes: of a write's two OSDs either may be at fault, but one of all of them.
const SHARE_LEAST: f64 = 0.8;
/// How likely it may be, at most, that chance alone gives one of the OSDs its part in the long writes: in one of a thousand diagnoses.
const CHANCE_CERTAIN: f64 = 0.001;
/// The same of a hint.
const CHANCE_HINT: f64 = 0.05;
/// Of the time of its long writes at least this share is in one of its stages, if that is where it stops.
const SPENT_LEAST: f64 = 0.5;

pub struct Stalls {
    pub standing: Standing,
    pub spent: Where,
}

impl Slow<'_> {
    /// `None`: the long writes are not its own.
    pub fn stalls(&self) -> Option<Stalls> {
        let own = self.osd.took_part;
        let (long, writes) = (self.all.long.writes, self.all.operations);
        if long == 0 || writes == 0 || (own.long as f64) < SHARE_LEAST * long as f64 {
            return None;
        }
        let chance = at_least(own.long, long, own.writes as f64 / writes as f64) * self.all.osds.len() as f64;
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
        if beyond(|timers| timers.commit) >= SPENT_LEAST * longer { Where::Store } else { Where::Process }
    }

    /// With the long writes as evidence.
    pub fn stalling(&self, says: model::Phrase, case: &Case) -> Suspect {
        let ms = |value: f64| Quantity::Value { value, metric: Metric::LatencyMean };
        let own = self.osd.took_part;
        let mut suspect = self.suspect(says, case);
        suspect.evidence.insert(
            0,
            phrase!(
                "{} of {} writes that took {} or more were with {}, on average {} each; it has a part in {} of {} writes",
                Quantity::Count(own.long),
                Quantity::Count(self.all.long.writes),
                ms(self.all.long.above_ms),
                Subject::Osd(self.osd.osd),
                ms(own.long_ms / own.long.max(1) as f64),
                Quantity::Count(own.writes),
                Quantity::Count(self.all.operations)
            ),
        );
        suspect
    }
}
