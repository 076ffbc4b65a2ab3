//! Logs that are written for every operation.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "kern-debug-logging",
    about: Area::Host,
    what: "A subsystem of daemons writes much to its log.",
    why: "Every operation formats lines and writes them: at level 20 dozens. What that takes depends on the load, and is worth a measurement before anything else.",
    evidence: "debug_osd, debug_bluestore, debug_bluefs, debug_rocksdb, debug_ms, debug_filestore, debug_objecter, debug_rgw, debug_mds or debug_mon writes to its log at level 6 and more; defaults are 5 and less (debug_rocksdb 4). What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's documentation, \"Logging and Debugging\": verbose logs slow daemons down and fill disks"],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION",
    risk: "less is known afterwards of what a daemon did",
    confirm: "fathom run --ab option:WHO/OPTION=1/5 compares this level with the default, in turns",
    matters: Matters::Much,
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let loud = |option: &SetOption| number(option).is_some_and(|level| level >= LOUD);
    SUBSYSTEMS.iter().flat_map(|name| of_settings(case, name, loud, "much is written to logs")).collect()
}

/// The first number is the level of the log, the second that of what is kept in memory.
const LOUD: f64 = 6.0;
const SUBSYSTEMS: [&str; 10] = [
    "debug_osd",
    "debug_bluestore",
    "debug_bluefs",
    "debug_rocksdb",
    "debug_ms",
    "debug_filestore",
    "debug_objecter",
    "debug_rgw",
    "debug_mds",
    "debug_mon",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "debug_osd", "20/20")), ["osd/debug_osd"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "debug_osd", "1/5")), NOBODY);
        assert_eq!(told(&RULE, |facts| set(facts, "mon", "debug_mon", "0/20")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
