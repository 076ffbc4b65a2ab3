//! Of what latencies are made, sensible or not.

use super::{layer, number, pattern, text};
use model::{LatencyPart, LatencyParts, Part, SlowOperation, SlowestOfStep};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

pub fn latency_parts() -> impl Strategy<Value = LatencyParts> {
    let part = select(vec![Part::Client, Part::Queue, Part::Software, Part::Log, Part::Rest]);
    let parts = vec((part, number()).prop_map(|(part, ms)| LatencyPart { part, ms }), 0..5);
    (layer(), pattern(), text(), number(), parts, option::of(text())).prop_map(
        |(layer, pattern, target, mean_ms, parts, doubt)| LatencyParts {
            layer,
            pattern,
            target,
            mean_ms,
            parts,
            own: 1.0,
            osds: 1,
            of: 3,
            doubt,
        },
    )
}

pub fn slowest() -> impl Strategy<Value = SlowestOfStep> {
    let operation = (any::<u32>(), number(), number(), text(), text());
    let operation =
        operation.prop_map(|(osd, ms, longest_ms, after, until)| SlowOperation { osd, ms, longest_ms, after, until });
    (layer(), pattern(), text(), operation).prop_map(|(layer, pattern, target, operation)| SlowestOfStep {
        layer,
        pattern,
        target,
        operation,
    })
}
