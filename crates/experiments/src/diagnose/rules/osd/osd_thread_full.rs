//! A thread of an OSD, of a kind that no other rule knows, uses up a processor.

use super::threads;
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect, Tried};

pub static RULE: Rule = Rule {
    id: "osd-thread-full",
    about: Area::Osd,
    what: "A thread of an OSD uses up a processor: what passes it gets no faster, however many processors are free.",
    why: "What a thread does alone is done one after the other. tp_osd_tp: a worker of one shard of the queue of operations, whose placement groups have to wait for it; rocksdb:low: compactions of RocksDB; \
          rocksdb:high: what RocksDB flushes to its first level; bstore_kv_final: what ends committed writes; fn_…: a finisher, which calls back; log: debug logging.",
    evidence: "While a pool or OSD was loaded with many operations at once or large ones, for at least 4 s, one thread of an OSD used at least 90 % of a processor, and all processors of its host together worked \
               for less than 70 % of their time. Not told here: bstore_kv_sync (cpu-kv-sync-bound) and msgr-worker (cpu-msgr-bound).",
    sources: &[
        "Ceph's source: src/osd/OSD.cc, src/os/bluestore/BlueStore.cc, src/common/Finisher.h (names of threads)",
        "thresholds are our proposal",
    ],
    needs: &[Source::HostLoads],
    suspect,
    fix: "by the kind of thread. tp_osd_tp: are the placement groups spread evenly over the shards, and are there enough of them (pool-pg-few)? rocksdb: less metadata (omap), room for the next level, the release's own \
          options of RocksDB. log: debug options back to their defaults. Any: a faster clock",
    risk: Rule::LOOKING_CHANGES_NOTHING,
    confirm: "perf top -t TID of that thread (top -H -p PID shows it) while it is loaded: what it does; and twice the load brings no more operations",
    tried: Tried::Facts,
    ..Rule::USUAL
};

/// If the process of that OSD is known to be slow, this is how.
pub const FOLLOWS: Explains = threads::of_the_same_osd(&RULE);

fn suspect(case: &Case) -> Vec<Suspect> {
    threads::full(case, named)
}

/// Of Crimson, SPDK and DPDK.
const POLLING: [&str; 6] = ["reactor", "crimson", "spdk", "dpdk", "lcore", "eal"];

fn named(kind: &str) -> Option<&'static str> {
    match kind {
        // Rules of their own.
        "bstore_kv_sync" | "msgr-worker" => None,
        "tp_osd_tp" => Some("a worker of one shard"),
        "rocksdb:low" => Some("a thread that compacts RocksDB"),
        "rocksdb:high" => Some("a thread that flushes RocksDB"),
        "bstore_kv_final" => Some("the thread that ends committed writes"),
        "log" => Some("the thread that writes the log"),
        _ if kind.starts_with("fn_") || kind == "finisher" => Some("a finisher"),
        // They poll, and are as busy without any work.
        _ if POLLING.iter().any(|name| kind.starts_with(name)) => None,
        _ => Some("a thread"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::precedence;
    use crate::diagnose::rules::osd::osd_process_slow;
    use crate::diagnose::rules::osd::threads::testing::{load, nothing_else_is_told, told};
    use model::{Phrase, Record, Standing, Subject};

    #[test]
    fn a_full_thread_is_told_with_what_it_is() {
        let says = |kind: &str| told(&RULE, &[load(kind, &[(3, 0.9)])]).remove(0)[1].clone();
        assert_eq!(
            says("tp_osd_tp"),
            "a worker of one shard of osd.3 (tp_osd_tp) uses up a processor while others are free"
        );
        assert!(says("rocksdb:low").starts_with("a thread that compacts RocksDB of osd.3 (rocksdb:low)"));
        assert!(says("fn_anonymous").starts_with("a finisher of osd.3"));
        assert!(told(&RULE, &[load("reactor", &[(3, 1.0)])]).is_empty());
        assert!(says("safe_timer").starts_with("a thread of osd.3 (safe_timer)"));
    }

    #[test]
    fn kinds_are_told_apart() {
        let told = told(&RULE, &[load("tp_osd_tp", &[(3, 0.95)]), load("log", &[(3, 0.95), (4, 0.99)])]);
        assert_eq!(told.iter().map(|one| one[0].as_str()).collect::<Vec<_>>(), ["osd.*", "osd.3"]);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_so_or_not_known() {
        nothing_else_is_told(&RULE, "tp_osd_tp");
        assert!(told(&RULE, &[load("bstore_kv_sync", &[(3, 1.0)]), load("msgr-worker", &[(3, 1.0)])]).is_empty());
    }

    #[test]
    fn of_an_osd_whose_process_is_known_to_be_slow_it_is_evidence() {
        let (record, loads) = (Record::default(), [load("tp_osd_tp", &[(3, 0.95)])]);
        let case =
            Case { record: &record, entries: &[], tests: &[], outliers: &[], host_loads: &loads, positions: None };
        let causes = |slow: u32| {
            let slow = Suspect::new(Subject::Osd(slow), Standing::Confirmed, "slow".into(), Phrase::default());
            let full = suspect(&case).into_iter().map(|one| (&RULE, one));
            let all = std::iter::once((&osd_process_slow::RULE, slow)).chain(full).collect();
            precedence::causes(all, &case).len()
        };
        assert_eq!((causes(3), causes(4)), (1, 2));
    }
}
