//! OSDs of a device class that is not their device's.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-class-wrong",
    about: Area::Osd,
    what: "The device class of OSDs is not that of their devices.",
    why: "Pools with rules by class then lie on what they should not.",
    evidence: "An OSD on NVMe is of the class hdd; or one of the class ssd or nvme says that its device rotates, or takes it for a hard disk, and that device is no NVMe and has no model that says SSD (of such flash osd-rotational-wrong tells).",
    sources: &["Ceph's documentation, \"CRUSH Maps: Device classes\""],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "ceph osd crush rm-device-class osd.N; ceph osd crush set-device-class CLASS osd.N",
    special_fixes: &[&DISAGREE],
    risk: "data may move",
    confirm: "fathom osd measures each OSD alone: those are slower than their peers, or they are not",
    ..Rule::OF_FACTS
};

static DISAGREE: Fix = Fix {
    when: "class and kernel disagree, and nothing says which of them is wrong",
    what: "find out what the disk is before anything is changed (smartctl -i DEVICE: Rotation Rate). A hard disk: ceph osd crush rm-device-class osd.N; ceph osd crush set-device-class hdd osd.N. Flash: tell the kernel (udev: ATTR{queue/rotational}=\"0\"), then restart the OSD",
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let wrong = of_osds(
        case,
        |osd| osd.on_nvme() && osd.class.as_deref() == Some("hdd"),
        "the device class is not that of the device",
        |osd| phrase!("class {} on {}", osd.class.clone().unwrap_or_default(), osd.data_devices.join(", ")),
    );
    let disagree = of_osds(
        case,
        |osd| {
            let flash = matches!(osd.class.as_deref(), Some("ssd" | "nvme"));
            osd.on_disks() && flash && osd.says_it_rotates() && !osd.is_named_flash()
        },
        "device class and kernel disagree, and one of them is wrong",
        |osd| {
            let (class, disks) = (osd.class.clone().unwrap_or_default(), osd.data_devices.join(", "));
            phrase!("class {}, and the kernel says that {} rotates", class, disks)
        },
    );
    let disagree = disagree.into_iter().map(|one| Suspect { fix: Some(DISAGREE.what.to_string()), ..one });
    wrong.into_iter().chain(disagree).collect()
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
    fn where_class_and_kernel_disagree_neither_is_taken_for_wrong() {
        let with_model = |class: &'static str, model: &'static str| {
            suspects(&RULE, move |facts| {
                hard_disks(facts);
                one_osd(facts, |osd| {
                    osd.class = Some(class.into());
                    osd.models = vec![("sdb".into(), model.into())];
                })
            })
        };
        for class in ["ssd", "nvme"] {
            let told = with_model(class, "ST8000NM");
            let fixes: Vec<_> = told.into_iter().map(|one| (one.subject, one.fix)).collect();
            assert_eq!(fixes, [(Subject::Osd(1), Some(DISAGREE.what.to_string()))]);
        }
        assert_eq!(with_model("ssd", "Samsung_SSD_870"), [], "the kernel is wrong");
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
