//! What made a label visible: levels, falls and dips of the windows, in the figure's own unit, for a picture.

use crate::background::dips;
use crate::levels::two_levels;
use crate::series::{Ratio, rate, rates, speaks};
use crate::slice::ends;
use model::clock::SECOND;
use model::{Dip, Label, Sample, Sight, Slice, Step};

/// `slices`: the good ones of the figure, in order of time. `None`: its label is no matter of shapes, or they are not in its
/// windows.
pub fn sight(step: &Step, slices: &[&Slice], label: &Label) -> Option<Sight> {
    match label {
        Label::TwoLevels(_) => levels(step, slices),
        Label::Burst(_) => fall(step, slices),
        Label::FewEvents(_) => Some(Sight::Dips { level: level(step, slices, |_| true)?, dips: all_dips(slices) }),
        Label::Unsettled(_) => moving(step, slices.iter().find(|slice| !slice.settled)?),
        Label::Wandering(_) => {
            let means: Vec<f64> = slices.iter().map(|slice| Ratio::of(step, slice).value()).collect();
            Some(Sight::Slices { means })
        }
        _ => None,
    }
}

fn levels(step: &Step, slices: &[&Slice]) -> Option<Sight> {
    let parts: Vec<Vec<f64>> = slices.iter().map(|slice| rates(slice)).collect();
    let found = two_levels(&parts)?;
    let low = level(step, slices, |sample| rate(sample) < found.border)?;
    let high = level(step, slices, |sample| rate(sample) >= found.border)?;
    Some(Sight::TwoLevels { low, high, share_low: found.share_low })
}

/// The figure's value over the counted windows that are kept.
fn level(step: &Step, slices: &[&Slice], keep: impl Fn(&Sample) -> bool) -> Option<f64> {
    let ratios = slices.iter().map(|slice| {
        let samples: Vec<Sample> =
            slice.counted().iter().filter(|sample| speaks(sample) && keep(sample)).cloned().collect();
        Ratio::of(step, &Slice { samples, warmup: 0, ..(*slice).clone() })
    });
    let (over, under) =
        ratios.fold((0.0, 0.0), |(over, under), one| (over + one.over.iter().sum::<f64>(), under + one.weight()));
    (under > 0.0).then(|| over / under)
}

/// Where two levels, one after the other, fit the windows best.
fn fall(step: &Step, slices: &[&Slice]) -> Option<Sight> {
    let timed = |slice: &&Slice| {
        let (began, window) = (slice.started_seconds, slice.window_ns as f64 / SECOND as f64);
        let speaking = slice.counted().iter().filter(|sample| speaks(sample));
        speaking.map(|sample| (began + f64::from(sample.window) * window, rate(sample))).collect::<Vec<_>>()
    };
    let all: Vec<(f64, f64)> = slices.iter().flat_map(timed).collect();
    let (total, count) = (all.iter().map(|(_, rate)| rate).sum::<f64>(), all.len() as f64);
    let (mut sum, mut best) = (0.0, (0.0, None));
    for (index, pair) in all.windows(2).enumerate() {
        sum += pair[0].1;
        let (left, right) = ((index + 1) as f64, count - (index + 1) as f64);
        let fallen = sum / left - (total - sum) / right;
        let between = left * right * fallen * fallen;
        if fallen > 0.0 && between > best.0 {
            best = (between, Some(pair[1].0));
        }
    }
    let at = best.1?;
    let part = |before: bool| {
        let cut = |slice: &&Slice| {
            let window = slice.window_ns as f64 / SECOND as f64;
            let mine = |sample: &&Sample| (slice.started_seconds + f64::from(sample.window) * window < at) == before;
            Slice { samples: slice.counted().iter().filter(mine).cloned().collect(), warmup: 0, ..(**slice).clone() }
        };
        let cut: Vec<Slice> = slices.iter().map(cut).collect();
        level(step, &cut.iter().collect::<Vec<_>>(), |_| true)
    };
    Some(Sight::Fall { before: part(true)?, after: part(false)?, at })
}

fn all_dips(slices: &[&Slice]) -> Vec<Dip> {
    let of = |slice: &&Slice| {
        dips(slice).into_iter().map(|(from, to)| Dip { pass: slice.pass, from, to }).collect::<Vec<_>>()
    };
    slices.iter().flat_map(of).collect()
}

/// The levels that are compared to see whether a slice has settled.
fn moving(step: &Step, slice: &Slice) -> Option<Sight> {
    let speaking: Vec<Sample> = slice.counted().iter().filter(|sample| speaks(sample)).cloned().collect();
    let indices: Vec<f64> = (0..speaking.len()).map(|index| index as f64).collect();
    let (first, last) = ends(&indices);
    let part = |some: &[f64]| {
        let (from, to) = (*some.first()? as usize, *some.last()? as usize);
        let samples = speaking.get(from..=to)?.to_vec();
        level(step, &[&Slice { samples, warmup: 0, ..slice.clone() }], |_| true)
    };
    Some(Sight::Moving { pass: slice.pass, from: part(first)?, to: part(last)? })
}
