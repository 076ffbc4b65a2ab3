//! What reading back showed: is what was read what was written?

use crate::step_id::StepId;
use crate::workload::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a block that was read differs from what was written there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlawKind {
    /// No stamp, or damaged bytes.
    Wrong,
    /// At its place, but older than what was acknowledged.
    Stale,
    /// Part of it is older than the rest.
    Torn,
    /// What was written to another place.
    Misplaced,
}

impl FlawKind {
    pub const ALL: [FlawKind; 4] = [FlawKind::Wrong, FlawKind::Stale, FlawKind::Torn, FlawKind::Misplaced];

    pub fn name(self) -> &'static str {
        match self {
            FlawKind::Wrong => "wrong",
            FlawKind::Stale => "stale",
            FlawKind::Torn => "torn",
            FlawKind::Misplaced => "misplaced",
        }
    }
}

/// One block that was not as it was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Flaw {
    pub kind: FlawKind,
    /// The device, the image, the object.
    pub place: String,
    /// Where in it, and how far what is flawed reaches.
    pub offset: Bytes,
    pub bytes: Bytes,
    /// Seconds from the run's start to when it was read.
    pub seconds: f64,
    /// What was found instead, in words.
    pub says: String,
}

/// What was read back and checked on one target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Checked {
    /// Bytes that were compared with what was written.
    pub bytes: Bytes,
    /// Bytes that were read but say nothing: their last write was not acknowledged.
    pub unknown: Bytes,
    /// Blocks with a flaw, each counted once, however often it was read.
    pub wrong: u64,
    pub stale: u64,
    pub torn: u64,
    pub misplaced: u64,
    /// The first some of them.
    pub flaws: Vec<Flaw>,
    /// Where nothing but writes was asked for: what was read back of it afterwards.
    pub read_back: Option<ReadBack>,
}

/// A bounded look at what a slice had written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadBack {
    /// Bytes that were read back.
    pub bytes: Bytes,
    /// Bytes that the slice had written, each place counted once.
    pub of: Bytes,
}

impl Checked {
    /// At most this many flaws are kept with their place; all are counted.
    pub const SHOWN: usize = 20;

    pub fn count(&self, kind: FlawKind) -> u64 {
        match kind {
            FlawKind::Wrong => self.wrong,
            FlawKind::Stale => self.stale,
            FlawKind::Torn => self.torn,
            FlawKind::Misplaced => self.misplaced,
        }
    }

    pub fn flawed(&self) -> u64 {
        FlawKind::ALL.into_iter().fold(0u64, |sum, kind| sum.saturating_add(self.count(kind)))
    }

    pub fn note(&mut self, flaw: Flaw) {
        match flaw.kind {
            FlawKind::Wrong => self.wrong += 1,
            FlawKind::Stale => self.stale += 1,
            FlawKind::Torn => self.torn += 1,
            FlawKind::Misplaced => self.misplaced += 1,
        }
        if self.flaws.len() < Checked::SHOWN {
            self.flaws.push(flaw);
        }
    }

    pub fn add(&mut self, other: &Checked) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.unknown = self.unknown.saturating_add(other.unknown);
        self.wrong = self.wrong.saturating_add(other.wrong);
        self.stale = self.stale.saturating_add(other.stale);
        self.torn = self.torn.saturating_add(other.torn);
        self.misplaced = self.misplaced.saturating_add(other.misplaced);
        let room = Checked::SHOWN.saturating_sub(self.flaws.len());
        self.flaws.extend(other.flaws.iter().take(room).cloned());
        if let Some(more) = other.read_back {
            let so_far = self.read_back.unwrap_or_default();
            self.read_back = Some(ReadBack { bytes: so_far.bytes + more.bytes, of: so_far.of + more.of });
        }
    }

    /// `2 wrong, 1 stale`.
    pub fn counts(&self) -> String {
        let said = FlawKind::ALL.into_iter().map(|kind| (self.count(kind), kind.name())).filter(|(n, _)| *n > 0);
        said.map(|(n, name)| format!("{n} {name}")).collect::<Vec<_>>().join(", ")
    }
}

/// What was checked on one target in one slice of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verified {
    pub step: StepId,
    /// Index into the step's targets.
    pub target: u32,
    pub pass: u32,
    pub checked: Checked,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_counted_and_the_first_some_are_kept() {
        let flaw = |n: u64| Flaw {
            kind: FlawKind::ALL[n as usize % 4],
            place: "/dev/x".into(),
            offset: n * 4096,
            bytes: 4096,
            seconds: 1.0,
            says: String::new(),
        };
        let mut all = Checked::default();
        (0..30).for_each(|n| all.note(flaw(n)));
        assert_eq!(
            (all.flawed(), all.flaws.len(), all.counts().as_str()),
            (30, 20, "8 wrong, 8 stale, 7 torn, 7 misplaced")
        );
        let mut sum = Checked { read_back: Some(ReadBack { bytes: 1, of: 2 }), ..Checked::default() };
        sum.add(&all);
        sum.add(&all);
        assert_eq!((sum.flawed(), sum.flaws.len(), sum.read_back), (60, 20, Some(ReadBack { bytes: 1, of: 2 })));
    }
}
