//! Several ranks of which the servers move parts of the tree between each other.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "fs-default-balancer",
    about: Area::CephFs,
    what: "Several metadata servers of a file system move parts of the tree between each other by themselves.",
    why: "While a part moves, what is asked of it waits; where load changes, parts go to and fro. Since Squid this is off by default.",
    evidence: "A file system has more than one active rank, and its metadata servers run a release before Squid, or its flag balance_automate is set; mds_bal_interval is not set to 0, which stops it. Whether all of the tree is pinned, and nothing is left to \
               move, is not seen.",
    sources: &[
        "Ceph's release notes, v19.2.0 Squid",
        "Ceph's documentation, \"Configuring multiple active MDS daemons\"",
    ],
    needs: &[
        Source::Facts(FactsPart::FileSystems),
        Source::Facts(FactsPart::Versions),
        Source::Facts(FactsPart::Options),
    ],
    suspect,
    fix: "pin folders to ranks (setfattr -n ceph.dir.pin, or ceph.dir.pin.distributed for a folder of many); from Squid on: ceph fs set NAME balance_automate false",
    risk: "ranks may have more or less to do than others",
    confirm: "ceph tell mds.NAME perf dump, twice: does mds.exported grow while clients work?",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

/// Off by default from there on.
const SQUID: Version = Version(19, 0, 0);

fn suspect(case: &Case) -> Vec<Suspect> {
    if case.set("mds_bal_interval").any(|option| number(option) == Some(0.0)) {
        return Vec::new();
    }
    let versions = case.cluster().versions.as_ref().and_then(|all| all.get("mds"));
    let older = versions.is_some_and(|all| all.iter().any(|(version, _)| *version < SQUID));
    let moved = case.cluster().file_systems.iter().flatten().filter_map(|system| {
        let ranks = system.ranks.filter(|ranks| *ranks > 1)?;
        let set = system.flags.iter().any(|flag| flag == "balance_automate");
        (older || set).then(|| format!("{}: {ranks} ranks", system.name))
    });
    listed(moved)
        .map_or(Vec::new(), |all| of_cluster("metadata servers move parts of the tree between each other", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    fn with(ranks: u32, version: Version, flags: &[&str]) -> Vec<String> {
        told(&RULE, |facts| {
            file_system(facts, |system| {
                system.ranks = Some(ranks);
                system.flags = flags.iter().map(|flag| flag.to_string()).collect();
            });
            facts.cluster.versions.get_or_insert_default().insert("mds".into(), vec![(version, 2)]);
        })
    }

    #[test]
    fn it_is_seen() {
        assert_eq!(with(2, Version(18, 2, 4), &[]), ["cluster"]);
        assert_eq!(with(2, Version(19, 2, 1), &["balance_automate"]), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!((with(1, Version(18, 2, 4), &[]), with(2, Version(19, 2, 1), &[])), (vec![], vec![]));
        let stopped = |facts: &mut model::facts::Facts| {
            file_system(facts, |system| {
                system.ranks = Some(2);
                system.flags = vec!["balance_automate".into()];
            });
            set(facts, "mds", "mds_bal_interval", "0");
        };
        assert_eq!(told(&RULE, stopped), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| file_system(facts, |system| system.ranks = None)), NOBODY);
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
