//! Databases in the form of old releases.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-not-resharded",
    about: Area::Osd,
    what: "OSDs were made before Pacific: unless somebody resharded it, their database is one piece.",
    why: "Compactions are larger, and caches serve it less well. How much it brings was not measured in public.",
    evidence: "An OSD was made by a release before 16.0.0, and runs a later one. What it says does not tell whether it was resharded since.",
    sources: &["Ceph's documentation, \"BlueStore Configuration Reference: RocksDB Sharding\""],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "with the OSD down: ceph-bluestore-tool --path /var/lib/ceph/osd/ceph-N show-sharding; if it is empty: the reshard command of the documentation",
    risk: "minutes to hours for each OSD; a crash of the resharding costs its data",
    confirm: "fathom osd measures each OSD alone: those are slower than their peers, or they are not",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| {
            osd.on_disks()
                && osd.created_by.is_some_and(|made| made < Version(16, 0, 0))
                && osd.version.is_some_and(|runs| runs >= Version(16, 0, 0))
        },
        "databases may have the form of old releases",
        |osd| phrase!("made by {}", osd.created_by.map(|made| made.to_string()).unwrap_or_default()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.created_by = Some(Version(14, 2, 9)))), ["osd.1"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.created_by = Some(Version(16, 2, 9)))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
