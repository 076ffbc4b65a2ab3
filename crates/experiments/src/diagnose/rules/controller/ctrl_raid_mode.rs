//! Disks behind a RAID controller's logic.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "ctrl-raid-mode",
    about: Area::Controller,
    what: "OSDs lie on logical volumes of a RAID controller.",
    why: "In one report eight SSDs behind it shared 48,000 IOPS, and did 60,000 each without; the controller's cache hides what the disks do.",
    evidence: "The model of an OSD's disk is one of a RAID controller's volumes (PERC, LOGICAL VOLUME, MR9…, ServeRAID, RAID).",
    sources: &[
        "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)",
        "Ceph's documentation, \"Hardware Recommendations\"",
    ],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "set the controller to pass disks through (HBA or IT mode), or replace it",
    risk: "all data on its disks are lost with its configuration: one host at a time",
    confirm: "fathom disk on one volume and on all at once: far less together",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let raid = |name: &str| {
        ["PERC", "LOGICAL_VOLUME", "LOGICAL VOLUME", "_MR9", "LSI_MR", "AVAGO_MR", "SERVERAID", "RAID"]
            .iter()
            .any(|word| name.to_uppercase().contains(word))
    };
    let behind = |osd: &OsdFacts| osd.models.iter().any(|(name, model)| osd.data_devices.contains(name) && raid(model));
    of_osds(case, behind, "disks behind a RAID controller's logic", |osd| {
        osd.models.first().map(|(_, model)| model.clone()).unwrap_or_default().into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                each_osd(facts, |osd| osd.models = vec![(osd.data_devices[0].clone(), "DELL_PERC_H730P_Mini".into())])
            }),
            ["osd.*"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, hard_disks), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
