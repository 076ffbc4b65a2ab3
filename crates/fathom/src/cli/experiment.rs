//! What a run is to find out, and when a figure is good enough for it.

use super::workload::WorkloadArgs;
use super::{ab, words};
use clap::Args;
use experiments::{PairedSetting, WorkloadOptions};
use model::plan::{SPREAD_BY_LOT, USUAL_SETTLE};
use model::{Arrivals, Goal, ResponseBound, ShortSlices};
use std::path::PathBuf;

/// Of the layers whose operations may be due at a rate, and whose data may be checked.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Workload")]
pub struct RateArgs {
    /// Operations a second on each target, started when they are due and timed from then on (device, osd, rados, rbd, file, object)
    #[arg(long, value_parser = words::rate, value_name = "NUMBER", group = "rates",
          conflicts_with_all = ["over", "verdict", "expect"], allow_hyphen_values = true)]
    pub rate: Option<f64>,
    /// With --rate and --rate-max-where: poisson (the default), as users who know nothing of each other, or even
    #[arg(long, value_parser = words::arrivals, requires = "rates")]
    pub arrivals: Option<Arrivals>,
    /// Search for the highest rate that keeps a bound on response times: 'p99<10ms' (quote it)
    #[arg(long, value_parser = words::bound, value_name = "BOUND", group = "rates",
          conflicts_with_all = ["ab", "settle", "time_max", "over", "verdict", "expect"])]
    pub rate_max_where: Option<(f64, f64)>,
    /// Stamp what is written and check what is read back (device, osd, rados, rbd); costs CPU
    #[arg(long)]
    pub verify: bool,
}

impl RateArgs {
    /// Are operations due at a rate, one that is given or one that is searched for?
    pub fn open_loop(&self) -> bool {
        self.rate.is_some() || self.rate_max_where.is_some()
    }

    pub fn bound(&self) -> Option<ResponseBound> {
        let arrivals = self.arrivals.unwrap_or(Arrivals::Poisson);
        self.rate_max_where.map(|(percent, ms)| ResponseBound { percent, ms, arrivals })
    }

    /// The workload, with what only these layers have.
    pub fn workload(&self, workload: &WorkloadArgs) -> WorkloadOptions {
        let rate = self.rate.map(|per_second| WorkloadOptions::at_rate(per_second, self.arrivals));
        WorkloadOptions { rate, verify: self.verify, ..workload.options() }
    }
}

/// An experiment on layers that may have rates.
#[derive(Args, Debug, Clone)]
pub struct RatedExperimentArgs {
    #[command(flatten)]
    pub rates: RateArgs,
    #[command(flatten)]
    pub figures: ExperimentArgs,
}

/// The arguments of an experiment, with or without rates.
pub trait FiguresAndRates: Args {
    fn figures(&self) -> &ExperimentArgs;
    fn rates(&self) -> RateArgs;
}

impl FiguresAndRates for RatedExperimentArgs {
    fn figures(&self) -> &ExperimentArgs {
        &self.figures
    }

    fn rates(&self) -> RateArgs {
        self.rates.clone()
    }
}

impl FiguresAndRates for ExperimentArgs {
    fn figures(&self) -> &ExperimentArgs {
        self
    }

    fn rates(&self) -> RateArgs {
        RateArgs::default()
    }
}

#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "When a figure is good enough")]
pub struct ExperimentArgs {
    /// One setting against another, slice beside slice: pool=A,B, data-pool=A,B (rbd, file), placement=A,B (object), engine=A,B,
    /// block-size=A,B, depth=A,B, jobs=A,B, path=A,B (disk), osd=A,B, option:WHO/NAME=VALUE, nothing (see the guide)
    #[arg(long, value_parser = ab::setting, value_name = "SETTING=A,B", help_heading = "Workload")]
    pub ab: Option<PairedSetting>,
    /// Half-width of the 95 % interval, with --ab of the change (default: 10%, with --ab 4%)
    #[arg(long, value_parser = words::share, value_name = "PERCENT", allow_hyphen_values = true)]
    pub settle: Option<f64>,
    /// The most time for one figure
    #[arg(long, value_parser = words::seconds, default_value = "60s", value_name = "DURATION",
          conflicts_with_all = ["quick", "duration", "ab"], allow_hyphen_values = true)]
    pub time_max: f64,
    /// The most passes over the plan, of long slices; with --quick and --duration 1 unless said otherwise (default: as many short
    /// slices as fit)
    #[arg(long, value_parser = words::whole::<u32>(1, 100), allow_negative_numbers = true)]
    pub passes: Option<u32>,
    /// Spread each figure's slices over this time, which the figure then describes (default: as long as measuring takes)
    #[arg(long, value_parser = words::seconds, value_name = "DURATION",
          conflicts_with_all = ["quick", "duration", "passes", "verdict", "expect", "ab"], allow_hyphen_values = true)]
    pub over: Option<f64>,
    /// Short slices, one pass
    #[arg(long, conflicts_with = "duration")]
    pub quick: bool,
    /// Stop each figure as soon as it is known on which side of its threshold in this file it lies
    #[arg(long, value_name = "FILE", conflicts_with_all = ["quick", "duration", "settle", "expect", "ab"])]
    pub verdict: Option<PathBuf>,
    /// The same against an earlier run: -10% allows a tenth less than it had
    #[arg(long, num_args = 2, value_names = ["RUN", "CHANGE"], allow_hyphen_values = true,
          conflicts_with_all = ["quick", "duration", "settle", "ab"])]
    pub expect: Option<Vec<String>>,
    /// Slices of this length, settled or not, in one pass
    #[arg(long, value_parser = words::seconds, value_name = "DURATION", allow_hyphen_values = true)]
    pub duration: Option<f64>,
}

impl ExperimentArgs {
    /// The least time that can be asked for: the slices of a figure take as much by themselves.
    pub fn over_least(&self) -> f64 {
        let goal = Goal::usual(self.settle.unwrap_or(USUAL_SETTLE), self.time_max, 0);
        let apart = |short: ShortSlices| short.apart_seconds + short.seconds + short.front_seconds;
        moments(&goal) * goal.short.map_or(0.0, apart)
    }

    /// As many pairs of slices as are wished, or until the change is known well enough.
    pub fn beside(&self, seed: u64) -> Goal {
        let seconds = self.duration.or(self.quick.then_some(3.2));
        let usual = Goal::beside(seed);
        Goal {
            settle: self.settle.unwrap_or(if self.quick { 0.10 } else { usual.settle }),
            passes_min: self.passes.unwrap_or(usual.passes_min),
            passes_max: self.passes.unwrap_or(usual.passes_max),
            read_slice_seconds: seconds.unwrap_or(usual.read_slice_seconds),
            write_slice_seconds: seconds.unwrap_or(usual.write_slice_seconds),
            fixed: seconds.is_some(),
            window_ms: if seconds.is_some_and(|seconds| seconds < 6.4) { 50 } else { 100 },
            ..usual
        }
    }

    /// Slices in which a rate is confirmed: three of 20 s, or what is wished.
    pub fn confirming(&self, seed: u64) -> Goal {
        let passes = self.passes.unwrap_or(if self.quick { 1 } else { 3 });
        let seconds = self.duration.unwrap_or(20.0);
        Goal {
            passes_min: passes,
            passes_max: passes,
            read_slice_seconds: seconds,
            write_slice_seconds: seconds,
            seconds_max: f64::from(u32::MAX),
            fixed: true,
            window_ms: 50,
            seed,
            ..Goal::default()
        }
    }

    pub fn goal(&self, seed: u64) -> Goal {
        if self.quick {
            let quick = Goal::quick(seed);
            let passes_max = self.passes.unwrap_or(quick.passes_max);
            return Goal { settle: self.settle.unwrap_or(quick.settle), passes_max, ..quick };
        }
        let settle = self.settle.unwrap_or(USUAL_SETTLE);
        if let Some(seconds) = self.duration {
            return Goal { settle, seed, ..fixed(seconds, self.passes.unwrap_or(1)) };
        }
        let usual = spread(Goal::usual(settle, self.time_max, seed), self.over);
        // Few passes are long ones.
        let Some(passes_max) = self.passes else { return usual };
        let long = Goal::default();
        Goal {
            settle,
            seconds_max: self.time_max,
            passes_min: long.passes_min.min(passes_max),
            passes_max,
            seed,
            ..long
        }
    }
}

/// The least time from one short slice to the next, times this, is the time over which the slices lie spread: how far apart they
/// lie is drawn by lot.
fn moments(goal: &Goal) -> f64 {
    (f64::from(judge::looks_for(goal.settle)) - 2.0) * (1.0 + SPREAD_BY_LOT / 2.0)
}

/// Slices that are far enough apart to lie spread over this time.
fn spread(goal: Goal, over: Option<f64>) -> Goal {
    let (Some(short), Some(over)) = (goal.short, over) else { return goal };
    let apart = over / moments(&goal) - short.seconds - short.front_seconds;
    let short = ShortSlices { apart_seconds: apart.max(short.apart_seconds), ..short };
    // What does not settle has as much again.
    Goal { short: Some(short), run_seconds: Some(2.0 * over), ..goal }
}

/// Slices of this length, settled or not, in `passes` passes.
pub fn fixed(seconds: f64, passes: u32) -> Goal {
    Goal {
        // Nothing but the passes ends it: a slice in which hardly anything ends lasts three times its length.
        seconds_max: 3.0 * f64::from(passes) * seconds,
        passes_min: passes,
        passes_max: passes,
        read_slice_seconds: seconds,
        write_slice_seconds: seconds,
        fixed: true,
        window_ms: if seconds < 6.4 { 50 } else { 100 },
        ..Goal::default()
    }
}
