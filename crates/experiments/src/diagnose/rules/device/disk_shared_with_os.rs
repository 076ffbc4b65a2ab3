//! OSDs that share a disk with the operating system.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "disk-shared-with-os",
    about: Area::Device,
    what: "An OSD's disk also carries the operating system.",
    why: "Logs, monitors and packages write to it, and flush: a common cause of a slow OSD.",
    evidence: "A file system of the operating system (/, /boot, /var, /var/lib, /var/log, /usr) is mounted from a partition of an OSD's disk.",
    sources: &["Ceph's documentation, \"Hardware Recommendations\""],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "give the system a disk of its own",
    risk: "the OSD has to be made anew",
    confirm: "fathom diagnose: is that OSD slower than its peers?",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_disks(case, "a disk is shared with the operating system", |disk| {
        (!disk.mounted.is_empty()).then(|| disk.mounted.join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_disk(facts, |disk| disk.mounted = vec!["/".into()])), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_disk(facts, |disk| (disk.name, disk.mounted) = ("sdx".into(), vec!["/".into()]))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
