//! Limits that somebody set for images.

use crate::diagnose::facts::prelude::*;
use std::collections::BTreeSet;

pub static RULE: Rule = Rule {
    id: "cl-rbd-qos",
    about: Area::Client,
    what: "Images have a limit of operations or bytes a second (QoS).",
    why: "The limit is a plateau that no hardware explains.",
    evidence: "An option rbd_qos_…_limit is set above 0 for clients. Limits of single pools and images are not seen: rbd config pool ls POOL.",
    sources: &["Ceph's documentation, \"RBD Config Reference: QoS settings\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, if it is not meant so",
    risk: "others may be crowded out",
    confirm: "fathom rbd on an image: the plateau is the limit",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let limits = case
        .cluster()
        .options
        .iter()
        .flatten()
        .filter(|option| option.name.starts_with("rbd_qos_") && option.name.ends_with("_limit"));
    let names: BTreeSet<&str> = limits.map(|option| option.name.as_str()).collect();
    names
        .into_iter()
        .flat_map(|name| {
            of_settings(case, name, |option| number(option).is_some_and(|limit| limit > 0.0), "images are limited")
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
            told(&RULE, |facts| set(facts, "client", "rbd_qos_iops_limit", "500")),
            ["client/rbd_qos_iops_limit"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "client", "rbd_qos_iops_limit", "0")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
