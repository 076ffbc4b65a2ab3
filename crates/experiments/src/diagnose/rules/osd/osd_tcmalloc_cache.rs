//! Small caches of the allocator.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-tcmalloc-cache",
    about: Area::Osd,
    what: "tcmalloc's caches of threads are smaller than what Ceph's packages set.",
    why: "Part of what was measured in 2015: with 32 MB threads spend their time giving memory back and taking it again.",
    evidence: "The environment of an OSD sets TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES below 128 MiB, and OSDs lie on flash.",
    sources: &["ceph.io blog, 2015: the-ceph-and-tcmalloc-performance-story"],
    needs: &[Source::Facts(Part::Hosts), Source::Facts(Part::Osds)],
    suspect,
    fix: "TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES=134217728 in /etc/default/ceph or /etc/sysconfig/ceph, then restart",
    risk: "memory: 128 MiB for each daemon",
    confirm: "perf top on a loaded OSD host: tcmalloc::ThreadCache above some percent",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_daemons(case, "caches of the allocator are small", |daemon| {
        daemon
            .thread_cache
            .filter(|bytes| *bytes < 128 << 20 && case.osds().iter().any(OsdFacts::on_flash))
            .map(|bytes| format!("{bytes} bytes"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| each_daemon(facts, |daemon| daemon.thread_cache = Some(32 << 20))),
            ["a", "b", "c"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| each_daemon(facts, |daemon| daemon.thread_cache = None)), NOBODY);
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                each_daemon(facts, |daemon| daemon.thread_cache = Some(32 << 20))
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
