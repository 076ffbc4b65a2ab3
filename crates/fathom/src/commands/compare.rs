//! `fathom compare`: what differs between runs beyond the noise, and where a series of runs changed.

use super::runs;
use crate::cli::{Common, CompareArgs};
use crate::exit_codes::{INCOMPLETE, REGRESSION};
use archive::{Archive, RunSummary};
use judge::Measured;
use model::{Failure, Finds, Record, RunPlace};
use report::{compare, history, json};
use std::collections::BTreeSet;

/// At most this many figures are named that are nearly the same.
const NEAREST: usize = 4;

pub fn run(common: &Common, args: &CompareArgs) -> Result<u8, Failure> {
    let archive = runs::open(common)?;
    match (&args.before, &args.after) {
        (Some(before), Some(after)) => two(common, &archive, before, after),
        _ => over_time(common, &archive, args),
    }
}

fn two(common: &Common, archive: &Archive, before: &str, after: &str) -> Result<u8, Failure> {
    let (old, new) = (records(common, archive, before)?, records(common, archive, after)?);
    let names = |records: &[Record]| records.iter().map(|record| record.head.run.clone()).collect::<Vec<String>>();
    let sides = (names(&old), names(&new));
    let mut seen = BTreeSet::new();
    if let Some(run) = sides.0.iter().chain(&sides.1).find(|run| !seen.insert(*run)) {
        return Err(Failure::Usage(format!("run {run} is named twice; a run counts once")));
    }
    let found = judge::compare(&old, &new);
    if found.differences.is_empty() && found.lost.is_empty() {
        let measured = |records: &[Record]| records.iter().flat_map(judge::measured).collect::<Vec<Measured>>();
        let near = judge::nearest(&measured(&old), &measured(&new), NEAREST);
        let near: String = near.iter().map(|one| format!("\n  {one}")).collect();
        let text = format!("the runs have no figure in common: same layer, target, pattern and workload{near}");
        return Err(Failure::Usage(format!("{} against {}: {text}", sides.0.join(","), sides.1.join(","))));
    }
    super::show(common, &compare::blocks(&found, &sides), || json::comparison(&found, &sides))?;
    let drives = found.drives.iter().map(|drive| drive.finds);
    Ok(code(found.differences.iter().map(|difference| difference.finds).chain(drives), &found.lost))
}

fn records(common: &Common, archive: &Archive, names: &str) -> Result<Vec<Record>, Failure> {
    names.split(',').map(|name| Ok(archive.load(&runs::find(common, archive, name.trim())?)?)).collect()
}

fn over_time(common: &Common, archive: &Archive, args: &CompareArgs) -> Result<u8, Failure> {
    let until = runs::find(common, archive, &args.until)?;
    let all = archive.runs()?;
    let Some(newest) = all.iter().find(|summary| summary.run == until) else {
        return Err(Failure::Failed(format!("run {until} has just been removed")));
    };
    let place = archive.place(&until)?;
    let chosen = same_place(archive, &all, newest, &place, args.runs as usize)?;
    let figures = |summary: &RunSummary| -> Result<(String, Vec<Measured>), Failure> {
        Ok((summary.run.clone(), judge::measured(&archive.load(&summary.run)?)))
    };
    let chosen = chosen.into_iter().map(figures).collect::<Result<Vec<_>, Failure>>()?;
    let trends = judge::trends(&chosen);
    let earlier: Vec<Vec<Measured>> =
        chosen.into_iter().filter(|(run, _)| *run != until).map(|(_, figures)| figures).collect();
    let lost = judge::lost_in(&archive.load(&until)?, &earlier);
    if trends.is_empty() && lost.is_empty() {
        let text = format!("no earlier run {} has one of its figures", runs::at(&place));
        return Err(Failure::Usage(format!("run {until}: {text}")));
    }
    super::show(common, &history::blocks(&trends, &lost, &until), || json::history(&trends, &lost, &until))?;
    Ok(code(trends.iter().map(|trend| trend.finds), &lost))
}

/// The newest run and those before it at the same place, so many at most, in order of time.
fn same_place<'a>(
    archive: &Archive,
    all: &'a [RunSummary],
    newest: &RunSummary,
    place: &RunPlace,
    most: usize,
) -> Result<Vec<&'a RunSummary>, Failure> {
    let mut chosen = Vec::new();
    // Newest first in the archive.
    for summary in all.iter().filter(|summary| summary.started <= newest.started) {
        if chosen.len() == most {
            break;
        }
        if archive.place(&summary.run)? == *place {
            chosen.push(summary);
        }
    }
    chosen.reverse();
    Ok(chosen)
}

fn code(mut finds: impl Iterator<Item = Finds>, lost: &[String]) -> u8 {
    match lost {
        _ if finds.any(|finds| finds == Finds::Worse) => REGRESSION,
        [] => 0,
        _ => INCOMPLETE,
    }
}
