//! A cache that does not wait for a flush.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "cl-wt-until-flush",
    about: Area::Client,
    what: "The cache of images keeps writes from the first one on, though the guest may never flush.",
    why: "A guest that never flushes loses data when its host fails.",
    evidence: "rbd_cache_writethrough_until_flush is set to false. What is set in the monitors' database counts; what clients have in their own files is not seen.",
    sources: &["Ceph's documentation, \"RBD Config Reference: caching\""],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION",
    risk: "writes of guests that never flush are slower",
    confirm: "whether a guest flushes: in the guest, cat /sys/block/DISK/queue/write_cache says write back where its kernel does",
    matters: Matters::Data,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(case, "rbd_cache_writethrough_until_flush", off, "the cache does not wait for a flush")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "client", "rbd_cache_writethrough_until_flush", "false")),
            ["client/rbd_cache_writethrough_until_flush"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "client", "rbd_cache_writethrough_until_flush", "true")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
