//! A CRUSH map of an old release.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-crush-legacy",
    about: Area::State,
    what: "The CRUSH map has tunables or buckets of an old release.",
    why: "Old buckets move more data than they need to when weights change, and spread them less evenly; the balancer has more to mend.",
    evidence: "Tunables are the legacy ones, or a bucket's algorithm is straw, list, tree or uniform.",
    sources: &["Ceph's documentation, \"CRUSH Maps: Tunables\""],
    needs: &[Source::Facts(FactsPart::Crush)],
    suspect,
    fix: "ceph osd crush set-all-straw-buckets-to-straw2; ceph osd crush tunables optimal",
    risk: "much data may move, with tunables most of them; clients older than the profile are shut out",
    confirm: "ceph osd df before and after: VAR and STDDEV",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let legacy = case
        .cluster()
        .tunables
        .as_ref()
        .is_some_and(|tunables| tunables.legacy == Some(true))
        .then(|| "the tunables are the legacy ones".to_string());
    let buckets = case
        .cluster()
        .buckets
        .iter()
        .flatten()
        .filter(|bucket| bucket.algorithm != "straw2")
        .map(|bucket| format!("{}: {}", bucket.name, bucket.algorithm));
    match listed(legacy.into_iter().chain(buckets)) {
        Some(all) => of_cluster("the CRUSH map is of an old release", all),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| facts.cluster.buckets.as_mut().unwrap()[0].algorithm = "straw".into()),
            ["cluster"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| facts.cluster.tunables.as_mut().unwrap().optimal = Some(false)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
