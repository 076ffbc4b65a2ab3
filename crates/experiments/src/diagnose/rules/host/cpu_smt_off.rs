//! Threads of processors that are switched off.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "cpu-smt-off",
    about: Area::Host,
    what: "A host with OSDs does without its processors' second threads.",
    why: "Ceph has more threads than processors, and uses them well.",
    evidence: "/sys/devices/system/cpu/smt/control says off or forceoff.",
    sources: &["SUSE Enterprise Storage 6, \"Tuning Guide\""],
    needs: &[Source::Facts(FactsPart::Hosts)],
    suspect,
    fix: "switch it on in the firmware, or echo on > /sys/devices/system/cpu/smt/control",
    risk: "it was switched off for safety against other users of the host, perhaps",
    confirm: "fathom osd with all OSDs of the host at once, before and after",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_hosts(case, "second threads of processors are off", |host| {
        host.threads_per_core.as_deref().filter(|state| ["off", "forceoff"].contains(state)).map(Phrase::from)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_host(facts, |host| host.threads_per_core = Some("off".into()))), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_host(facts, |host| host.threads_per_core = Some("notsupported".into()))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
