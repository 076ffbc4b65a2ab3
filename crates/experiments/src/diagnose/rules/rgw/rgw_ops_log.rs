//! Gateways that log each request to a pool.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rgw-ops-log",
    about: Area::Rgw,
    what: "Object gateways write a line into a pool for each request.",
    why: "Each request, also one that only reads, is followed by a write to the log pool, with all its copies; requests to one bucket within an hour write to one object.",
    evidence: "rgw_enable_ops_log is set to true, and rgw_ops_log_rados is not set to false (its default is true).",
    sources: &["Ceph's documentation, \"Ceph Object Gateway Config Reference\": logging settings"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config set WHO rgw_ops_log_rados false, with rgw_ops_log_file_path for a file instead; or ceph config rm WHO OPTION, where nobody reads it",
    risk: "who reads that log by radosgw-admin log has it no more",
    confirm: "ceph osd pool stats of the log pool while clients only read; fathom object --s3-url URL --ab option:WHO/rgw_ops_log_rados=false compares both, in turns (of a lab's gateway: --lab in place of --s3-url URL)",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    if case.set("rgw_ops_log_rados").any(off) {
        return Vec::new();
    }
    of_settings(case, "rgw_enable_ops_log", on, "gateways write a line into a pool for each request")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "client.rgw", "rgw_enable_ops_log", "true")),
            ["client.rgw/rgw_enable_ops_log"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "client.rgw", "rgw_enable_ops_log", "false")), NOBODY);
        let to_a_file = |facts: &mut model::facts::Facts| {
            set(facts, "client.rgw", "rgw_enable_ops_log", "true");
            set(facts, "client.rgw", "rgw_ops_log_rados", "false");
        };
        assert_eq!(told(&RULE, to_a_file), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
