//! Which suspects are causes, and which are consequences of others: a graph over subjects, whose arrows the rules declare.

use super::{Case, Rule, Suspect};
use model::Standing;

/// Those that no other explains, each with what it explains. Of several explanations of one suspect the first in the order of the
/// rules counts.
pub fn causes(suspects: Vec<(&'static Rule, Suspect)>, case: &Case) -> Vec<(&'static Rule, Suspect)> {
    let mut explained_by: Vec<Option<usize>> = vec![None; suspects.len()];
    for at in 0..suspects.len() {
        // Nothing is its own consequence.
        let found = explanations(&suspects, at, case).find(|cause| first_cause(&explained_by, *cause) != at);
        explained_by[at] = found;
    }
    let mut causes: Vec<Option<(&'static Rule, Suspect)>> = suspects.iter().cloned().map(Some).collect();
    for (at, (rule, suspect)) in suspects.iter().enumerate().filter(|(at, _)| explained_by[*at].is_some()) {
        causes[at] = None;
        if let Some((_, cause)) = &mut causes[first_cause(&explained_by, at)] {
            cause.explains.push(suspect.explained(rule));
        }
    }
    causes.into_iter().flatten().collect()
}

/// Indices of those whose rule says that this one is their consequence.
fn explanations<'s>(
    suspects: &'s [(&'static Rule, Suspect)],
    at: usize,
    case: &'s Case,
) -> impl Iterator<Item = usize> + 's {
    let (rule, suspect) = &suspects[at];
    (0..suspects.len()).filter(move |other| {
        let (by, cause) = &suspects[*other];
        // What is certain is not explained by what became doubtful.
        let doubtful = cause.doubted && suspect.standing == Standing::Confirmed;
        let mut arrows = by.explains.iter().filter(|arrow| std::ptr::eq(arrow.rule, *rule));
        *other != at && !doubtful && arrows.any(|arrow| (arrow.follows)(cause, suspect, case))
    })
}

/// At the end of the way from a suspect to what explains it, and what explains that.
fn first_cause(explained_by: &[Option<usize>], mut at: usize) -> usize {
    while let Some(cause) = explained_by[at] {
        at = cause;
    }
    at
}

#[cfg(test)]
mod tests {
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing::{dead_leg, findings, one, round_trips, text, told, ways};

    #[test]
    fn what_explains_a_suspect_that_explains_others_is_the_cause_of_all() {
        let mut made = Made::cluster();
        ways(&mut made, 3, None, |from, _| Some(if from == 1 { 117.0 } else { 1250.0 }));
        round_trips(&mut made, 3, |from, to| if (from, to) == (1, 2) { 0.4 } else { 0.1 });
        assert_eq!(told(&made.record), [one("host-network-slow", "h1")]);
        // Its bond is the cause of the host's, and so of the link's, slowness, but not of another host's.
        made.record.observations.push(model::Observation::Bonds(vec![dead_leg("h1", "802.3ad", &["10.0.0.1"])]));
        assert_eq!(told(&made.record), [one("bond-leg", "h1")]);
        let evidence: Vec<String> = findings(&made.record)[0].all_evidence().map(text).collect();
        assert_eq!(evidence[0], "bond0: 802.3ad, of eth0, eth1");
        assert!(
            evidence[1].starts_with("h1: all that it sends is slow, and the other pairs are not (streams: 9")
                && evidence[2].starts_with("h1↔h2: round trips: "),
            "{evidence:?}"
        );
        made.record.observations.push(model::Observation::Bonds(vec![dead_leg("h2", "802.3ad", &["10.0.0.1"])]));
        assert_eq!(told(&made.record), [one("host-network-slow", "h1"), one("bond-leg", "h2")]);
    }
}
