//! Small objects on an erasure-coded pool.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rgw-small-on-ec",
    about: Area::Rgw,
    what: "Small objects of gateways lie on an erasure-coded pool.",
    why: "At 64 KiB three copies took 18 % more PUTs and 37 % more GETs than 2+2.",
    evidence: "An erasure-coded pool with the application rgw holds more than 100,000 objects of less than 64 KiB on average.",
    sources: &["ceph.io blog, 2025: benchmarking-object-part2"],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "a storage class on a replicated pool for small objects",
    risk: "more space is used",
    confirm: "PUT and GET of their size on both storage classes",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let small = |pool: &PoolFacts| {
        pool.objects.is_some_and(|objects| objects > 100_000)
            && pool.object_bytes().is_some_and(|bytes| bytes < 65_536.0)
    };
    of_pools(
        case,
        |pool| pool.erasure == Some(true) && pool.has("rgw") && small(pool),
        "small objects on an erasure-coded pool",
        |pool| phrase!("{} bytes on average", Quantity::Count(pool.object_bytes().unwrap_or(0.0) as u64)),
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
                coded(facts, 2, 2, "isa");
                the_pool(facts, |pool| {
                    (pool.applications, pool.objects, pool.stored) = (vec!["rgw".into()], Some(1 << 20), Some(16 << 30))
                })
            }),
            ["pool vms"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                coded(facts, 2, 2, "isa");
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
