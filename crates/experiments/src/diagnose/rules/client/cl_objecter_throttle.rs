//! Few operations in flight from a client.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "cl-objecter-throttle",
    about: Area::Client,
    what: "A client may have fewer operations in flight than usual.",
    why: "Beyond the limit it waits: a plateau at deep queues, or with large blocks.",
    evidence: "objecter_inflight_ops is set below 1024, or objecter_inflight_op_bytes below 100 MB. What is set in the monitors' database counts; what clients have in their own files is not seen.",
    sources: &["Ceph's source: src/common/options", "SUSE Enterprise Storage 6, \"Tuning Guide\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart clients",
    risk: "memory of clients is used",
    confirm: "fathom rados with 4 MiB and a depth of 64, before and after",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    ["objecter_inflight_ops", "objecter_inflight_op_bytes"]
        .iter()
        .flat_map(|name| {
            of_settings(
                case,
                name,
                |option| {
                    number(option).is_some_and(|most| {
                        most > 0.0 && most < if option.name == "objecter_inflight_ops" { 1024.0 } else { 104_857_600.0 }
                    })
                },
                "few operations in flight from a client",
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
            told(&RULE, |facts| set(facts, "client", "objecter_inflight_ops", "128")),
            ["client/objecter_inflight_ops"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "client", "objecter_inflight_ops", "4096")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
