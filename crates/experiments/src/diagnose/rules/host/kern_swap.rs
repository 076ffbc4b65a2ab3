//! Hosts with OSDs that have swap.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "kern-swap",
    about: Area::Host,
    what: "Hosts with OSDs have swap space.",
    why: "An OSD whose memory is swapped out stalls for hundreds of milliseconds; the docs and other analysers advise to have none.",
    evidence: "An OSD's host has swap, by its own word.",
    sources: &[
        "Clyso's analyzer (clyso/otto on GitHub)",
        "Ceph's release notes, v14.2.22 Nautilus: bluefs_buffered_io and swap",
    ],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "swapoff -a, and take it out of /etc/fstab; keep a fifth of the memory free",
    risk: "a host that has no memory left kills processes in place of swapping",
    confirm: "vmstat 1 on the host: si and so move while fathom loads the cluster",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| !case.cluster().lab && osd.swap.is_some_and(|bytes| bytes > 0),
        "hosts with OSDs have swap",
        |osd| phrase!("{} bytes", Quantity::Count(osd.swap.unwrap_or(0))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.swap = Some(8 << 30))), ["osd.1"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                one_osd(facts, |osd| osd.swap = Some(8 << 30));
                facts.cluster.lab = true
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
