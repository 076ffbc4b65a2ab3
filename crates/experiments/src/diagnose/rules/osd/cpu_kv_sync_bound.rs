//! The one thread that commits all writes of an OSD uses up a processor.

use super::threads;
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect, Tried};

pub static RULE: Rule = Rule {
    id: "cpu-kv-sync-bound",
    about: Area::Osd,
    what: "The thread in which an OSD's store commits (bstore_kv_sync) uses up a processor: it alone limits small writes.",
    why: "Each OSD has one such thread, and every write passes it, so that more processors, or a faster disk, bring nothing. What RocksDB has to do for each write decides how many pass.",
    evidence: "While a pool or OSD was loaded with many operations at once or large ones, for at least 4 s, one bstore_kv_sync thread of an OSD used at least 90 % of a processor, and all processors of its host together worked \
               for less than 70 % of their time.",
    sources: &[
        "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)",
        "ceph.io blog, 2022: rocksdb-tuning-deep-dive",
        "thresholds are our proposal",
    ],
    needs: &[Source::HostLoads],
    suspect,
    fix: "a faster clock (governor, power limits); the release's own options of RocksDB instead of older ones; a newer release; where processors are idle, two OSDs on each drive",
    risk: "two OSDs on each drive need every OSD of it to be made anew",
    confirm: "top -H -p PID of the OSD while it is written to: bstore_kv_sync stays at 100 %; and ceph daemon osd.N perf dump: state_kv_queued_lat grows with the load, kv_sync_lat does not",
    tried: Tried::Facts,
    ..Rule::USUAL
};

/// If the process of that OSD is known to be slow, this is how.
pub const FOLLOWS: Explains = threads::of_the_same_osd(&RULE);

fn suspect(case: &Case) -> Vec<Suspect> {
    threads::full(case, |kind| (kind == "bstore_kv_sync").then_some("the store's commit thread"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::rules::osd::threads::testing::{load, nothing_else_is_told, told};

    #[test]
    fn a_full_commit_thread_is_told() {
        let [subject, says, evidence] = told(&RULE, &[load("bstore_kv_sync", &[(1, 0.3), (3, 0.95)])]).remove(0);
        assert_eq!(subject, "osd.3");
        assert_eq!(
            says,
            "the store's commit thread of osd.3 (bstore_kv_sync) uses up a processor while others are free"
        );
        let seen = "in each second the busiest bstore_kv_sync of osd.3, 95 % of a processor in the mean; all processors of a at 40 %";
        assert_eq!(evidence, format!("rados pool write-parallel: {seen}"));
    }

    #[test]
    fn those_of_several_osds_are_told_together() {
        let told = told(&RULE, &[load("bstore_kv_sync", &[(1, 0.91), (3, 0.95)])]);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0][0], "osd.*");
        assert!(told[0][1].contains("of osd.1, osd.3 ("), "{told:?}");
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_so_or_not_known() {
        nothing_else_is_told(&RULE, "bstore_kv_sync");
        assert!(told(&RULE, &[load("msgr-worker", &[(3, 1.0)])]).is_empty());
    }
}
