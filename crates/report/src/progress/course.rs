//! Where a run stands, in words: which pass, which step of how many, how long it will still take.

use super::Now;
use crate::sections::sweep;
use crate::{numbers, words};
use model::{Ending, Event, Label, Metric, Observation, Report, Slice, Step, Sweep};
use std::collections::BTreeSet;
use std::time::Duration;

pub(super) struct Course {
    now: Now,
    run_started: Duration,
    /// Steps of the plan; a later pass may need fewer.
    steps: usize,
    passes_max: u32,
    pass: u32,
    /// Steps begun in this pass.
    begun: usize,
    /// Expected seconds of the steps begun in this pass.
    expected: f64,
    step: Option<Step>,
    sweep: Option<Sweep>,
    /// Rounds over the states of an image, at least and at most.
    rounds: Option<(u32, u32)>,
    measuring: bool,
    /// Changes that were told: what is made anew for each round is told once.
    told: BTreeSet<String>,
}

impl Course {
    pub(super) fn new(now: Now) -> Course {
        let run_started = now();
        let (step, sweep, rounds, told) = (None, None, None, BTreeSet::new());
        let (steps, passes_max, pass, begun) = (0, 0, 0, 0);
        Course {
            now,
            run_started,
            steps,
            passes_max,
            pass,
            begun,
            expected: 0.0,
            step,
            sweep,
            rounds,
            measuring: false,
            told,
        }
    }

    pub(super) fn now(&self) -> Duration {
        (self.now)()
    }

    pub(super) fn take(&mut self, event: &Event) {
        match event {
            Event::RunStarted { .. } => self.run_started = self.now(),
            Event::Planned { plan } => {
                self.steps = plan.steps.len();
                self.passes_max = plan.goal.passes_max;
                self.sweep = plan.experiment.sweep().cloned();
                self.rounds = plan.experiment.image_states().map(|states| (states.rounds_min, states.rounds_max));
            }
            Event::StepStarted { pass, step, seconds_expected } => {
                if *pass != self.pass {
                    (self.pass, self.begun, self.expected) = (*pass, 0, 0.0);
                }
                self.begun += 1;
                self.expected += seconds_expected.max(0.0);
                self.step = Some(step.clone());
            }
            Event::Observed { observation: Observation::ImageState(_) } => self.measuring = true,
            _ => {}
        }
    }

    /// What goes on while there is no step.
    pub(super) fn phase(&self) -> &'static str {
        if self.measuring { "measuring" } else { "preparing" }
    }

    /// Steps begun, and of how many. In the first pass these are all steps; later passes take only what needs more, so it is not known.
    pub(super) fn steps(&self) -> (usize, Option<usize>) {
        (self.begun, (self.pass <= 1 && self.begun <= self.steps).then_some(self.steps))
    }

    /// `pass 1, step 3 of 31`
    pub(super) fn at(&self) -> String {
        match self.steps() {
            (n, Some(all)) => format!("pass {}, step {n} of {all}", self.pass),
            (n, None) => format!("pass {}, step {n}", self.pass),
        }
    }

    /// `osd osd.2 write-latency`, `device /dev/sdx 4 KiB random write, depth 1, fsync`
    pub(super) fn what(&self) -> String {
        let Some(step) = &self.step else { return String::new() };
        let point = match sweep::point(self.sweep.as_ref(), step) {
            point if point.is_empty() => point,
            point => format!(", {point}"),
        };
        // Several loads of one pattern are told apart by what they are.
        let load = match words::is_canonical(step.layer, step.pattern, &step.workload) || self.sweep.is_some() {
            true => step.pattern.name().to_string(),
            false => words::workload(step.layer, &step.workload),
        };
        format!("{} {} {load}{point}", step.layer.name(), step.together())
    }

    /// Expected seconds until the end of this pass, the current step included.
    pub(super) fn seconds_left(&self) -> Option<f64> {
        let (begun, all) = self.steps();
        let one = self.expected / begun.max(1) as f64;
        all.map(|all| one * (all + 1 - begun) as f64)
    }

    pub(super) fn step_done(&self, slices: &[Slice]) -> String {
        let seconds = slices.iter().map(Slice::seconds).fold(0.0, f64::max);
        let took = numbers::seconds(seconds);
        words::tame(&format!("{}: {}, {}, {took}", self.at(), self.what(), self.result(slices))) + "\n"
    }

    /// `about 5,400 IOPS`: no interval yet, so two steps of one figure may differ.
    pub(super) fn result(&self, slices: &[Slice]) -> String {
        let usable = |slice: &&Slice| slice.void.is_none();
        let together = slices.iter().filter(usable).find(|slice| slice.target.is_none());
        let metric = self.step.as_ref().map(|step| step.metric);
        match (together.or_else(|| slices.iter().find(usable)), metric) {
            (Some(slice), Some(metric)) => seen(slice, metric),
            _ => {
                let why = slices.iter().find_map(|slice| slice.void.as_deref());
                format!("nothing measured: {}", why.unwrap_or("no slice"))
            }
        }
    }

    pub(super) fn pass_done(&self, pass: u32, report: &Report) -> String {
        let precise = |figure: &&model::Figure| matches!(figure.label, Label::Settled | Label::Brief(_));
        let settled = report.figures.iter().filter(precise).count();
        let after = self.now().saturating_sub(self.run_started).as_secs_f64();
        let done =
            format!("pass {pass} of at most {} done after {}", self.passes_max.max(pass), numbers::seconds(after));
        match report.figures.len() as u64 {
            // Writes in turns between pairs of OSDs make no figure.
            0 => done,
            all => {
                let all = numbers::counted(all, "figure", "figures");
                format!("{done}: {settled} of {all} as precise as asked for")
            }
        }
    }

    /// What is worth a line whatever the display is.
    pub(super) fn remark(&mut self, event: &Event) -> Option<String> {
        let line = match event {
            Event::RunStarted { head, .. } => format!("run {}", head.run),
            Event::Planned { plan } => {
                let steps = match (plan.steps.len() as u64, self.rounds) {
                    (_, Some((least, most))) => format!("{least} to {most} rounds"),
                    (0, None) => "no step a pass".to_string(),
                    (n, None) => format!("{} a pass", numbers::counted(n, "step", "steps")),
                };
                let changes = numbers::counted(plan.changes.len() as u64, "change", "changes");
                format!("{steps}, {changes} to make and to undo")
            }
            Event::Changed { undo } => {
                let line = if undo.undone { undo.done() } else { format!("made: {}", undo.change.what()) };
                if self.rounds.is_some() && !self.told.insert(line.clone()) {
                    return None;
                }
                line
            }
            Event::Warned { text } => format!("warning: {text}"),
            Event::Failed { text } => format!("error: {text}"),
            Event::RunFinished { seconds, ending } => {
                let how = match ending {
                    Ending::Done => "done",
                    Ending::Stopped => "stopped",
                    Ending::Failed => "failed",
                };
                format!("{how} after {}", numbers::seconds(*seconds))
            }
            _ => return None,
        };
        Some(words::tame(&line) + "\n")
    }
}

fn seen(slice: &Slice, metric: Metric) -> String {
    let counted = slice.counted();
    let seconds = counted.iter().map(|sample| sample.span_ns as f64).sum::<f64>() / 1e9;
    let sum = |part: fn(&model::Sample) -> u64| counted.iter().map(|sample| part(sample) as f64).sum::<f64>();
    let value = match metric {
        Metric::LatencyMean | Metric::Rtt => {
            sum(|sample| sample.service.sum_ns) / sum(|sample| sample.service.count) / 1e6
        }
        Metric::Iops => sum(|sample| sample.ops) / seconds,
        Metric::Bandwidth => sum(|sample| sample.bytes) / 1e6 / seconds,
    };
    match value.is_finite() {
        true => format!("about {} {}", numbers::rough(value), metric.unit()),
        false => "nothing done".to_string(),
    }
}
