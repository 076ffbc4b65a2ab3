//! File systems whose first data pool is erasure-coded.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "fs-data-pool-first",
    about: Area::CephFs,
    what: "The first data pool of a file system is erasure-coded.",
    why: "For every file a small object is written there, wherever its data lie.",
    evidence: "The first data pool of a file system is erasure-coded.",
    sources: &["Ceph's documentation, \"Creating a CephFS file system: default data pool\""],
    needs: &[Source::Facts(FactsPart::FileSystems), Source::Facts(FactsPart::Pools)],
    suspect,
    fix: "a new file system with a replicated first pool, and layouts (ceph.dir.layout.pool) for the erasure-coded one",
    risk: "files have to be copied",
    confirm: "create many small files in both, from a mount",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let first = |pool: &PoolFacts| {
        case.cluster().file_systems.iter().flatten().any(|system| system.data_pools.first() == Some(&pool.id))
    };
    of_pools(
        case,
        |pool| first(pool) && pool.erasure == Some(true),
        "the first data pool is erasure-coded",
        |_| "small objects for every file".into(),
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
                file_system(facts, |_| ())
            }),
            ["pool vms"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| file_system(facts, |_| ())), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
