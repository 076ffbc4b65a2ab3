//! OSDs with the store of old.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-filestore",
    about: Area::Osd,
    what: "OSDs keep their data in FileStore.",
    why: "It was removed in Reef; on the same disks linear writes are about half as fast as with BlueStore, since everything is written twice.",
    evidence: "An OSD's osd_objectstore is filestore, and its release has BlueStore to change to.",
    sources: &["Ceph's release notes, v18.2.0 Reef", "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)"],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "make them anew with BlueStore, one host at a time (ceph orch osd rm, ceph orch daemon add osd)",
    risk: "data are made anew elsewhere meanwhile",
    confirm: "fathom osd measures each OSD alone: those are slower than their peers, or they are not",
    releases: Releases::from(12, 2, 0),
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| osd.store.as_deref() == Some("filestore"),
        "OSDs keep data in FileStore",
        |osd| osd.store.clone().unwrap_or_default().into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.store = Some("filestore".into()))), ["osd.1"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.store = Some("bluestore".into()))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
