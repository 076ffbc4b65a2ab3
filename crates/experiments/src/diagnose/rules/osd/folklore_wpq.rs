//! The older scheduler in place of mClock.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "folklore-wpq",
    about: Area::Osd,
    what: "OSDs use the older scheduler (wpq) on a release whose default is mClock.",
    why: "It is contested: under recovery with lifted limits mClock kept 11,200 of 21,500 IOPS where wpq kept 2,500; operators who had trouble with early mClock, or with hard disks, prefer wpq still.",
    evidence: "osd_op_queue is set to wpq, on 17.2.0 and later. What is set in the monitors' database, or in the configuration file of the OSD that was asked, counts.",
    sources: &[
        "ceph.io blog, 2021: qos-study-with-mclock-and-wpq-schedulers",
        "Clyso's analyzer (clyso/otto on GitHub)",
        "Ceph's documentation, \"mClock Config Reference\"",
    ],
    needs: &[Source::Facts(FactsPart::Options), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "if it was set because of an early release: ceph config rm WHO OPTION, then restart; look at the measured capacities first (osd_mclock_max_capacity_iops_*)",
    risk: "daemons restart, one host at a time; of large clusters with erasure-coded pools Ceph's newest mClock reference itself advises wpq, since recovery may hold up their clients under mClock",
    confirm: "measure both while a disk recovers: the share that clients keep (fathom run before and after, fathom compare)",
    releases: Releases::from(17, 2, 0),
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_settings(case, "osd_op_queue", |option| option.value == "wpq", "the older scheduler is used: contested")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "osd_op_queue", "wpq")), ["osd/osd_op_queue"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "osd", "osd_op_queue", "mclock_scheduler")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
