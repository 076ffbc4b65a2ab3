//! OSDs that their control group holds back.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "cpu-cgroup-throttle",
    about: Area::Host,
    what: "The control group of OSDs bounds their processor time.",
    why: "It shows in the slowest operations first.",
    evidence: "An OSD on flash may use less than four processors at once (cpu.max), or an OSD on whatever disks was held back in more than 1 % of the periods.",
    sources: &["ceph.io blog, 2022: ceph-osd-cpu-scaling", "Linux, \"Control Group v2\": cpu.max"],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "raise or remove the limit (Rook: resources of the OSDs; podman: --cpus)",
    risk: "others on the host get less",
    confirm: "cat cpu.stat of its group before and after a load: nr_throttled",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_daemons(case, "the control group of OSDs bounds their processor time", |daemon| held(case, daemon))
}

fn held(case: &Case, daemon: &DaemonProcess) -> Option<String> {
    // An OSD on a hard disk has enough of two: that it may not use more holds nothing back.
    let on_flash = case.osd_of(daemon).is_some_and(OsdFacts::on_flash);
    let quota = daemon.quota.filter(|quota| on_flash && *quota < 4.0);
    let quota = quota.map(|quota| format!("{quota:.1} processors at most"));
    let throttled = daemon
        .throttled
        .filter(|share| *share > 0.01)
        .map(|share| format!("held back in {:.0} % of the periods", share * 100.0));
    let both: Vec<String> = quota.into_iter().chain(throttled).collect();
    (!both.is_empty()).then(|| both.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| each_daemon(facts, |daemon| daemon.quota = Some(2.0))), ["a", "b", "c"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| each_daemon(facts, |daemon| (daemon.quota, daemon.throttled) =
                (Some(8.0), Some(0.001)))),
            NOBODY
        );
    }

    #[test]
    fn a_quota_of_osds_on_hard_disks_is_told_where_it_held_them_back() {
        let of = |throttled: f64| {
            told(&RULE, |facts| {
                hard_disks(facts);
                each_daemon(facts, |daemon| (daemon.quota, daemon.throttled) = (Some(2.0), Some(throttled)))
            })
        };
        assert_eq!(of(0.0), NOBODY);
        assert_eq!(of(0.05), ["a", "b", "c"]);
        let unknown = told(&RULE, |facts| {
            each_daemon(facts, |daemon| daemon.quota = Some(2.0));
            facts.cluster.osds = None
        });
        assert_eq!(unknown, NOBODY, "on what they lie is not known");
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
