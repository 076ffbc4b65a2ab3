//! Metadata servers whose caches are full.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "fs-mds-cache-full",
    about: Area::CephFs,
    what: "The cache of a metadata server is full.",
    why: "What clients use next pushes out what they used before, which is read from the metadata pool again; clients are asked to give back what they hold. That is as it should be where few \
          files of many are in use, and slow where more of them are.",
    evidence: "The server's cache takes at least 95 % of mds_cache_memory_limit, by its own count (cache status).",
    sources: &["Ceph's documentation, \"MDS Cache Configuration\"", "SUSE Enterprise Storage 6, \"Tuning Guide\""],
    needs: &[Source::Facts(FactsPart::MetadataServers)],
    suspect,
    fix: "ceph config set mds mds_cache_memory_limit BYTES, where the server's host has half as much again; or more ranks, each with a part of the tree",
    risk: "memory: a metadata server takes up to half as much again",
    confirm: "ceph tell mds.NAME perf dump under load: mds.traverse_dir_fetch and mds_server's latencies; then with a larger limit",
    matters: Matters::Little,
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

/// mds_cache_reservation: the server begins to make room for the last twentieth.
const FULL: f64 = 0.95;

fn suspect(case: &Case) -> Vec<Suspect> {
    let full = case.cluster().metadata_servers.iter().flatten().filter_map(|server| {
        let (used, limit) = (server.cache?, server.cache_limit.filter(|limit| *limit > 0)?);
        (used as f64 >= FULL * limit as f64).then(|| {
            let mib = |bytes: u64| bytes >> 20;
            format!("{}: {} of {} MiB", server.name, mib(used), mib(limit))
        })
    });
    listed(full).map_or(Vec::new(), |all| of_cluster("caches of metadata servers are full", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    fn with(cache: Option<u64>, limit: Option<u64>) -> Vec<String> {
        told(&RULE, |facts| metadata_server(facts, |server| (server.cache, server.cache_limit) = (cache, limit)))
    }

    #[test]
    fn it_is_seen() {
        assert_eq!(with(Some(96), Some(100)), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(with(Some(94), Some(100)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!((with(None, Some(100)), with(Some(96), None)), (vec![], vec![]));
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
