//! OSDs that are marked down while they live.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-flapping",
    about: Area::State,
    what: "OSDs were marked down while they ran, more than once, within the last hour of changes.",
    why: "Each time their placement groups peer: seconds without an answer.",
    evidence: "The monitors' estimate that an OSD is marked down wrongly is above 0.5, which takes two times, and it was last marked down less than an hour before the newest OSD map.",
    sources: &[
        "Ceph's documentation, \"Troubleshooting OSDs\"",
        "Ceph's source: src/common/options: mon_osd_laggy_weight (0.3)",
    ],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "look at the network between the hosts (fathom network --hosts LIST) and at hosts without memory or processor time",
    risk: "none that is known",
    confirm: "ceph log last 100 has lines of `wrongly marked me down`; fathom network --hosts LIST measures the ways",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let flaps = |osd: &OsdFacts| {
        osd.laggy.is_some_and(|laggy| laggy > 0.5)
            && osd.down_before.is_some_and(|seconds| (0.0..3600.0).contains(&seconds))
    };
    of_osds(case, flaps, "marked down while they ran", |osd| {
        phrase!("estimate {}", Quantity::Chance(osd.laggy.unwrap_or(0.0)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.laggy, osd.down_before) = (Some(0.51), Some(60.0)))),
            ["osd.1"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.laggy, osd.down_before) = (Some(0.51), Some(86_400.0)))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
