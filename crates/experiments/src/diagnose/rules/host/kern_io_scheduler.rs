//! A scheduler that orders what needs no order.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "kern-io-scheduler",
    about: Area::Host,
    what: "A disk of an OSD has a scheduler that shares it out among programs.",
    why: "bfq, and cfq before it, wait for a program's next request in order to be fair; an OSD is alone on its disk.",
    evidence: "The scheduler of an OSD's disk is bfq or cfq.",
    sources: &["Linux, \"BFQ\": overheads", "Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)"],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "echo none > /sys/block/DISK/queue/scheduler (hard disks: mq-deadline), and in a udev rule",
    risk: "none that is known",
    confirm: "fathom osd on that OSD before and after",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_disks(case, "the scheduler shares the disk out", |disk| {
        disk.scheduler.clone().filter(|name| ["bfq", "cfq"].contains(&name.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_disk(facts, |disk| disk.scheduler = Some("bfq".into()))), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_disk(facts, |disk| disk.scheduler = Some("mq-deadline".into()))), NOBODY);
        assert_eq!(
            told(&RULE, |facts| one_disk(facts, |disk| (disk.name, disk.scheduler) =
                ("sdx".into(), Some("bfq".into())))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
