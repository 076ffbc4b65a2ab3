//! Images on erasure-coded pools.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-ec-small-io",
    about: Area::Pool,
    what: "Images, which are read and written in small pieces, lie on an erasure-coded pool.",
    why: "Before Tentacle a small write reads and writes a whole stripe: at 6+2 a cluster did 3.4 of 25.5 million reads, and 0.94 of 4.9 million writes a second; at 2+1 writes fell from 100,000 to 45,000.",
    evidence: "An erasure-coded pool has the application rbd, and not the flag ec_optimizations.",
    sources: &[
        "Clyso, \"Ceph: A Journey to 1 TiB/s\" (ceph.io blog, 2024: ceph-a-journey-to-1tibps)",
        "Vitastor, comparison with Ceph",
    ],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "for hot data a replicated pool; from 20.2.1 on: ceph osd pool set POOL allow_ec_optimizations true",
    risk: "images have to be copied; the flag can not be taken back, and OSDs of 20.2.0 crash with it (tracker.ceph.com issue 74813)",
    confirm: "fathom rbd on images of this pool and of a replicated one on the same OSDs",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| pool.erasure == Some(true) && pool.has("rbd") && !pool.flag("ec_optimizations"),
        "images on an erasure-coded pool",
        |pool| {
            phrase!(
                "k={}, m={}",
                pool.profile.get("k").cloned().unwrap_or_default(),
                pool.profile.get("m").cloned().unwrap_or_default()
            )
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| coded(facts, 4, 2, "isa")), ["pool vms"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                coded(facts, 4, 2, "isa");
                the_pool(facts, |pool| pool.flags.push("ec_optimizations".into()))
            }),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| {
                coded(facts, 4, 2, "isa");
                the_pool(facts, |pool| pool.applications = vec!["rgw".into()])
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
