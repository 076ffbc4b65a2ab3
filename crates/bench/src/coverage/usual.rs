//! The habit to compare with: a fixed minute, and the interval of independent windows.

use crate::coverage::noise::DT;

/// Windows of a minute, and of the ten seconds before it that are thrown away.
const MINUTE: usize = 600;
const RAMP: usize = 100;

/// Operations a second.
#[derive(Clone, Copy, Debug)]
pub struct Usual {
    pub value: f64,
    pub half_width: f64,
}

impl Usual {
    /// 60 s after a ramp of 10 s.
    pub fn after_ramp(windows: &[f64]) -> Usual {
        Usual::at_once(windows.get(RAMP..).unwrap_or(windows))
    }

    /// The first 60 s: nobody ramps a recording, which begins in the middle.
    pub fn at_once(windows: &[f64]) -> Usual {
        let taken = &windows[..windows.len().min(MINUTE)];
        let n = taken.len() as f64;
        let mean = taken.iter().map(|rate| rate.max(0.0)).sum::<f64>() / n;
        let variance = taken.iter().map(|rate| (rate.max(0.0) - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Usual { value: mean / DT, half_width: 1.96 * (variance / n).sqrt() / DT }
    }
}
