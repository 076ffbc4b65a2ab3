//! All logs switched off for speed.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "folklore-debug-zero",
    about: Area::Host,
    what: "The logs of many subsystems are switched off: advice from the time of Nautilus and before.",
    why: "Default levels are written to memory for the most part; since Octopus the gain is small, and after a crash nothing is known.",
    evidence: "Five or more options debug_* are set to 0/0. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &[
        "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)",
        "Ceph's documentation, \"Logging and Debugging\"",
    ],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "for each of them: ceph config rm WHO debug_NAME",
    risk: "none that is known",
    confirm: "fathom run --ab option:osd/debug_osd=0/0 compares the default with it, in turns",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let silent =
        |option: &&SetOption| option.name.starts_with("debug_") && ["0", "0/0"].contains(&option.value.as_str());
    let all: Vec<String> = case
        .cluster()
        .options
        .iter()
        .flatten()
        .filter(silent)
        .map(|option| format!("{}/{}", option.who, option.name))
        .collect();
    if all.len() < 5 {
        return Vec::new();
    }
    of_cluster("logs are switched off for speed: folklore", each(all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| ["osd", "ms", "mon", "rgw", "mds"].iter().for_each(|name| set(
                facts,
                "global",
                &format!("debug_{name}"),
                "0/0"
            ))),
            ["cluster"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| ["osd", "ms"].iter().for_each(|name| set(
                facts,
                "global",
                &format!("debug_{name}"),
                "0/0"
            ))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
