//! Images whose writes are journaled.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "cl-journaling",
    about: Area::Client,
    what: "New images get a journal.",
    why: "Every write goes to the journal first: twice the writes. Mirroring by snapshots needs none.",
    evidence: "rbd_default_features has journaling (64). What is set in the monitors' database counts; what clients have in their own files is not seen.",
    sources: &["Ceph's documentation, \"RBD Mirroring\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION; of images: rbd feature disable POOL/IMAGE journaling",
    risk: "mirroring by journal ends",
    confirm: "fathom rbd on an image with the feature and on one without it",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(
        case,
        "rbd_default_features",
        |option| {
            option.value.contains("journaling")
                || number(option).is_some_and(|bits| bits >= 64.0 && bits as u64 & 64 != 0)
        },
        "new images get a journal",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "client", "rbd_default_features", "125")),
            ["client/rbd_default_features"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "client", "rbd_default_features", "61")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
