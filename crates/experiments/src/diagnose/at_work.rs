//! An OSD that scrubs, recovers, moves or trims placement groups while it is measured is slow for that: what was measured of it then confirms
//! nothing else.

use super::{Case, Rule, Suspect};
use model::{Phrase, Standing, Subject, phrase};
use std::collections::BTreeSet;

/// What was confirmed by measuring such an OSD is a hint, and says why.
pub fn doubted(rule: &Rule, mut suspect: Suspect, case: &Case) -> Suspect {
    let Subject::Osd(osd) = suspect.subject else { return suspect };
    if suspect.standing == Standing::Hint || rule.of_facts() || rule.about == super::Area::State {
        return suspect;
    }
    if let Some(meanwhile) = meanwhile(osd, case) {
        suspect.standing = Standing::Hint;
        suspect.evidence.push(meanwhile);
    }
    suspect
}

/// `None`: nothing went on there.
fn meanwhile(osd: u32, case: &Case) -> Option<Phrase> {
    let seen = case.record.osds_at_work().filter_map(|seen| seen.osds.get(&osd)).flatten();
    let words: BTreeSet<&str> = seen.map(|word| doing(word)).collect();
    let words: Vec<&str> = words.into_iter().collect();
    (!words.is_empty()).then(|| {
        phrase!(
            "meanwhile placement groups on it were {}: that alone may be what slows it; diagnose again when it is over, or with --quiesce",
            words.join(", ").as_str()
        )
    })
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
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing::text;
    use crate::diagnose::{RULES, judged, suspects};
    use judge::assess;
    use model::{Observation, OsdsAtWork, StepId};

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
