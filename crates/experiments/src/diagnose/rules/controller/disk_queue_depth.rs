//! Disks that take one request at a time.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "disk-queue-depth",
    about: Area::Controller,
    what: "A SATA or SAS disk takes one request at a time.",
    why: "Without its queue (NCQ) a disk can not choose the order, and flash can not work in parallel.",
    evidence: "The queue depth of an OSD's disk is 1.",
    sources: &["Linux, \"libata\": NCQ"],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "look in the kernel's log why NCQ is off; set the controller to AHCI",
    risk: "none that is known",
    confirm: "fathom disk: many reads at once against one at a time",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_disks(case, "the disk takes one request at a time", |disk| {
        disk.queue_depth.filter(|depth| *depth == 1 && disk.name.starts_with("sd")).map(|depth| depth.to_string())
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
                one_disk(facts, |disk| disk.queue_depth = Some(1))
            }),
            ["b"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| {
                sata_flash(facts);
                one_disk(facts, |disk| disk.queue_depth = None)
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
