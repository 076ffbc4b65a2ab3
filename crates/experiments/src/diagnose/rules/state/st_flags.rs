//! Flags of the OSD map that stop what a cluster usually does.

use crate::diagnose::facts::prelude::*;
use model::Standing;

pub static RULE: Rule = Rule {
    id: "st-flags",
    about: Area::State,
    what: "A flag of the OSD map stops something that the cluster usually does: scrubbing, recovery, marking OSDs down, or all reads and writes.",
    why: "With noscrub or norebalance figures are better than in daily work; with noout, nodown or norecover a lost disk stays lost.",
    evidence: "The OSD map has any of the flags noscrub, nodeep-scrub, norecover, nobackfill, norebalance, noout, nodown, noup, noin, nosnaptrim, notieragent, pauserd, pausewr, full; or a part of the CRUSH map has one.",
    sources: &["Ceph's documentation, \"Health checks\": OSDMAP_FLAGS, OSD_FLAGS"],
    needs: &[Source::Facts(FactsPart::Flags)],
    suspect,
    fix: "take it off when its purpose is over: ceph osd unset FLAG (pause in place of pauserd and pausewr); of a part of the map: ceph osd unset-group FLAG PART",
    risk: "what was held back begins at once: recovery, scrubbing",
    confirm: "measure once with the flag and once without it, in the same hour (fathom run, then fathom compare)",
    matters: Matters::Much,
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let flags =
        case.cluster().flags.iter().flatten().map(String::as_str).filter(|flag| STOP.contains(flag)).map(String::from);
    let parts = case.cluster().part_flags.iter().flatten().cloned();
    let slows_nothing = !case.cluster().flags.iter().flatten().any(|flag| COST_TIME.contains(&flag.as_str()));
    let says = "flags stop what the cluster usually does".into();
    match listed(flags.chain(parts)) {
        Some(all) => {
            vec![Suspect { slows_nothing, ..Suspect::new(Subject::Cluster, Standing::Confirmed, says, all) }]
        }
        None => Vec::new(),
    }
}

/// With these operations wait, or a cache is not emptied. What others stop costs operations nothing.
const COST_TIME: [&str; 4] = ["pauserd", "pausewr", "full", "notieragent"];

const STOP: [&str; 16] = [
    "noscrub",
    "nodeep-scrub",
    "norecover",
    "nobackfill",
    "norebalance",
    "noout",
    "nodown",
    "noup",
    "noin",
    "nosnaptrim",
    "notieragent",
    "pauserd",
    "pausewr",
    "full",
    "noautoscale",
    "nosnaptrim",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| flag(facts, "noscrub")), ["cluster"]);
        assert_eq!(told(&RULE, |facts| facts.cluster.part_flags = Some(vec!["osd.1: noout".into()])), ["cluster"]);
    }

    #[test]
    fn a_flag_that_stops_scrubs_slows_nothing_and_one_that_stops_writes_does() {
        let slows_nothing = |name: &str| suspects(&RULE, |facts| flag(facts, name))[0].slows_nothing;
        assert!(slows_nothing("nodeep-scrub") && slows_nothing("noout") && !slows_nothing("pausewr"));
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| flag(facts, "sortbitwise")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
