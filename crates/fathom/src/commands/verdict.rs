//! When the figures of a run are good enough: precise, or on a known side of the thresholds that were given.

use crate::cli::Common;
use crate::cli::knobs::{Knobs, SettleArgs};
use crate::cli::thresholds;
use crate::failure::Failure;
use archive::Archive;
use model::{Goal, Label, Layer, Threshold};

/// Thresholds of other layers and patterns than the wished ones are left out.
pub fn goal(common: &Common, settle: &SettleArgs, knobs: &Knobs, layers: &[Layer]) -> Result<Goal, Failure> {
    if let Some(bound) = knobs.bound() {
        return Ok(settle.confirming(knobs.seed, bound));
    }
    if knobs.ab.is_some() {
        return Ok(settle.beside(knobs.seed));
    }
    let (all, whence) = match (&settle.verdict, &settle.expect) {
        (Some(path), _) => (thresholds::read(path)?, path.display().to_string()),
        (None, Some(words)) => (expected(common, words)?, words.join(" ")),
        (None, None) => return Ok(settle.goal(knobs.seed)),
    };
    let wished = |threshold: &Threshold| {
        layers.contains(&threshold.layer) && (knobs.patterns.is_empty() || knobs.patterns.contains(&threshold.pattern))
    };
    let kept: Vec<Threshold> = all.into_iter().filter(wished).collect();
    if kept.is_empty() {
        let text = format!(
            "{whence}: has no threshold for the layers and patterns of this run{}",
            if settle.expect.is_some() {
                "; only figures of the depth chart become thresholds, which an A/B run, a sweep and an open loop have none of"
            } else {
                ""
            }
        );
        return Err(Failure::Usage(text));
    }
    let goal = Goal::verdict(knobs.seed, kept);
    let passes_max = settle.passes.unwrap_or(goal.passes_max);
    Ok(Goal { passes_max, seconds_max: settle.time_max, ..goal })
}

/// What an earlier run had, and how much of it must be there again.
fn expected(common: &Common, words: &[String]) -> Result<Vec<Threshold>, Failure> {
    let [run, change] = words else {
        return Err(Failure::Usage("--expect: takes a run and a change, as in --expect last -10%".to_string()));
    };
    let change = thresholds::change(change).map_err(Failure::Usage)?;
    let path = common.archive.clone().unwrap_or_else(archive::default_path);
    let record = Archive::open_existing(&path)?.load(run)?;
    let report = judge::explain(&record);
    let cut = |figure: &&model::Figure| record.plan.cut.contains(&figure.step);
    if !common.quiet && report.figures.iter().any(|figure| figure.chart && cut(&figure)) {
        eprintln!(
            "fathom: run {} cut working sets that took long to fill; what it measured on them is no measure for this run",
            record.head.run
        );
    }
    let usable = report.figures.iter().filter(|figure| {
        figure.chart
            && !cut(figure)
            && !matches!(figure.label, Label::Void(_) | Label::Implausible(_) | Label::Unwritten(_))
    });
    let threshold = |figure: &model::Figure| {
        let value = figure.estimate?.value;
        let factor = 1.0 + change;
        let value = if figure.metric.lower_is_better() { value / factor } else { value * factor };
        Some(Threshold {
            kind: Some(figure.kind),
            workload: Some(figure.workload.clone()),
            ..Threshold::of(figure.layer, figure.pattern, Some(&figure.target), value)
        })
    };
    Ok(usable.filter_map(threshold).collect())
}
