//! Small caches of the allocator.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-tcmalloc-cache",
    about: Area::Osd,
    what: "tcmalloc's caches of threads are smaller than what Ceph's packages set.",
    why: "With 32 MiB threads spend their time giving memory back and taking it again: in 2015 a better allocator, or a newer tcmalloc with 128 MiB, did up to 4.2 times the small random writes (4.7 times in \
          another lab). Before gperftools 2.2 tcmalloc stays at 32 MiB whatever is set.",
    evidence: "OSDs lie on flash, and the environment of an OSD sets TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES below 128 MiB, or it has mapped a libtcmalloc.so of before 4.2 (gperftools 2.2). \
               Where no OSD tells on what it lies, its host's disks do.",
    sources: &["ceph.io blog, 2015: the-ceph-and-tcmalloc-performance-story"],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES=134217728 in /etc/default/ceph or /etc/sysconfig/ceph, then restart; gperftools 2.4 or newer where it is older",
    risk: "memory: 128 MiB for each daemon",
    confirm: "perf top on a loaded OSD host: tcmalloc::ThreadCache or CentralFreeList above some percent",
    ..Rule::OF_FACTS
};

const PACKAGED: u64 = 128 << 20;

fn suspect(case: &Case) -> Vec<Suspect> {
    of_hosts(case, "caches of the allocator are small", |host| {
        if !on_flash(case, host) {
            return None;
        }
        let bad = |daemon: &DaemonProcess| Some(format!("{}: {}", daemon.name, small(daemon)?));
        listed(host.osds().filter_map(bad))
    })
}

fn on_flash(case: &Case, host: &HostSetup) -> bool {
    match case.osds().iter().any(|osd| !osd.data_devices.is_empty()) {
        true => case.osds().iter().any(OsdFacts::on_flash),
        false => host.disks.iter().any(|disk| disk.rotational == Some(false)),
    }
}

fn small(daemon: &DaemonProcess) -> Option<String> {
    let old = daemon.allocator_file.as_ref().filter(|file| version(file).is_some_and(|version| version < (4, 2)));
    let set = daemon.thread_cache.filter(|bytes| *bytes < PACKAGED).map(|bytes| format!("{bytes} bytes"));
    old.map(|file| format!("{file} takes 32 MiB whatever is set")).or(set)
}

/// `libtcmalloc.so.4.5.9`: 4 and 5.
fn version(file: &str) -> Option<(u32, u32)> {
    let (_, version) = file.strip_prefix("libtcmalloc")?.split_once(".so.")?;
    let (major, rest) = version.split_once('.')?;
    Some((major.parse().ok()?, rest.split('.').next()?.parse().ok()?))
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
    fn an_old_library_is_seen_also_where_osds_do_not_tell_on_what_they_lie() {
        let with = |file: &'static str, tell: bool| {
            told(&RULE, |facts| {
                each_daemon(facts, |daemon| daemon.allocator_file = Some(file.into()));
                if !tell {
                    each_osd(facts, |osd| (osd.devices, osd.data_devices, osd.rotational) = (vec![], vec![], None));
                }
            })
        };
        assert_eq!(with("libtcmalloc.so.4.1.2", true), ["a", "b", "c"]);
        assert_eq!(with("libtcmalloc.so.4.1.2", false), ["a", "b", "c"]);
        assert_eq!((with("libtcmalloc.so.4.2.6", true), with("libtcmalloc.so.4", true)), (vec![], vec![]));
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
