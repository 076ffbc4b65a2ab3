//! OSDs that are far fuller than their peers.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-imbalance",
    about: Area::Pool,
    what: "OSDs of a class are far fuller than others.",
    why: "The fullest OSD bounds the room and, since it also has more load, the speed.",
    evidence: "In a device class of at least four OSDs with an average use above 30 %, one is used by 15 % more than the average, and by five points, and has more placement groups than the average, where that is known.",
    sources: &["Ceph's documentation, \"Balancer Module\"", "Clyso's analyzer (clyso/otto on GitHub)"],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph balancer on; ceph balancer mode upmap; ceph config set mgr mgr/balancer/upmap_max_deviation 1",
    risk: "data move: do it when the cluster is calm",
    confirm: "ceph osd df: VAR of the fullest before and after; fathom rados before and after",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let mean = |class: &Option<String>| {
        let peers: Vec<f64> = case
            .osds()
            .iter()
            .filter(|osd| osd.class == *class && osd.inside == Some(true))
            .filter_map(|osd| osd.used)
            .collect();
        (peers.len() >= 4).then(|| peers.iter().sum::<f64>() / peers.len() as f64)
    };
    // Placement does not explain one that has no more groups than its peers: its database may be large.
    let groups = |class: &Option<String>| {
        let peers = case.osds().iter().filter(|osd| osd.class == *class && osd.inside == Some(true));
        let peers: Option<Vec<f64>> = peers.map(|osd| osd.groups.map(f64::from)).collect();
        peers.filter(|peers| !peers.is_empty()).map(|peers| peers.iter().sum::<f64>() / peers.len() as f64)
    };
    let more =
        |osd: &OsdFacts| osd.groups.zip(groups(&osd.class)).is_none_or(|(own, mean)| f64::from(own) > mean * 1.05);
    let full = |osd: &OsdFacts| {
        osd.inside == Some(true)
            && more(osd)
            && osd
                .used
                .zip(mean(&osd.class))
                .is_some_and(|(used, mean)| mean > 0.3 && used > mean * 1.15 && used > mean + 0.05)
    };
    of_osds(case, full, "far fuller than their peers", |osd| {
        phrase!("{} used", Quantity::Share(osd.used.unwrap_or(0.0)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        let with = |groups: Option<u32>| {
            told(&RULE, |facts| one_osd(facts, |osd| (osd.used, osd.groups) = (Some(0.6), groups)))
        };
        assert_eq!((with(Some(400)), with(None)), (vec!["osd.1".to_string()], vec!["osd.1".to_string()]));
        // Its database, and not its place: there are no more groups on it.
        assert_eq!(with(Some(1)), NOBODY);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.used = Some(0.43))), NOBODY);
        assert_eq!(told(&RULE, |facts| each_osd(facts, |osd| osd.used = Some(f64::from(osd.id) / 60.0))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
