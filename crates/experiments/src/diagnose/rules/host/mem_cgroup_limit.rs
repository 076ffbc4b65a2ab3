//! OSDs whose memory is bounded below their target.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "mem-cgroup-limit",
    about: Area::Host,
    what: "The control group of OSDs allows less memory than they aim at.",
    why: "The kernel then takes their memory away, or kills them.",
    evidence: "An OSD's memory.max is below 4 GiB, and no smaller osd_memory_target is set.",
    sources: &["Ceph's documentation, \"Hardware Recommendations\""],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "raise the limit to the target and a fifth more, or set osd_memory_target below it",
    risk: "it takes memory",
    confirm: "the kernel's log: oom-kill with the group of an OSD",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_daemons(case, "memory is bounded below the target", |daemon| {
        daemon
            .memory_limit
            .filter(|most| *most < 4 << 30 && case.set("osd_memory_target").next().is_none())
            .map(|most| format!("{most} bytes"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| each_daemon(facts, |daemon| daemon.memory_limit = Some(2 << 30))),
            ["a", "b", "c"]
        );
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
