//! NVMe drives with a narrow link.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "disk-pcie-link",
    about: Area::Device,
    what: "The link of an NVMe drive is narrower, or slower, than drive and slot could do.",
    why: "Bandwidth goes with lanes times speed.",
    evidence: "current_link_width or current_link_speed of an OSD's drive is below the lesser of its own max_… and of that of the port that it is in.",
    sources: &["PCI Express: link training; Linux, \"sysfs-bus-pci\""],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "seat it anew, try another slot, cable or riser, look into the firmware's settings",
    risk: "the drive is away meanwhile",
    confirm: "fathom disk: large reads of that drive against those of its peers",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_disks(case, "the link of the drive is narrow", |disk| {
        disk.link
            .zip(disk.link_most)
            .filter(|((speed, width), (speed_most, width_most))| width < width_most || speed < speed_most)
            .map(|((speed, width), (speed_most, width_most))| {
                format!("{speed} GT/s x{width} of {speed_most} GT/s x{width_most}")
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_disk(facts, |disk| disk.link = Some((16.0, 2)))), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_disk(facts, |disk| disk.link = None)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
