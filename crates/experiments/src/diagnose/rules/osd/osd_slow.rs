//! An OSD that is slower than its peers, through a client or by its own bench command.

use super::devices::Waits;
use crate::diagnose::peers::{self, again_slower, slow_targets};
use crate::diagnose::test::tested;
use crate::diagnose::{Area, Case, Rule, Source, Suspect};
use model::{Layer, Outlier, Standing, Subject, TargetKind, phrase};

pub static RULE: Rule = Rule {
    id: "osd-slow",
    about: Area::Osd,
    what: "An OSD, or its object store alone, is slower than others of its class on the same model of disk.",
    evidence: "In at least one pattern it is slower than the median of its peers by 10 % and more, beyond the noise (docs/method.md, \"The slow one\"). Confirmed if it \
               and its peers were each measured twice, alone. Its bench command, which passes neither network nor client, tells the part of its store and its process.",
    sources: &["docs/method.md, \"The slow one\": simulated healthy peers, with 5 % false discoveries"],
    needs: &[Source::Outliers],
    suspect,
    test: Some(peers::MEASURE_AGAIN),
    explains: &[],
    fix: "measure its disk alone; if that is fast, compare the OSD's options, memory and host with its peers'",
    special_fixes: &[],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    ..Rule::USUAL
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let mut found = slow_targets(case, TargetKind::Osd);
    found.iter_mut().for_each(|suspect| name_the_store(suspect, case));
    found
}

/// An OSD whose store is slow by itself, by its own bench: neither the network nor a client has part in that, but the OSD's process has. What was
/// measured again tells whether it is, and not the figures for which it was: these were chosen for being odd.
fn name_the_store(suspect: &mut Suspect, case: &Case) {
    let Subject::Osd(osd) = suspect.subject else { return };
    let again = tested(&RULE, suspect, case).map(|(_, entries)| entries);
    let certain = again.is_some() || suspect.standing == Standing::Confirmed;
    let own = || case.outliers.iter().filter(|outlier| outlier.subject == Subject::Osd(osd));
    let slow = |store: bool| {
        let tested = again.as_ref().and_then(|again| again_slower(again, |layer| (layer == Layer::Store) == store));
        let of_survey =
            |one: &Outlier| (one.layer == Layer::Store) == store && (!certain || one.standing == Standing::Confirmed);
        tested.unwrap_or_else(|| own().any(of_survey))
    };
    let mut stores = own().filter(|one| one.layer == Layer::Store);
    let below = match stores.find_map(|outlier| Waits::of_stores(osd, outlier.pattern, case)) {
        Some(waits) => waits.says(),
        None => "it is its store or its process, not the network".into(),
    };
    suspect.says = match (slow(true), slow(false)) {
        (true, true) => phrase!("{}, and so is its object store alone: {}", suspect.says.clone(), below),
        (true, false) => {
            phrase!("{}'s object store alone is slower than its peers': {}", suspect.subject.clone(), below)
        }
        (false, _) => return,
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::{Made, osd, store};
    use crate::diagnose::testing::{findings, one, suspects, text, told};
    use model::{CauseTest, Diagnosis, Pattern, PlannedExperiment, Record, Target};

    fn with(through_a_client: f64, by_itself: f64) -> Record {
        let mut made = Made::cluster();
        for id in 0..3 {
            let of = |slow: f64| if id == 2 { slow } else { 1.0 };
            made.measured(Pattern::WriteLatency, osd(id), of(through_a_client));
            made.measured(Pattern::WriteLatency, store(id), of(by_itself));
        }
        made.record
    }

    #[test]
    fn an_osd_that_is_slow_through_a_client_is_named() {
        let record = with(1.45, 1.0);
        assert_eq!(told(&record), [one("osd-slow", "osd.2")]);
        let found = &findings(&record)[0];
        assert_eq!(
            (found.standing, text(&found.says).as_str()),
            (Standing::Confirmed, "osd.2 is slower than its peers")
        );
        assert!(text(&found.evidence[0]).starts_with("write-latency: osd.2 takes 45 % longer"), "{:?}", found.evidence);
    }

    #[test]
    fn its_own_bench_tells_that_neither_network_nor_client_has_part() {
        let says = |record: &Record| suspects(&RULE, record).iter().map(|found| text(&found.says)).collect::<Vec<_>>();
        let below = "it is its store or its process, not the network";
        let both = format!("osd.2 is slower than its peers, and so is its object store alone: {below}");
        assert_eq!(says(&with(1.6, 1.6)), [both]);
        assert_eq!(says(&with(1.0, 1.6)), [format!("osd.2's object store alone is slower than its peers': {below}")]);
    }

    /// The survey was quick, and had both slow; of what was measured again the store is as others' are.
    #[test]
    fn what_is_said_of_the_store_is_what_was_measured_again() {
        let says = |store_again: f64| {
            let mut made = Made::cluster();
            for (layer, slow) in [(osd as fn(u32) -> Target, 1.6), (store, 1.6), (osd, 1.6), (store, store_again)] {
                for id in [2, 0, 1] {
                    made.drifting(Pattern::WriteLatency, layer(id), if id == 2 { slow } else { 1.0 }, &[1.0; 3]);
                }
            }
            let steps = made.record.plan.steps.iter().map(|step| step.id).skip(6).collect();
            let test = CauseTest { rule: RULE.id.into(), subject: Subject::Osd(2), asks: String::new(), steps };
            made.record.plan.experiment =
                PlannedExperiment::Diagnosis(Diagnosis { tests: vec![test], ..Diagnosis::default() });
            findings(&made.record).iter().map(|found| text(&found.says)).collect::<Vec<_>>()
        };
        assert_eq!(says(1.0), ["osd.2 is slower than its peers"]);
        assert_eq!(says(1.6).len(), 1);
        assert!(says(1.6)[0].contains("and so is its object store alone"));
    }

    #[test]
    fn equal_osds_and_those_that_were_not_measured_are_not_suspected() {
        assert_eq!(suspects(&RULE, &with(1.02, 1.0)), []);
        let mut without = with(1.6, 1.6);
        without.slices.retain(|slice| slice.step.0 > 1);
        assert_eq!(suspects(&RULE, &without), []);
    }
}
