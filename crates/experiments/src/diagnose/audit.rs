//! Looking at facts with every rule that needs nothing else, and what a rule is, as data.

use super::{Case, Explains, FactsPart, Fix, RULES, Rule, Source, confirm, facts, finding};
use crate::diagnose::rule::{Area, Matters};
use judge::assess;
use model::facts::Facts;
use model::{Audit, Hint, NotLooked, Observation, Record, RulePage, Standing};
use std::collections::BTreeMap;

/// Pure. Everything that is found is a hint: what it costs is not measured.
pub fn audit(facts: Facts) -> Audit {
    let left_out = facts.left_out.clone();
    let record = Record::default().with(Observation::Facts(Box::new(facts)));
    let assessed = assess(&record);
    let case = &Case::of(&assessed);
    let (mut looked, mut lacking): (u32, BTreeMap<FactsPart, Vec<String>>) = (0, BTreeMap::new());
    let mut found: Vec<((bool, Matters), Hint)> = Vec::new();
    for rule in RULES.iter().filter(|rule| rule.of_facts()) {
        match unknown(rule, case) {
            Some(part) => lacking.entry(part).or_default().push(rule.id.to_string()),
            None => looked += 1,
        }
        if facts::holds(rule, case) {
            found.extend((rule.suspect)(case).into_iter().map(|suspect| (rule.rank(), hint(rule, suspect, case))));
        }
    }
    found.sort_by_key(|(rank, _)| *rank);
    let not_looked = lacking.into_iter().map(|(part, rules)| {
        let (lacks, needs) = (part.name().to_string(), part.needs().to_string());
        NotLooked { rules, lacks, needs }
    });
    let hints = found.into_iter().map(|(_, hint)| hint).collect();
    Audit { looked, hints, not_looked: not_looked.collect(), left_out }
}

/// The first part of what the rule reads that is not known.
fn unknown(rule: &Rule, case: &Case) -> Option<FactsPart> {
    rule.needs.iter().find_map(|source| match source {
        Source::Facts(part) if !source.is_recorded(case) => Some(*part),
        _ => None,
    })
}

fn hint(rule: &Rule, suspect: super::Suspect, case: &Case) -> Hint {
    let confirm = confirm::as_sentence(rule, &suspect.subject, case);
    let finding = finding(rule, super::Suspect { standing: Standing::Hint, ..suspect }, case);
    Hint {
        finding,
        area: rule.about.name().to_string(),
        why: rule.why.to_string(),
        confirm,
        sources: rule.sources.iter().map(ToString::to_string).collect(),
        of_state: rule.about == Area::State,
    }
}

/// All that is known of a rule.
pub fn page(rule: &Rule) -> RulePage {
    let special = |fix: &&Fix| format!("where {}: {}", fix.when, fix.what);
    let explains = |arrow: &Explains| format!("{} ({})", arrow.rule.id, arrow.which);
    RulePage {
        id: rule.id.to_string(),
        area: rule.about.name().to_string(),
        what: rule.what.to_string(),
        why: rule.why.to_string(),
        seen: rule.evidence.to_string(),
        from: rule.needs.iter().map(|source| source.name().to_string()).collect(),
        confirm: rule.confirmed_by(),
        tested: rule.test.is_some(),
        explains: rule.explains.iter().map(explains).collect(),
        fix: rule.fix.to_string(),
        special_fixes: rule.special_fixes.iter().map(special).collect(),
        risk: rule.risk.to_string(),
        releases: rule.releases.words(),
        sources: rule.sources.iter().map(ToString::to_string).collect(),
        tried: rule.tried.words().to_string(),
    }
}
