//! Stands in for the engines: windows come from a series, and time passes only on the simulated clock.

use crate::coverage::latency;
use crate::coverage::trial::Seeds;
use agents::loader::Loader;
use engines::EngineError;
use engines::clock::SimClock;
use engines::crew::Flow;
use model::clock::SECOND;
use model::{Bytes, Clock, Nanos, OpClass, Sample, SliceEnd, Sparse, Step, WindowSet};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::cell::RefCell;
use std::sync::Arc;

/// What the load meets.
pub trait SeriesSource {
    /// Operations per 100 ms from now on. `slice`: how often the load has begun before; `second`: since the first time.
    fn rates(&mut self, slice: u32, second: f64) -> Vec<f64>;

    /// The latencies of the operations of a window; `at`: its place in what [`Source::rates`] gave.
    fn latencies(&mut self, ops: u64, at: usize) -> Sparse;
}

/// What lies between two slices of a figure.
#[derive(Clone, Copy, Debug)]
pub enum Pause {
    /// On average: other steps have their turns before it, sooner or later.
    Seconds(f64),
    /// The slices of as many other figures, half of them of reads; in another order in each pass.
    Figures(u32),
}

/// The mean of a first slice of reads and one of writes, which need no warm-up.
const OTHERS_SECONDS: f64 = 7.9;
/// Opening and closing the sessions of a slice.
const BETWEEN_SECONDS: f64 = 0.15;

pub struct Replay<S> {
    clock: Arc<SimClock>,
    source: RefCell<S>,
    slices: RefCell<u32>,
    began: Nanos,
    pause: Pause,
    /// The slice before: how long it was, and where in its pass it had its turn.
    before: RefCell<(Nanos, f64)>,
    lot: RefCell<StdRng>,
}

impl<S: SeriesSource> Replay<S> {
    pub fn new(clock: Arc<SimClock>, source: S, pause: Pause, seed: u64) -> Replay<S> {
        let began = clock.now();
        let (before, lot) = (RefCell::new((0, 0.5)), RefCell::new(StdRng::seed_from_u64(seed ^ 1 << 59)));
        Replay { clock, source: RefCell::new(source), slices: RefCell::new(0), began, pause, before, lot }
    }

    /// Until the figure's next turn.
    fn pause(&self) -> Nanos {
        let (length, place) = *self.before.borrow();
        let seconds = match self.pause {
            Pause::Seconds(seconds) => seconds * (0.5 + self.lot.borrow_mut().random::<f64>()),
            Pause::Figures(figures) => {
                let each = (length as f64 / SECOND as f64).min(OTHERS_SECONDS) + BETWEEN_SECONDS;
                let next: f64 = self.lot.borrow_mut().random();
                self.before.borrow_mut().1 = next;
                f64::from(figures) * each * (1.0 - place + next)
            }
        };
        (seconds * SECOND as f64) as Nanos
    }

    /// How often a load was begun.
    pub fn slices(&self) -> u32 {
        *self.slices.borrow()
    }
}

impl<S: SeriesSource> Loader for Replay<S> {
    fn load(
        &self,
        (step, _): (&Step, Option<Bytes>),
        window_ns: Nanos,
        _: &mut dyn FnMut(),
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        let mut slices = self.slices.borrow_mut();
        if *slices > 0 {
            self.clock.wait_until(self.clock.now() + self.pause());
        }
        let mut source = self.source.borrow_mut();
        let rates = source.rates(*slices, (self.clock.now() - self.began) as f64 / SECOND as f64);
        *slices += 1;
        let kind = if step.workload.writes() { OpClass::Write } else { OpClass::Read };
        for (at, rate) in rates.iter().enumerate() {
            self.clock.wait_until(self.clock.now() + window_ns);
            let ops = rate.max(0.0).round() as u64;
            let sample = Sample {
                window: at as u32,
                span_ns: window_ns,
                ops,
                bytes: ops * step.workload.block,
                service: source.latencies(ops, at),
                ..Sample::default()
            };
            let set = WindowSet { window: at as u32, samples: vec![(0, kind, sample)] };
            self.before.borrow_mut().0 = (at as u64 + 1) * window_ns;
            if on_window(&set) == Flow::Stop {
                return Ok(SliceEnd { windows: at as u32 + 1, ..SliceEnd::default() });
            }
        }
        Err(EngineError::Broken("the series is over".to_string()))
    }
}

/// A made-up series that goes on between the slices, or begins anew with each.
pub struct MadeSeries {
    kind: &'static crate::coverage::kinds::Kind,
    seeds: Seeds,
    /// Of its rates.
    factor: f64,
    /// The whole of it, if it goes on.
    series: Vec<f64>,
    chance: StdRng,
}

impl MadeSeries {
    pub fn new(kind: &'static crate::coverage::kinds::Kind, seeds: Seeds) -> MadeSeries {
        let (series, _) = crate::coverage::trial::series(kind, seeds, 0, crate::coverage::trial::SERIES_WINDOWS);
        MadeSeries { kind, seeds, factor: 1.0, series, chance: StdRng::seed_from_u64(seeds.chance ^ 1 << 58) }
    }

    /// With its rates multiplied by `factor`.
    pub fn times(mut self, factor: f64) -> MadeSeries {
        self.factor = factor;
        self
    }
}

/// Longer than any slice becomes.
const SLICE_WINDOWS: usize = 400;

impl SeriesSource for MadeSeries {
    fn rates(&mut self, slice: u32, second: f64) -> Vec<f64> {
        let rates = if self.kind.fresh {
            crate::coverage::trial::series(self.kind, self.seeds, slice, SLICE_WINDOWS).0
        } else {
            let from = (second / crate::coverage::noise::DT).round() as usize;
            self.series.iter().skip(from).take(SLICE_WINDOWS).copied().collect()
        };
        rates.iter().map(|rate| rate * self.factor).collect()
    }

    fn latencies(&mut self, ops: u64, _at: usize) -> Sparse {
        latency::draw(&mut self.chance, ops)
    }
}
