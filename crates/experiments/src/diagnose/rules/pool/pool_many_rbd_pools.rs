//! Many pools of images.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-many-rbd-pools",
    about: Area::Pool,
    what: "There are many pools of images.",
    why: "Placement groups are spread thin over them: each pool has few, and an OSD many.",
    evidence: "Eight and more pools have the application rbd.",
    sources: &["Clyso's analyzer (clyso/otto on GitHub) (five and more)"],
    needs: &[Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "one pool with namespaces (rbd namespace create), or fewer pools",
    risk: "images have to be moved (rbd migration)",
    confirm: "ceph osd pool autoscale-status: placement groups for each pool",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let pools: Vec<String> = case.pools().iter().filter(|pool| pool.has("rbd")).map(|pool| pool.name.clone()).collect();
    if pools.len() < 8 {
        return Vec::new();
    }
    of_cluster("many pools of images", phrase!("{}: {}", pools.len(), each(pools)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| ["a", "b", "c", "d", "e", "f", "g"].iter().for_each(|name| and_pool(
                facts,
                name,
                |_| ()
            ))),
            ["cluster"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| ["a", "b"].iter().for_each(|name| and_pool(facts, name, |_| ()))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
