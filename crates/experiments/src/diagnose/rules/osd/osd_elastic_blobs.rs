//! OSDs that are made with a new form of blobs on 19.x.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-elastic-blobs",
    about: Area::Osd,
    what: "OSDs of 19.2.0 to 19.2.2 are made with elastic shared blobs.",
    why: "OTTO advises to switch them off before OSDs are made on 19.x: the form had faults, and an OSD keeps it.",
    evidence: "OSDs run 19.x before 19.2.3, and bluestore_elastic_shared_blobs is not set to false.",
    sources: &["Clyso's analyzer (clyso/otto on GitHub): bugs.yaml"],
    needs: &[Source::Facts(FactsPart::Osds), Source::Facts(FactsPart::Options)],
    suspect,
    fix: "before OSDs are made: ceph config set osd bluestore_elastic_shared_blobs false",
    risk: "none for OSDs that exist",
    confirm: "ceph-bluestore-tool show-label of an OSD says in which form it was made",
    releases: Releases::between((19, 0, 0), (19, 2, 3)),
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    if case.set("bluestore_elastic_shared_blobs").any(off) {
        return Vec::new();
    }
    of_osds(
        case,
        |osd| osd.created_by.is_some_and(|made| made.0 == 19),
        "made on 19.x with elastic shared blobs",
        |osd| osd.created_by.map(|made| made.to_string()).unwrap_or_default().into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| release(facts, 19, 2, 1)), ["osd.*"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| release(facts, 19, 2, 3)), NOBODY);
        assert_eq!(
            told(&RULE, |facts| {
                release(facts, 19, 2, 1);
                set(facts, "osd", "bluestore_elastic_shared_blobs", "false")
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
