//! A setting against a cost that is gone.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "folklore-debug-objecter",
    about: Area::Client,
    what: "debug_objecter is set to 0/0, as guides for Nautilus say.",
    why: "The cost that it avoids is gone since Octopus.",
    evidence: "debug_objecter is set to 0 or 0/0, on 15.2.0 and later. What is set in the monitors' database counts; what clients have in their own files is not seen.",
    sources: &["Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION",
    risk: "none that is known",
    confirm: "fathom run --ab option:client/debug_objecter=0/0 compares both, in turns",
    releases: Releases::from(15, 2, 0),
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(
        case,
        "debug_objecter",
        |option| ["0", "0/0"].contains(&option.value.as_str()),
        "a setting against a cost that is gone: folklore",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| set(facts, "client", "debug_objecter", "0/0")), ["client/debug_objecter"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "client", "debug_objecter", "0/1")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
