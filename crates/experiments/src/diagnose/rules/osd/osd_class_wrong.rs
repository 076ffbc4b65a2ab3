//! OSDs of a device class that is not their device's.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-class-wrong",
    about: Area::Osd,
    what: "The device class of OSDs is not that of their devices.",
    why: "Pools with rules by class then lie on what they should not.",
    evidence: "An OSD on NVMe is of the class hdd, or one whose disk rotates, by the kernel and by its own word, of ssd or nvme.",
    sources: &["Ceph's documentation, \"CRUSH Maps: Device classes\""],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph osd crush rm-device-class osd.N; ceph osd crush set-device-class CLASS osd.N",
    risk: "data may move",
    confirm: "fathom osd measures each OSD alone: those are slower than their peers, or they are not",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| {
            osd.on_disks()
                && match osd.class.as_deref() {
                    Some("hdd") => osd.on_nvme(),
                    Some("nvme") => {
                        osd.rotational == Some(true) && osd.taken_for.as_deref() == Some("hdd") && !osd.on_nvme()
                    }
                    _ => false,
                }
        },
        "the device class is not that of the device",
        |osd| phrase!("class {} on {}", osd.class.clone().unwrap_or_default(), osd.data_devices.join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.class = Some("hdd".into()))), ["osd.1"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, hard_disks), NOBODY);
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.class = Some("fast".into()))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
