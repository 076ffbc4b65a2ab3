//! Which label a figure gets, and the sentence that says why. One label: the one that explains most.

use crate::batch_means::WINDOWS_FOR_BATCHES;
use crate::effort::limited;
use crate::in_flight::in_flight;
use crate::levels::{Dips, OPERATIONS_A_WINDOW, dips, two_levels};
use crate::pooled::Pooled;
use crate::series::{mean, median, rates};
use crate::slice::{ends, settled};
use crate::unseen::{Asked, missed, seen_at_one_level, starts_apart, stretch_seconds, trend, two_groups, unseen};
use crate::words::{count, number, percent, quantity, seconds, volume};
use model::clock::SECOND;
use model::{Goal, Label, Metric, OpClass, Sample, Slice, Sparse, Step, Unseen};

/// An open loop is kept up with if no more than this share of what is due is left undone, chance apart.
pub const KEPT: f64 = 0.02;
/// The generator's own lateness over the response time, both p99, that still counts as the target's (docs/method.md, "Open
/// loop").
const LATE_MOST: f64 = 0.10;
/// A fall of this share ends what a cache could hide.
const CLIFF: f64 = 0.20;
/// Between-slice variance beyond this multiple of the inside's, and a spread beyond this share, is wandering.
const WANDERING_RATIO: f64 = 4.0;
const WANDERING_SPREAD: f64 = 0.03;
/// Where slices are short, this many of them have to stay down for a fall: fewer may be a pause.
const STAYS_DOWN: usize = 3;
/// A shorter stretch of time says little of a longer one: what wanders over minutes does not show in it.
pub(crate) const STRETCH_SECONDS: f64 = 300.0;
/// At least this many dips are needed to know how often they come.
const DIPS_ENOUGH: usize = 4;
/// Seconds at the end of a slice without an operation that ended, and as many times the usual distance of two: it stood still. At fifty times
/// that is no chance (e⁻⁵⁰, were they independent).
const STILL: f64 = 1.0;
const STILL_TIMES: f64 = 50.0;

/// Up to this share of short slices need not have settled: each is a moment among others then, and what it differs by is in the
/// interval.
const UNSETTLED_MOST: f64 = 0.2;

/// To the end of the slice nothing ended any more: that is no level to which a write fell, and what was in flight is in no window.
fn stood_still(slice: &Slice) -> Option<String> {
    let silent = slice.samples.iter().rev().take_while(|sample| sample.ops == 0).count();
    let (ended, window) = (slice.samples.len() - silent, slice.window_ns as f64 / SECOND as f64);
    let operations: u64 = slice.samples.iter().map(|sample| sample.ops).sum();
    let (lasted, usual) = (silent as f64 * window, ended as f64 * window / operations.max(1) as f64);
    (lasted >= STILL && lasted >= STILL_TIMES * usual).then(|| {
        format!(
            "nothing ended in the last {} of pass {}, in which operations were in flight: what held them up is in no figure",
            seconds(lasted),
            slice.pass
        )
    })
}

/// Did they settle, but for a few among many?
pub fn settle_mostly(slices: &[&Slice], goal: &Goal) -> bool {
    let moved = slices.iter().filter(|slice| !slice.settled).count();
    moved == 0 || (goal.short.is_some() && moved as f64 <= UNSETTLED_MOST * slices.len() as f64)
}

/// A figure about to be labelled: its good slices in order of time.
pub struct LabelCase<'a> {
    pub step: &'a Step,
    pub kind: OpClass,
    pub slices: &'a [&'a Slice],
    /// Slices of it that are void.
    pub void: &'a [&'a Slice],
    pub pooled: &'a Pooled,
    pub asked: &'a Asked<'a>,
}

impl LabelCase<'_> {
    pub fn label(&self) -> Label {
        let rates: Vec<Vec<f64>> = self.slices.iter().map(|slice| rates(slice)).collect();
        self.partly_void()
            .or_else(|| in_flight(self.step, self.slices).map(|open| Label::Unsettled(open.says())))
            .or_else(|| self.behind())
            .or_else(|| self.late())
            .or_else(|| limited(self.step, self.slices))
            .or_else(|| self.burst(&rates))
            .or_else(|| self.unsettled(&rates))
            .or_else(|| self.starts_apart())
            .or_else(|| self.two_groups())
            .or_else(|| self.two_levels(&rates))
            .or_else(|| self.moving())
            .or_else(|| self.wandering())
            .or_else(|| self.at_one_level())
            .or_else(|| self.few_events(&rates))
            .or_else(|| self.imprecise())
            .or_else(|| self.brief())
            .unwrap_or(Label::Settled)
    }

    fn open_loop(&self) -> bool {
        self.step.workload.rate.is_some()
    }

    /// A level as it is spoken of: in the figure's own unit. In an open loop levels are those of response times.
    fn level(&self, rate: f64) -> String {
        let counted = || self.slices.iter().flat_map(|slice| slice.counted());
        let all = |of: fn(&Sample) -> u64| counted().map(of).sum::<u64>() as f64;
        let operations = || all(|sample| sample.ops);
        let value = match self.step.metric {
            _ if self.open_loop() => 1e3 / rate,
            Metric::Iops => rate,
            Metric::Bandwidth => rate * all(|sample| sample.bytes) / operations() / 1e6,
            // As many are in flight at every level (Little's law).
            Metric::LatencyMean | Metric::Rtt => {
                let overall = operations() * SECOND as f64 / all(|sample| sample.span_ns);
                self.pooled.value * overall / rate
            }
        };
        quantity(value, self.step.metric)
    }

    /// An open loop that is not kept up with: what is due waits, and the longer it is measured, the longer it waits.
    fn behind(&self) -> Option<Label> {
        let workload = &self.step.workload;
        let share = f64::from(workload.mix.percent(self.kind)) / 100.0;
        // A figure of all targets together has the rate of each.
        let targets =
            self.slices.first().map_or(1, |slice| if slice.target.is_none() { self.step.targets.len() } else { 1 });
        let asked = workload.rate?.asked()? * share * targets as f64;
        let counted = || self.slices.iter().flat_map(|slice| slice.counted());
        let operations: u64 = counted().map(|sample| sample.ops).sum();
        let done = operations as f64 * SECOND as f64 / counted().map(|sample| sample.span_ns).sum::<u64>() as f64;
        // Chance alone: the count of a Poisson process.
        let chance = 3.0 * (operations as f64).sqrt() / operations as f64;
        (done < asked * (1.0 - KEPT - chance)).then(|| {
            Label::Unsettled(format!(
                "of {} operations a second that were due only {} were done: what is due waits, and the response time \
                 grows as long as it is measured",
                number(asked),
                number(done)
            ))
        })
    }

    /// Operations that were due, and had room, waited for this program: part of their response time is its own.
    fn late(&self) -> Option<Label> {
        let all = |times: fn(&Sample) -> &Sparse| {
            Sparse::merged(self.slices.iter().flat_map(|slice| slice.counted()).map(times)).quantile_ns(0.99)
        };
        let late = self.slices.iter().flat_map(|slice| slice.counted()).filter_map(|sample| sample.late.as_ref());
        let (late, response) = (Sparse::merged(late).quantile_ns(0.99)?, all(Sample::response_time)?);
        (late > LATE_MOST * response).then(|| {
            Label::GeneratorLimited(format!(
                "operations started up to {} ms (p99) after they were due, of a response time of {} ms (p99): \
                 the load generator had no processor in time",
                number(late / 1e6),
                number(response / 1e6)
            ))
        })
    }

    fn partly_void(&self) -> Option<Label> {
        let first = self.void.first()?;
        let why = crate::figure::void_reason(first)?;
        Some(Label::Unsettled(format!("pass {} gave nothing ({why}); the value is from the other passes", first.pass)))
    }

    /// A write that fell and stayed down: what it measured before was a cache.
    fn burst(&self, rates: &[Vec<f64>]) -> Option<Label> {
        // A network keeps nothing, and what has no content fills nothing.
        if !self.kind.changes() || !self.kind.moves_bytes() || self.step.layer.of_links() {
            return None;
        }
        let means: Vec<f64> = self.slices.iter().map(|slice| overall_rate(slice)).collect();
        let inside = |at: &usize| !self.slices[*at].settled && self.falls_inside(*at, &rates[*at], &means);
        if let Some(at) = (0..means.len()).find(inside) {
            if let Some(still) = stood_still(self.slices[at]) {
                return Some(Label::Unsettled(still));
            }
            let volume = volume(self.written_before(at) + written(self.slices[at]) / 2);
            let text = format!(
                "fell by more than {} within pass {}, after about {volume} were written: the value mixes both",
                percent(CLIFF),
                self.slices[at].pass
            );
            return Some(Label::Burst(text));
        }
        let stays = if self.asked.goal.short.is_some() && means.len() > STAYS_DOWN { STAYS_DOWN } else { 1 };
        let at = (1..=means.len().saturating_sub(stays)).find(|at| fallen(&means[..*at], &means[*at..]))?;
        let beyond_noise = self.pooled.between > WANDERING_RATIO * self.pooled.within;
        let text = format!(
            "fell by {} from pass {} to pass {}, after {} were written: the value mixes both",
            percent(1.0 - means[at] / means[at - 1]),
            self.slices[at - 1].pass,
            self.slices[at].pass,
            volume(self.written_before(at)),
        );
        beyond_noise.then_some(Label::Burst(text))
    }

    /// Everything before the middle of this slice lies above everything after it.
    fn falls_inside(&self, at: usize, rates: &[f64], means: &[f64]) -> bool {
        let (first, last) = ends(rates);
        let before = [&means[..at], &[median(first)]].concat();
        let after = [&[median(last)], &means[at + 1..]].concat();
        fallen(&before, &after)
    }

    fn written_before(&self, index: usize) -> u64 {
        self.slices[..index].iter().map(|slice| written(slice)).sum()
    }

    fn unsettled(&self, rates: &[Vec<f64>]) -> Option<Label> {
        if settle_mostly(self.slices, self.asked.goal) {
            return None;
        }
        let (index, series) = rates.iter().enumerate().find(|(index, _)| !self.slices[*index].settled)?;
        let slice = self.slices[index];
        let (pass, spent) = (slice.pass, seconds(slice.seconds()));
        if settled(series) {
            let front = f64::from(slice.warmup) * slice.window_ns as f64 / SECOND as f64;
            let why = match slice.warmup {
                0 => format!("only {} in which something ended", count(series.len(), "window", "windows")),
                _ => format!("the first {} still looked like warm-up", seconds(front)),
            };
            return Some(Label::Unsettled(format!("pass {pass} found no steady level in {spent}: {why}")));
        }
        let (first, last) = ends(series);
        Some(Label::Unsettled(format!(
            "the level still moved after {spent} of pass {pass}: from {} to {}",
            self.level(median(first)),
            self.level(median(last)),
        )))
    }

    /// The load is not after each start what it was in its long slices.
    fn starts_apart(&self) -> Option<Label> {
        let (level, starts) = starts_apart(self.pooled, self.slices).filter(|_| self.asked.goal.short.is_some())?;
        Some(Label::Unsettled(format!(
            "nearly all short slices are {} its long ones ({} and {}): it may need a warm-up after some starts",
            if starts > level { "above" } else { "below" },
            number(starts),
            quantity(level, self.step.metric),
        )))
    }

    /// Only where it costs precision: a fast flip between two levels has a well-known mean.
    fn two_levels(&self, rates: &[Vec<f64>]) -> Option<Label> {
        if precise(self.pooled, self.asked.goal) || self.grainy() {
            return None;
        }
        let found = two_levels(rates)?;
        Some(Label::TwoLevels(format!(
            "alternates between {} ({} of the time) and {}",
            self.level(found.low),
            percent(found.share_low),
            self.level(found.high),
        )))
    }

    /// Short slices that are at one level or at another: they are too few to tell how often at which.
    fn two_groups(&self) -> Option<Label> {
        let (low, high, share) =
            two_groups(self.pooled).filter(|_| self.asked.goal.short.is_some() && !self.grainy())?;
        Some(Label::TwoLevels(format!(
            "alternates between about {} ({} of {}) and {}",
            number(low),
            percent(share),
            count(self.slices.len(), "slice", "slices"),
            quantity(high, self.step.metric),
        )))
    }

    /// All its slices lie at one level where those of nearly all other figures lie at two.
    fn at_one_level(&self) -> Option<Label> {
        let far = seen_at_one_level(self.pooled, self.asked)?;
        Some(Label::TwoLevels(format!(
            "nearly all other figures of this run alternate between two levels; this one was seen at one of them, and its mean over a longer \
             time may be {} off",
            percent(far),
        )))
    }

    /// A level that moves from the first slice to the last.
    fn moving(&self) -> Option<Label> {
        let moved = trend(self.pooled, self.slices).filter(|_| self.asked.goal.short.is_some())?;
        Some(Label::Wandering(format!(
            "{} by {} in {}: the value is the mean of that time",
            if moved > 0.0 { "rose" } else { "fell" },
            percent(moved.abs()),
            seconds(stretch_seconds(self.slices)),
        )))
    }

    fn wandering(&self) -> Option<Label> {
        if self.asked.goal.short.is_some() && precise(self.pooled, self.asked.goal) {
            return None;
        }
        let spread = self.pooled.between.sqrt();
        let wanders = self.slices.len() > 1
            && self.pooled.between > WANDERING_RATIO * self.pooled.within
            && spread > WANDERING_SPREAD;
        let low = self.pooled.slices.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.pooled.slices.iter().copied().fold(0.0, f64::max);
        wanders.then(|| {
            Label::Wandering(format!(
                "differs from pass to pass by {} (sd), from {} to {}, more than the inside of the passes explains",
                percent(spread),
                number(low),
                quantity(high, self.step.metric),
            ))
        })
    }

    fn few_events(&self, rates: &[Vec<f64>]) -> Option<Label> {
        // In an open loop a dip takes no operations away: they are done later, and their response times tell of it.
        if self.grainy()
            || self.open_loop()
            || (self.asked.goal.short.is_some() && precise(self.pooled, self.asked.goal))
        {
            return None;
        }
        let per_second = |slice: &Slice| (SECOND / slice.window_ns.max(1)).max(1) as usize;
        let each = rates.iter().zip(self.slices).map(|(series, slice)| dips(series, per_second(slice)));
        let all = each.fold(Dips::default(), |a, b| Dips { count: a.count + b.count, lost: a.lost + b.lost });
        let lost = all.lost / rates.iter().flatten().sum::<f64>();
        (all.count > 0 && all.count < DIPS_ENOUGH && lost > self.asked.goal.settle / 3.0).then(|| {
            Label::FewEvents(format!(
                "{} took {} of the operations; fewer than {DIPS_ENOUGH} say little on how often they come",
                count(all.count, "dip", "dips"),
                percent(lost),
            ))
        })
    }

    fn imprecise(&self) -> Option<Label> {
        let relative = self.pooled.relative();
        let few = self.pooled.windows < WINDOWS_FOR_BATCHES;
        // In a run for verdicts or for the highest rate no precision was asked for.
        let wide = !precise(self.pooled, self.asked.goal) && self.asked.experiment.asks_how_much();
        if !wide && !few {
            return None;
        }
        let spent: f64 = self.slices.iter().map(|slice| slice.seconds()).sum();
        let passes = count(self.slices.len(), "pass", "passes");
        // As it is shown: a figure whose interval is as wide as itself is none.
        let unknown = if relative >= 0.995 { "not known in this time: " } else { "" };
        let mut text = format!("{unknown}±{} after {passes} ({})", percent(relative), seconds(spent));
        if wide {
            text += &format!("; ±{} was asked for", percent(self.asked.goal.settle));
        }
        if few {
            text += &format!("; only {} windows with operations", self.pooled.windows);
        }
        if let Some(needed) = self.seconds_needed(spent) {
            text += &format!("; at so few operations a second it takes {}", seconds(needed));
        }
        Some(Label::Imprecise(text))
    }

    /// It is as precise as was asked for, of a time that says little of others.
    fn brief(&self) -> Option<Label> {
        if !self.asked.experiment.asks_how_much() {
            return None;
        }
        let seen = unseen(self.slices, self.asked);
        let short = self.asked.goal.short.is_some() && seen.stretch_seconds < STRETCH_SECONDS;
        let few =
            self.asked.goal.short.is_none() && missed(seen.looks, self.asked.event_depth()) > self.asked.goal.settle;
        (short || few).then(|| Label::Brief(says(&seen)))
    }

    /// Where chance alone, the count of operations, forbids the goal in the time spent.
    fn seconds_needed(&self, spent: f64) -> Option<f64> {
        let rate = mean(&self.slices.iter().map(|slice| overall_rate(slice)).collect::<Vec<_>>());
        let needed = 1.96f64.powi(2) / (self.asked.goal.settle.powi(2) * rate);
        let counts = matches!(self.step.metric, Metric::Iops | Metric::Bandwidth);
        (counts && needed.is_finite() && needed > spent).then_some(needed)
    }

    fn grainy(&self) -> bool {
        let counted = || self.slices.iter().flat_map(|slice| slice.counted());
        let operations: u64 = counted().map(|sample| sample.ops).sum();
        (operations as f64) < OPERATIONS_A_WINDOW * counted().filter(|sample| sample.span_ns > 0).count() as f64
    }
}

/// Of which time a figure speaks, and what it says little of.
fn says(seen: &Unseen) -> String {
    format!(
        "speaks of {}; slower events that come less often than once in {} may have been missed; if they take {} of it while they last, they could take up to {} of the whole",
        seconds(seen.stretch_seconds),
        seconds(seen.rarer_than_seconds),
        percent(seen.depth()),
        percent(seen.share)
    )
}

/// Is the interval as narrow as was asked for? It may be exactly so.
pub fn precise(pooled: &Pooled, goal: &Goal) -> bool {
    pooled.relative() <= goal.settle * (1.0 + 1e-9)
}

/// Does all that comes after lie a cliff below all that came before?
fn fallen(before: &[f64], after: &[f64]) -> bool {
    let lowest = before.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = after.iter().copied().fold(0.0, f64::max);
    highest < lowest * (1.0 - CLIFF)
}

fn written(slice: &Slice) -> u64 {
    slice.samples.iter().map(|sample| sample.bytes).sum()
}

/// Operations per second over all counted windows.
pub fn overall_rate(slice: &Slice) -> f64 {
    let operations: u64 = slice.counted().iter().map(|sample| sample.ops).sum();
    let span: u64 = slice.counted().iter().map(|sample| sample.span_ns).sum();
    if span == 0 { 0.0 } else { operations as f64 * SECOND as f64 / span as f64 }
}
