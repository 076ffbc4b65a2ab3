//! OSDs whose memory is bounded below their target.

use crate::diagnose::facts::prelude::*;
use crate::diagnose::memory_target::{TUNED, mend, target};
use crate::diagnose::origins::FROM_POD;

pub static RULE: Rule = Rule {
    id: "mem-cgroup-limit",
    about: Area::Host,
    what: "The control group of OSDs allows less memory than they aim at.",
    why: "The kernel then takes their memory away, or kills them.",
    evidence: "An OSD's memory.max is below its own target (osd_memory_target of the OSD, of its host, its class, osd or global, else 4 GiB; what the OSD that was asked has in its configuration file, environment or command line counts for all that say nothing else).",
    sources: &["Ceph's documentation, \"Hardware Recommendations\""],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds), Source::Facts(FactsPart::Options)],
    suspect,
    fix: "raise the limit to the target and a fifth more, or set osd_memory_target below it",
    special_fixes: &[&FROM_POD, &AUTOTUNED],
    risk: "it takes memory",
    confirm: "the kernel's log: oom-kill with the group of an OSD",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

static AUTOTUNED: Fix = Fix {
    when: TUNED,
    what: "raise the limit to the target and a fifth more; or, since cephadm writes over what is set by hand, give OSDs a smaller share of their host's memory (ceph config set mgr mgr/cephadm/autotune_memory_target_ratio SHARE; 0.7 unless set)",
};

fn suspect(case: &Case) -> Vec<Suspect> {
    case.hosts().filter_map(|host| of_host(case, host)).collect()
}

fn of_host(case: &Case, host: &HostSetup) -> Option<Suspect> {
    let bounded = |daemon: &DaemonProcess| {
        let (osd, most) = (case.osd_of(daemon)?, daemon.memory_limit?);
        target(case, osd).filter(|target| (most as f64) < *target).map(|target| (osd, most, target))
    };
    let found: Vec<(&OsdFacts, u64, f64)> = host.osds().filter_map(bounded).collect();
    let each =
        found.iter().map(|(osd, most, target)| format!("osd.{}: {most} bytes, its target is {target:.0}", osd.id));
    let evidence = listed(each)?;
    let osds: Vec<&OsdFacts> = found.iter().map(|(osd, _, _)| *osd).collect();
    let says = "memory is bounded below the target".into();
    Some(Suspect { fix: mend(case, &osds, &AUTOTUNED), ..hint(Subject::Host(host.name.clone()), says, evidence) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;
    use model::facts::Facts;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| each_daemon(facts, |daemon| daemon.memory_limit = Some(2 << 30))),
            ["a", "b", "c"]
        );
    }

    #[test]
    fn a_limit_is_held_against_the_target_of_that_osd() {
        let with = |change: fn(&mut Facts)| {
            told(&RULE, |facts| {
                each_daemon(facts, |daemon| daemon.memory_limit = Some(6 << 30));
                change(facts)
            })
        };
        assert_eq!(with(|facts| set(facts, "osd", "osd_memory_target", "8589934592")), ["a", "b", "c"]);
        assert_eq!(with(|facts| set(facts, "osd.3", "osd_memory_target", "8589934592")), ["b"]);
        assert_eq!(with(|facts| set(facts, "osd/host:c", "osd_memory_target", "8589934592")), ["c"]);
        assert_eq!(with(|facts| facts.cluster.options = None), NOBODY);
    }

    #[test]
    fn a_target_that_cephadm_tunes_is_not_set_by_hand() {
        let told = suspects(&RULE, |facts| {
            each_daemon(facts, |daemon| daemon.memory_limit = Some(6 << 30));
            facts.cluster.manager_modules = Some(vec!["cephadm".into()]);
            set(facts, "osd", "osd_memory_target_autotune", "true");
            set(facts, "osd/host:b", "osd_memory_target", "8589934592")
        });
        assert_eq!(told.len(), 1);
        assert!(told[0].fix.as_ref().unwrap().contains("autotune_memory_target_ratio"));
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| each_daemon(facts, |daemon| daemon.memory_limit = Some(6 << 30))), NOBODY);
        assert_eq!(
            told(&RULE, |facts| {
                each_daemon(facts, |daemon| daemon.memory_limit = Some(2 << 30));
                set(facts, "osd", "osd_memory_target", "1500000000")
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
