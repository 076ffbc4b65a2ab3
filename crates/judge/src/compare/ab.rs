//! A against B inside one run: pair by pair, so that what drifts for both is no difference.

use super::moderated::Prior;
use super::sides::RUN_SPREAD;
use super::significance::{LEAST_SHOWN, Test, finds, judged};
use crate::batch_means::t_quantile;
use crate::entry::{Entry, entries, spread};
use crate::figure::void_reason;
use crate::outliers::{FALSE_SHARE, benjamini_hochberg};
use crate::pooled::FLOOR;
use crate::series::{Ratio, mean, median, sample_sd};
use model::{Ab, AbFound, Comparison, Difference, Estimate, FigureKey, Record, Slice, StepId};
use std::collections::BTreeMap;

/// Blocks of two passes: of fewer a busy machine makes a finding of nothing.
const BLOCKS_LEAST: f64 = Ab::PAIRS_LEAST as f64 / 2.0;

/// One figure on both sides: the logarithms of both values of every pass that has both.
struct Paired<'a> {
    a: &'a Entry<'a>,
    b: &'a Entry<'a>,
    logs: Vec<(f64, f64)>,
    /// The same of every block of two passes.
    block_logs: Vec<(f64, f64)>,
    /// By two passes each, which turn the order round: the mean of log B − log A. What comes and goes with the rhythm of slices is the
    /// same in both passes of such a block, and differs from block to block, since a block's first side is drawn by lot.
    blocks: Vec<f64>,
}

/// Empty differences: nothing was measured on both sides yet.
pub fn ab(record: &Record, plan: &Ab) -> AbFound {
    let all = entries(record);
    let paired = all_pairs(plan, &all);
    let (prior, tests) = tested(&paired);
    let real = benjamini_hochberg(&tests.iter().map(|test| test.chance).collect::<Vec<_>>(), FALSE_SHARE);
    let seen = |one: &Paired| one.block_count() >= BLOCKS_LEAST;
    let differences =
        paired.iter().zip(&tests).zip(real).map(|((one, test), real)| difference(one, &prior, test, real && seen(one)));
    let widths: Vec<f64> = tests.iter().map(Test::half_width).collect();
    let apart: Vec<f64> = paired.iter().map(|one| one.apart(&prior)).collect();
    AbFound {
        what: plan.what.clone(),
        a: plan.a.clone(),
        b: plan.b.clone(),
        restarts: plan.restarts.clone(),
        permanent: plan.permanent.clone(),
        comparison: Comparison { differences: differences.collect(), ..Comparison::default() },
        pairs: paired.iter().map(|one| one.logs.len()).max().unwrap_or(0) as u32,
        half_width: median(&widths),
        apart: median(&apart),
    }
}

/// The widest half-width among the changes of the cell that has this step, as a logarithm; `None`: no A/B run, or nothing of
/// the cell was measured on both sides yet.
pub fn ab_half_width(record: &Record, step: StepId) -> Option<f64> {
    let plan = record.plan.experiment.pair()?;
    let (a, _) = plan.pairs.iter().find(|(a, b)| *a == step || *b == step)?;
    let all = entries(record);
    let paired = all_pairs(plan, &all);
    let (_, tests) = tested(&paired);
    let of_cell = paired.iter().zip(&tests).filter(|(one, _)| one.a.step.id == *a);
    of_cell.map(|(_, test)| test.half_width()).max_by(f64::total_cmp)
}

fn all_pairs<'a>(plan: &Ab, all: &'a [Entry<'a>]) -> Vec<Paired<'a>> {
    plan.pairs.iter().flat_map(|(a, b)| pairs_of(all, *a, *b)).collect()
}

/// What the spreads of all figures teach about each of them, and each one's change.
fn tested(paired: &[Paired]) -> (Prior, Vec<Test>) {
    // Two differences of two slices each: a block varies as one slice does, which is what the prior speaks of.
    let variances: Vec<(f64, f64)> = paired.iter().map(Paired::variance).collect();
    let prior = Prior::learn(&variances);
    let test = |(one, (variance, freedom)): (&Paired, &(f64, f64))| {
        let (variance, freedom) = prior.moderate(*variance, freedom.max(0.0));
        let wide = one.by_one_slice_each() / t_quantile(freedom);
        judged(one.by(), (variance / one.block_count()).sqrt().max(wide), freedom)
    };
    let tests = paired.iter().zip(&variances).map(test).collect();
    (prior, tests)
}

fn pairs_of<'a>(all: &'a [Entry<'a>], a: StepId, b: StepId) -> Vec<Paired<'a>> {
    let of = |step: StepId| all.iter().filter(move |entry| entry.step.id == step && entry.usable().is_some());
    let like = |one: &'a Entry<'a>| {
        let other = of(b).find(|other| (other.target, other.figure.kind) == (one.target, one.figure.kind))?;
        let of_passes: Vec<(u32, (f64, f64))> =
            one.slices.iter().filter_map(|slice| Some((slice.pass, both(one, other, slice)?))).collect();
        let logs: Vec<(f64, f64)> = of_passes.iter().map(|(_, logs)| *logs).collect();
        let block_logs = block_logs(&of_passes);
        let blocks = block_logs.iter().map(|(a, b)| b - a).collect();
        (!logs.is_empty()).then_some(Paired { a: one, b: other, logs, block_logs, blocks })
    };
    of(a).filter_map(like).collect()
}

/// The means over passes 1 and 2, 3 and 4, …; of a block that has only one of them, that one.
fn block_logs(of_passes: &[(u32, (f64, f64))]) -> Vec<(f64, f64)> {
    let mut by_block: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
    for (pass, logs) in of_passes {
        by_block.entry(pass.div_ceil(2)).or_default().push(*logs);
    }
    let of = |side: fn(&(f64, f64)) -> f64, logs: &[(f64, f64)]| mean(&logs.iter().map(side).collect::<Vec<_>>());
    by_block.values().map(|logs| (of(|log| log.0, logs), of(|log| log.1, logs))).collect()
}

/// Of a block, with its degrees of freedom. Of only one block that of its two pairs, each of which varies as two slices do.
fn variance(logs: &[(f64, f64)], blocks: &[f64]) -> (f64, f64) {
    if blocks.len() > 1 {
        return (sample_sd(blocks).powi(2), blocks.len() as f64 - 1.0);
    }
    let pairs: Vec<f64> = logs.iter().map(|(a, b)| b - a).collect();
    (sample_sd(&pairs).powi(2) / 2.0, pairs.len() as f64 - 1.0)
}

/// The values of both sides in the pass of this slice of A.
fn both(a: &Entry, b: &Entry, slice: &Slice) -> Option<(f64, f64)> {
    let other = b.slices.iter().find(|other| other.pass == slice.pass)?;
    let log = |entry: &Entry, slice: &Slice| {
        let log = Ratio::of(entry.step, slice).value().ln();
        (void_reason(slice).is_none() && log.is_finite()).then_some(log)
    };
    Some((log(a, slice)?, log(b, other)?))
}

impl Paired<'_> {
    fn count(&self) -> f64 {
        self.logs.len() as f64
    }

    fn block_count(&self) -> f64 {
        self.blocks.len() as f64
    }

    fn by(&self) -> f64 {
        mean(&self.blocks)
    }

    fn variance(&self) -> (f64, f64) {
        variance(&self.logs, &self.blocks)
    }

    /// Of a single pair the change's least half-width (logarithm), by the intervals of its two slices: what slices differ by nobody has
    /// seen yet. Zero: there are more pairs, whose differences tell.
    fn by_one_slice_each(&self) -> f64 {
        if self.logs.len() > 1 { 0.0 } else { by_one_slice(self.a).hypot(by_one_slice(self.b)) }
    }

    /// One side, by its slices in the pairs: the geometric mean over the blocks, so that the change is that of both values.
    fn value(&self, entry: &Entry, side: fn(&(f64, f64)) -> f64, prior: &Prior) -> Estimate {
        let logs: Vec<f64> = self.logs.iter().map(side).collect();
        let value = mean(&self.block_logs.iter().map(side).collect::<Vec<_>>()).exp();
        let (variance, freedom) = prior.moderate(sample_sd(&logs).powi(2), self.count() - 1.0);
        let own = if logs.len() > 1 { 0.0 } else { by_one_slice(entry) };
        let wide = (t_quantile(freedom) * (variance / self.count()).sqrt()).max(own).max(FLOOR);
        Estimate { value, low: value / wide.exp(), high: value * wide.exp() }
    }

    /// Half-width of the change if the slices of A and of B were those of two runs: what drifts between them stays in, and
    /// so does what two runs differ by.
    fn apart(&self, prior: &Prior) -> f64 {
        let side = |of: fn(&(f64, f64)) -> f64| sample_sd(&self.logs.iter().map(of).collect::<Vec<_>>()).powi(2);
        let freedom = 2.0 * (self.count() - 1.0);
        let (variance, freedom) = prior.moderate((side(|log| log.0) + side(|log| log.1)) / 2.0, freedom);
        judged(0.0, (2.0 * variance / self.count() + 2.0 * RUN_SPREAD.powi(2)).sqrt(), freedom).half_width()
    }
}

/// Half-width (logarithm) of a figure of one slice.
fn by_one_slice(entry: &Entry) -> f64 {
    entry.figure.estimate.map_or(0.0, |known| (spread(&known) / known.value).ln_1p())
}

/// What is the same of both targets, where they differ by what is varied: the pool with the data, or a placement. Else A's.
fn both_sides(a: &str, b: &str) -> String {
    let whole = |target: &str| {
        let kept = [" (placement ", ", data in "].iter().find_map(|from| Some(target.split_once(from)?.0));
        let kept = kept.unwrap_or(target);
        let open = kept.matches('(').count() > kept.matches(')').count();
        format!("{kept}{}", if open { ")" } else { "" })
    };
    if a != b && whole(a) == whole(b) { whole(a) } else { a.to_string() }
}

fn difference(one: &Paired, prior: &Prior, test: &Test, real: bool) -> Difference {
    let figure =
        FigureKey { target: both_sides(&one.a.figure.target, &one.b.figure.target), ..FigureKey::of(&one.a.figure) };
    Difference {
        figure,
        before: one.value(one.a, |logs| logs.0, prior),
        after: one.value(one.b, |logs| logs.1, prior),
        before_known: true,
        after_known: true,
        change: test.change(),
        finds: finds(test, real, one.a.figure.metric, LEAST_SHOWN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a recorded run: B took 3.22 times as long in the first pass, and 2.22 times in the second.
    #[test]
    fn an_interval_of_two_pairs_holds_both() {
        let logs = [(1.956f64, 6.306f64), (3.976, 8.840)].map(|(a, b)| (a.ln(), b.ln()));
        let pairs = logs.map(|(a, b)| b - a);
        let block = mean(&pairs);
        let known = variance(&logs, &[block]);
        assert_eq!(known.1, 1.0);
        let (moderated, freedom) = Prior::learn(&[known]).moderate(known.0, known.1);
        let wide = judged(block, moderated.sqrt(), freedom).half_width();
        assert!(pairs.iter().all(|pair| (pair - block).abs() < wide), "{pairs:?}: {block} ± {wide}");
        assert_eq!(variance(&logs[..1], &pairs[..1]).1, 0.0);
    }

    #[test]
    fn a_target_is_called_by_what_both_sides_share() {
        let files = ["cephfs (libcephfs, data in a)", "cephfs (libcephfs, data in b)"];
        assert_eq!(both_sides(files[0], files[1]), "cephfs (libcephfs)");
        assert_eq!(both_sides("pool vms", "pool vms, data in ec"), "pool vms");
        assert_eq!(both_sides("gateway a:80 (placement x)", "gateway a:80 (placement y)"), "gateway a:80");
        assert_eq!(both_sides("pool fast", "pool slow"), "pool fast");
        assert_eq!(both_sides(files[0], files[0]), files[0]);
    }
}
