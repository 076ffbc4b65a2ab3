//! Pools on disks of different kinds.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-mixed-media",
    about: Area::Pool,
    what: "A pool lies on hard disks and on flash at once.",
    why: "Every write waits for its slowest copy, and a read has the luck of its primary.",
    evidence: "The rule of a pool reaches OSDs of the class hdd and of another one.",
    sources: &["Ceph's documentation, \"CRUSH Maps: Device classes\""],
    needs: &[Source::Facts(FactsPart::Pools), Source::Facts(FactsPart::Crush)],
    suspect,
    fix: "ceph osd crush rule create-replicated NAME default host CLASS; ceph osd pool set POOL crush_rule NAME",
    risk: "all data of the pool move",
    confirm: "fathom osd: OSDs of both classes differ by far",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_pools(
        case,
        |pool| mixed(case, pool).is_some(),
        "disks of different kinds",
        |pool| mixed(case, pool).unwrap_or_default(),
    )
}

fn mixed(case: &Case, pool: &PoolFacts) -> Option<Phrase> {
    let rule = case.cluster().crush_rules.iter().flatten().find(|rule| Some(rule.id) == pool.crush_rule)?;
    let reaches = rule.reaches.as_ref().filter(|reaches| reaches.contains_key("hdd") && reaches.len() > 1)?;
    listed(reaches.iter().map(|(class, count)| format!("{count} of {class}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| facts.cluster.crush_rules.as_mut().unwrap()[0].reaches =
                Some([("hdd".to_string(), 3), ("ssd".to_string(), 3)].into())),
            ["pool vms"]
        );
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
