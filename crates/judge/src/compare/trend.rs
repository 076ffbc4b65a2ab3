//! Every figure of the newest run over the runs before it: its levels, and what the newest value says.

use super::figures::Figures;
use super::history::levels;
use super::pairs::Measured;
use super::significance::LEAST_SHOWN;
use crate::batch_means::t_quantile;
use crate::series::{mean, sample_sd};
use model::{FigureKey, Finds, Level, Trend, TrendPoint};

/// A level must have at least this many runs before a new value is judged by it.
const RUNS_LEAST: usize = 3;

/// `runs`: name and figures of each, in order of time. One trend for each figure of the last that earlier runs have, too.
pub fn trends(runs: &[(String, Vec<Measured>)]) -> Vec<Trend> {
    let Some((_, newest)) = runs.last() else { return Vec::new() };
    let by_run: Vec<(&str, Figures<&Measured>)> = runs
        .iter()
        .map(|(run, figures)| (run.as_str(), Figures::of(figures.iter().map(|one| (&one.figure, one)))))
        .collect();
    newest.iter().filter_map(|one| trend(one, &by_run)).collect()
}

fn trend(one: &Measured, runs: &[(&str, Figures<&Measured>)]) -> Option<Trend> {
    let like = |(run, figures): &(&str, Figures<&Measured>)| {
        let found = figures.like(&one.figure)?;
        Some(TrendPoint { run: run.to_string(), estimate: found.estimate })
    };
    let points: Vec<TrendPoint> = runs.iter().filter_map(like).filter(|point| point.estimate.value > 0.0).collect();
    if points.len() < 2 {
        return None;
    }
    let values: Vec<f64> = points.iter().map(|point| point.estimate.value).collect();
    let levels = levels(&values);
    let (change, certain) = newest_change(&values, &levels);
    let worse = if one.figure.metric.lower_is_better() { change > 0.0 } else { change < 0.0 };
    let finds = match (certain, worse) {
        (Some(true), true) => Finds::Worse,
        (Some(true), false) => Finds::Better,
        (Some(false), _) => Finds::Same,
        (None, _) => Finds::Undecided,
    };
    Some(Trend { figure: FigureKey::of(&one.figure), points, levels, finds, change })
}

/// The change as a share, and whether it is one; `None`: too few runs to tell.
///
/// A newest run that is off its own level tells more than that the level is another than the one before.
fn newest_change(values: &[f64], levels: &[Level]) -> (f64, Option<bool>) {
    let begins = levels.last().map_or(0, |level| level.begins);
    let alone = off_its_level(&values[begins..]);
    match levels {
        [.., before, now] if alone.1 != Some(true) => (now.estimate.value / before.estimate.value - 1.0, Some(true)),
        _ => alone,
    }
}

/// The last of a level's runs against the others of it: outside of their 95 % prediction interval?
fn off_its_level(values: &[f64]) -> (f64, Option<bool>) {
    let Some((newest, before)) = values.split_last() else { return (0.0, None) };
    let logs: Vec<f64> = before.iter().map(|value| value.ln()).collect();
    let off = newest.ln() - mean(&logs);
    if logs.len() < RUNS_LEAST {
        return (off.exp_m1(), None);
    }
    let count = logs.len() as f64;
    let reach = t_quantile(count - 1.0) * sample_sd(&logs) * (1.0 + 1.0 / count).sqrt();
    (off.exp_m1(), Some(off.abs() > reach && off.abs() >= LEAST_SHOWN.ln_1p()))
}
