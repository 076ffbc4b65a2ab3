//! A host all of whose OSDs have stores that commit slowly.

use crate::diagnose::rules::osd::by_position::{Where, is_of_host, of_host, slow_hosts};
use crate::diagnose::rules::osd::{osd_db_slow, osd_slow, osd_store_slow};
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect, Tried};
use model::{Subject, phrase};

pub static RULE: Rule = Rule {
    id: "host-store-slow",
    about: Area::Host,
    what: "The stores of all OSDs of a host take long to make writes durable: what their disks have in common is slow.",
    evidence: "In writes between pairs of OSDs each of at least two OSDs of the host adds at least 15 % of a usual write, by twice its 95 % interval, and a third of what the slowest of them adds, and spends it in its store's \
               commits as an OSD of osd-store-slow does. OSDs whose timers do not tell do not count against it, if another one's do.",
    sources: &["docs/method.md, \"By position\""],
    needs: &[Source::Positions],
    suspect,
    test: None,
    explains: &[
        Explains { rule: &osd_store_slow::RULE, which: "those of its OSDs", follows: of_its_osds },
        Explains { rule: &osd_db_slow::RULE, which: "those of its OSDs", follows: of_its_osds },
        Explains { rule: &osd_slow::RULE, which: "those of its OSDs", follows: of_its_osds },
    ],
    fix: "compare what its disks share with the other hosts: controller, its cache and battery, expander, PCIe link, a device for the databases of several OSDs, write caches of the disks, limits of block \
          I/O in a cgroup above its OSDs",
    special_fixes: &[],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    confirm: "fathom disk measures its disks alone and together, where they are free, and fathom store OSD each store",
    tried: Tried::Facts,
    ..Rule::USUAL
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = slow_hosts(case, Where::Store).into_iter();
    let one = found.map(|(host, all)| {
        let says = phrase!("the stores of all OSDs of host {} commit slowly: what their disks have in common, or what limits all of them", host.to_string());
        of_host(host, &all, Subject::Host(host.to_string()), says, case)
    });
    one.collect()
}

fn of_its_osds(cause: &Suspect, slow: &Suspect, case: &Case) -> bool {
    matches!(&cause.subject, Subject::Host(host) if is_of_host(slow, host, case))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::by_position_cases::*;

    #[test]
    fn osds_of_a_host_whose_stores_are_slow_are_one_cause() {
        assert_eq!(
            says_of_host(&RULE, SLOW_DISK),
            [
                "the stores of all OSDs of host host2 commit slowly: what their disks have in common, or what limits all of them"
            ]
        );
        explains_its_osds(&RULE, SLOW_DISK);
    }

    #[test]
    fn one_osd_of_several_other_causes_and_osds_without_timers_are_not_the_host() {
        tells_hosts_alone(&RULE, SLOW_DISK, DEBUG_LOGGING);
    }
}
