//! Pools whose placement groups are split or merged.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-autoscaler",
    about: Area::State,
    what: "The number of placement groups of a pool changes, or is about to.",
    why: "In a benchmark of 2020 the autoscaler merged 128 placement groups into 32 while the pool was measured.",
    evidence: "A pool's number of placement groups is not the one that it is to have; or, which is a hint alone, the autoscaler (mode on, and not stopped by the flag noautoscale) says that it would change it: where the number was refused it says so for good.",
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
    let now: Vec<String> = case
        .pools()
        .iter()
        .filter(moves)
        .map(|pool| format!("{}: {} to {}", pool.name, pool.pg_num.unwrap_or(0), pool.pg_num_target.unwrap_or(0)))
        .collect();
    let stopped = case.cluster().flags.iter().flatten().any(|flag| flag == "noautoscale");
    let wished = case.cluster().autoscaling.iter().flatten().filter(|_| !stopped);
    let wished = wished.map(|(pool, wanted)| format!("{pool}: the autoscaler wants {wanted}"));
    let at_work = !now.is_empty();
    match listed(now.into_iter().chain(wished)) {
        Some(all) if at_work => state("placement groups of pools are split or merged".into(), all),
        Some(all) => of_cluster("the autoscaler would split or merge placement groups of pools", all),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;
    use model::Standing;
    use model::facts::Facts;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| the_pool(facts, |pool| pool.pg_num_target = Some(512))), ["cluster"]);
        assert_eq!(told(&RULE, |facts| facts.cluster.autoscaling = Some(vec![("vms".into(), 512)])), ["cluster"]);
    }

    #[test]
    fn what_it_would_do_is_a_hint_and_what_is_done_is_certain() {
        let standing = |change: fn(&mut Facts)| {
            let told = suspects(&RULE, |facts| {
                facts.cluster.autoscaling = Some(vec![("vms".into(), 512)]);
                change(facts)
            });
            told.into_iter().map(|one| one.standing).collect::<Vec<_>>()
        };
        assert_eq!(standing(|_| ()), [Standing::Hint]);
        assert_eq!(
            standing(|facts| the_pool(facts, |pool| pool.pg_num_target = Some(512))),
            [Standing::Confirmed],
            "it is at work"
        );
        assert_eq!(standing(|facts| flag(facts, "noautoscale")), [], "nothing will be changed");
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
