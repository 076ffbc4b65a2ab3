//! The plan, as `--dry-run` shows it: every step, every change, and how long it will take.

use super::chart::paragraph;
use super::style::{Paint, Style};
use super::table::{Align, Table};
use crate::plan::seconds_most;
use crate::{numbers, sweep, words};
use model::{Plan, Step, SustainedTest, Workload};
use std::collections::BTreeMap;

/// How many targets a step names; the others are counted.
const NAMED: usize = 3;

/// `seconds`: expected for the whole run.
pub fn plan(plan: &Plan, seconds: f64, style: &Style) -> String {
    let mut table = Table::new(&[
        ("step", Align::Right),
        ("layer", Align::Left),
        ("pattern", Align::Left),
        ("targets", Align::Left),
        ("workload", Align::Left),
    ]);
    for step in &plan.steps {
        let cells = vec![
            step.id.0.to_string(),
            step.layer.name().to_string(),
            step.pattern.name().to_string(),
            targets(step),
            workload(step),
        ];
        table.row(cells, Paint::Plain);
    }
    let mut text = style.paint("Plan", Paint::Bold) + "\n";
    if let Some(sweep) = &plan.sweep {
        text += &paragraph(&sweep::outline(sweep), 2, Paint::Plain, style);
    }
    if !plan.steps.is_empty() {
        text += &(table.text(0, style) + "\n");
    }
    for test in &plan.sustained {
        text += &paragraph(&sustained(test), 2, Paint::Plain, style);
    }
    if !plan.sustained.is_empty() {
        text.push('\n');
    }
    text += &(style.paint("Changes, each undone at the end", Paint::Bold) + "\n");
    let switched = switched(plan);
    if plan.changes.is_empty() && plan.host_files.is_empty() && switched.is_empty() {
        text += "none\n";
    }
    for change in &plan.changes {
        text += &paragraph(&format!("- {}", change.what()), 2, Paint::Plain, style);
    }
    for file in &plan.host_files {
        let line = format!(
            "- file of {} in {} of {}: without a name, gone with the agent",
            numbers::bytes(file.bytes),
            file.path.parent().unwrap_or(&file.path).display(),
            file.host
        );
        text += &paragraph(&line, 2, Paint::Plain, style);
    }
    for (option, values) in switched {
        let line =
            format!("- option {option} = {}: before each slice that needs it, undone before others", values.join(", "));
        text += &paragraph(&line, 2, Paint::Plain, style);
    }
    text + "\n" + &paragraph(&outlook(plan, seconds), 0, Paint::Plain, style)
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
        more => format!("{} and {more} more at once", names.join(" ")),
    }
}

/// `- write to /dev/sdx without pause until …`
fn sustained(test: &SustainedTest) -> String {
    let Workload { block, depth, span, spread, .. } = &test.step.workload;
    let spread = spread.map(|device| format!(" spread over all {}", numbers::bytes(device))).unwrap_or_default();
    let also = match test.also.as_slice() {
        [] => String::new(),
        also => format!("; it stands for {} as well", also.join(", ")),
    };
    format!(
        "- write to {} without pause, {} at depth {depth}, until the rate falls for good, or at most {}{spread} or {}{also}",
        test.step.together(),
        numbers::bytes(*block),
        numbers::bytes(*span),
        numbers::seconds(test.seconds)
    )
}

fn outlook(plan: &Plan, seconds: f64) -> String {
    let goal = &plan.goal;
    if plan.steps.is_empty() {
        return format!("Expected time: at most {}.", numbers::seconds(seconds));
    }
    let steps = numbers::counted(plan.steps.len() as u64, "step", "steps");
    if goal.bound.is_some() {
        return format!(
            "{steps}, each a search: a closed loop, probes of 3 to 20 s, then {} of {} at the rate that was found. Expected time: \
             about {}.",
            numbers::counted(u64::from(goal.passes_max), "pass", "passes"),
            numbers::seconds(goal.read_slice_seconds),
            numbers::seconds(seconds)
        );
    }
    if let Some(most) = plan.clients_most {
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
    let done = if !goal.thresholds.is_empty() {
        format!(
            "a figure is done when its side of its threshold is known, or after {}",
            numbers::seconds(goal.seconds_max)
        )
    } else if goal.fixed {
        format!("slices of {}, settled or not", numbers::seconds(goal.read_slice_seconds))
    } else {
        let (width, most) = (numbers::relative(goal.settle), numbers::seconds(goal.seconds_max));
        format!("a figure is done at {width} or after {most}")
    };
    let time = match seconds_most(plan, seconds) {
        Some(most) => {
            format!("{} to {}, as soon as the figures settle", numbers::seconds(seconds), numbers::seconds(most))
        }
        None => numbers::seconds(seconds),
    };
    format!("{steps} in {passes}; {done}. Expected time: {time}.")
}
