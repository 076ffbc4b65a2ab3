//! OSDs that reach their disk by another way than the kernel.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-spdk",
    about: Area::Osd,
    what: "OSDs reach their disks by SPDK or another way than the kernel's driver.",
    why: "In an independent test it hung, and brought nothing: the time of an operation is spent elsewhere.",
    evidence: "An OSD's bluestore_bdev_driver is none of KernelDevice and HMSMRDevice.",
    sources: &["Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)"],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "make the OSD anew on the kernel's block device",
    risk: "data are made anew elsewhere meanwhile",
    confirm: "fathom osd measures each OSD alone: those are slower than their peers, or they are not",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| osd.driver.as_deref().is_some_and(|driver| !["KernelDevice", "HMSMRDevice"].contains(&driver)),
        "OSDs do not use the kernel's driver",
        |osd| osd.driver.clone().unwrap_or_default().into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.driver = Some("NVMEDevice".into()))), ["osd.1"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.driver = None)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
