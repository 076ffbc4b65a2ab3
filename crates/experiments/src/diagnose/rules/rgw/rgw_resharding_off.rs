//! Buckets whose indexes are not split by themselves.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rgw-resharding-off",
    about: Area::Rgw,
    what: "Indexes of buckets are not split when they grow.",
    why: "Beyond 100,000 objects in a part, PUTs to it wait for each other, and listings take long.",
    evidence: "rgw_dynamic_resharding is set to false.",
    sources: &["Ceph's documentation, \"RGW Dynamic Bucket Index Resharding\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the gateways; radosgw-admin bucket limit check shows what is over",
    risk: "writes to a bucket wait while it is split, before Tentacle",
    confirm: "radosgw-admin bucket limit check",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(case, "rgw_dynamic_resharding", off, "indexes of buckets are not split by themselves")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "client.rgw", "rgw_dynamic_resharding", "false")),
            ["client.rgw/rgw_dynamic_resharding"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "client.rgw", "rgw_dynamic_resharding", "true")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
