//! Stands in for the engines: windows come from a series, and time passes only on the simulated clock.

use crate::latency;
use engines::EngineError;
use engines::clock::SimClock;
use engines::crew::Flow;
use fathom::sounding::loader::Loader;
use model::clock::SECOND;
use model::{Clock, Nanos, OpKind, Sample, SliceEnd, Sparse, Step, WindowSet};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::cell::RefCell;
use std::sync::Arc;

/// What the load meets.
pub trait Source {
    /// Operations per 100 ms from now on. `slice`: how often the load has begun before; `second`: since the first time.
    fn rates(&mut self, slice: u32, second: f64) -> Vec<f64>;

    /// The latencies of the operations of a window; `at`: its place in what [`Source::rates`] gave.
    fn latencies(&mut self, ops: u64, at: usize) -> Sparse;
}

pub struct Replay<S> {
    clock: Arc<SimClock>,
    source: RefCell<S>,
    slices: RefCell<u32>,
    began: Nanos,
    /// What lies between two slices: the other steps of a pass.
    pause: Nanos,
}

impl<S: Source> Replay<S> {
    pub fn new(clock: Arc<SimClock>, source: S, pause_seconds: f64) -> Replay<S> {
        let began = clock.now();
        let pause = (pause_seconds * SECOND as f64) as Nanos;
        Replay { clock, source: RefCell::new(source), slices: RefCell::new(0), began, pause }
    }

    /// How often a load was begun.
    pub fn slices(&self) -> u32 {
        *self.slices.borrow()
    }
}

impl<S: Source> Loader for Replay<S> {
    fn load(
        &self,
        step: &Step,
        window_ns: Nanos,
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        let mut slices = self.slices.borrow_mut();
        if *slices > 0 {
            self.clock.wait_until(self.clock.now() + self.pause);
        }
        let mut source = self.source.borrow_mut();
        let rates = source.rates(*slices, (self.clock.now() - self.began) as f64 / SECOND as f64);
        *slices += 1;
        let kind = if step.workload.writes() { OpKind::Write } else { OpKind::Read };
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
            if on_window(&set) == Flow::Stop {
                return Ok(SliceEnd { windows: at as u32 + 1, ..SliceEnd::default() });
            }
        }
        Err(EngineError::Broken("the series is over".to_string()))
    }
}

/// A made-up series that goes on between the slices, or begins anew with each.
pub struct Made {
    kind: &'static crate::kinds::Kind,
    seed: u64,
    /// The whole of it, if it goes on.
    series: Vec<f64>,
    chance: StdRng,
}

impl Made {
    pub fn new(kind: &'static crate::kinds::Kind, seed: u64) -> Made {
        let (series, _) = crate::trial::series(kind, seed, 0, crate::trial::SERIES_WINDOWS);
        Made { kind, seed, series, chance: StdRng::seed_from_u64(seed ^ 1 << 58) }
    }
}

/// Longer than any slice becomes.
const SLICE_WINDOWS: usize = 400;

impl Source for Made {
    fn rates(&mut self, slice: u32, second: f64) -> Vec<f64> {
        if self.kind.fresh {
            return crate::trial::series(self.kind, self.seed, slice, SLICE_WINDOWS).0;
        }
        let from = (second / crate::noise::DT).round() as usize;
        self.series.iter().skip(from).take(SLICE_WINDOWS).copied().collect()
    }

    fn latencies(&mut self, ops: u64, _at: usize) -> Sparse {
        latency::draw(&mut self.chance, ops)
    }
}
