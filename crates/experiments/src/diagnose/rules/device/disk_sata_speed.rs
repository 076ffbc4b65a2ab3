//! SATA disks that run slowly.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "disk-sata-speed",
    about: Area::Device,
    what: "A SATA disk negotiated less than 6 Gbit/s.",
    why: "It then moves 150 or 300 MB/s at most, and is a sign of a bad cable or backplane.",
    evidence: "The port of an OSD's disk runs at 1.5 or 3.0 Gbit/s.",
    sources: &["SUSE Enterprise Storage 6, \"Tuning Guide\"", "Linux, \"sysfs-ata\": sata_spd"],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "change cable or slot",
    risk: "the disk is away meanwhile",
    confirm: "fathom disk: large reads of that disk against those of its peers",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_disks(case, "a SATA disk runs slowly", |disk| {
        disk.sata_speed.clone().filter(|speed| ["1.5 Gbps", "3.0 Gbps"].contains(&speed.as_str()))
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
                one_disk(facts, |disk| disk.sata_speed = Some("3.0 Gbps".into()))
            }),
            ["b"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                sata_flash(facts);
                one_disk(facts, |disk| disk.sata_speed = Some("6.0 Gbps".into()))
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
