//! Why there is nothing to measure, or nothing to hold against a threshold.

use super::draft::Draft;
use super::figures_of;
use crate::Experiment;
use crate::layers::network;
use model::{Failure, PlannedExperiment, Threshold};
use std::collections::BTreeSet;

/// Names that are told at most.
const TOLD: usize = 3;

/// A threshold that nothing is measured for would be open in the end, minutes later.
pub fn refuse_unmatched(draft: &Draft) -> Result<(), Failure> {
    let Experiment::Verdict { thresholds, complete: true, .. } = &draft.request.experiment else { return Ok(()) };
    for threshold in thresholds {
        let cell = |step: &&model::Step| (step.layer, step.pattern) == (threshold.layer, threshold.pattern);
        let targets: BTreeSet<String> =
            draft.steps.iter().filter(cell).flat_map(figures_of).map(|figure| figure.0).collect();
        let (layer, pattern) = (threshold.layer.name(), threshold.pattern.name());
        let what = format!("--verdict: the file has a threshold for {layer} {pattern}");
        match &threshold.target {
            _ if targets.is_empty() => {
                return Err(Failure::Usage(format!(
                    "{what}, of which nothing is measured here; take it out there, or leave it out by --layers or --patterns"
                )));
            }
            Some(name) if !targets.contains(name) => {
                let there = targets.into_iter().collect::<Vec<_>>().join(", ");
                return Err(Failure::Usage(format!(
                    "{what} of {name}, which is none of its targets: {there}; name one of these there"
                )));
            }
            _ => {}
        }
    }
    Ok(())
}

/// `planned`: how many steps there were before those without a threshold were left out.
///
/// # Errors
/// There is nothing to measure, and why.
pub fn refuse(draft: &Draft, experiment: &PlannedExperiment, planned: usize) -> Result<(), Failure> {
    if !draft.steps.is_empty() || !experiment.sustained().is_empty() || experiment.image_states().is_some() {
        return Ok(());
    }
    let layers = draft.request.layers.iter().map(|layer| layer.name()).collect::<Vec<_>>().join(", ");
    let why = match (&draft.request.experiment, experiment.thresholds()) {
        (_, thresholds) if planned > 0 && !thresholds.is_empty() => of_others(thresholds),
        (Experiment::Sweep { axes }, _) if left_out(draft) => {
            let names = axes.iter().map(|axis| axis.name.as_str()).collect::<Vec<_>>().join(", ");
            format!(
                "every point of the {layers} sweep ({names}) has more jobs than operations in flight, or more clients than jobs; take a larger depth, or fewer \
                 jobs or clients"
            )
        }
        _ => {
            let why = network::unmeasured(draft).map_or(String::new(), |why| format!("; {why}"));
            format!("no target for {layers} with these patterns{why}")
        }
    };
    Err(Failure::Usage(format!("there is nothing to measure: {why}")))
}

/// Would a sweep with one job and one client have points?
fn left_out(draft: &Draft) -> bool {
    let numbers = |name: &str| {
        let axis = draft.request.experiment.axes().iter().find(|axis| axis.name == name);
        axis.into_iter().flat_map(|axis| axis.values.iter().filter_map(model::Setting::number)).collect::<Vec<_>>()
    };
    let of = |name: &str, given: Option<u32>| match numbers(name) {
        all if all.is_empty() => given.map(u64::from).into_iter().collect(),
        all => all,
    };
    let options = &draft.request.workload;
    let (depth, jobs, clients) = (of("depth", options.depth), of("jobs", options.jobs), of("clients", options.clients));
    let more = |least: &[u64], most: &[u64]| matches!((least.iter().min(), most.iter().max()), (Some(least), Some(most)) if least > most);
    more(&jobs, &depth) || more(&clients, &jobs) || more(&clients, &depth)
}

/// What the thresholds are of, and this run does not measure.
fn of_others(thresholds: &[Threshold]) -> String {
    let name = |one: &Threshold| match &one.target {
        Some(target) => format!("{} {target} {}", one.layer.name(), one.pattern.name()),
        None => format!("{} {}", one.layer.name(), one.pattern.name()),
    };
    let all: BTreeSet<String> = thresholds.iter().map(name).collect();
    let more = all.len().saturating_sub(TOLD);
    let names = all.into_iter().take(TOLD).collect::<Vec<_>>().join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("the thresholds are of {names}{more}, none of which this run measures; name the same targets and patterns")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, axis};
    use super::*;
    use crate::WorkloadOptions;
    use model::{PathKind, Pattern};

    fn planned(of: impl FnOnce(&mut crate::Request)) -> String {
        let mut inventory = testing::inventory(0);
        let mut site = testing::folder("/tmp/x");
        site.seen.as_mut().unwrap().found = PathKind::Nothing;
        inventory.sites = vec![site];
        let mut request = testing::request(&[testing::disks()]);
        request.targets.paths = vec!["/tmp/x".into()];
        of(&mut request);
        crate::planner::plan(&inventory, &request).err().map(|failure| failure.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_sweep_without_a_point_says_which_numbers_are_at_odds() {
        let swept = |axes: &[&str]| {
            planned(|request| {
                request.experiment = Experiment::Sweep { axes: axes.iter().map(|text| axis(text)).collect() }
            })
        };
        assert!(swept(&["depth=1,2,4", "jobs=8,16"]).contains("(depth, jobs) has more jobs than operations in flight"));
        assert_eq!(swept(&["depth=1,8", "jobs=8,16"]), "");
    }

    #[test]
    fn thresholds_of_other_targets_are_named() {
        let why = planned(|request| {
            let threshold = Threshold::of(testing::disks(), Pattern::ReadLatency, Some("/dev/other"), 3.0);
            request.experiment = Experiment::Verdict { thresholds: vec![threshold], complete: false, as_last: None };
            request.workload = WorkloadOptions { patterns: vec![Pattern::ReadLatency], ..WorkloadOptions::default() };
        });
        assert!(why.contains("are of device /dev/other read-latency, none of which this run measures"), "{why}");
    }
}
