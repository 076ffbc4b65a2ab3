//! What is to be told of each fault: by which rules, and of whom.

/// A row of the table.
pub struct Expected {
    pub fault: &'static str,
    /// Any of these is right. Empty: no rule tells it yet.
    pub causes: &'static [Cause],
    /// Rules whose findings are true as well while it is on: consequences that are told beside it.
    pub beside: &'static [&'static str],
    /// Why it is not told, or not told apart from others; empty: it should be.
    pub open: &'static str,
    /// What is diagnosed, where it is not a pool of the diagnosis' own.
    pub what: &'static [&'static str],
    /// It needs OSDs on block devices.
    pub on_disks: bool,
    /// What the lab has to offer beside its pools.
    pub with: &'static [&'static str],
    /// The cluster's own records speak of it long after: the next run needs another lab.
    pub stains: bool,
}

pub struct Cause {
    pub rule: &'static str,
    pub of: Of,
    /// A word that the finding must have in what it says; empty: any will do.
    pub says: &'static str,
}

/// Whom a finding is about, as documents name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// That on which the fault is: `osd.3`, `host1`.
    Target,
    /// An option of it, or of everything: `osd.3/debug_osd`, `global/ms_cluster_mode`.
    Setting,
    /// From the first of two hosts to the second.
    Way,
    /// From some host to it.
    WayTo,
    /// Between the two, in both directions: what is asked goes the one way, and its answer the other.
    Link,
    Cluster,
    /// The lab's object gateway, by its address.
    Gateway,
    /// An option of the lab's metadata server.
    Mds,
    /// What the lab's NFS server exports.
    Export,
    /// Several OSDs.
    Osds,
    /// The pool that the fault made.
    OwnPool,
    /// The image in it.
    OwnImage,
}

impl Of {
    pub fn is(self, told: &str, fault: &str, target: &[String]) -> bool {
        let words = target.join(" ");
        match self {
            Of::Target => !words.is_empty() && told == words,
            Of::Setting => {
                let who = if words.is_empty() { "global" } else { &words };
                told.strip_prefix(who).is_some_and(|rest| rest.starts_with('/'))
            }
            Of::Way => told == target.join("→"),
            Of::WayTo => !words.is_empty() && told.split_once('→').is_some_and(|(_, to)| to == words),
            Of::Link => {
                target.len() == 2 && [0, 1].iter().any(|at| told == format!("{}↔{}", target[*at], target[1 - at]))
            }
            Of::Cluster => told == "cluster",
            Of::Gateway => told.starts_with("gateway "),
            Of::Mds => told.starts_with("mds."),
            Of::Export => told.starts_with("nfs://"),
            Of::Osds => told == "osd.*",
            Of::OwnPool => told == format!("pool fault.{fault}"),
            Of::OwnImage => told == format!("image fault.{fault}/image"),
        }
    }
}

impl Expected {
    pub fn of(fault: &str) -> Option<&'static Expected> {
        EXPECTED.iter().find(|row| row.fault == fault)
    }

    /// Is this of the right one, whatever it is called?
    pub fn is_subject(&self, told: &str, target: &[String]) -> bool {
        let named = self.causes.iter().map(|cause| cause.of).chain([Of::Target, Of::Setting, Of::Way, Of::Link]);
        { named }.any(|of| of.is(told, self.fault, target))
    }
}

const fn of(rule: &'static str, of: Of) -> Cause {
    Cause { rule, of, says: "" }
}

/// What most rows have.
pub const NONE: Expected = Expected {
    fault: "",
    causes: &[],
    beside: &[],
    open: "",
    what: &["--layers", "rados"],
    on_disks: false,
    with: &[],
    stains: false,
};

/// In the order in which they are tried.
pub const EXPECTED: &[Expected] = &[
    Expected { fault: "cpu-quota", causes: &[of("osd-process-slow", Of::Target)], ..NONE },
    Expected { fault: "stutter", causes: &[of("osd-process-slow", Of::Target)], ..NONE },
    Expected {
        fault: "debug-logging",
        causes: &[
            of("osd-option-odd", Of::Target),
            of("osd-option-odd", Of::Setting),
            of("osd-process-slow", Of::Target),
            of("kern-debug-logging", Of::Setting),
        ],
        ..NONE
    },
    Expected {
        fault: "messenger-delay",
        causes: &[of("osd-option-odd", Of::Setting), of("osd-way-slow", Of::Target)],
        ..NONE
    },
    Expected {
        fault: "osd-option",
        causes: &[of("osd-option-odd", Of::Setting), of("net-nodelay", Of::Setting), of("osd-way-slow", Of::Target)],
        ..NONE
    },
    Expected {
        fault: "link-slow-from",
        causes: &[Cause { rule: "host-way-slow", of: Of::Target, says: "sends" }],
        ..NONE
    },
    Expected {
        fault: "link-slow-to",
        causes: &[
            Cause { rule: "host-way-slow", of: Of::Target, says: "receives" },
            of("link-slow", Of::Target),
            of("link-slow", Of::WayTo),
        ],
        what: &["--layers", "network,rados"],
        ..NONE
    },
    Expected {
        fault: "link-loss",
        causes: &[
            of("host-way-slow", Of::Target),
            of("segments-sent-again", Of::Target),
            of("osd-connection-retransmits", Of::Target),
        ],
        ..NONE
    },
    Expected { fault: "link-latency", causes: &[of("host-way-slow", Of::Target)], ..NONE },
    Expected {
        fault: "path-slow",
        causes: &[of("way-between-slow", Of::Way), of("way-between-slow", Of::Link)],
        ..NONE
    },
    Expected {
        fault: "mtu",
        causes: &[of("mtu", Of::Target)],
        // Packet sizes are proven between hosts.
        what: &["--layers", "network", "--hosts", "3"],
        ..NONE
    },
    Expected { fault: "secure-mode", causes: &[of("net-secure-mode", Of::Setting)], ..NONE },
    Expected { fault: "noisy-neighbour", causes: &[of("pool-others-load", Of::OwnPool)], ..NONE },
    Expected { fault: "deep-scrub", causes: &[of("st-scrub", Of::Cluster)], ..NONE },
    Expected {
        fault: "few-pgs",
        causes: &[of("pool-pg-few", Of::OwnPool)],
        what: &["--layers", "rados", "--pool", "fault.few-pgs"],
        ..NONE
    },
    Expected { fault: "primaries-on-one", causes: &[of("pool-primary-affinity", Of::Osds)], ..NONE },
    Expected {
        fault: "clone",
        causes: &[of("rbd-clone", Of::OwnImage)],
        what: &["--pool", "fault.clone", "--image", "image"],
        ..NONE
    },
    Expected {
        fault: "snapshot",
        causes: &[of("rbd-snapshots-often", Of::OwnImage)],
        what: &["--pool", "fault.snapshot", "--image", "image"],
        beside: &["st-snaptrim"],
        ..NONE
    },
    Expected {
        fault: "two-writers",
        causes: &[of("rbd-other-writer", Of::OwnImage)],
        what: &["--pool", "fault.two-writers", "--image", "image"],
        ..NONE
    },
    Expected { fault: "nearly-full", causes: &[of("st-nearfull", Of::Cluster)], ..NONE },
    Expected { fault: "flags", causes: &[of("st-flags", Of::Cluster)], ..NONE },
    Expected {
        fault: "recovery",
        causes: &[of("st-recovery", Of::Cluster), of("st-degraded", Of::Cluster)],
        beside: &["st-peering"],
        ..NONE
    },
    Expected {
        fault: "flapping",
        causes: &[of("st-flapping", Of::Target)],
        beside: &["st-peering", "st-degraded", "st-recovery", "st-osds-down"],
        stains: true,
        ..NONE
    },
    Expected {
        fault: "rgw-nagle",
        causes: &[of("rgw-nagle", Of::Gateway)],
        what: &["--layers", "object"],
        with: &["--with", "rgw"],
        open: "it slows nothing of what a diagnosis reads here: 4 KiB are several packets between the hosts of this lab, and only what fits one is held back (a lab without \
               hosts, or --block-size 1k, shows it)",
        ..NONE
    },
    Expected {
        fault: "mds-cache",
        causes: &[of("fs-mds-cache", Of::Mds)],
        beside: &["fs-mds-cache-full", "fs-cache-oversized"],
        what: &["--layers", "file"],
        with: &["--with", "cephfs"],
        ..NONE
    },
    Expected {
        fault: "bucket-few-shards",
        causes: &[of("rgw-bucket-shards", Of::Cluster)],
        // The gateway would split the bucket else.
        beside: &["rgw-resharding-off"],
        what: &["--layers", "object"],
        with: &["--with", "rgw"],
        ..NONE
    },
    Expected {
        fault: "caps-held",
        causes: &[of("fs-caps-held", Of::Cluster)],
        what: &["--layers", "file"],
        with: &["--with", "cephfs"],
        ..NONE
    },
    Expected {
        fault: "nfs-few-workers",
        causes: &[of("fs-nfs-depth", Of::Export)],
        what: &["--layers", "file"],
        with: &["--with", "nfs"],
        open: "its client of the file system does few writes side by side on a machine with few processors anyway: only where OSDs answer late (messenger-delay on each) do its threads count",
        ..NONE
    },
    Expected { fault: "disk-iops", causes: &[of("osd-store-slow", Of::Target)], on_disks: true, ..NONE },
    Expected {
        fault: "disk-bandwidth",
        // Where operations get stuck, the run ends before the store's own time is known.
        causes: &[of("osd-store-slow", Of::Target), of("osd-holds-operations", Of::Target)],
        on_disks: true,
        ..NONE
    },
    Expected { fault: "wrong-db-device", causes: &[of("osd-db-slow", Of::Target)], on_disks: true, ..NONE },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_told_from_its_options_and_from_its_likes() {
        let of = |fault: &'static str| Expected { fault, ..NONE };
        let target = ["osd.1".to_string()];
        assert!(of("x").is_subject("osd.1", &target) && of("x").is_subject("osd.1/debug_osd", &target));
        assert!(!of("x").is_subject("osd.11", &target) && !of("x").is_subject("osd.11/debug_osd", &target));
        assert!(
            !of("x").is_subject("cluster", &target)
                && Expected::of("flags").is_some_and(|row| row.is_subject("cluster", &[]))
        );
        assert!(Of::Way.is("host1→host2", "x", &["host1".into(), "host2".into()]));
        assert!(Of::Link.is("host1↔host2", "x", &["host2".into(), "host1".into()]));
        assert!(Of::OwnPool.is("pool fault.x", "x", &[]) && Of::Setting.is("global/a", "x", &[]));
        assert!(!Of::Target.is("", "x", &[]));
    }

    #[test]
    fn every_fault_has_a_rule_or_a_reason_and_one_row() {
        for row in EXPECTED {
            assert!(!row.causes.is_empty() || !row.open.is_empty(), "{}", row.fault);
            assert_eq!(EXPECTED.iter().filter(|other| other.fault == row.fault).count(), 1, "{}", row.fault);
        }
        let rules: Vec<&str> = experiments::diagnose::RULES.iter().map(|rule| rule.id).collect();
        let named = EXPECTED.iter().flat_map(|row| row.causes.iter().map(|cause| cause.rule));
        let unknown: Vec<&str> = named.filter(|id| !rules.contains(id)).collect();
        assert_eq!(unknown, Vec::<&str>::new());
    }
}
