//! A figure from its slices, and whether it needs another.

use crate::effort::shares;
use crate::in_flight::in_flight;
use crate::labels::{LabelCase, precise, settle_mostly};
use crate::length::Length;
use crate::pauses;
use crate::percentiles::{Doubt, percentiles};
use crate::pooled::{Pooled, pool, weighted};
use crate::series::Ratio;
use crate::sight::sight;
use crate::unseen::{Asked, met, missed, seen_at_one_level, starts_apart, trend, two_groups, unseen};
use crate::verdict::decided;
use crate::words::{count, quantity};
use model::clock::SECOND;
use model::pattern::Family;
use model::{
    Estimate, Figure, Goal, Label, Metric, OpClass, Pattern, Place, PlannedExperiment, Sample, Slice, Step, Target,
    Threshold, Workload,
};

/// What the next pass should do for this figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Another slice.
    Another,
    /// It is as precise as was asked for.
    Enough,
    /// It isn't, but passes or seconds are used up.
    OutOfTime,
}

/// Compactions come every 10 to 30 s: fewer counted seconds than this may have met none (docs/method.md, "Percentiles").
const SELDOM_SECONDS: f64 = 36.0;
/// The share of the operations that may then be slower than all that were seen.
const SELDOM_SHARE: f64 = 0.009;
/// An interval of the mean that is wider than this says nothing more of percentiles.
const NO_MORE: f64 = 0.9;
/// Seconds that a slice takes beyond its settled data.
const WARMUP_SECONDS: f64 = 1.0;

/// `slices`: all of this step, target and kind so far, in any order. `finished_passes`: passes that had their turn,
/// whether or not they left a slice.
pub fn figure(
    step: &Step,
    target: Option<u32>,
    kind: OpClass,
    slices: &[&Slice],
    asked: &Asked,
    finished_passes: u32,
) -> (Figure, Next) {
    let goal = asked.goal;
    let mut ordered = slices.to_vec();
    ordered.sort_by(|a, b| a.pass.cmp(&b.pass).then(a.started_seconds.total_cmp(&b.started_seconds)));
    let (void, good) = pauses::sorted_out(step, &ordered, goal.short.is_some());
    let mut figure = outline(step, target, kind, &ordered, &good);
    match judged(step, kind, &good, &void, &ordered, asked) {
        Ok((pooled, label)) => {
            let wandering = matches!(label, Label::Wandering(_));
            let least = if goal.short.is_some() { pooled.relative().min(NO_MORE) } else { 0.0 };
            let slower = seldom(step, kind, &good, goal).max(pauses_share(step, &good));
            let doubt = Doubt { wandering, unseen: slower, least };
            if in_flight(step, &good).is_none() {
                figure.percentiles = percentiles(&good, |sample| &sample.service, doubt);
                figure.first_byte = percentiles(&good, Sample::first_byte_time, doubt);
            }
            if step.workload.rate.is_some() {
                figure.response = percentiles(&good, Sample::response_time, doubt);
            }
            // A rate or a latency below nothing is impossible, however wide the interval.
            let low = (pooled.value - pooled.half_width).max(0.0);
            figure.estimate = Some(Estimate { value: pooled.value, low, high: pooled.value + pooled.half_width });
            figure.per_second = per_second(step, &good, asked);
            figure.sight = sight(step, &good, &label);
            figure.unseen = Some(unseen(&good, asked));
            figure.label = label;
            let enough = match asked.experiment {
                PlannedExperiment::Verdict(thresholds) => {
                    let cell = (step.layer, step.pattern);
                    let own = Threshold::find(thresholds, cell, kind, &figure.target, figure.chart);
                    own.is_none_or(|threshold| decided(step, &good, &pooled, threshold))
                }
                _ => {
                    let level = goal.short.is_none() || level(&pooled, &good);
                    let settled = level && void.is_empty() && settle_mostly(&good, goal);
                    settled && good.len() >= goal.passes_min as usize && precise(&pooled, goal)
                }
            };
            let next = if enough { Next::Enough } else { again(step, &ordered, goal, finished_passes) };
            (figure, next)
        }
        Err(why) => {
            figure.label = Label::Void(why);
            let twice = ordered.len() >= 2 && ordered.iter().rev().take(2).all(|slice| void_reason(slice).is_some());
            let next = if twice { Next::OutOfTime } else { again(step, &ordered, goal, finished_passes) };
            (figure, next)
        }
    }
}

/// Of operations by names, whose figure is a time: how many ended a second, by count. What failed took its time as well, and chance decides
/// how many of a mix are of a class, so that no mean time tells it.
fn per_second(step: &Step, good: &[&Slice], asked: &Asked) -> Option<Estimate> {
    // A step of thousands of targets is not copied for each figure of what has another value.
    if !step.workload.of_files() || step.workload.rate.is_some() {
        return None;
    }
    let counted = Step { metric: Metric::Iops, ..step.clone() };
    let ratios: Vec<Ratio> = good.iter().map(|slice| pauses::ratio(&counted, slice)).collect();
    let pooled = match asked.goal.short {
        Some(_) => weighted(&ratios).map(|pooled| allowing(pooled, good, asked)),
        None => pool(&ratios),
    };
    let pooled = pooled?;
    // What ended is a number that chance gives (Poisson): of few operations little is known.
    let ended: u64 = good.iter().flat_map(|slice| slice.counted()).map(|sample| sample.ops).sum();
    let chance = OF_95_PERCENT * pooled.value / (ended.max(1) as f64).sqrt();
    let half = if step.workload.mix.is_mixed() { pooled.half_width.hypot(chance) } else { pooled.half_width };
    let (value, low) = (pooled.value, (pooled.value - half).max(0.0));
    Some(Estimate { value, low, high: value + half })
}

/// Half of a 95 % interval, in standard deviations.
const OF_95_PERCENT: f64 = 1.96;

fn level(pooled: &Pooled, good: &[&Slice]) -> bool {
    two_groups(pooled).is_none() && trend(pooled, good).is_none() && starts_apart(pooled, good).is_none()
}

/// What comes seldom may not have come: a compaction, whose operations would be the slowest.
fn seldom(step: &Step, kind: OpClass, slices: &[&Slice], goal: &Goal) -> f64 {
    let windows = slices.iter().map(|slice| slice.counted().len() as f64 * slice.window_ns as f64);
    let brief = windows.sum::<f64>() / (SECOND as f64) < SELDOM_SECONDS;
    let compactions = kind.changes() && step.meets_compactions();
    if brief && (compactions || goal.short.is_some()) { SELDOM_SHARE } else { 0.0 }
}

/// The share of the operations that waited while their target stood still: none of them was timed, and all were slower.
fn pauses_share(step: &Step, slices: &[&Slice]) -> f64 {
    let operations: u64 = slices.iter().flat_map(|slice| slice.counted()).map(|sample| sample.ops).sum();
    let waited = pauses::held_up(step, slices);
    waited as f64 / (operations + waited).max(1) as f64
}

/// The value and its label, or why there is none.
fn judged(
    step: &Step,
    kind: OpClass,
    good: &[&Slice],
    void: &[&Slice],
    ordered: &[&Slice],
    asked: &Asked,
) -> Result<(Pooled, Label), String> {
    let Some(last) = ordered.last() else {
        return Err("not measured".to_string());
    };
    if let Some(why) = void_reason(last).filter(|_| void.iter().any(|slice| std::ptr::eq(*slice, *last))) {
        return Err(match good.len() {
            0 => why,
            n => format!(
                "{why} (pass {}; {} before it, of a target that was still well)",
                last.pass,
                count(n, "good pass", "good passes")
            ),
        });
    }
    let ratios: Vec<Ratio> = good.iter().map(|slice| pauses::ratio(step, slice)).collect();
    let pooled = if asked.goal.short.is_some() {
        weighted(&ratios).map(|pooled| allowing(pooled, good, asked))
    } else {
        pool(&ratios)
    };
    match pooled {
        Some(pooled) => {
            let pooled = match in_flight(step, good) {
                Some(open) => open.widen(step, pooled),
                None => pooled,
            };
            let label = LabelCase { step, kind, slices: good, void, pooled: &pooled, asked }.label();
            Ok((pooled, label))
        }
        None => Err(too_little(step, &ratios)),
    }
}

/// Widens the interval by what slices at this number of moments may have missed. It also becomes no narrower than was asked for:
/// measuring ends when the interval is that narrow, and it gets there sooner where it is too narrow by chance.
fn allowing(pooled: Pooled, good: &[&Slice], asked: &Asked) -> Pooled {
    let share = missed(unseen(good, asked).looks, asked.event_depth()).max(met(&pooled)).max(asked.goal.settle);
    let share = share.max(seen_at_one_level(&pooled, asked).unwrap_or(0.0));
    let level = starts_apart(&pooled, good).map_or(pooled.value, |(level, _)| level);
    let half_width = pooled.half_width.max(share * pooled.value).max((level - pooled.value).abs());
    Pooled { half_width, ..pooled }
}

fn too_little(step: &Step, ratios: &[Ratio]) -> String {
    let weight: f64 = ratios.iter().map(Ratio::weight).sum();
    let value = ratios.iter().flat_map(|ratio| &ratio.over).sum::<f64>() / weight;
    let windows: usize = ratios.iter().map(|ratio| ratio.over.len()).sum();
    format!(
        "{} with operations, about {}: too few for an interval",
        count(windows, "window", "windows"),
        quantity(value, step.metric)
    )
}

/// Why nothing of a slice may be used; `None`: it may.
pub fn void_reason(slice: &Slice) -> Option<String> {
    if let Some(why) = &slice.void {
        return Some(why.clone());
    }
    let operations: u64 = slice.counted().iter().map(|sample| sample.ops).sum();
    let all: u64 = slice.samples.iter().map(|sample| sample.errors).sum();
    // Of the same time as the operations, if there are any.
    let counted: u64 = slice.counted().iter().map(|sample| sample.errors).sum();
    let errors = if operations > 0 { counted } else { all };
    let error = slice.error.as_ref().filter(|error| may_be_of(error, slice.kind));
    let cause = error.map(|error| format!(": {error}")).unwrap_or_default();
    match (operations, errors) {
        (0, 0) => Some(format!("no operation completed in {}{cause}", crate::words::seconds(slice.seconds()))),
        (0, errors) => Some(format!("all {errors} operations failed{cause}")),
        (ops, errors) if errors >= ops => Some(format!("{errors} of {} operations failed{cause}", ops + errors)),
        _ => None,
    }
}

fn again(step: &Step, slices: &[&Slice], goal: &Goal, finished_passes: u32) -> Next {
    let spent: f64 = slices.iter().map(|slice| slice.seconds()).sum();
    let next = match Length::next(goal, step, slices) {
        Length::Long { seconds } => seconds + WARMUP_SECONDS,
        short => slices.first().map_or(0.0, |slice| short.seconds(slice.window_ns)),
    };
    if finished_passes >= goal.passes_max || spent + next > goal.seconds_max { Next::OutOfTime } else { Next::Another }
}

/// The step's workload, spread over this very target.
fn of_one(step: &Step, target: Option<&Target>) -> Workload {
    let spread = step.workload.spread.map(|least| target.and_then(|target| target.bytes).unwrap_or(least));
    Workload { spread, ..step.workload.clone() }
}

/// A stream of a read comes from the second host.
fn way(place: &Place, pattern: Pattern) -> Option<(String, String)> {
    let Place::Pair { from, to, .. } = place else { return None };
    let (from, to) = (from.host.clone(), to.host.clone());
    let turned = pattern.family() == Family::Linear && !pattern.writes();
    Some(if turned { (to, from) } else { (from, to) })
}

/// All of a figure but its judgement.
fn outline(step: &Step, target: Option<u32>, kind: OpClass, all: &[&Slice], good: &[&Slice]) -> Figure {
    let one = target.and_then(|index| step.targets.get(index as usize));
    let only = if step.targets.len() == 1 { step.targets.first() } else { None };
    let counted = || good.iter().flat_map(|slice| slice.counted());
    Figure {
        step: step.id,
        layer: step.layer,
        target: one.map_or_else(|| step.together(), |target| target.name.clone()),
        host: one.or(only).and_then(|target| {
            let client = target.client.as_ref().map(|client| client.host.clone());
            target.host.clone().or(client)
        }),
        network: step.network().map(str::to_string),
        way: one.or(only).and_then(|target| way(&target.place, step.pattern)),
        pattern: step.pattern,
        kind,
        workload: of_one(step, one.or(only)),
        metric: step.metric,
        estimate: None,
        label: Label::Settled,
        // Clients share what the cluster can do: only all of them together say how much that is.
        chart: step.chart && if step.of_clients() { one.is_none() } else { one.or(only).is_some() },
        at_once: if step.apart { 1 } else { step.targets.len() as u32 },
        slices: good.len() as u32,
        seconds: all.iter().map(|slice| slice.seconds()).sum(),
        operations: counted().map(|sample| sample.ops).sum(),
        bytes: counted().map(|sample| sample.bytes).sum(),
        errors: match counted().map(|sample| sample.errors).sum() {
            // Those before what counts, and of slices that do not count, are told where there are no others.
            0 => all.iter().flat_map(|slice| &slice.samples).map(|sample| sample.errors).sum(),
            errors => errors,
        },
        per_second: None,
        first_error: all.iter().filter_map(|slice| slice.error.clone()).find(|error| may_be_of(error, kind)),
        percentiles: Vec::new(),
        response: Vec::new(),
        first_byte: Vec::new(),
        effort: shares(step, good),
        checked: None,
        valid_up_to: None,
        gaps: Vec::new(),
        unseen: None,
        overlap: None,
        pgs_seen: Vec::new(),
        empty_pages: None,
        background: None,
        sight: None,
        other_way: None,
    }
}

/// An operation that failed begins its error with its class; of a mix the first error of a slice is that of one class.
fn may_be_of(error: &str, kind: OpClass) -> bool {
    let of = |class: OpClass| {
        let rest = error.strip_prefix(class.name());
        rest.is_some_and(|rest| rest.starts_with(':') || rest.starts_with(" of "))
    };
    of(kind) || !OpClass::all().any(of)
}
