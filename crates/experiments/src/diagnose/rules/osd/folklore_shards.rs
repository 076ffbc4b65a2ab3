//! Queues of OSDs that were tuned by hand.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "folklore-shards",
    about: Area::Osd,
    what: "The number of an OSD's queues, or of their threads, was set by hand.",
    why: "Results contradict each other: fewer shards gave up to 20 % more writes and hurt reads on one cluster; the largest read rates came with the defaults.",
    evidence: "osd_op_num_shards, osd_op_num_threads_per_shard, or one of them for SSDs, is set to another value than its default (8 and 2 for SSDs). What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &[
        "Clyso, \"Ceph: A Journey to 1 TiB/s\" (ceph.io blog, 2024: ceph-a-journey-to-1tibps)",
        "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)",
    ],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config rm WHO OPTION, then restart the daemons",
    risk: "daemons restart, one host at a time",
    confirm: "measure before and after (fathom run, then fathom compare): daemons read the option as they start",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let changed =
        |usual: f64| move |option: &SetOption| number(option).is_some_and(|value| value != usual && value != 0.0);
    let says = "queues of OSDs were tuned by hand: folklore, unless it was measured here";
    [
        ("osd_op_num_shards", 0.0),
        ("osd_op_num_shards_ssd", 8.0),
        ("osd_op_num_threads_per_shard", 0.0),
        ("osd_op_num_threads_per_shard_ssd", 2.0),
    ]
    .iter()
    .flat_map(|(name, usual)| of_settings(case, name, changed(*usual), says))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "osd", "osd_op_num_shards_ssd", "16")),
            ["osd/osd_op_num_shards_ssd"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "osd_op_num_shards_ssd", "8")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
