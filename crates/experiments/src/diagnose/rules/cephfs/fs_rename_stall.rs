//! A fault that stalls renames.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "fs-rename-stall",
    about: Area::CephFs,
    what: "Metadata servers run a release in which renames and stats can stall for seconds.",
    why: "Stalls of up to 5 s in mixes of renames and stats.",
    evidence: "There are file systems, and metadata servers run 18.2.0 to 18.2.7.",
    sources: &["Ceph's release notes, v18.2.8 Reef"],
    needs: &[Source::Facts(FactsPart::FileSystems), Source::Facts(FactsPart::Versions)],
    suspect,
    fix: "upgrade to the newest 18.2, or later",
    risk: "an upgrade restarts all daemons",
    confirm: "latencies of requests in steps of 5 s: ceph daemon mds.NAME perf dump",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let servers = case.cluster().versions.as_ref().and_then(|versions| versions.get("mds"));
    let old =
        servers.into_iter().flatten().filter(|(version, _)| (Version(18, 0, 0)..Version(18, 2, 8)).contains(version));
    let told = listed(old.map(|(version, count)| format!("{count} of {version}")));
    told.filter(|_| case.cluster().file_systems.iter().flatten().next().is_some())
        .map_or(Vec::new(), |all| of_cluster("renames can stall in this release", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| {
                file_system(facts, |_| ());
                facts
                    .cluster
                    .versions
                    .as_mut()
                    .unwrap()
                    .insert("mds".into(), vec![(Version(18, 2, 4), 2)])
                    .map_or((), drop)
            }),
            ["cluster"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                file_system(facts, |_| ());
                facts
                    .cluster
                    .versions
                    .as_mut()
                    .unwrap()
                    .insert("mds".into(), vec![(Version(18, 2, 8), 2)])
                    .map_or((), drop)
            }),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| facts
                .cluster
                .versions
                .as_mut()
                .unwrap()
                .insert("mds".into(), vec![(Version(18, 2, 4), 2)])
                .map_or((), drop)),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
