//! Clocks of monitors that differ.

use crate::diagnose::facts::prelude::*;
use model::Standing;

pub static RULE: Rule = Rule {
    id: "st-clock-skew",
    about: Area::State,
    what: "The clocks of monitors differ by more than they may.",
    why: "Leases of monitors and of placement groups are told in time; beyond the bound elections and delays follow.",
    evidence: "The health check MON_CLOCK_SKEW stands, or a monitor's clock differs by more than 0.05 s (mon_clock_drift_allowed).",
    sources: &["Ceph's documentation, \"Monitor Config Reference\""],
    needs: &[Source::Facts(FactsPart::Health), Source::Facts(FactsPart::Monitors)],
    suspect,
    fix: "run chrony on every host, with the same sources: chronyc sources; chronyc tracking",
    risk: "a clock that is set in one step may end leases",
    confirm: "chronyc tracking on each monitor's host",
    matters: Matters::Some,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let skew = case.cluster().monitors.as_ref().and_then(|monitors| monitors.clock_skew).filter(|skew| *skew > ALLOWED);
    let said = case.check("MON_CLOCK_SKEW").map(String::from).or(skew.map(|skew| format!("{:.0} ms", skew * 1e3)));
    match said {
        Some(said) => {
            vec![Suspect {
                slows_nothing: true,
                ..Suspect::new(Subject::Cluster, Standing::Confirmed, "clocks of monitors differ".into(), said.into())
            }]
        }
        None => Vec::new(),
    }
}

/// Seconds.
const ALLOWED: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| check(facts, "MON_CLOCK_SKEW")), ["cluster"]);
        assert_eq!(told(&RULE, |facts| facts.cluster.monitors.as_mut().unwrap().clock_skew = Some(0.2)), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| facts.cluster.monitors.as_mut().unwrap().clock_skew = Some(0.04)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
