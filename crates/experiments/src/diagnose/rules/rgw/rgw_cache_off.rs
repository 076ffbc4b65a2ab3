//! Gateways that read metadata anew for every request.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rgw-cache-off",
    about: Area::Rgw,
    what: "The metadata cache of gateways is off.",
    why: "Every request then reads user and bucket from the cluster.",
    evidence: "rgw_cache_enabled is set to false.",
    sources: &["Ceph's documentation, \"Ceph Object Gateway Config Reference\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the gateways",
    risk: "memory of the gateways",
    confirm: "HEAD many small objects before and after",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(case, "rgw_cache_enabled", off, "gateways read metadata anew for every request")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "client.rgw", "rgw_cache_enabled", "false")),
            ["client.rgw/rgw_cache_enabled"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "client.rgw", "rgw_cache_enabled", "true")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
