//! Pools whose copies may lie on one host.

use crate::diagnose::facts::prelude::*;
use std::collections::BTreeSet;

pub static RULE: Rule = Rule {
    id: "pool-domain-osd",
    about: Area::Pool,
    what: "Copies of a pool may lie on one host.",
    why: "When that host fails, all copies are away at once.",
    evidence: "The rule of a pool spreads over OSDs and nothing above them, and three hosts or more, at least as many as the pool has copies or parts, have OSDs of the classes that it reaches. Not in a lab.",
    sources: &["Ceph's documentation, \"CRUSH Maps\""],
    needs: &[Source::Facts(FactsPart::Pools), Source::Facts(FactsPart::Crush), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: REPLICATED,
    special_fixes: &[&CODED, &CHOOSES_MORE],
    risk: "data of the pool move",
    confirm: "ceph pg ls-by-pool POOL: OSDs of one host in one group",
    matters: Matters::Data,
    ..Rule::OF_FACTS
};

const REPLICATED: &str = "with the root of the pool's own rule: ceph osd crush rule create-replicated NAME ROOT host CLASS; ceph osd pool set POOL crush_rule NAME";

static CODED: Fix = Fix {
    when: "the pool is erasure-coded",
    what: "make a profile with its k, m, plugin and root: ceph osd erasure-code-profile set PROFILE k=K m=M plugin=PLUGIN crush-root=ROOT crush-device-class=CLASS crush-failure-domain=host; ceph osd crush rule create-erasure NAME PROFILE; ceph osd pool set POOL crush_rule NAME",
};

static CHOOSES_MORE: Fix = Fix {
    when: "the pool's own rule takes or chooses several times, or its root is not known",
    what: "make a rule like the pool's own that chooses hosts, and an OSD in each (ceph osd crush rule dump); then ceph osd pool set POOL crush_rule RULE",
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = of_pools(
        case,
        |pool| !case.cluster().lab && pool.of_users() && hosts_would_do(case, pool),
        "copies may lie on one host",
        |_| "its rule spreads over OSDs".into(),
    );
    let fix = |pool: &PoolFacts| if pool.erasure == Some(true) { CODED.what } else { REPLICATED };
    as_its_own(case, found, fix, &CHOOSES_MORE)
}

/// Its rule spreads over OSDs, and there are enough hosts to spread over these.
fn hosts_would_do(case: &Case, pool: &PoolFacts) -> bool {
    let Some((rule, size)) = case.crush_rule(pool).zip(pool.size) else { return false };
    let hosts: BTreeSet<&str> = case.reached_by(rule).map(|osd| osd.host.as_str()).collect();
    rule.domain.as_deref() == Some("osd") && hosts.len() >= (size as usize).max(3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;
    use model::facts::Facts;

    fn over_osds(facts: &mut Facts) {
        facts.cluster.crush_rules.as_mut().unwrap()[0].domain = Some("osd".into());
    }

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, over_osds), ["pool vms"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                over_osds(facts);
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
    fn hosts_that_are_fewer_than_copies_or_parts_can_not_keep_them_apart() {
        assert_eq!(
            told(&RULE, |facts| {
                over_osds(facts);
                coded(facts, 4, 2, "isa")
            }),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| {
                over_osds(facts);
                each_osd(facts, |osd| osd.class = Some(if osd.host == "a" { "hdd" } else { "ssd" }.into()))
            }),
            NOBODY,
            "two hosts with the class that it reaches"
        );
    }

    #[test]
    fn an_erasure_coded_pool_gets_a_rule_of_its_own_kind() {
        let fix = |change: fn(&mut Facts)| {
            let told = suspects(&RULE, |facts| {
                over_osds(facts);
                change(facts)
            });
            told.into_iter().find_map(|one| one.fix).unwrap()
        };
        assert!(fix(|_| ()).contains("create-replicated NAME default host CLASS;"));
        let of_coded = fix(|facts| coded(facts, 2, 1, "isa"));
        assert!(of_coded.contains("crush-root=default") && !of_coded.contains("replicated"));
        assert_eq!(fix(|facts| the_rule(facts, |rule| rule.root = None)), CHOOSES_MORE.what);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
