//! NVMe drives that look like SCSI disks.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "ctrl-trimode-nvme",
    about: Area::Controller,
    what: "NVMe drives hang on a controller that shows them as SCSI disks.",
    why: "The controller bounds what they can do, and may say that they rotate.",
    evidence: "The model of an OSD's disk has NVMe in its name, and the kernel calls the disk sd….",
    sources: &["Broadcom, user guides of tri-mode controllers"],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "connect them to PCIe directly, without the controller",
    risk: "a rebuild of the host",
    confirm: "fathom disk on one drive and on all at once",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let hidden = |osd: &OsdFacts| {
        osd.models.iter().any(|(name, model)| {
            name.starts_with("sd") && osd.data_devices.contains(name) && model.to_uppercase().contains("NVME")
        })
    };
    of_osds(case, hidden, "NVMe drives look like SCSI disks", |osd| {
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
                sata_flash(facts);
                each_osd(facts, |osd| osd.models = vec![(osd.data_devices[0].clone(), "NVMe_SAMSUNG_PM9A3".into())])
            }),
            ["osd.*"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| each_osd(facts, |osd| osd.models =
                vec![(osd.data_devices[0].clone(), "NVMe_SAMSUNG_PM9A3".into())])),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
