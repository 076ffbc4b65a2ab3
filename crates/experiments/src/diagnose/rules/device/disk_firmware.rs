//! Drives of one model with different firmware.

use crate::diagnose::facts::prelude::*;
use std::collections::BTreeMap;

pub static RULE: Rule = Rule {
    id: "disk-firmware",
    about: Area::Device,
    what: "Drives of one model have different firmware.",
    why: "On one cluster spikes of latency in writes were gone with newer firmware on a few drives.",
    evidence: "Disks of OSDs with the same model tell more than one revision of their firmware.",
    sources: &["ceph.io blog, 2023: reef-freeze-rbd-performance"],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "bring them to the newest revision of the maker, one host at a time",
    risk: "a failed update can make a drive useless",
    confirm: "fathom diagnose: are the drives with the other revision slower?",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let mut models: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for disk in case.hosts().flat_map(|host| &host.disks) {
        if let (Some(model), Some(firmware)) = (&disk.model, &disk.firmware) {
            *models.entry(model).or_default().entry(firmware).or_default() += 1;
        }
    }
    let mixed = models.into_iter().filter(|(_, revisions)| revisions.len() > 1);
    let told = mixed.map(|(model, revisions)| {
        let each: Vec<String> =
            revisions.into_iter().map(|(revision, count)| format!("{count} with {revision}")).collect();
        format!("{model}: {}", each.join(" and "))
    });
    listed(told).map_or(Vec::new(), |all| of_cluster("drives of one model have different firmware", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_disk(facts, |disk| disk.firmware = Some("0.9".into()))), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_disk(facts, |disk| (disk.firmware, disk.model) =
                (Some("0.9".into()), Some("OTHER".into())))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
