//! Pools on disks of different kinds.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-mixed-media",
    about: Area::Pool,
    what: "A pool lies on hard disks and on flash at once.",
    why: "Every write waits for its slowest copy, and a read has the luck of its primary.",
    evidence: "The rule of a pool that is not Ceph's own, and not empty, reaches OSDs of the class hdd and of another one.",
    sources: &["Ceph's documentation, \"CRUSH Maps: Device classes\""],
    needs: &[Source::Facts(FactsPart::Pools), Source::Facts(FactsPart::Crush)],
    suspect,
    fix: REPLICATED,
    special_fixes: &[&CODED, &LIKE_ITS_OWN],
    risk: "all data of the pool move",
    confirm: "fathom osd: OSDs of both classes differ by far",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

const REPLICATED: &str = "with root and failure domain of the pool's own rule: ceph osd crush rule create-replicated NAME ROOT DOMAIN CLASS; ceph osd pool set POOL crush_rule NAME";

static CODED: Fix = Fix {
    when: "the pool is erasure-coded",
    what: "make a profile with its k, m, plugin, root and failure domain: ceph osd erasure-code-profile set PROFILE k=K m=M plugin=PLUGIN crush-root=ROOT crush-failure-domain=DOMAIN crush-device-class=CLASS; ceph osd crush rule create-erasure NAME PROFILE; ceph osd pool set POOL crush_rule NAME",
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = of_pools(
        case,
        |pool| pool.of_users() && pool.objects != Some(0) && mixed(case, pool).is_some(),
        "disks of different kinds",
        |pool| mixed(case, pool).unwrap_or_default(),
    );
    let fix = |pool: &PoolFacts| if pool.erasure == Some(true) { CODED.what } else { REPLICATED };
    as_its_own(case, found, fix, &LIKE_ITS_OWN)
}

fn mixed(case: &Case, pool: &PoolFacts) -> Option<Phrase> {
    let reaches =
        case.crush_rule(pool)?.reaches.as_ref().filter(|reaches| reaches.contains_key("hdd") && reaches.len() > 1)?;
    listed(reaches.iter().map(|(class, count)| format!("{count} of {class}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;
    use model::facts::Facts;

    fn both_kinds(facts: &mut Facts) {
        facts.cluster.crush_rules.as_mut().unwrap()[0].reaches =
            Some([("hdd".to_string(), 3), ("ssd".to_string(), 3)].into());
    }

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, both_kinds), ["pool vms"]);
    }

    #[test]
    fn pools_of_ceph_and_empty_ones_are_no_hint() {
        let named = |name: &'static str, objects: u64| {
            told(&RULE, move |facts| {
                both_kinds(facts);
                the_pool(facts, |pool| (pool.name, pool.objects) = (name.into(), Some(objects)))
            })
        };
        assert_eq!(named(".mgr", 30), NOBODY);
        assert_eq!(named("device_health_metrics", 30), NOBODY);
        assert_eq!(named("vms", 0), NOBODY);
        assert_eq!(named("vms", 30), ["pool vms"]);
    }

    #[test]
    fn an_erasure_coded_pool_gets_a_rule_of_its_own_kind() {
        let fix = |change: fn(&mut Facts)| {
            let told = suspects(&RULE, |facts| {
                both_kinds(facts);
                change(facts)
            });
            told.into_iter().find_map(|one| one.fix).unwrap()
        };
        assert!(fix(|_| ()).contains("create-replicated NAME default host CLASS;"));
        let of_coded = fix(|facts| coded(facts, 2, 1, "isa"));
        assert!(of_coded.contains("crush-root=default crush-failure-domain=host") && !of_coded.contains("replicated"));
    }

    #[test]
    fn copies_stay_as_far_apart_as_the_pools_own_rule_keeps_them() {
        let fix = |change: fn(&mut Facts)| {
            let told = suspects(&RULE, |facts| {
                both_kinds(facts);
                the_rule(facts, |rule| (rule.root, rule.domain) = (Some("cold".into()), Some("rack".into())));
                change(facts)
            });
            told.into_iter().find_map(|one| one.fix).unwrap()
        };
        assert!(fix(|_| ()).contains("create-replicated NAME cold rack CLASS;"));
        assert!(fix(|facts| coded(facts, 2, 1, "isa")).contains("crush-root=cold crush-failure-domain=rack"));
        let stretched = fix(|facts| the_rule(facts, |rule| rule.root = None));
        assert!(!stretched.contains("create-replicated") && stretched.contains("a rule like the pool's own"));
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| facts.cluster.crush_rules.as_mut().unwrap()[0].reaches =
                Some([("nvme".to_string(), 3), ("ssd".to_string(), 3)].into())),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
