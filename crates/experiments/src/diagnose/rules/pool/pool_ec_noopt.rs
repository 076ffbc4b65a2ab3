//! Erasure-coded pools without the new way of writing.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-ec-noopt",
    about: Area::Pool,
    what: "An erasure-coded pool does not use Tentacle's optimisations.",
    why: "At 6+2 small reads are two to three times as fast with them, small writes at least twice.",
    evidence: "OSDs run 20.2.1 or later, require_osd_release is tentacle, and a pool lacks the flag ec_optimizations.",
    sources: &["ceph.io blog, 2025: tentacle-fastec-performance-updates"],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "ceph osd pool set POOL allow_ec_optimizations true",
    risk: "it can not be taken back, and parts have to be multiples of 4 KiB; OSDs of 20.2.0 crash with it (tracker.ceph.com issue 74813): none may run that any more",
    confirm: "fathom rados on a temporary pool with the flag and on one without it",
    releases: Releases::from(20, 2, 1),
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| {
            pool.erasure == Some(true)
                && !pool.flag("ec_optimizations")
                && case.cluster().require_osd_release.as_deref() == Some("tentacle")
        },
        "the new way of writing is off",
        |pool| pool.flags.join(", ").into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| {
                coded(facts, 4, 2, "isa");
                release(facts, 20, 2, 3)
            }),
            ["pool vms"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                coded(facts, 4, 2, "isa");
                release(facts, 19, 2, 3)
            }),
            NOBODY
        );
        assert_eq!(told(&RULE, |facts| release(facts, 20, 2, 3)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
