//! Of what latencies are made, sensible or not.

use super::{layer, number, pattern, text};
use model::{
    CommitParts, DatabaseLook, LatencyPart, LatencyParts, Part, SlowOperation, SlowestOfStep, StoreDevices, StoreTimes,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

pub fn latency_parts() -> impl Strategy<Value = LatencyParts> {
    let part = select(vec![Part::Client, Part::Queue, Part::Software, Part::Log, Part::Gateway, Part::Rest]);
    let parts = vec((part, number()).prop_map(|(part, ms)| LatencyPart { part, ms }), 0..5);
    (layer(), pattern(), text(), number(), parts, option::of(text()), option::of(number())).prop_map(
        |(layer, pattern, target, mean_ms, parts, doubt, own)| LatencyParts {
            layer,
            pattern,
            target,
            mean_ms,
            parts,
            own,
            requests: own.map(|_| 1.5),
            osds: 1,
            of: 3,
            doubt,
        },
    )
}

pub fn store() -> impl Strategy<Value = StoreTimes> {
    let devices = (vec(text(), 0..2), vec(text(), 0..2), option::of(any::<bool>()));
    let devices = devices.prop_map(|(data, log, apart)| StoreDevices { data, log, apart });
    let look = (any::<[u64; 4]>(), option::of(any::<[u64; 2]>())).prop_map(|([size, used, spilled, grown], read)| {
        let (read, read_spilled) = (read.map(|read| read[0]), read.map(|read| read[1]));
        DatabaseLook { size, used, spilled, grown, read, read_spilled }
    });
    let parts = option::of((number(), number()).prop_map(|(data, log)| CommitParts { data, log }));
    let times = (number(), parts, option::of(number()), option::of(number()));
    (layer(), pattern(), text(), any::<u32>(), devices, times, option::of(look)).prop_map(
        |(layer, pattern, target, osd, devices, (commit, parts, flush, log), database)| StoreTimes {
            layer,
            pattern,
            target,
            at_once: 1,
            by_itself: false,
            osd,
            devices,
            commits: 7,
            commit,
            parts,
            flush,
            log,
            database,
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
