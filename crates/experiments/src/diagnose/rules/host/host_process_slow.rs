//! A host all of whose OSDs are slow in their own software.

use crate::diagnose::rules::osd::by_position::{Where, is_of_host, of_host, slow_hosts};
use crate::diagnose::rules::osd::{osd_process_slow, osd_slow};
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect, Tried};
use model::{Subject, phrase};

pub static RULE: Rule = Rule {
    id: "host-process-slow",
    about: Area::Host,
    what: "The processes of all OSDs of a host are slow in their own software: they get too little of its processors, or these are slow.",
    evidence: "In writes between pairs of OSDs each of at least two OSDs of the host adds at least 15 % of a usual write, by twice its 95 % interval, and a third of what the slowest of them adds, and spends it in its own \
               software as an OSD of osd-process-slow does. OSDs whose timers do not tell do not count against it, if another one's do.",
    sources: &["docs/method.md, \"By position\""],
    needs: &[Source::Positions],
    suspect,
    test: None,
    explains: &[
        Explains { rule: &osd_process_slow::RULE, which: "those of its OSDs", follows: of_its_osds },
        Explains { rule: &osd_slow::RULE, which: "those of its OSDs", follows: of_its_osds },
    ],
    fix: "compare the host with the others: what else runs on its processors, their frequency and governor, limits of a cgroup above its OSDs, stolen time of a virtual machine, memory that is short, debug options that \
          are set for all its OSDs",
    special_fixes: &[],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    confirm: "the processors' load and frequency (fathom audit --osd-hosts LIST) and nr_throttled in cpu.stat of its OSDs, before and after a load",
    tried: Tried::Facts,
    ..Rule::USUAL
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = slow_hosts(case, Where::Process).into_iter();
    let one = found.map(|(host, all)| {
        let says = phrase!(
            "the processes of all OSDs of host {} are slow, not their disks and not the network",
            host.to_string()
        );
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
    use crate::diagnose::test::judged;
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::{precedence, suspects};
    use judge::assess;
    use model::{Observation, OsdScope, OsdsAtWork, Standing, StepId};

    #[test]
    fn osds_of_a_host_that_are_slow_in_their_software_are_one_cause() {
        assert_eq!(
            says_of_host(&RULE, DEBUG_LOGGING),
            ["the processes of all OSDs of host host2 are slow, not their disks and not the network"]
        );
        explains_its_osds(&RULE, DEBUG_LOGGING);
    }

    #[test]
    fn what_is_certain_of_an_osd_is_not_explained_by_its_host_that_became_doubtful() {
        let mut record = Made::cluster().record;
        record.scope.osds =
            (0..6).map(|id| OsdScope { id, host: format!("host{}", id % 3 + 1), ..OsdScope::default() }).collect();
        let osds = [(4, ["deep".to_string()].into())].into();
        record.observations.push(Observation::OsdsAtWork(OsdsAtWork { step: StepId(0), pass: 1, osds }));
        let all = positions(|osd| if osd % 3 == 1 { DEBUG_LOGGING } else { NOTHING });
        let assessed = assess(&record);
        let case = Case { positions: Some(&all), ..Case::of(&assessed) };
        let (remain, _) = judged(suspects(&case), &case);
        let causes = precedence::causes(remain, &case).into_iter();
        let told: Vec<(&str, String, Standing)> =
            causes.map(|(rule, one)| (rule.id, one.subject.to_string(), one.standing)).collect();
        let certain = ("osd-process-slow", "osd.1".to_string(), Standing::Confirmed);
        assert!(told.contains(&certain) && told.iter().all(|(_, subject, _)| subject != "osd.4"), "{told:?}");
    }

    #[test]
    fn one_osd_of_several_other_causes_and_osds_without_timers_are_not_the_host() {
        tells_hosts_alone(&RULE, DEBUG_LOGGING, SLOW_DISK);
    }
}
