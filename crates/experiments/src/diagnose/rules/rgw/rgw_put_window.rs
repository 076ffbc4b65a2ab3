//! Gateways that write little of an object at once.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rgw-put-window",
    about: Area::Rgw,
    what: "Object gateways have less of an object under way to the OSDs than usual.",
    why: "One client that puts a large object waits for each window of it: its rate is the window by the time of a write, whatever the cluster could do.",
    evidence: "rgw_put_obj_min_window_size is set below 16 MiB (its default).",
    sources: &[
        "Ceph's documentation, \"Ceph Object Gateway Config Reference\"",
        "SUSE Enterprise Storage 6, \"Tuning Guide\"",
    ],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the gateways; 64 MiB where OSDs lie on hard disks or far away",
    risk: "memory of the gateways: a window for each request",
    confirm: "fathom object --s3-url URL --block-size 256M --patterns write-latency, before and after",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

const USUAL: f64 = 16_777_216.0;

fn suspect(case: &Case) -> Vec<Suspect> {
    let small = |option: &SetOption| number(option).is_some_and(|bytes| bytes < USUAL);
    of_settings(case, "rgw_put_obj_min_window_size", small, "gateways write little of an object at once")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "client.rgw", "rgw_put_obj_min_window_size", "4194304")),
            ["client.rgw/rgw_put_obj_min_window_size"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "client.rgw", "rgw_put_obj_min_window_size", "67108864")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
