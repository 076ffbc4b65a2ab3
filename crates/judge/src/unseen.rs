//! What slices at a number of moments may have missed: slower events that none of them met, and how often those come that some did.

use crate::pooled::Pooled;
use crate::series::{median, told};
use model::clock::SECOND;
use model::{Goal, OpClass, Plan, PlannedExperiment, Record, Slice, StepId, Unseen};
use statrs::distribution::{ContinuousCDF, StudentsT};
use std::collections::BTreeMap;

/// Moments of one slice count as two looks if they lie this far apart: an event that lasts longer is seen at both.
const LOOK_SECONDS: f64 = 4.0;
/// A slice counts as at most this many looks: what follows within one slice resembles what came before.
const LOOKS_A_SLICE: u32 = 3;
/// How deep an event is assumed to be that none of the looks met, as a share of the value: with this the intervals hold for the made-up
/// kinds of `make coverage` whose events are 20 to 100 % deep (docs/method.md, "Rare and long events").
const DEPTH: f64 = 0.55;
/// At least this share of a run's slices, and at least this many, must be off to tell how deep its events are.
const HITS_SHARE: f64 = 0.02;
const HITS_LEAST: usize = 5;
/// A slice that differs from the median slice by more than this share met an event.
const OFF: f64 = 0.08;
/// Two groups of slices are two levels if they lie at least this many of their own standard deviations apart, and this many of those that
/// the inside of a slice explains: the best split of 14 slices of nothing but noise is 4.5 of the first apart in 3 of 100 cases, and 3 of
/// the second in hardly any.
const GROUPS_APART: f64 = 4.5;
const GROUPS_BEYOND_NOISE: f64 = 3.0;
const GROUPED_LEAST: usize = 6;
/// If one of them has a smaller share of all slices than this, those are events, which [`met`] covers.
const GROUP_SHARE: f64 = 0.15;
/// If at least this share of a run's figures, and at least this many, lie at two levels, all figures are taken to: one that was seen at
/// only one of them was then looked at too seldom. Of kinds that flip faster, or that dip, up to two thirds may look like that, and the
/// intervals of the others hold (docs/method.md, "Rare and long events").
const LEVELS_SHARE: f64 = 0.75;
const LEVELS_LEAST: usize = 6;
/// The starts differ if at least this share of the short slices is off the long ones on the same side.
const STARTS_SHARE: f64 = 0.8;
/// A level moves for the whole stretch if the chance of seeing that by accident is below this.
const TREND_CHANCE: f64 = 0.001;

/// `slices`: the good ones of a figure, in order of time.
pub fn unseen(slices: &[&Slice], asked: &Asked) -> Unseen {
    let looks = slices.iter().map(|slice| looks_in(slice)).sum();
    let counted: f64 = slices.iter().map(|slice| counted_seconds(slice)).sum();
    Unseen {
        stretch_seconds: stretch_seconds(slices),
        looks,
        rarer_than_seconds: counted / 3.0,
        share: missed(looks, asked.event_depth()),
        in_interval: asked.goal.short.is_some(),
    }
}

/// From the beginning of the first slice to the end of the last one.
pub fn stretch_seconds(slices: &[&Slice]) -> f64 {
    let begin = slices.iter().map(|slice| slice.started_seconds).fold(f64::INFINITY, f64::min);
    let end = slices.iter().map(|slice| slice.started_seconds + slice.seconds()).fold(0.0, f64::max);
    (end - begin).max(0.0)
}

fn counted_seconds(slice: &Slice) -> f64 {
    slice.counted().len() as f64 * slice.window_ns as f64 / SECOND as f64
}

fn looks_in(slice: &Slice) -> u32 {
    (1 + (counted_seconds(slice) / LOOK_SECONDS) as u32).min(LOOKS_A_SLICE)
}

/// The share of the value that slower times may take which none of `looks` looks met: if they were a larger share of the time, one look
/// would have met them with a chance of 95 %.
pub fn missed(looks: u32, depth: f64) -> f64 {
    (1.0 - 0.05f64.powf(1.0 / f64::from(looks.max(1)))) * depth
}

/// What is asked of each figure of a run, with what other figures met that this one may have missed.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    pub goal: &'a Goal,
    pub experiment: &'a PlannedExperiment,
    /// How deep events were that other figures of the run met, as a share of the value, where that is deeper than they are usually
    /// taken to be.
    event_depth: Option<f64>,
    /// If most other figures of the run lie at two levels: how far the mean of a figure may be from the one level at which all its
    /// slices lie, as a share of the value.
    other_level: Option<f64>,
}

impl<'a> Asked<'a> {
    /// Nothing else was measured.
    pub fn alone(goal: &'a Goal) -> Asked<'a> {
        Asked { goal, experiment: &PlannedExperiment::Survey, event_depth: None, other_level: None }
    }

    /// Where the other side tells its times, a slice without an answer is no stop.
    pub fn with_what_others_met(plan: &'a Plan, record: &Record) -> Asked<'a> {
        let goal = &plan.goal;
        let mut figures: BTreeMap<(StepId, Option<u32>, OpClass), Vec<f64>> = BTreeMap::new();
        let usable = |slice: &&Slice| slice.void.is_none() && slice.error.is_none() && !told(slice);
        for slice in record.slices.iter().filter(|_| goal.short.is_some()).filter(usable) {
            figures.entry((slice.step, slice.target, slice.kind)).or_default().push(overall_rate(slice));
        }
        figures.retain(|_, rates| rates.len() >= GROUPED_LEAST);
        let figures: Vec<Vec<f64>> = figures.into_values().collect();
        let (event_depth, other_level) = (event_depth(&figures), other_level(&figures));
        Asked { goal, experiment: &plan.experiment, event_depth, other_level }
    }

    /// How deep an event is assumed to be that no look met.
    pub fn event_depth(&self) -> f64 {
        self.event_depth.unwrap_or(DEPTH)
    }
}

/// How deep the events of some figures are, of whose slices these are the rates, or how high. A share of them must lie off, or one stall would speak for
/// all; `None`: not deeper than is allowed for anyway.
fn event_depth(figures: &[Vec<f64>]) -> Option<f64> {
    let off = |rates: &Vec<f64>| {
        let middle = median(rates);
        rates.iter().map(move |rate| (rate / middle - 1.0).abs()).filter(|depth| *depth > OFF).collect::<Vec<_>>()
    };
    let depths: Vec<f64> = figures.iter().flat_map(off).collect();
    let all = figures.iter().map(Vec::len).sum::<usize>() as f64;
    let enough = depths.len() >= HITS_LEAST && depths.len() as f64 >= HITS_SHARE * all;
    let depth = crate::series::mean(&depths);
    (enough && depth > DEPTH).then_some(depth.min(1.0))
}

/// If nearly all of some figures lie at two levels: how far, on average, their mean is from the farther one, as a share of it.
fn other_level(figures: &[Vec<f64>]) -> Option<f64> {
    let of = |rates: &Vec<f64>| groups_of(rates, crate::series::mean(rates), 0.0);
    let far = |(low, high, share): (f64, f64, f64)| {
        let mean = share * low + (1.0 - share) * high;
        ((mean - low) / low).max((high - mean) / high)
    };
    let grouped: Vec<f64> = figures.iter().filter_map(of).map(far).filter(|far| far.is_finite()).collect();
    let most = grouped.len() >= LEVELS_LEAST && grouped.len() as f64 >= LEVELS_SHARE * figures.len() as f64;
    most.then(|| crate::series::mean(&grouped))
}

/// Operations a second over the counted part.
fn overall_rate(slice: &Slice) -> f64 {
    let ops: u64 = slice.counted().iter().map(|sample| sample.ops).sum();
    ops as f64 / counted_seconds(slice).max(1e-9)
}

/// Looks that an interval of this half-width needs, as a share of the value.
pub fn looks_for(settle: f64) -> u32 {
    (1..1000).find(|looks| missed(*looks, DEPTH) <= settle).unwrap_or(1000)
}

/// How far the value may be off because events that were met come more or less often than they were: the share of the slices that
/// lie off, with its 95 % interval (Clopper and Pearson), times how far they lie off.
pub fn met(pooled: &Pooled) -> f64 {
    let middle = median(&pooled.slices);
    let off: Vec<f64> =
        pooled.slices.iter().map(|slice| (slice / middle - 1.0).abs()).filter(|off| *off > OFF).collect();
    if off.is_empty() {
        return 0.0;
    }
    let (n, hits) = (pooled.slices.len() as f64, off.len() as f64);
    let depth = off.iter().sum::<f64>() / hits * middle / pooled.value;
    let (low, high) = crate::percentiles::clopper_pearson(hits / n, n, 0.025);
    depth * (high - hits / n).max(hits / n - low)
}

/// Values of the long slices and of the short ones, if nearly all of these lie on one side of those: a load that is quicker or slower after
/// some of its starts, but was not after that of the slice which showed that short ones will do.
pub fn starts_apart(pooled: &Pooled, slices: &[&Slice]) -> Option<(f64, f64)> {
    let length = |slice: &Slice| slice.samples.len();
    let least = slices.iter().map(|slice| length(slice)).min()?;
    let (long, short): (Vec<_>, Vec<_>) =
        slices.iter().zip(&pooled.slices).partition(|(slice, _)| length(slice) > 2 * least);
    let mean_of =
        |group: &[(&&Slice, &f64)]| crate::series::mean(&group.iter().map(|(_, value)| **value).collect::<Vec<_>>());
    let (level, starts) = (mean_of(&long), mean_of(&short));
    let beyond = short.iter().filter(|(_, value)| (**value / level - 1.0) * (starts - level).signum() > OFF).count();
    let nearly_all = beyond as f64 >= STARTS_SHARE * short.len() as f64;
    (!long.is_empty() && short.len() >= GROUPED_LEAST && nearly_all).then_some((level, starts))
}

/// The means of the slices that fall into two groups with nothing between them: the means of both, and the share in the lower one.
pub fn two_groups(pooled: &Pooled) -> Option<(f64, f64, f64)> {
    groups_of(&pooled.slices, pooled.value, pooled.within.sqrt())
}

/// `noise`: what the inside of a slice explains, as a share of the value.
fn groups_of(slices: &[f64], value: f64, noise: f64) -> Option<(f64, f64, f64)> {
    let mut sorted = slices.to_vec();
    sorted.sort_by(f64::total_cmp);
    let groups = |at: usize| {
        let (low, high) = sorted.split_at(at);
        let (a, b) = (crate::series::mean(low), crate::series::mean(high));
        let squares = |group: &[f64], mean: f64| group.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let spread = ((squares(low, a) + squares(high, b)) / (sorted.len() - 2) as f64).sqrt();
        (spread, a, b, low.len() as f64 / sorted.len() as f64)
    };
    if sorted.len() < GROUPED_LEAST {
        return None;
    }
    let least = ((GROUP_SHARE * sorted.len() as f64).ceil() as usize).max(2);
    let (spread, low, high, share) = (least..=sorted.len() - least).map(groups).min_by(|a, b| a.0.total_cmp(&b.0))?;
    let apart = high - low >= (OFF.max(GROUPS_BEYOND_NOISE * noise) * value).max(GROUPS_APART * spread);
    apart.then_some((low, high, share))
}

/// How far the mean may be from the only level at which a figure was seen, as a share of it, where the others of the run lie at two.
pub fn seen_at_one_level(pooled: &Pooled, asked: &Asked) -> Option<f64> {
    asked.other_level.filter(|_| asked.goal.short.is_some() && two_groups(pooled).is_none())
}

/// A level that rises or falls from the first slice to the last: by how much, as a share of the value; `None`: chance explains it.
pub fn trend(pooled: &Pooled, slices: &[&Slice]) -> Option<f64> {
    let times: Vec<f64> = slices.iter().map(|slice| slice.started_seconds).collect();
    let n = times.len() as f64;
    if times.len() < 6 || times.len() != pooled.slices.len() {
        return None;
    }
    let (t, y) = (crate::series::mean(&times), crate::series::mean(&pooled.slices));
    let sxx: f64 = times.iter().map(|time| (time - t).powi(2)).sum();
    let sxy: f64 = times.iter().zip(&pooled.slices).map(|(time, value)| (time - t) * (value - y)).sum();
    let slope = sxy / sxx;
    let left: f64 =
        times.iter().zip(&pooled.slices).map(|(time, value)| (value - y - slope * (time - t)).powi(2)).sum();
    let error = (left / (n - 2.0) / sxx).sqrt();
    let beyond = StudentsT::new(0.0, 1.0, n - 2.0)
        .map_or(f64::INFINITY, |student| student.inverse_cdf(1.0 - TREND_CHANCE / 2.0));
    let moved = slope * (times.last()? - times.first()?) / y;
    (slope.abs() > beyond * error && moved.abs() >= OFF).then_some(moved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Chance;
    use model::Sample;
    use model::testing;

    fn pooled(slices: &[f64]) -> Pooled {
        let value = crate::series::mean(slices);
        let window_weights = vec![1.0; slices.len()];
        let slices = slices.to_vec();
        Pooled { value, half_width: 0.02 * value, between: 0.0, within: 0.0, windows: 100, slices, window_weights }
    }

    #[test]
    fn more_looks_leave_less_unseen() {
        // 5 % = (1 − q)^n: with 15 looks q is 18.1 %.
        assert!((missed(15, DEPTH) - 0.181 * DEPTH).abs() < 1e-3);
        assert!(missed(15, DEPTH) < 0.10 && missed(14, DEPTH) > 0.10 && missed(32, DEPTH) < 0.05);
        assert!(missed(0, 1.0) == missed(1, 1.0) && missed(1, 1.0) < 1.0);
    }

    /// One of ten slices of five figures met a stop; the sixth met none, and may have missed it.
    #[test]
    fn what_others_met_a_figure_may_have_missed() {
        let slice = |step: u32, pass: u32, ops: u64| Slice {
            target: Some(0),
            started_seconds: 5.0 * f64::from(pass),
            ..testing::slice(
                StepId(step),
                pass,
                SECOND / 10,
                (0..6).map(|window| Sample { window, span_ns: SECOND / 10, ops, ..Sample::default() }).collect(),
            )
        };
        let of = |left: u64, silent_ns: u64| {
            let ops = |step, pass| if step < 5 && pass == step + 3 { left } else { 100 };
            let all = (0..6).flat_map(|step| (0..10).map(move |pass| slice(step, pass, ops(step, pass))));
            let mut record = Record { slices: all.collect(), ..Record::default() };
            let samples = record.slices.iter_mut().flat_map(|slice| &mut slice.samples);
            samples.filter(|sample| sample.ops == 0).for_each(|sample| sample.span_ns = silent_ns);
            let plan = Plan { goal: Goal::usual(0.10, 60.0, 1), ..Plan::default() };
            Asked::with_what_others_met(&plan, &record).event_depth
        };
        let depth = |left| of(left, SECOND / 10);
        assert_eq!(depth(0), Some(1.0));
        assert!(depth(20).is_some_and(|depth| (depth - 0.8).abs() < 1e-9));
        // An OSD's bench command that ended in none of these windows.
        assert_eq!(of(0, 0), None);
        // Not deeper than what is allowed for anyway, or no event at all.
        assert_eq!((depth(60), depth(97)), (None, None));
        // What is faster now and then may be missed as well.
        assert!(depth(170).is_some_and(|depth| (depth - 0.7).abs() < 1e-9));
    }

    /// Seven figures flip between 80 and 120, each slice at one of them; an eighth was only seen at 80.
    #[test]
    fn a_figure_at_one_level_among_those_at_two_is_doubted() {
        let at = |n: u32| if n.is_multiple_of(2) { 80.0 } else { 120.0 } + f64::from(n % 3);
        let flips: Vec<f64> = (0..10).map(at).collect();
        let stays: Vec<f64> = (0..10).map(|n| 80.0 + f64::from(n % 3)).collect();
        let of = |flipping: usize, staying: usize| {
            other_level(&[vec![flips.clone(); flipping], vec![stays.clone(); staying]].concat())
        };
        assert!(of(7, 1).is_some_and(|far| (far - 0.25).abs() < 0.02), "{:?}", of(7, 1));
        assert_eq!((of(5, 0), of(6, 3), of(0, 8)), (None, None, None));
        let goal = Goal::usual(0.10, 60.0, 1);
        let asked = Asked { other_level: of(7, 1), ..Asked::alone(&goal) };
        assert_eq!(seen_at_one_level(&pooled(&stays), &asked), asked.other_level);
        assert_eq!(seen_at_one_level(&pooled(&flips), &asked), None);
    }

    #[test]
    fn what_was_met_may_come_more_or_less_often() {
        assert_eq!(met(&pooled(&[100.0; 20])), 0.0);
        let slices: Vec<f64> = (0..20).map(|n| if n % 5 == 0 { 60.0 } else { 100.0 }).collect();
        // 4 of 20: 5.7 to 43.7 %; 40 % deep, of a mean of 92.
        let off = met(&pooled(&slices));
        assert!((off - (0.4366 - 0.2) * 0.4 / 0.92).abs() < 1e-3, "{off}");
    }

    /// One long slice that found no warm-up, and short ones after starts of which nearly all overshoot.
    #[test]
    fn starts_that_differ_from_the_long_slice_are_told_and_events_are_not() {
        let slice = |windows: u32| Slice {
            target: Some(0),
            ..testing::slice(
                StepId(0),
                1,
                SECOND / 10,
                (0..windows).map(|window| Sample { window, ..Sample::default() }).collect(),
            )
        };
        let slices: Vec<Slice> = (0..14).map(|n| slice(if n == 0 { 56 } else { 9 })).collect();
        let told = |values: &dyn Fn(usize) -> f64| {
            starts_apart(&pooled(&(0..14).map(values).collect::<Vec<_>>()), &slices.iter().collect::<Vec<_>>())
        };
        let (level, starts) =
            told(&|n| if n == 0 { 113.0 } else { [181.0, 163.0, 148.0, 130.0, 160.0][n % 5] }).unwrap();
        assert!(level == 113.0 && starts > 150.0, "{level} {starts}");
        // A first slice that met a dip, as a third of the others did; and noise.
        assert_eq!(told(&|n| if n % 3 == 0 { 60.0 } else { 100.0 }), None);
        assert_eq!(told(&|n| 100.0 + (n % 4) as f64), None);
    }

    #[test]
    fn levels_that_slices_fall_into_are_two_and_noise_is_not() {
        let slices: Vec<f64> = (0..14).map(|n| if n % 3 == 0 { 80.0 } else { 120.0 } + f64::from(n % 4)).collect();
        let (low, high, share) = two_groups(&pooled(&slices)).unwrap();
        assert!(low < 84.0 && high > 119.0 && (share - 5.0 / 14.0).abs() < 1e-9);
        let mut chance = Chance(3);
        let mut noise =
            || Pooled { within: 0.01, ..pooled(&(0..14).map(|_| 100.0 + 10.0 * chance.normal()).collect::<Vec<_>>()) };
        let found = (0..500).filter(|_| two_groups(&noise()).is_some()).count();
        assert!(found <= 5, "{found} of 500");
    }
}
