//! What the points of a sweep are called: their values on its axes, as they are read.

use crate::{numbers, words};
use model::{Reading, Setting, Step, Sweep, SweepAxis};

/// `depth 4, block-size 64 KiB`: which point of a sweep a step is; empty for other steps.
pub fn point(sweep: Option<&Sweep>, step: &Step) -> String {
    let Some((sweep, at)) = sweep.and_then(|sweep| Some((sweep, sweep.at(step.id)?))) else { return String::new() };
    (0..sweep.axes.len()).map(|axis| named(sweep, at, axis)).collect::<Vec<_>>().join(", ")
}

/// The same of a reading.
pub(crate) fn point_of(sweep: &Sweep, reading: &Reading) -> String {
    (0..sweep.axes.len()).map(|axis| named(sweep, &reading.at, axis)).collect::<Vec<_>>().join(", ")
}

pub(super) fn named(sweep: &Sweep, at: &[u32], axis: usize) -> String {
    let name = sweep.axes.get(axis).map_or("", SweepAxis::called);
    format!("{name} {}", setting_at(sweep, at, axis))
}

pub(super) fn setting_at(sweep: &Sweep, at: &[u32], axis: usize) -> String {
    let axis_and_place = sweep.axes.get(axis).zip(at.get(axis));
    let found = axis_and_place.and_then(|(axis, place)| Some(setting(&axis.name, axis.values.get(*place as usize)?)));
    found.unwrap_or_else(|| numbers::NOTHING.to_string())
}

/// A value as it is read: `64 KiB`, `25 %`, `128`.
pub(super) fn setting(axis: &str, value: &Setting) -> String {
    match (value, words::axis_unit(axis)) {
        (Setting::Text(text), _) => text.clone(),
        (Setting::Number(number), Some("bytes")) => numbers::bytes(*number),
        (Setting::Number(number), Some(unit)) => format!("{number} {unit}"),
        (Setting::Number(number), None) => numbers::count(*number),
    }
}

/// `depth (9 values) × jobs (2 values): 17 points, 1 combination left out`
pub fn outline(sweep: &Sweep) -> String {
    let axis = |axis: &SweepAxis| {
        let values: Vec<String> = axis.values.iter().map(|value| setting(&axis.name, value)).collect();
        format!("{} {}", axis.called(), values.join(", "))
    };
    let axes: Vec<String> = sweep.axes.iter().map(axis).collect();
    let left_out = left_out(sweep).map_or(String::new(), |text| format!("; {text}"));
    format!("Sweep over {}{left_out}", axes.join(" × "))
}

/// Combinations that can't be.
pub(super) fn left_out(sweep: &Sweep) -> Option<String> {
    let combinations = numbers::counted(u64::from(sweep.left_out), "combination", "combinations");
    (sweep.left_out > 0).then(|| format!("{combinations} left out (more jobs than depth, or more clients than jobs)"))
}
