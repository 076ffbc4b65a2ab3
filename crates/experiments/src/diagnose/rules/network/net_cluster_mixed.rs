//! OSDs of which some have a network of their own.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "net-cluster-mixed",
    about: Area::Network,
    what: "Some OSDs have a cluster network of their own, and others do not.",
    why: "Replication then takes different ways: hosts are not alike, and one without the second network carries both loads on one link.",
    evidence: "OSDs that are up have a cluster address other than the public one on some hosts, and the same on others.",
    sources: &["Ceph's documentation, \"Network Configuration Reference\""],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "give every host an address in cluster_network, or none, then restart its OSDs",
    risk: "OSDs restart",
    confirm: "ceph osd dump shows both addresses of every OSD",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let apart = |osd: &OsdFacts| Some(osd.public_address.as_ref()? != osd.cluster_address.as_ref()?);
    let up: Vec<(&OsdFacts, bool)> =
        case.osds().iter().filter(|osd| osd.up == Some(true)).filter_map(|osd| Some((osd, apart(osd)?))).collect();
    let without: Vec<String> =
        up.iter().filter(|(_, apart)| !apart).map(|(osd, _)| format!("osd.{} on {}", osd.id, osd.host)).collect();
    if without.is_empty() || without.len() == up.len() {
        return Vec::new();
    }
    of_cluster("some OSDs have a cluster network and others do not", phrase!("without: {}", each(without)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| osd.cluster_address = Some("10.1.0.1".into()))),
            ["cluster"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| each_osd(facts, |osd| osd.cluster_address = Some(format!("10.1.0.{}", osd.id)))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
