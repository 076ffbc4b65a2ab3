//! Progress as one bar at the foot of a terminal.

use super::course::Course;
use crate::{numbers, words};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::Slice;
use std::time::Duration;

pub(super) struct Bars {
    bar: ProgressBar,
    /// Of the step before: something to look at while the next one runs.
    last: String,
}

/// A bar counts thousandths.
const WHOLE: u64 = 1000;

impl Bars {
    pub(super) fn new() -> Bars {
        let bar = ProgressBar::with_draw_target(Some(WHOLE), ProgressDrawTarget::stderr());
        let template = "{spinner} {prefix} [{bar:12}] {wide_msg}";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("=> "));
        bar.enable_steady_tick(Duration::from_millis(250));
        Bars { bar, last: String::new() }
    }

    pub(super) fn say(&mut self, text: &str) {
        for line in text.lines() {
            self.bar.println(line);
        }
    }

    pub(super) fn prepare(&mut self, phase: &str, what: &str, share: f64) {
        self.place(phase.to_string(), share, what.to_string());
    }

    pub(super) fn step(&mut self, course: &Course) {
        let (begun, all) = course.steps();
        let share = all.map_or(0.0, |all| begun.saturating_sub(1) as f64 / all.max(1) as f64);
        let left = course.seconds_left().map_or(String::new(), |left| format!(", {} left", numbers::seconds(left)));
        self.place(course.at(), share, format!("{}{left}{}", course.what(), self.last));
    }

    pub(super) fn step_done(&mut self, course: &Course, slices: &[Slice]) {
        self.last = format!("; before: {}", course.result(slices));
        let (begun, all) = course.steps();
        self.bar.set_position(all.map_or(0, |all| WHOLE * begun as u64 / all.max(1) as u64));
    }

    pub(super) fn end(&mut self) {
        self.bar.finish_and_clear();
    }

    fn place(&mut self, prefix: String, share: f64, message: String) {
        self.bar.set_prefix(prefix);
        self.bar.set_position((share.clamp(0.0, 1.0) * WHOLE as f64) as u64);
        self.bar.set_message(words::tame(&message));
    }
}
