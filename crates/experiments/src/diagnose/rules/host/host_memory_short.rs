//! Hosts with too little memory for their OSDs.

use crate::diagnose::facts::prelude::*;
use std::collections::BTreeMap;

pub static RULE: Rule = Rule {
    id: "host-memory-short",
    about: Area::Host,
    what: "The memory targets of a host's OSDs need more memory than it has.",
    evidence: "The sum of the targets (osd_memory_target of the OSD, of osd or global, else 4 GiB) of a host's OSDs, and a fifth more, is above its memory.",
    sources: &["Ceph's documentation, \"Hardware Recommendations\""],
    needs: &[Source::Facts(FactsPart::Osds), Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config set osd/host:HOST osd_memory_target to less, or more memory",
    risk: "smaller caches",
    confirm: "free -m on the host while fathom loads the cluster",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let lab = case.cluster().lab;
    let mut hosts: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for osd in case.osds().iter().filter(|osd| osd.up == Some(true) && !lab) {
        if let Some(memory) = osd.memory {
            let known = hosts.entry(&osd.host).or_insert((0.0, memory as f64));
            known.0 += target(case, osd);
        }
    }
    let short = hosts.into_iter().filter(|(_, (needs, has))| needs * 1.2 > *has);
    short
        .map(|(host, (needs, has))| {
            hint(
                Subject::Host(host.to_string()),
                "memory is short for its OSDs".into(),
                phrase!(
                    "targets of {} bytes, memory of {}",
                    Quantity::Count(needs as u64),
                    Quantity::Count(has as u64)
                ),
            )
        })
        .collect()
}

/// What is set for it alone counts more than what is set for all.
fn target(case: &Case, osd: &OsdFacts) -> f64 {
    let own = format!("osd.{}", osd.id);
    let of = |who: &str| case.set("osd_memory_target").find(|option| option.who == who).and_then(number);
    let of_host = format!("osd/host:{}", osd.host);
    [own.as_str(), of_host.as_str(), "osd", "global"].into_iter().find_map(of).unwrap_or(4_294_967_296.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| each_osd(facts, |osd| if osd.host == "b" {
                osd.memory = Some(8 << 30)
            })),
            ["b"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                each_osd(facts, |osd| osd.memory = Some(8 << 30));
                facts.cluster.lab = true
            }),
            NOBODY
        );
        assert_eq!(told(&RULE, |facts| each_osd(facts, |osd| osd.memory = Some(10 << 30))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
