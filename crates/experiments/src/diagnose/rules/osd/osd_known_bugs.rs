//! Releases with a known fault.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-known-bugs",
    about: Area::Osd,
    what: "OSDs run a release with a known fault that slows or stops them.",
    evidence: "An OSD runs 16.2.0 to 16.2.10 or 17.2.0 to 17.2.3 (memory at splits of placement groups), 16.2.11 or 16.2.12, 17.2.8 (BlueStore), 18.2.5 or 18.2.6 (BlueStore), 20.2.0 to 20.2.2 (log of BlueFS).",
    sources: &["Clyso's analyzer (clyso/otto on GitHub): bugs.yaml", "Ceph's release notes of the releases after them"],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "upgrade to the newest release of the same name: ceph orch upgrade start --ceph-version VERSION",
    risk: "an upgrade restarts all daemons",
    confirm: "the release notes name how each fault shows",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let known = |osd: &OsdFacts| {
        osd.version.is_some_and(|version| FAULTY.iter().any(|(from, to)| (*from..=*to).contains(&version)))
    };
    of_osds(case, known, "a release with a known fault", |osd| {
        osd.version.map(|version| version.to_string()).unwrap_or_default().into()
    })
}

/// First and last release of each.
const FAULTY: [(Version, Version); 5] = [
    (Version(16, 2, 0), Version(16, 2, 12)),
    (Version(17, 2, 0), Version(17, 2, 3)),
    (Version(17, 2, 8), Version(17, 2, 8)),
    (Version(18, 2, 5), Version(18, 2, 6)),
    (Version(20, 2, 0), Version(20, 2, 2)),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| release(facts, 17, 2, 8)), ["osd.*"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| release(facts, 16, 2, 15)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
