//! The same figure on both sides: same layer, target, pattern and workload.

use crate::entry::{Entry, entries};
use crate::figure::void_reason;
use crate::gate::strike_out;
use crate::series::Ratio;
use model::{Estimate, Figure, Record, Subject, Workload};

/// One figure of one run, with the logarithms of its slices' values.
pub struct Measured {
    pub figure: Figure,
    pub estimate: Estimate,
    pub slices: Vec<f64>,
}

impl Measured {
    pub fn subject(&self) -> Subject {
        let figure = &self.figure;
        Subject {
            layer: figure.layer,
            target: figure.target.clone(),
            pattern: figure.pattern,
            kind: figure.kind,
            at_once: figure.at_once,
            metric: figure.metric,
        }
    }
}

/// All figures of a run that may be used.
pub fn measured(record: &Record) -> Vec<Measured> {
    let mut entries = entries(record);
    strike_out(&mut entries, record);
    entries.iter().filter_map(of_entry).collect()
}

fn of_entry(entry: &Entry) -> Option<Measured> {
    let estimate = entry.usable()?;
    let good = entry.slices.iter().filter(|slice| void_reason(slice).is_none());
    let logs = good.map(|slice| Ratio::of(entry.step, slice).value().ln()).filter(|log| log.is_finite());
    Some(Measured { figure: entry.figure.clone(), estimate, slices: logs.collect() })
}

/// Are they figures of the same thing? The seed says only in which order places are drawn.
pub fn alike(a: &Figure, b: &Figure) -> bool {
    let core = |figure: &Figure| Workload { seed: 0, ..figure.workload.clone() };
    (a.layer, &a.target, a.pattern, a.kind, a.at_once) == (b.layer, &b.target, b.pattern, b.kind, b.at_once)
        && core(a) == core(b)
}
