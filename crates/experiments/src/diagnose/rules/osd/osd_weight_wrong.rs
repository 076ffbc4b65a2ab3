//! OSDs whose weight is not their size.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-weight-wrong",
    about: Area::Osd,
    what: "The CRUSH weight of OSDs is not in proportion to their size.",
    why: "They get more, or less, data and load than their peers of the same size.",
    evidence: "In a device class of at least four OSDs, weight by size differs from the median by more than a quarter.",
    sources: &["Ceph's documentation, \"CRUSH Maps: Adjusting OSD weights\""],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph osd crush reweight osd.N WEIGHT (its TiB), unless it was meant so",
    risk: "data move: do it when the cluster is calm",
    confirm: "ceph osd df: PGS and %USE of that OSD against its peers",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let ratio = |osd: &OsdFacts| {
        Some(osd.crush_weight? / osd.bytes.filter(|bytes| *bytes > 0)? as f64).filter(|ratio| *ratio > 0.0)
    };
    let odd = |osd: &OsdFacts| {
        let mut peers: Vec<f64> = case.osds().iter().filter(|peer| peer.class == osd.class).filter_map(ratio).collect();
        peers.sort_by(f64::total_cmp);
        let median = peers.get(peers.len() / 2).copied().filter(|_| peers.len() >= 4);
        ratio(osd).zip(median).is_some_and(|(own, median)| !(0.75..=1.25).contains(&(own / median)))
    };
    of_osds(case, odd, "the weight is not that of its size", |osd| {
        phrase!("weight {}", format!("{:.3}", osd.crush_weight.unwrap_or(0.0)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.crush_weight = Some(1.0))), ["osd.1"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.crush_weight = Some(0.0))), NOBODY);
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.crush_weight = Some(3.8))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
