//! Suspects among peers: targets that are slower than others of their kind.

use super::{Case, Suspect};
use model::{Outlier, Phrase, Standing, TargetKind, phrase};

/// One for each slow target of this kind, with every pattern in which it is slow as evidence.
pub fn slow_targets(case: &Case, kind: TargetKind) -> Vec<Suspect> {
    let mut found: Vec<Suspect> = Vec::new();
    for outlier in case.outliers.iter().filter(|outlier| outlier.layer.spec().target == kind) {
        match found.iter_mut().find(|suspect| suspect.subject == outlier.subject) {
            Some(suspect) => {
                suspect.evidence.push(evidence(outlier));
                if outlier.standing == Standing::Confirmed {
                    suspect.standing = Standing::Confirmed;
                }
            }
            None => {
                let says = phrase!("{} is slower than its peers", outlier.subject.clone());
                found.push(Suspect::new(outlier.subject.clone(), outlier.standing, says, evidence(outlier)));
            }
        }
    }
    found
}

fn evidence(outlier: &Outlier) -> Phrase {
    phrase!("{}: {}", outlier.pattern.name(), outlier.says.clone())
}
