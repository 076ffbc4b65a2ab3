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
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::{precedence, suspects};
    use judge::assess;

    #[test]
    fn osds_of_a_host_whose_stores_are_slow_are_one_cause() {
        assert_eq!(
            says_of_host(&RULE, SLOW_DISK),
            [
                "the stores of all OSDs of host host2 commit slowly: what their disks have in common, or what limits all of them"
            ]
        );
        let (record, all) = (Made::cluster().record, positions(|osd| if osd % 3 == 1 { SLOW_DISK } else { NOTHING }));
        let assessed = assess(&record);
        let case = Case { positions: Some(&all), ..Case::of(&assessed) };
        let causes = precedence::causes(suspects(&case), &case);
        let told: Vec<(&str, String)> = causes.iter().map(|(rule, one)| (rule.id, one.subject.to_string())).collect();
        assert_eq!(told, [(RULE.id, "host2".to_string())], "its OSDs are explained by it");
        assert_eq!((causes[0].1.explains.len(), causes[0].1.evidence.len()), (2, 2));
        assert!(causes[0].1.cost.is_some());
    }

    #[test]
    fn one_osd_of_several_other_causes_and_osds_without_timers_are_not_the_host() {
        assert!(says_of_one(&RULE, SLOW_DISK).is_empty());
        for other in [NOTHING, DEBUG_LOGGING, SENDS_SLOWLY, Adds { own: None, ..SLOW_DISK }] {
            assert!(says_of_host(&RULE, other).is_empty());
        }
        let alone = |osd: u32| if osd == 1 { SLOW_DISK } else { NOTHING };
        let mut all = positions(alone);
        assert!(told_of(&RULE, &all).is_empty());
        all.osds.retain(|osd| osd.osd < 3);
        assert!(told_of(&RULE, &all).is_empty(), "a host of one OSD");
        let times = |by: f64| Adds {
            primary: SLOW_DISK.primary.map(|ms| ms * by),
            replica: SLOW_DISK.replica.map(|ms| ms * by),
            ..SLOW_DISK
        };
        let far = |osd: u32| match osd {
            1 => times(4.0),
            4 => SLOW_DISK,
            _ => NOTHING,
        };
        assert!(says(&RULE, far).is_empty(), "one of them is the slow one");
    }
}
