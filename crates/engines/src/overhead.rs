//! What measuring costs by itself: the worker loop on the engine that does nothing, and the clock.

use crate::api::{Context, EngineError};
use crate::crew::{Flow, run_slice};
use crate::null::Null;
use model::clock::MILLISECOND;
use model::{Clock, Layer, Nanos, Overhead, Pattern, Place, Step, Target, WindowSet, Workload};
use std::hint::black_box;
use std::sync::Arc;

const WINDOW: Nanos = 5 * MILLISECOND;
/// Windows of each depth; 0.1 s in all. On a busy machine no operation may have ended in any of them: then more, for 2 s at most.
const WINDOWS: u32 = 10;
const WINDOWS_MOST: u32 = 200;
const READINGS: u32 = 1000;
const TURNS: u32 = 10;

/// The quickest of many short looks: during the others another program had the processor.
///
/// # Errors
/// No thread could be started, or none had a processor.
pub fn overhead(clock: &Arc<dyn Clock>) -> Result<Overhead, EngineError> {
    Ok(Overhead {
        operation_ns: operation_ns(clock, Pattern::ReadLatency)?,
        deep_operation_ns: operation_ns(clock, Pattern::ReadParallel)?,
        clock_ns: clock_ns(&**clock),
    })
}

fn operation_ns(clock: &Arc<dyn Clock>, pattern: Pattern) -> Result<f64, EngineError> {
    let (layer, workload) = (Layer::ALL[0], Workload::canonical(pattern, 1 << 30, 1));
    let step = Step::new(0, layer, pattern, vec![Target::new(layer, "nothing", Place::Null)], workload);
    let mut quickest = f64::INFINITY;
    let mut on_window = |set: &WindowSet| {
        for (_, _, sample) in set.samples.iter().filter(|(_, _, sample)| sample.ops > 0) {
            quickest = quickest.min(sample.span_ns as f64 / sample.ops as f64);
        }
        let enough = set.window + 1 >= if quickest.is_finite() { WINDOWS } else { WINDOWS_MOST };
        if enough { Flow::Stop } else { Flow::GoOn }
    };
    run_slice(&Null, &Context::default(), clock, &step, WINDOW, &mut on_window)?;
    match quickest.is_finite() {
        true => Ok(quickest),
        false => Err(EngineError::Broken("no thread had a processor in which to measure the worker loop".to_string())),
    }
}

fn clock_ns(clock: &dyn Clock) -> f64 {
    let turn = || {
        let began = clock.now();
        for _ in 0..READINGS {
            black_box(clock.now());
        }
        (clock.now() - began) as f64 / f64::from(READINGS)
    };
    (0..TURNS).map(|_| turn()).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::RealClock;

    #[test]
    fn an_operation_costs_more_than_the_clock_and_less_than_any_storage() {
        let clock: Arc<dyn Clock> = Arc::new(RealClock);
        let found = overhead(&clock).unwrap();
        assert!(found.clock_ns > 1.0 && found.operation_ns > found.clock_ns, "{found:?}");
        assert!(found.deep_operation_ns > 1.0 && found.operation_ns < 100_000.0, "{found:?}");
    }
}
