//! Caches that do not adapt to memory.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-cache-fixed",
    about: Area::Osd,
    what: "The caches of OSDs have a fixed size, or are not tuned by the OSD itself.",
    why: "With autotuning an OSD gives memory to what misses most, up to osd_memory_target; a fixed size stays as it was thought up once.",
    evidence: "bluestore_cache_autotune is set to false. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &["Ceph's documentation, \"BlueStore Configuration Reference\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the daemons",
    risk: "daemons restart, one host at a time",
    confirm: "measure before and after (fathom run, then fathom compare): daemons read the option as they start",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(case, "bluestore_cache_autotune", off, "caches do not adapt to memory")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "bluestore_cache_autotune", "false")),
            ["osd/bluestore_cache_autotune"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "bluestore_cache_autotune", "true")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
