//! OSDs of a class with different allocation units.

use crate::diagnose::facts::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

pub static RULE: Rule = Rule {
    id: "osd-min-alloc-mixed",
    about: Area::Osd,
    what: "OSDs of one class have different allocation units.",
    why: "The same data take more space on some than on others, and the balancer can not even that out.",
    evidence: "OSDs of one device class have more than one bluestore_min_alloc_size.",
    sources: &["Ceph's documentation, \"BlueStore Configuration Reference\""],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "make those with the larger unit anew, one host at a time",
    risk: "data are made anew elsewhere meanwhile",
    confirm: "ceph osd df: those with the larger unit are fuller at the same weight",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let mut classes: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for osd in case.osds().iter().filter(|osd| osd.on_disks()) {
        if let (Some(class), Some(unit)) = (&osd.class, osd.min_alloc) {
            classes.entry(class).or_default().insert(unit);
        }
    }
    let mixed = classes.into_iter().filter(|(_, units)| units.len() > 1);
    let told = mixed.map(|(class, units)| {
        format!("{class}: {}", units.iter().map(u64::to_string).collect::<Vec<_>>().join(" and "))
    });
    listed(told).map_or(Vec::new(), |all| of_cluster("OSDs of a class have different allocation units", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.min_alloc = Some(16_384))), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.min_alloc, osd.class) = (Some(16_384), Some("hdd".into())))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
