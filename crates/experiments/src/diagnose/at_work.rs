//! An OSD that scrubs, recovers, moves or trims placement groups while it is measured is slow for that, and so are its disk and what its host
//! sends and receives: what was measured of these then confirms nothing else.

use super::{Area, Case, Rule, Source, Suspect};
use judge::lies_on;
use model::{OsdScope, Phrase, Standing, Subject, phrase};
use std::collections::BTreeSet;

/// At most this many OSDs are named.
const NAMED: usize = 3;

/// What was confirmed by measuring such OSDs is a hint, and says why.
pub fn doubted(rule: &Rule, mut suspect: Suspect, case: &Case) -> Suspect {
    if suspect.standing == Standing::Hint || rule.of_facts() || rule.about == Area::State {
        return suspect;
    }
    if let Some(meanwhile) = meanwhile(rule, &suspect.subject, case) {
        suspect.standing = Standing::Hint;
        suspect.doubted = true;
        suspect.evidence.push(meanwhile);
    }
    suspect
}

/// `None`: nothing went on there.
fn meanwhile(rule: &Rule, subject: &Subject, case: &Case) -> Option<Phrase> {
    let concerned = osds(rule, subject, case);
    let seen: Vec<(&u32, &BTreeSet<String>)> =
        case.record.osds_at_work().flat_map(|seen| &seen.osds).filter(|(osd, _)| concerned.contains(osd)).collect();
    let words: BTreeSet<&str> = seen.iter().flat_map(|(_, words)| *words).map(|word| doing(word)).collect();
    let words: Vec<&str> = words.into_iter().collect();
    let at_work: BTreeSet<u32> = seen.iter().map(|(osd, _)| **osd).collect();
    let on: Phrase = match subject {
        Subject::Osd(_) => "it".into(),
        _ => named(&at_work).into(),
    };
    (!words.is_empty()).then(|| {
        phrase!(
            "meanwhile placement groups on {} were {}: that alone may be what slows it; diagnose again when it is over, or with --quiesce",
            on,
            words.join(", ").as_str()
        )
    })
}

fn named(osds: &BTreeSet<u32>) -> String {
    let names: Vec<String> = osds.iter().take(NAMED).map(|osd| format!("osd.{osd}")).collect();
    let more = osds.len().saturating_sub(NAMED);
    if more > 0 { format!("{} and {more} more", names.join(", ")) } else { names.join(", ") }
}

/// The OSDs whose work slows what this is about: of a disk those on it, of a host and a way between hosts those at its ends. What is no
/// matter of time, as the size of a packet and the state of a bond, is slowed by none.
fn osds(rule: &Rule, subject: &Subject, case: &Case) -> BTreeSet<u32> {
    let timed = rule
        .needs
        .iter()
        .any(|source| matches!(source, Source::Figures | Source::Outliers | Source::Positions | Source::HostLoads));
    let of = |is: &dyn Fn(&OsdScope) -> bool| {
        case.record.scope.osds.iter().filter(|osd| is(osd)).map(|osd| osd.id).collect::<BTreeSet<u32>>()
    };
    let on_hosts = |hosts: &BTreeSet<&str>| of(&|osd| !case.names_of_host(&osd.host).is_disjoint(hosts));
    match subject {
        Subject::Osd(osd) => [*osd].into(),
        _ if !timed => BTreeSet::new(),
        Subject::Disk { .. } => {
            let own = |entry: &&judge::Entry| entry.only_target().map(Subject::of).as_ref() == Some(subject);
            of(&|osd| case.entries.iter().filter(own).any(|entry| lies_on(entry, osd)))
        }
        Subject::Host(name) => on_hosts(&[name.as_str()].into()),
        other => other.part().map(|part| on_hosts(&part.ends())).unwrap_or_default(),
    }
}

fn doing(word: &str) -> &str {
    match word {
        "backfilling" => "moved",
        "deep" => "deep scrubbed",
        "recovering" => "recovered",
        "repair" => "repaired",
        "snaptrim" => "trimmed of snapshots",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::by_position_cases::*;
    use crate::diagnose::testing::made::{Made, disk};
    use crate::diagnose::testing::text;
    use crate::diagnose::{RULES, judged, suspects};
    use judge::assess;
    use model::{NetworkPart, Observation, OsdsAtWork, StepId};

    /// Of an OSD with a slower disk while these deep scrub: the standing of what is said of it, and its last evidence.
    fn told(at_work: &[u32]) -> Vec<(String, Standing, String)> {
        let (mut record, positions) =
            (Made::cluster().record, positions(|osd| if osd == 1 { SLOWER_DISK } else { NOTHING }));
        let osds = at_work.iter().map(|osd| (*osd, ["deep".to_string()].into())).collect();
        record.observations.push(Observation::OsdsAtWork(OsdsAtWork { step: StepId(0), pass: 1, osds }));
        let assessed = assess(&record);
        let case = Case { positions: Some(&positions), ..Case::of(&assessed) };
        let (remain, _) = judged(suspects(&case), &case);
        let of_osd = remain.into_iter().filter(|(_, suspect)| suspect.subject == Subject::Osd(1));
        let last = |suspect: &Suspect| suspect.evidence.last().map(text).unwrap_or_default();
        of_osd.map(|(rule, suspect)| (rule.id.to_string(), suspect.standing, last(&suspect))).collect()
    }

    #[test]
    fn a_disk_that_is_scrubbed_is_no_bad_disk() {
        let quiet = told(&[]);
        assert!(quiet.iter().any(|(_, standing, _)| *standing == Standing::Confirmed), "{quiet:?}");
        assert_eq!(told(&[2]), quiet, "another one");
        let scrubbed = told(&[1, 2]);
        assert!(scrubbed.iter().all(|(_, standing, _)| *standing == Standing::Hint), "{scrubbed:?}");
        assert!(scrubbed.iter().any(|(.., why)| why.contains("deep scrubbed")), "{scrubbed:?}");
    }

    /// Each of three hosts has one OSD on one disk.
    #[test]
    fn what_hosts_and_disks_with_osds_at_work_take_is_a_hint() {
        let host = |name: &str| NetworkPart::Host { name: name.into(), sends: true, receives: false }.on(None);
        let way = |from: &str, to: &str| NetworkPart::Way { from: from.into(), to: to.into() }.on(None);
        let slow_disk = Subject::of(&disk(1));
        let mut made = Made::cluster();
        made.measured(model::Pattern::WriteLatency, disk(1), 0.3);
        let mut record = made.record;
        let osds = [(1, ["backfilling".to_string()].into())].into();
        record.observations.push(Observation::OsdsAtWork(OsdsAtWork { step: StepId(0), pass: 1, osds }));
        let assessed = assess(&record);
        let case = Case::of(&assessed);
        let of = |id: &str, subject: Subject| {
            let rule = RULES.iter().find(|rule| rule.id == id).unwrap();
            let told = doubted(rule, Suspect::new(subject, Standing::Confirmed, "slow".into(), "seen".into()), &case);
            assert_eq!(told.doubted, told.standing == Standing::Hint);
            told.evidence.get(1).map(text)
        };
        let doubt = |told: Option<String>| told.is_some_and(|why| why.contains("groups on osd.1 were moved"));
        assert!(doubt(of("host-way-slow", host("host-1"))) && doubt(of("way-between-slow", way("host-0", "host-1"))));
        assert!(doubt(of("host-process-slow", Subject::Host("host-1".into()))) && doubt(of("device-slow", slow_disk)));
        assert_eq!(of("host-way-slow", host("host-0")), None);
        assert_eq!(of("link-slow", way("host-0", "host-2")), None);
        assert_eq!(of("mtu", way("host-0", "host-1")), None, "the size of a packet is no matter of time");
    }

    #[test]
    fn what_is_known_without_measuring_stays() {
        let facts = RULES.iter().find(|rule| rule.of_facts()).unwrap();
        let mut record = Made::cluster().record;
        let osds = [(1, ["deep".to_string()].into())].into();
        record.observations.push(Observation::OsdsAtWork(OsdsAtWork { step: StepId(0), pass: 1, osds }));
        let assessed = assess(&record);
        let case = Case::of(&assessed);
        let known = Suspect::new(Subject::Osd(1), Standing::Confirmed, "odd".into(), "seen".into());
        assert_eq!(doubted(facts, known, &case).standing, Standing::Confirmed);
    }
}
