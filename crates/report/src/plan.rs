//! A plan, as `--dry-run` shows it: every step, every change, and how long it will take; and as the document `fathom.plan/1`.

use crate::block::{self, Block, Column, Emphasis, Row, Table};
use crate::sections::sweep;
use crate::{numbers, words};
use model::{
    Change, HostChange, ImageState, ImageStates, ObjectsNeeded, Place, Plan, PlannedExperiment, Step, SustainedTest,
    Until, Workload,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A figure has this much time where only passes limit it.
const UNLIMITED_SECONDS: f64 = 1e6;

pub const SCHEMA: &str = "fathom.plan/1";

/// How many targets a step names; the others are counted.
const NAMED: usize = 3;

/// `seconds`: expected for the whole run.
pub fn blocks(plan: &Plan, seconds: f64) -> Vec<Vec<Block>> {
    let mut steps = vec![Block::title("Plan")];
    steps.extend(plan.experiment.sweep().map(|of| Block::paragraph(sweep::outline(of))));
    let titles = ["layer", "pattern", "targets", "workload"].map(Column::left);
    let columns = std::iter::once(Column::right("step")).chain(titles);
    if plan.experiment.image_states().is_none() {
        steps.push(Table::new(columns, plan.steps.iter().map(row)).into());
    }
    steps.extend(plan.experiment.image_states().map(|states| Block::paragraph(states_say(states))));
    steps.extend(block::list(plan.experiment.sustained().iter().map(sustained_says), Emphasis::Plain));
    let none = || Block::paragraph("none");
    let changes = block::list(changes(plan), Emphasis::Plain).unwrap_or_else(none);
    let lost = block::list(written_over(plan), Emphasis::Warn)
        .map(|lost| vec![Block::title("Written over, and not undone"), lost])
        .unwrap_or_default();
    vec![
        steps,
        lost,
        vec![Block::title("Changes, each undone at the end"), changes],
        vec![Block::paragraph(outlook(plan, seconds))],
    ]
}

fn row(step: &Step) -> Row {
    Row::new([
        step.id.0.to_string(),
        step.layer.name().to_string(),
        step.pattern.name().to_string(),
        targets(step),
        workload(step),
    ])
}

/// Devices and files that were there before: what is written to them stays. What is read is written before, where that may be.
fn written_over(plan: &Plan) -> Vec<String> {
    let own = |path: &std::path::Path| {
        plan.changes.iter().any(
            |change| matches!(change, Change::OnHost { what: HostChange::File { path: own, .. }, .. } if own == path),
        )
    };
    let tests = plan.experiment.sustained().iter().map(|test| &test.step);
    let targets = { plan.steps.iter().chain(tests) }
        .flat_map(|step| &step.targets)
        .filter(|target| matches!(&target.place, Place::Path { path, writable: true } if !own(path)));
    let names: std::collections::BTreeSet<&str> = targets.map(|target| target.name.as_str()).collect();
    names.into_iter().map(str::to_string).collect()
}

fn changes(plan: &Plan) -> Vec<String> {
    let option = |(option, values): (&str, Vec<&str>)| {
        format!("option {option} = {}: before each slice that needs it, undone before others", values.join(", "))
    };
    let restarted = plan.experiment.pair().map(|ab| ab.restarts.as_slice()).unwrap_or_default();
    let restart =
        |osd: &u32| format!("restart of osd.{osd} at every change of side: once in each pass, and once at the end");
    let changes = plan.changes.iter().map(|change| change.what()).chain(restarted.iter().map(restart));
    let rounds = plan.experiment.image_states().map(of_rounds).unwrap_or_default();
    changes.chain(switched(plan).into_iter().map(option)).chain(rounds).collect()
}

/// What is made while the run goes on.
fn of_rounds(states: &ImageStates) -> Vec<String> {
    let image = |state| format!("image {}/{}", states.pool, states.image(state));
    let parent = states.parent();
    vec![
        format!("{}, a clone of {parent} that is made independent of it", image(ImageState::Flattened)),
        format!("{}, made for each round, and deleted after it", image(ImageState::Fresh)),
        format!("{}, a clone of {parent}, made for each round, and deleted after it", image(ImageState::Clone)),
        format!("a snapshot of {}, taken for each round, and removed after it", image(ImageState::Snapshot)),
    ]
}

/// `One image in each of 6 states, of 68 MiB, asked …`
fn states_say(states: &ImageStates) -> String {
    let names: Vec<&str> = ImageState::ALL.into_iter().map(ImageState::name).collect();
    format!(
        "One image of {} in each state ({}), asked in {} to {} rounds: reads, the first write to each object, later writes, {} each, one after \
         the other. Its first object is not counted: the first write to it takes the image's lock",
        numbers::bytes(states.bytes),
        names.join(", "),
        states.rounds_min,
        states.rounds_max,
        numbers::bytes(states.block)
    )
}

/// The options that steps need, each with its values in the order of the steps.
fn switched(plan: &Plan) -> BTreeMap<&str, Vec<&str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (option, value) in plan.steps.iter().flat_map(|step| &step.workload.settings) {
        let values = all.entry(option).or_default();
        if !values.contains(&value.as_str()) {
            values.push(value);
        }
    }
    all
}

/// `4 KiB random read, depth 8, over 1 GiB`; of a part of a device, over which part.
pub fn workload(step: &Step) -> String {
    let Workload { span, spread, .. } = &step.workload;
    let part = |target: &model::Target| target.bytes.is_some_and(|bytes| bytes > *span);
    if spread.is_none() && step.targets.iter().any(part) {
        return format!("{}, over the first {}", words::workload(step.layer, &step.workload), numbers::bytes(*span));
    }
    let text = words::workload(step.layer, &step.workload);
    // The network has no working set.
    if step.layer.of_links() { text } else { format!("{text}, {}", words::over(&step.workload)) }
}

fn targets(step: &Step) -> String {
    let names: Vec<&str> = step.targets.iter().take(NAMED).map(|target| target.name.as_str()).collect();
    match step.targets.len().saturating_sub(NAMED) {
        0 => names.join(" "),
        more if step.in_turns => format!("{} and {more} more, in turns", names.join(", ")),
        more => format!("{} and {more} more at once", names.join(" ")),
    }
}

/// `write to /dev/sdx without pause until …`
fn sustained_says(test: &SustainedTest) -> String {
    let Workload { block, depth, span, spread, .. } = &test.step.workload;
    let spread = spread.map(|device| format!(" spread over all {}", numbers::bytes(device))).unwrap_or_default();
    let also = match test.also.as_slice() {
        [] => String::new(),
        also => format!("; it stands for {} as well", also.join(", ")),
    };
    let before = match &test.fill {
        _ if test.trim[0] && test.filled().unwrap_or(0) == 0 => {
            "discard all of it (what it holds is lost), then ".to_string()
        }
        Some(level) if test.trim[0] => {
            format!("discard all of it (what it holds is lost), write {} % of it, then ", level.percent)
        }
        Some(level) => format!("write {} % of it, then ", level.percent),
        None => String::new(),
    };
    let (how, end) = match test.until {
        Until::Falls => ("", "the rate falls for good"),
        Until::Steady => (" at random", "five rounds are alike"),
    };
    let most = match test.until {
        Until::Steady if test.most.is_none() => String::new(),
        _ => format!(" {}{spread} or", numbers::bytes(test.most.unwrap_or(*span))),
    };
    let after = if test.trim[1] { ", then discard all of it" } else { "" };
    let load = format!("{how} without pause, {} at depth {depth}", numbers::bytes(*block));
    format!(
        "{before}write to {}{load}, until {end}, or at most{most} {}{after}{also}",
        test.step.together(),
        numbers::seconds(test.seconds)
    )
}

fn outlook(plan: &Plan, seconds: f64) -> String {
    let goal = &plan.goal;
    let filled: u64 =
        plan.experiment.sustained().iter().filter_map(|test| Some(test.fill.as_ref()?.workload.span)).sum();
    let filled = match filled {
        0 => objects_put(plan).unwrap_or_default(),
        bytes => format!(", and as long as it takes to write {} before", numbers::bytes(bytes)),
    };
    if let Some(states) = plan.experiment.image_states() {
        return format!(
            "Expected time: about {}, and as long as it takes to write {} before.",
            numbers::seconds(seconds),
            numbers::bytes(states.bytes.saturating_mul(states.lasting().len() as u64 + 1))
        );
    }
    if plan.steps.is_empty() {
        return format!("Expected time: at most {}{filled}.", numbers::seconds(seconds));
    }
    let steps = numbers::counted(plan.steps.len() as u64, "step", "steps");
    if let PlannedExperiment::HighestRate { .. } = plan.experiment {
        return format!(
            "{steps}, each a search: a closed loop, probes of 3 to 20 s, then {} of {} at the rate that was found. Expected time: \
             about {}.",
            numbers::counted(u64::from(goal.passes_max), "pass", "passes"),
            numbers::seconds(goal.read_slice_seconds),
            numbers::seconds(seconds)
        );
    }
    if let PlannedExperiment::ScaleOut { clients_most: most, .. } = plan.experiment {
        return format!(
            "{steps}, each the largest that may come: clients are doubled from one on one host up to {most} on each, until that brings \
             nothing more. Expected time: about {} for each doubling.",
            numbers::seconds(seconds / plan.steps.len() as f64)
        );
    }
    let passes = if goal.short.is_some() {
        "as many passes as it takes".to_string()
    } else if goal.passes_min == goal.passes_max {
        numbers::counted(u64::from(goal.passes_max), "pass", "passes")
    } else {
        format!("{} to {} passes", goal.passes_min, goal.passes_max)
    };
    let done = if !plan.experiment.thresholds().is_empty() {
        format!(
            "a figure is done when its side of its threshold is known, or after {}",
            numbers::seconds(goal.seconds_max)
        )
    } else if goal.fixed {
        format!("slices of {}, settled or not", numbers::seconds(goal.read_slice_seconds))
    } else {
        let width = numbers::relative(goal.settle);
        // The passes are the limit.
        let most = match goal.seconds_max >= UNLIMITED_SECONDS {
            true => "the last pass".to_string(),
            false => numbers::seconds(goal.seconds_max),
        };
        format!("a figure is done at {width} or after {most}")
    };
    let time = match seconds_most(plan, seconds) {
        Some(most) => {
            format!("{} to {}, as soon as the figures settle", numbers::seconds(seconds), numbers::seconds(most))
        }
        None => numbers::seconds(seconds),
    };
    format!("{steps} in {passes}; {done}. Expected time: {time}{filled}.")
}

/// What buckets are filled with: how long that takes is the gateway's, of which nothing is known yet.
fn objects_put(plan: &Plan) -> Option<String> {
    const PER_SECOND: u64 = 1000;
    let put = model::working_set::put_before(&plan.steps);
    let more =
        |all: (u64, u64), set: &ObjectsNeeded| (all.0.saturating_add(set.count), all.1.saturating_add(set.bytes));
    let (objects, bytes) = put.iter().fold((0, 0), more);
    let objects = (objects > 0).then_some(objects)?;
    Some(format!(
        ", and as long as it takes to put {} ({}) before and to delete them after (at {PER_SECOND} a second {} each)",
        numbers::counted(objects, "object", "objects"),
        numbers::bytes(bytes),
        numbers::seconds((objects as f64 / PER_SECOND as f64).ceil())
    ))
}

/// `seconds`: expected for the whole run.
pub fn document(plan: &Plan, seconds: f64) -> Value {
    json!({
        "schema": SCHEMA,
        "steps": plan.steps.iter().map(step).collect::<Vec<_>>(),
        "sustained": plan.experiment.sustained().iter().map(sustained).collect::<Vec<_>>(),
        "image_states": plan.experiment.image_states(),
        "changes": plan.changes.iter().map(|change| change.what()).collect::<Vec<_>>(),
        "host_files": plan.changes.iter().filter_map(host_file).collect::<Vec<_>>(),
        "seconds_expected": seconds,
        "seconds_most": seconds_most(plan, seconds),
    })
}

fn step(step: &Step) -> Value {
    json!({
        "step": step.id.0,
        "layer": step.layer.name(),
        "pattern": step.pattern.name(),
        "targets": step.targets.iter().map(|target| &target.name).collect::<Vec<_>>(),
        "workload": step.workload,
        "says": workload(step),
    })
}

fn sustained(test: &SustainedTest) -> Value {
    json!({
        "target": test.step.together(),
        "also": test.also,
        "until": test.until,
        "workload": test.step.workload,
        "fill_level": test.filled(),
        "trim": {"before": test.trim[0], "after": test.trim[1]},
        "seconds": test.seconds,
    })
}

/// A file of our own on another host.
fn host_file(change: &Change) -> Option<Value> {
    match change {
        Change::OnHost { host: Some(host), what: HostChange::File { path, bytes } } => {
            Some(json!({"host": host, "path": path, "bytes": bytes}))
        }
        _ => None,
    }
}

/// Where figures may take longer than if all settle as soon as they may: the most that the run takes.
pub(crate) fn seconds_most(plan: &Plan, expected: f64) -> Option<f64> {
    // How many loads there are is not known before.
    if matches!(plan.experiment, PlannedExperiment::ScaleOut { .. }) {
        return None;
    }
    let sustained: f64 = plan.experiment.sustained().iter().map(|test| test.seconds).sum();
    let most = plan.goal.run_seconds.filter(|_| plan.goal.short.is_some())? + sustained;
    (most > expected).then_some(most)
}
