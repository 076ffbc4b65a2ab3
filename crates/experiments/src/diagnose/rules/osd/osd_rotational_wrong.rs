//! Flash that is taken for hard disks.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-rotational-wrong",
    about: Area::Osd,
    what: "OSDs take their flash for hard disks.",
    why: "They then defer writes up to 64 KiB, count 315 IOPS as their capacity, and use other queues: the settings of a hard disk on flash.",
    evidence: "An OSD on NVMe, or on disks whose model says SSD, says that its device rotates, or takes it for a hard disk. Of a device class that says flash, with neither, osd-class-wrong tells.",
    sources: &[
        "Ceph's source: src/common/options: options with _hdd and _ssd",
        "Ceph's documentation, \"mClock Config Reference\"",
    ],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "tell the kernel before the OSD starts (udev: ATTR{queue/rotational}=\"0\"), set the class (ceph osd crush rm-device-class osd.N; ceph osd crush set-device-class ssd osd.N), restart",
    risk: "the class decides on which OSDs pools lie: data may move",
    confirm: "fathom osd measures it before and after",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_osds(
        case,
        |osd| osd.is_named_flash() && osd.says_it_rotates(),
        "flash is taken for hard disks",
        |osd| phrase!("{}: the kernel says that it rotates", osd.data_devices.join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.rotational = Some(true))), ["osd.1"]);
        assert_eq!(
            told(&RULE, |facts| {
                sata_flash(facts);
                one_osd(facts, |osd| {
                    osd.rotational = Some(true);
                    osd.models = vec![("sdb".into(), "Samsung_SSD_870".into())];
                })
            }),
            ["osd.1"]
        );
    }

    /// It may as well be a hard disk that got the class by mistake.
    #[test]
    fn a_device_class_alone_makes_no_flash() {
        assert_eq!(
            told(&RULE, |facts| {
                hard_disks(facts);
                one_osd(facts, |osd| osd.class = Some("ssd".into()))
            }),
            NOBODY
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
