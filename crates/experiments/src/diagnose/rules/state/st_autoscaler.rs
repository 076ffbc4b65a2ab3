//! Pools whose placement groups are split or merged.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-autoscaler",
    about: Area::State,
    what: "The number of placement groups of a pool changes, or is about to.",
    why: "In a benchmark of 2020 the autoscaler merged 128 placement groups into 32 while the pool was measured.",
    evidence: "A pool's number of placement groups is not the one that it is to have; or the autoscaler (mode on) says that it would change it.",
    sources: &[
        "Ceph's documentation, \"Autoscaling placement groups\"",
        "Ceph's source: src/common/options: pg_autoscale_mode",
    ],
    needs: &[Source::Facts(FactsPart::Pools), Source::Facts(FactsPart::Autoscaler)],
    suspect,
    fix: "wait for its end; for large pools ceph osd pool set POOL bulk true from the beginning; while measuring fathom run --quiesce",
    risk: "without it somebody has to choose the numbers",
    confirm: "measure again when it is over, and compare both runs (fathom compare)",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let moves = |pool: &&PoolFacts| {
        pool.pg_num.zip(pool.pg_num_target).is_some_and(|(now, wanted)| now != wanted)
            || pool.pgp_num.zip(pool.pgp_num_target).is_some_and(|(now, wanted)| now != wanted)
    };
    let now = case
        .pools()
        .iter()
        .filter(moves)
        .map(|pool| format!("{}: {} to {}", pool.name, pool.pg_num.unwrap_or(0), pool.pg_num_target.unwrap_or(0)));
    let soon = case
        .cluster()
        .autoscaling
        .iter()
        .flatten()
        .map(|(pool, wanted)| format!("{pool}: the autoscaler wants {wanted}"));
    match listed(now.chain(soon)) {
        Some(all) => state("placement groups of pools are split or merged".into(), all),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.pg_num_target = Some(512))), ["cluster"]);
        assert_eq!(told(&RULE, |facts| facts.cluster.autoscaling = Some(vec![("vms".into(), 512)])), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| facts.cluster.autoscaling = Some(vec![])), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
