//! Objects smaller than a stripe.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-ec-object-lt-stripe",
    about: Area::Pool,
    what: "The objects of an erasure-coded pool are smaller than its stripe.",
    why: "Each still takes a part on k+m OSDs, padded to whole units.",
    evidence: "Objects of an erasure-coded pool with more than 100,000 are smaller on average than its stripe, before Tentacle.",
    sources: &["Clyso's analyzer (clyso/otto on GitHub)"],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "a replicated pool for small objects, or a smaller k",
    risk: "data have to be copied",
    confirm: "ceph df detail: USED against STORED times (k+m)/k",
    releases: Releases::before(20, 0, 0),
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| {
            pool.erasure == Some(true)
                && pool.objects.is_some_and(|objects| objects > 100_000)
                && pool.object_bytes().zip(pool.stripe_width).is_some_and(|(bytes, width)| bytes < width as f64)
        },
        "objects are smaller than a stripe",
        |pool| {
            phrase!(
                "{} bytes on average, a stripe of {}",
                Quantity::Count(pool.object_bytes().unwrap_or(0.0) as u64),
                Quantity::Count(pool.stripe_width.unwrap_or(0))
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
        assert_eq!(
            told(&RULE, |facts| {
                coded(facts, 4, 2, "isa");
                the_pool(facts, |pool| (pool.stored, pool.objects) = (Some(1 << 30), Some(1_000_000)))
            }),
            ["pool vms"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| coded(facts, 4, 2, "isa")), NOBODY);
        assert_eq!(
            told(&RULE, |facts| {
                coded(facts, 4, 2, "isa");
                the_pool(facts, |pool| (pool.stored, pool.objects) = (Some(1 << 20), Some(1_000)))
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
