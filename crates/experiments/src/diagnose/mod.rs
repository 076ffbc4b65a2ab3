//! Why it is slow: rules suspect causes in what is known, and what one cause explains is evidence of it.

mod case;
mod peers;
mod precedence;
mod rule;
mod rules;
#[cfg(test)]
mod testing;

pub use case::{Case, Source};
pub use rule::{Area, Explains, Fix, Rule, Suspect};
pub use rules::RULES;

use model::Finding;

/// The causes that remain, in the order of the rules.
pub fn findings(case: &Case) -> Vec<Finding> {
    precedence::causes(suspects(case), case).into_iter().map(|(rule, suspect)| finding(rule, suspect)).collect()
}

fn suspects(case: &Case) -> Vec<(&'static Rule, Suspect)> {
    let known = RULES.iter().filter(|rule| rule.needs.iter().any(|source| source.is_recorded(case)));
    known.flat_map(|rule| (rule.suspect)(case).into_iter().map(move |suspect| (*rule, suspect))).collect()
}

fn finding(rule: &Rule, suspect: Suspect) -> Finding {
    Finding {
        id: rule.id.to_string(),
        standing: suspect.standing,
        subject: suspect.subject,
        says: suspect.says,
        evidence: suspect.evidence,
        fix: suspect.fix.unwrap_or(rule.fix).to_string(),
        risk: rule.risk.to_string(),
    }
}
