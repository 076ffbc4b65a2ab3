//! What a rule is: a cause of slowness, how it is seen, what it explains, and what to do about it.

use super::{Case, RuleTest, Source};
use model::{Phrase, Standing, Subject, phrase};

pub struct Rule {
    /// Short and unique. It stands in documents, and does not change.
    pub id: &'static str,
    pub about: Area,
    /// What is wrong where it is found, in a sentence.
    pub what: &'static str,
    /// How it is seen, with the thresholds.
    pub evidence: &'static str,
    /// Where the thresholds are from.
    pub sources: &'static [&'static str],
    /// Where its evidence is from; without any of these nobody is suspected.
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
    Device,
    Network,
    Osd,
}

/// Something that may be the cause, with what speaks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspect {
    pub subject: Subject,
    pub standing: Standing,
    pub says: Phrase,
    pub evidence: Vec<Phrase>,
    /// How it is told as evidence of what explains it; `None`: what it says, with its first evidence.
    pub in_short: Option<Phrase>,
    /// In a special case in place of the rule's.
    pub fix: Option<&'static str>,
}

impl Rule {
    /// What most rules have.
    pub const LOOKING_CHANGES_NOTHING: &'static str = "none: looking changes nothing";
}

impl Area {
    /// The folder of its rules.
    pub fn name(self) -> &'static str {
        match self {
            Area::Device => "device",
            Area::Network => "network",
            Area::Osd => "osd",
        }
    }
}

impl Suspect {
    pub fn new(subject: Subject, standing: Standing, says: Phrase, evidence: Phrase) -> Suspect {
        Suspect { subject, standing, says, evidence: vec![evidence], in_short: None, fix: None }
    }

    pub fn as_evidence(&self) -> Phrase {
        let first = self.evidence.first().map(|first| phrase!(" ({})", first.clone())).unwrap_or_default();
        self.in_short.clone().unwrap_or_else(|| phrase!("{}{}", self.says.clone(), first))
    }
}
