//! Pools whose copies may lie on one host.

use crate::diagnose::facts::prelude::*;
use std::collections::BTreeSet;

pub static RULE: Rule = Rule {
    id: "pool-domain-osd",
    about: Area::Pool,
    what: "Copies of a pool may lie on one host.",
    why: "When that host fails, all copies are away at once.",
    evidence: "The rule of a pool spreads over OSDs, and there are three hosts and more with OSDs. Not in a lab.",
    sources: &["Ceph's documentation, \"CRUSH Maps\""],
    needs: &[Source::Facts(FactsPart::Pools), Source::Facts(FactsPart::Crush), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph osd crush rule create-replicated NAME default host CLASS; ceph osd pool set POOL crush_rule NAME",
    risk: "data of the pool move",
    confirm: "ceph pg ls-by-pool POOL: OSDs of one host in one group",
    matters: Matters::Data,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| !case.cluster().lab && pool.of_users() && hosts(case) >= 3 && over_osds(case, pool),
        "copies may lie on one host",
        |_| "its rule spreads over OSDs".into(),
    )
}

fn hosts(case: &Case) -> usize {
    case.osds().iter().map(|osd| osd.host.as_str()).collect::<BTreeSet<_>>().len()
}

fn over_osds(case: &Case, pool: &PoolFacts) -> bool {
    let mut rules = case.cluster().crush_rules.iter().flatten();
    rules.any(|rule| Some(rule.id) == pool.crush_rule && rule.domain.as_deref() == Some("osd"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| facts.cluster.crush_rules.as_mut().unwrap()[0].domain = Some("osd".into())),
            ["pool vms"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                facts.cluster.crush_rules.as_mut().unwrap()[0].domain = Some("osd".into());
                facts.cluster.lab = true
            }),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| facts.cluster.crush_rules.as_mut().unwrap()[0].domain = Some("rack".into())),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
