//! What a rule is: a cause of slowness, how it is seen, what it explains, and what to do about it.

use super::{Case, RuleTest, Source};
use model::facts::Version;
use model::{Cost, Explained, Phrase, Standing, Subject, phrase};

pub struct Rule {
    /// Short and unique. It stands in documents, and does not change.
    pub id: &'static str,
    pub about: Area,
    /// What is wrong where it is found, in a sentence.
    pub what: &'static str,
    /// Why it matters, with figures of others and where they are from; empty: its evidence says it.
    pub why: &'static str,
    /// How it is seen, with the thresholds.
    pub evidence: &'static str,
    /// Where the thresholds are from.
    pub sources: &'static [&'static str],
    /// Where its evidence is from; without any of these nothing is suspected.
    pub needs: &'static [Source],
    pub suspect: fn(&Case) -> Vec<Suspect>,
    /// What is measured where a suspect is not certain; `None`: no measurement tells yet.
    pub test: Option<RuleTest>,
    /// Suspects that are a consequence of one of this rule's, and evidence of it.
    pub explains: &'static [Explains],
    pub fix: &'static str,
    /// What suspects of special cases have in its place.
    pub special_fixes: &'static [&'static Fix],
    pub risk: &'static str,
    /// The measurement that would confirm it, for a person. Where the rule has a test, `fathom diagnose` takes that one by itself.
    pub confirm: &'static str,
    /// The releases of OSDs for which it holds.
    pub releases: Releases,
    pub matters: Matters,
    pub tried: Tried,
}

/// From one release on, and before another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Releases {
    pub from: Option<Version>,
    pub before: Option<Version>,
}

/// How much it usually costs where it is found: in which order hints are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Matters {
    /// A large part of the speed; or the cluster serves less, or nobody.
    Much,
    /// Data may be lost, or read by others. It makes nothing slow.
    Data,
    Some,
    /// It is told to be complete: little, or advice that is out of date.
    Little,
}

/// On what the rule was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// In a lab or on a machine: what it looks for was there, and was found.
    Machines,
    /// On recorded or simulated facts only.
    Facts,
}

/// What is done in a special case.
pub struct Fix {
    pub when: &'static str,
    pub what: &'static str,
}

/// One arrow from a rule to a rule.
pub struct Explains {
    pub rule: &'static Rule,
    /// Which of its suspects: `those of that host`.
    pub which: &'static str,
    /// Is the second a consequence of the first?
    pub follows: fn(&Suspect, &Suspect, &Case) -> bool,
}

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    State,
    Host,
    Device,
    Controller,
    Network,
    Osd,
    Pool,
    Client,
    CephFs,
    Rgw,
}

/// Something that may be the cause, with what speaks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspect {
    pub subject: Subject,
    pub standing: Standing,
    pub says: Phrase,
    pub evidence: Vec<Phrase>,
    /// What is a consequence of it.
    pub explains: Vec<Explained>,
    /// What mending it would gain, where that is known.
    pub cost: Option<Cost>,
    /// How it is told as evidence of what explains it; `None`: what it says, with its first evidence.
    pub in_short: Option<Phrase>,
    /// In a special case in place of the rule's.
    pub fix: Option<String>,
    /// It was confirmed, but for what its OSDs had to do meanwhile.
    pub doubted: bool,
    /// A state of the cluster that costs no time.
    pub slows_nothing: bool,
}

impl Rule {
    /// What most rules have.
    pub const LOOKING_CHANGES_NOTHING: &'static str = "none: looking changes nothing";

    /// The values of most rules; others say what differs.
    pub const USUAL: Rule = Rule {
        id: "",
        about: Area::Osd,
        what: "",
        why: "",
        evidence: "",
        sources: &[],
        needs: &[],
        suspect: |_| Vec::new(),
        test: None,
        explains: &[],
        fix: "",
        special_fixes: &[],
        risk: Rule::LOOKING_CHANGES_NOTHING,
        confirm: "",
        releases: Releases::ALL,
        matters: Matters::Some,
        tried: Tried::Machines,
    };

    /// The usual values for a rule that reads nothing but facts.
    pub const OF_FACTS: Rule = Rule { tried: Tried::Facts, ..Rule::USUAL };

    /// Its evidence is what the cluster and its hosts say of themselves, and nothing else.
    pub fn of_facts(&self) -> bool {
        self.needs.iter().all(|source| matches!(source, Source::Facts(_)))
    }

    /// By this, findings are told: what goes on and what was measured, then what only facts hint at, the worst first. The order of the rules
    /// stands where it is the same.
    pub fn rank(&self) -> (bool, Matters) {
        match self.of_facts() {
            true => (self.about != Area::State, self.matters),
            false => (false, Matters::Much),
        }
    }

    /// What tells a hint of a run that is over from a cause, without a full stop.
    pub fn to_be_certain(&self) -> String {
        match &self.test {
            Some(test) if self.confirm.is_empty() => format!("fathom diagnose measures: {}", test.asks),
            _ => self.confirm.to_string(),
        }
    }

    /// In words, with a full stop, or as the question that it is.
    pub fn confirmed_by(&self) -> String {
        match &self.test {
            Some(test) => format!("`fathom diagnose` measures: {}", test.asks),
            None if self.confirm.ends_with('?') => self.confirm.to_string(),
            None => format!("{}.", self.confirm),
        }
    }
}

impl Releases {
    pub const ALL: Releases = Releases { from: None, before: None };

    pub const fn from(major: u32, minor: u32, patch: u32) -> Releases {
        Releases { from: Some(Version(major, minor, patch)), before: None }
    }

    pub const fn before(major: u32, minor: u32, patch: u32) -> Releases {
        Releases { from: None, before: Some(Version(major, minor, patch)) }
    }

    pub const fn between(from: (u32, u32, u32), before: (u32, u32, u32)) -> Releases {
        Releases { from: Some(Version(from.0, from.1, from.2)), before: Some(Version(before.0, before.1, before.2)) }
    }

    pub fn hold(self, version: Version) -> bool {
        self.from.is_none_or(|from| version >= from) && self.before.is_none_or(|before| version < before)
    }

    /// `from 17.2.0 on, before 19.2.1`
    pub fn words(self) -> String {
        match (self.from, self.before) {
            (None, None) => "all".to_string(),
            (Some(from), None) => format!("from {from} on"),
            (None, Some(before)) => format!("before {before}"),
            (Some(from), Some(before)) => format!("from {from} on, before {before}"),
        }
    }
}

impl Tried {
    pub fn words(self) -> &'static str {
        match self {
            Tried::Machines => "in a lab, where what it looks for was made and found",
            Tried::Facts => "on simulated facts only: what it looks for was never there",
        }
    }
}

impl Area {
    pub const ALL: [Area; 10] = [
        Area::State,
        Area::Host,
        Area::Device,
        Area::Controller,
        Area::Network,
        Area::Osd,
        Area::Pool,
        Area::Client,
        Area::CephFs,
        Area::Rgw,
    ];

    /// The folder of its rules.
    pub fn name(self) -> &'static str {
        match self {
            Area::State => "state",
            Area::Host => "host",
            Area::Device => "device",
            Area::Controller => "controller",
            Area::Network => "network",
            Area::Osd => "osd",
            Area::Pool => "pool",
            Area::Client => "client",
            Area::CephFs => "cephfs",
            Area::Rgw => "rgw",
        }
    }
}

impl Suspect {
    pub fn new(subject: Subject, standing: Standing, says: Phrase, evidence: Phrase) -> Suspect {
        let (evidence, explains) = (vec![evidence], Vec::new());
        let (cost, in_short, fix, doubted, slows_nothing) = (None, None, None, false, false);
        Suspect { subject, standing, says, evidence, explains, cost, in_short, fix, doubted, slows_nothing }
    }

    pub fn as_evidence(&self) -> Phrase {
        let first = self.evidence.first().map(|first| phrase!(" ({})", first.clone())).unwrap_or_default();
        self.in_short.clone().unwrap_or_else(|| phrase!("{}{}", self.says.clone(), first))
    }

    pub fn explained(&self, by: &Rule) -> Explained {
        let (id, subject, evidence) = (by.id.to_string(), self.subject.clone(), self.evidence.clone());
        Explained { id, subject, says: self.as_evidence(), evidence }
    }
}
