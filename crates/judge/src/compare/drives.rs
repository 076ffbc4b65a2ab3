//! Drives that both sides judged: is each still fit for what it was fit for?

use crate::without_findings;
use model::{DriveChange, DriveFound, Finds, Fitness, Record};
use std::collections::HashMap;

/// Each drive of both sides, in the order of the side before. Of several runs on a side: what all of them say, and [`Fitness::Open`] if
/// they do not agree.
pub(super) fn drives(before: &[Record], after: &[Record]) -> Vec<DriveChange> {
    let (old, new) = (judged(before), judged(after));
    let after: HashMap<Drive, Fitness> = new.iter().map(|(drive, is)| (place(drive), *is)).collect();
    old.iter()
        .filter_map(|(drive, was)| {
            let is = after.get(&place(drive))?;
            Some(DriveChange { target: drive.target.clone(), before: *was, after: *is, finds: finds(*was, *is) })
        })
        .collect()
}

/// Its host and its name there.
type Drive = (Option<String>, String);

fn place(drive: &DriveFound) -> Drive {
    (drive.host.clone(), drive.target.clone())
}

fn judged(side: &[Record]) -> Vec<(DriveFound, Fitness)> {
    let mut judged: Vec<(DriveFound, Fitness)> = Vec::new();
    let mut known: HashMap<Drive, usize> = HashMap::new();
    // Most runs judge none, and judging a run takes as long as all else that is compared.
    let judging = side.iter().filter(|record| !record.plan.experiment.judged_drives().is_empty());
    for drive in judging.flat_map(|record| without_findings(record).answer.drives().to_vec()) {
        match known.get(&place(&drive)) {
            Some(at) if judged[*at].1 != drive.fitness => judged[*at].1 = Fitness::Open,
            Some(_) => {}
            None => {
                known.insert(place(&drive), judged.len());
                judged.push((drive.clone(), drive.fitness));
            }
        }
    }
    judged
}

fn finds(before: Fitness, after: Fitness) -> Finds {
    match (before, after) {
        (Fitness::Open, _) | (_, Fitness::Open) => Finds::Undecided,
        _ if before.is_better(after) => Finds::Worse,
        _ if after.is_better(before) => Finds::Better,
        _ => Finds::Same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_that_is_fit_for_less_is_worse_and_what_is_not_decided_is_neither() {
        use Fitness::{Fit, FitIfCacheOff, NotForJournals, Open, Unfit};
        for (before, after, expected) in [
            (Fit, Unfit, Finds::Worse),
            (Fit, FitIfCacheOff, Finds::Worse),
            (FitIfCacheOff, NotForJournals, Finds::Worse),
            (Unfit, NotForJournals, Finds::Better),
            (FitIfCacheOff, Fit, Finds::Better),
            (Unfit, Unfit, Finds::Same),
            (Open, Unfit, Finds::Undecided),
            (Fit, Open, Finds::Undecided),
            (Open, Open, Finds::Undecided),
        ] {
            assert_eq!(finds(before, after), expected, "{before:?} {after:?}");
        }
    }
}
