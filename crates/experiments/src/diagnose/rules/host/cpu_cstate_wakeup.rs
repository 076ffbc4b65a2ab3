//! Idle states that take long to leave.

use crate::diagnose::facts::prelude::*;
use model::facts::IdleState;

pub static RULE: Rule = Rule {
    id: "cpu-cstate-wakeup",
    about: Area::Host,
    what: "Processors of hosts with flash may sleep so deeply that waking takes tens of microseconds.",
    why: "An operation crosses several threads on several hosts, and each may have to be woken: two to three times the IOPS at depth 1 in one guide, 10 to 20 % on a cluster of 68 hosts.",
    evidence: "OSDs on flash run on a host that is no virtual machine, and an idle state that is not disabled takes 50 µs and more to leave.",
    sources: &[
        "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)",
        "Clyso, \"Ceph: A Journey to 1 TiB/s\" (ceph.io blog, 2024: ceph-a-journey-to-1tibps)",
    ],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "cpupower idle-set -D 10, or tuned-adm profile network-latency (it holds /dev/cpu_dma_latency)",
    risk: "power and heat, less turbo for single threads",
    confirm: "hold /dev/cpu_dma_latency open with a 0 on all hosts while fathom osd measures, and compare (fathom compare); nothing has to restart",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_hosts(case, "idle states take long to leave", |host| flash(case).then(|| deep(host)).flatten())
}

fn flash(case: &Case) -> bool {
    case.osds().iter().any(OsdFacts::on_flash)
}

fn deep(host: &HostSetup) -> Option<Phrase> {
    if host.virtual_machine != Some(false) {
        return None;
    }
    let deep = |state: &&IdleState| state.disabled == Some(false) && state.exit_us.is_some_and(|us| us >= 50);
    listed(
        host.idle_states.iter().filter(deep).map(|state| format!("{}: {} µs", state.name, state.exit_us.unwrap_or(0))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| one_host(facts, |host| host.idle_states =
                vec![IdleState { name: "C6".into(), exit_us: Some(133), disabled: Some(false) }])),
            ["b"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_host(facts, |host| host.idle_states =
                vec![IdleState { name: "C6".into(), exit_us: Some(133), disabled: Some(true) }])),
            NOBODY
        );
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                one_host(facts, |host| {
                    host.idle_states = vec![IdleState { name: "C6".into(), exit_us: Some(133), disabled: Some(false) }]
                })
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
