//! mClock with several queues on hard disks.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-mclock-hdd-shards",
    about: Area::Osd,
    what: "Hard disks have five queues each under mClock.",
    why: "Clients then get an erratic share, and requests are slow when a node fails; since 19.2.1 the default is one queue with five threads.",
    evidence: "OSDs on hard disks run 17.2.0 to before 19.2.1, and neither osd_op_num_shards_hdd, osd_op_num_shards nor osd_op_queue is set.",
    sources: &["Ceph's release notes, v19.2.1 Squid", "tracker.ceph.com issue 66289"],
    needs: &[Source::Facts(FactsPart::Osds), Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config set osd osd_op_num_shards_hdd 1; ceph config set osd osd_op_num_threads_per_shard_hdd 5; then restart",
    risk: "daemons restart, one host at a time",
    confirm: "measure while a disk recovers, before and after (fathom run, fathom compare)",
    releases: Releases::between((17, 2, 0), (19, 2, 1)),
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    if ["osd_op_num_shards_hdd", "osd_op_num_shards", "osd_op_queue"].iter().any(|name| case.set(name).next().is_some())
    {
        return Vec::new();
    }
    of_osds(case, OsdFacts::on_hdd, "hard disks have five queues under mClock", |_| "hard disk".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                release(facts, 18, 2, 4)
            }),
            ["osd.*"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                release(facts, 19, 2, 1)
            }),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                release(facts, 18, 2, 4);
                set(facts, "osd", "osd_op_queue", "wpq")
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
