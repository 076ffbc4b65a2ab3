//! OSDs that are primaries far more often than others.

use crate::diagnose::facts::prelude::*;
use std::collections::BTreeMap;

pub static RULE: Rule = Rule {
    id: "pool-primary-imbalance",
    about: Area::Pool,
    what: "OSDs are primaries far more often than their peers.",
    why: "Reads go to primaries: the busiest one bounds them.",
    evidence: "On releases with a read balancer, an OSD is the primary of 30 % more of its placement groups than OSDs of its class are on average; by that average it would be of at least 40. A larger disk keeps more of them, and rightly is the primary of more.",
    sources: &["Ceph's documentation, \"Operating the Read (Primary) Balancer\""],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph osd set-require-min-compat-client reef, which both need; then ceph balancer mode upmap-read (from 19.2 on); before: osdmaptool --read for each pool",
    risk: "clients before Reef are shut out; early releases had faults: ceph osd rm-pg-upmap-primary-all takes it back",
    confirm: "fathom rados reads before and after",
    releases: Releases::from(18, 0, 0),
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let mut classes: BTreeMap<Option<&str>, Vec<(f64, f64)>> = BTreeMap::new();
    for osd in case.osds().iter().filter(|osd| osd.up == Some(true)) {
        if let Some((primaries, groups)) = counts(osd) {
            classes.entry(osd.class.as_deref()).or_default().push((primaries, groups));
        }
    }
    let usual = |osd: &OsdFacts| {
        let peers = classes.get(&osd.class.as_deref()).filter(|peers| peers.len() >= 4)?;
        let (primaries, groups) = peers.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        Some(primaries / groups * counts(osd)?.1)
    };
    let busy = |osd: &OsdFacts| {
        counts(osd).zip(usual(osd)).is_some_and(|((own, _), usual)| usual >= 40.0 && own > usual * 1.3)
    };
    of_osds(case, busy, "primaries far more often than their peers", |osd| {
        let (primaries, groups) = (osd.primaries.unwrap_or(0), osd.groups.unwrap_or(0));
        phrase!("primary of {} of its {} placement groups", primaries.to_string(), groups.to_string())
    })
}

/// Placement groups of which it is the primary, and all that it keeps.
fn counts(osd: &OsdFacts) -> Option<(f64, f64)> {
    Some((osd.primaries?.into(), osd.groups.filter(|groups| *groups > 0)?.into()))
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
            told(&RULE, |facts| one_osd(facts, |osd| (osd.groups, osd.primaries) = (Some(256), Some(86)))),
            NOBODY,
            "a disk of twice the size"
        );
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.groups, osd.primaries) = (Some(20), Some(12)))),
            NOBODY,
            "few groups are uneven by chance"
        );
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
