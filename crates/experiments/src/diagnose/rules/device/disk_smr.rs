//! Shingled hard disks.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "disk-smr",
    about: Area::Device,
    what: "An OSD lies on a shingled hard disk.",
    why: "Random writes make it rewrite whole zones: below 20 a second after some minutes.",
    evidence: "The kernel says of an OSD's disk that it is host-managed or host-aware. Disks that hide it are not seen.",
    sources: &["Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)", "Linux, \"Zoned block devices\""],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "replace it by a conventional disk, or by flash",
    risk: "its data are made anew elsewhere",
    confirm: "fathom disk --sustained on a free disk of the same model: its rate falls within minutes",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_disks(case, "a shingled hard disk", |disk| {
        disk.zoned.clone().filter(|kind| ["host-managed", "host-aware"].contains(&kind.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_disk(facts, |disk| disk.zoned = Some("host-aware".into()))), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_disk(facts, |disk| disk.zoned = None)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
