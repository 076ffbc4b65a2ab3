//! OSDs that are primaries far more often than others.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-primary-imbalance",
    about: Area::Pool,
    what: "OSDs are primaries far more often than their peers.",
    why: "Reads go to primaries: the busiest one bounds them.",
    evidence: "On releases with a read balancer, an OSD is the primary of 30 % more placement groups than the average of its class, which is at least 40.",
    sources: &["Ceph's documentation, \"Operating the Read (Primary) Balancer\""],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph balancer mode upmap-read (from 19.2 on); before: osdmaptool --read for each pool",
    risk: "clients before Reef are shut out; early releases had faults: ceph osd rm-pg-upmap-primary-all takes it back",
    confirm: "fathom rados reads before and after",
    releases: Releases::from(18, 0, 0),
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let mean = |class: &Option<String>| {
        let peers: Vec<f64> = case
            .osds()
            .iter()
            .filter(|osd| osd.class == *class && osd.up == Some(true))
            .filter_map(|osd| osd.primaries.map(f64::from))
            .collect();
        (peers.len() >= 4).then(|| peers.iter().sum::<f64>() / peers.len() as f64)
    };
    let busy = |osd: &OsdFacts| {
        osd.primaries.zip(mean(&osd.class)).is_some_and(|(own, mean)| mean >= 40.0 && f64::from(own) > mean * 1.3)
    };
    of_osds(case, busy, "primaries far more often than their peers", |osd| {
        phrase!("primary of {}", osd.primaries.unwrap_or(0).to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.primaries = Some(90))), ["osd.1"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.primaries = Some(50))), NOBODY);
        assert_eq!(
            told(&RULE, |facts| {
                release(facts, 17, 2, 7);
                one_osd(facts, |osd| osd.primaries = Some(90))
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
