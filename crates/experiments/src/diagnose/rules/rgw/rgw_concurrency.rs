//! Gateways that take few requests at once.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rgw-concurrency",
    about: Area::Rgw,
    what: "Object gateways take fewer requests at once than usual.",
    why: "What is beyond waits, or gets 503; in a test with three large clusters both limits had to be doubled.",
    evidence: "rgw_max_concurrent_requests is set below 1024, or rgw_thread_pool_size below 512.",
    sources: &[
        "ceph.io blog, 2022: three-large-scale-clusters",
        "Ceph's documentation, \"Ceph Object Gateway Config Reference\"",
    ],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the gateways",
    risk: "memory of the gateways",
    confirm: "ceph daemon client.rgw.NAME perf dump: qlen and qactive under load",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    [("rgw_max_concurrent_requests", 1024.0), ("rgw_thread_pool_size", 512.0)]
        .iter()
        .flat_map(|(name, least)| {
            of_settings(
                case,
                name,
                |option| number(option).is_some_and(|most| most < *least),
                "gateways take few requests at once",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "client.rgw", "rgw_thread_pool_size", "100")),
            ["client.rgw/rgw_thread_pool_size"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "client.rgw", "rgw_thread_pool_size", "1024")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
