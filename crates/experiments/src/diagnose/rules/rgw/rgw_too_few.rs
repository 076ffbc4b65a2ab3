//! Few gateways for many OSDs on flash.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rgw-too-few",
    about: Area::Rgw,
    what: "There are few object gateways for the OSDs on flash.",
    why: "On 60 NVMe drives twenty gateways took far more small objects than ten; one for two or three OSDs was a good ratio.",
    evidence: "Gateways run, and there are more than twenty OSDs on NVMe for each.",
    sources: &["ceph.io blog, 2023: reef-freeze-rgw-performance"],
    needs: &[Source::Facts(FactsPart::Gateways), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "more gateways, on the OSDs' hosts where processors are idle (ceph orch apply rgw NAME --placement=…)",
    risk: "processors and memory of those hosts",
    confirm: "PUT and GET small objects with one more gateway: does the sum grow?",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let gateways = case.cluster().gateways.as_ref().map_or(0, |all| all.len());
    let osds = case.osds().iter().filter(|osd| osd.on_nvme()).count();
    if gateways == 0 || osds <= 20 * gateways {
        return Vec::new();
    }
    of_cluster("few gateways for many OSDs on flash", phrase!("{} gateways for {} OSDs", gateways, osds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| {
                gateway(facts, "a", &[]);
                facts.cluster.osds =
                    facts.cluster.osds.take().map(|osds| osds.iter().cycle().take(30).cloned().collect())
            }),
            ["cluster"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| gateway(facts, "a", &[])), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
