//! Daemons of several releases.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-mixed-releases",
    about: Area::State,
    what: "Daemons of one kind run different releases, or the cluster still asks for less than its OSDs can.",
    why: "What a release can is off until all daemons have it and require_osd_release says so; in between nobody tests much.",
    evidence: "Daemons of one kind have more than one version; or require_osd_release is older than the oldest OSD.",
    sources: &["Ceph's documentation, \"Upgrading Ceph\"", "Clyso's analyzer (clyso/otto on GitHub)"],
    needs: &[Source::Facts(FactsPart::Versions)],
    suspect,
    fix: "finish the upgrade: ceph versions; ceph orch upgrade status; then ceph osd require-osd-release NAME",
    risk: "there is no way back to an older release after that",
    confirm: "ceph versions names the daemons; measure before and after the end of the upgrade (fathom compare)",
    matters: Matters::Some,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let versions = case.cluster().versions.iter().flatten();
    let mixed = versions.filter(|(_, all)| all.len() > 1).map(|(kind, all)| {
        let each: Vec<String> = all.iter().map(|(version, count)| format!("{count} of {version}")).collect();
        format!("{kind}: {}", each.join(" and "))
    });
    let oldest = case.osds().iter().filter_map(|osd| osd.version).min();
    let asked = case.cluster().require_osd_release.as_deref();
    let behind =
        oldest.zip(asked).filter(|(oldest, asked)| Version::major_of(asked).is_some_and(|major| major < oldest.0));
    let behind =
        behind.map(|(oldest, asked)| format!("require_osd_release is {asked}, and the oldest OSD has {oldest}"));
    match listed(mixed.chain(behind)) {
        Some(all) => of_cluster("daemons of several releases", all),
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
            told(&RULE, |facts| facts
                .cluster
                .versions
                .as_mut()
                .unwrap()
                .insert("osd".into(), vec![(Version(17, 2, 7), 2), (Version(18, 2, 4), 1)])
                .map_or((), drop)),
            ["cluster"]
        );
        assert_eq!(told(&RULE, |facts| facts.cluster.require_osd_release = Some("quincy".into())), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| release(facts, 17, 2, 7)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
