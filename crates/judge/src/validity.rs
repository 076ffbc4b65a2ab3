//! How far writes to a device are what was measured, where a test without pause has shown when it falls.

use crate::entry::Entry;
use crate::words::{number, percent, volume};
use model::{Bytes, Cliff, Endurance, Label, Record, Until};

/// A device is past its caches once this many times what it takes at full speed was written (docs/method.md, "Sustained writes").
const PAST: f64 = 1.2;

/// Figures of writes to a device carry the volume up to which they hold; with a cliff beyond what the run had written by
/// then they are a burst, unless they have a label that says more.
pub fn limit_writes(entries: &mut [Entry], found: &[Endurance], record: &Record) {
    for entry in entries.iter_mut().filter(|entry| entry.figure.layer.of_disks()) {
        let figure = &entry.figure;
        let of = |test: &&Endurance| {
            test.until == Until::Falls && (test.target == figure.target || test.also.contains(&figure.target))
        };
        let known = found.iter().find(of).filter(|test| test.held > 0);
        let (Some(test), true, Some(_)) = (known, figure.kind.changes(), entry.usable()) else { continue };
        let ended = entry.slices.iter().map(|slice| slice.ended_seconds()).fold(0.0, f64::max);
        let written = written_until(record, &figure.target, ended);
        match &test.cliff {
            Some(cliff) if written as f64 >= PAST * cliff.high as f64 => {}
            Some(cliff) => {
                entry.figure.valid_up_to = Some(test.held);
                let label = &mut entry.figure.label;
                if !matches!(label, Label::Burst(_) | Label::Unsettled(_) | Label::GeneratorLimited(_)) {
                    *label = Label::Burst(burst(test, cliff, written));
                }
            }
            None => entry.figure.valid_up_to = Some(test.held),
        }
    }
}

/// What the run's slices have written to a device, in all its steps.
pub fn written_to(record: &Record, target: &str) -> Bytes {
    written_until(record, target, f64::INFINITY)
}

fn written_until(record: &Record, target: &str, until: f64) -> Bytes {
    let on_it = |step: &&model::Step| step.targets.iter().any(|one| one.layer.of_disks() && one.name == target);
    let index = |step: &model::Step| step.targets.iter().position(|one| one.name == target).map(|at| at as u32);
    let of_step = |step: &model::Step| -> Bytes {
        let own = record.slices.iter().filter(|slice| slice.step == step.id && slice.target == index(step));
        let writes = own.filter(|slice| slice.kind.changes() && slice.ended_seconds() <= until);
        writes.flat_map(|slice| &slice.samples).map(|sample| sample.bytes).sum()
    };
    record.plan.steps.iter().filter(on_it).map(of_step).sum()
}

fn burst(test: &Endurance, cliff: &Cliff, written: Bytes) -> String {
    let rates = match (cliff.from, cliff.to) {
        (Some(from), Some(to)) => format!(", from {} to {} MB/s", number(from.value), number(to.value)),
        _ => String::new(),
    };
    format!(
        "valid up to {} written without pause: beyond, {} fell by {}{rates}; {} had been written when this was measured",
        volume(test.held),
        test.target,
        percent(cliff.fall),
        volume(written)
    )
}
