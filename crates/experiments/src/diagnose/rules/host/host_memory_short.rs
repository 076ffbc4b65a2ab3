//! Hosts with too little memory for their OSDs.

use crate::diagnose::facts::prelude::*;
use crate::diagnose::memory_target::{TUNED, mend, target};
use crate::diagnose::origins::FROM_POD;
use std::collections::BTreeMap;

pub static RULE: Rule = Rule {
    id: "host-memory-short",
    about: Area::Host,
    what: "The memory targets of a host's OSDs need more memory than it has.",
    evidence: "The sum of the targets (osd_memory_target of the OSD, of its host, its class, osd or global, else 4 GiB) of a host's OSDs, and a fifth more, is above its memory. What is in the configuration file, the environment or the command line of the OSD that was asked counts for all that say nothing else.",
    sources: &["Ceph's documentation, \"Hardware Recommendations\""],
    needs: &[Source::Facts(FactsPart::Osds), Source::Facts(FactsPart::Options)],
    suspect,
    fix: "ceph config set osd/host:HOST osd_memory_target to less, or more memory",
    special_fixes: &[&FROM_POD, &AUTOTUNED],
    risk: "smaller caches",
    confirm: "free -m on the host while fathom loads the cluster",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

static AUTOTUNED: Fix = Fix {
    when: TUNED,
    what: "cephadm writes over what is set by hand: give OSDs a smaller share of their host's memory (ceph config set mgr mgr/cephadm/autotune_memory_target_ratio SHARE; 0.7 unless set), or leave a host out of it (ceph config set osd/host:HOST osd_memory_target_autotune false) and set osd/host:HOST osd_memory_target to less; or more memory",
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let lab = case.cluster().lab;
    let mut hosts: BTreeMap<&str, Vec<(&OsdFacts, f64, f64)>> = BTreeMap::new();
    for osd in case.osds().iter().filter(|osd| osd.up == Some(true) && !lab) {
        if let Some((target, memory)) = target(case, osd).zip(osd.memory) {
            hosts.entry(&osd.host).or_default().push((osd, target, memory as f64));
        }
    }
    hosts.into_iter().filter_map(|(host, osds)| short(case, host, &osds)).collect()
}

/// Each with its target and the memory of its host.
fn short(case: &Case, host: &str, osds: &[(&OsdFacts, f64, f64)]) -> Option<Suspect> {
    let needs: f64 = osds.iter().map(|(_, target, _)| target).sum();
    let has = osds.first().map(|(_, _, memory)| *memory).filter(|has| needs * 1.2 > *has)?;
    let evidence =
        phrase!("targets of {} bytes, memory of {}", Quantity::Count(needs as u64), Quantity::Count(has as u64));
    let osds: Vec<&OsdFacts> = osds.iter().map(|(osd, _, _)| *osd).collect();
    let found = hint(Subject::Host(host.to_string()), "memory is short for its OSDs".into(), evidence);
    Some(Suspect { fix: mend(case, &osds, &AUTOTUNED), ..found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;
    use model::facts::Facts;

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
    fn targets_that_others_keep_are_changed_there() {
        let fix = |change: fn(&mut Facts)| {
            let told = suspects(&RULE, |facts| {
                each_osd(facts, |osd| osd.memory = Some(8 << 30));
                change(facts)
            });
            told.into_iter().map(|one| one.fix.unwrap_or_default()).collect::<Vec<_>>()
        };
        assert_eq!(fix(|_| ()), ["", "", ""], "the rule's own");
        let pods = fix(|facts| set_closer(facts, "osd.0", "osd_memory_target", "4294967296", "env"));
        assert!(pods.len() == 3 && pods.iter().all(|fix| fix.contains("CephCluster")), "{pods:?}");
        let tuned = fix(|facts| {
            facts.cluster.manager_modules = Some(vec!["cephadm".into()]);
            set(facts, "osd", "osd_memory_target_autotune", "true")
        });
        assert!(tuned[0].contains("autotune_memory_target_ratio"), "{tuned:?}");
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
        assert_eq!(
            told(&RULE, |facts| {
                each_osd(facts, |osd| osd.memory = Some(8 << 30));
                facts.cluster.options = None
            }),
            NOBODY
        );
    }
}
