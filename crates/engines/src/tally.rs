//! What one lane counts in one window, per kind of operation.

use crate::api::{Op, ReportedCounts};
use model::operation::OPERATIONS;
use model::{Latencies, Nanos, OpClass, Sample, Workload};

/// How long a window counts for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CountedTime {
    /// For its own length, also when nothing ended in it.
    Window(Nanos),
    /// For the time that the engine was told that its operations took.
    Told,
}

/// Counts of the running window.
pub struct Tally {
    kinds: Vec<OpClass>,
    span: CountedTime,
    /// By class.
    counts: [Counts; OPERATIONS.len()],
}

#[derive(Default)]
struct Counts {
    service: Latencies,
    /// Response time and the load generator's lateness, in an open loop.
    open: Option<Box<Open>>,
    /// Until the first byte, where an engine sees it.
    first_byte: Option<Box<Latencies>>,
    bytes: u64,
    errors: u64,
    told_ns: Nanos,
}

#[derive(Default)]
struct Open {
    response: Latencies,
    late: Latencies,
}

/// When an operation of an open loop was due, started and ended.
pub struct Times {
    pub response: Nanos,
    pub service: Nanos,
    /// Due, with room, and not yet started.
    pub late: Nanos,
    /// Until the first byte of what was read.
    pub first_byte: Option<Nanos>,
}

impl Tally {
    pub fn new(workload: &Workload, span: CountedTime) -> Tally {
        let counts = |_| Counts { open: workload.rate.map(|_| Box::default()), ..Counts::default() };
        Tally { kinds: workload.mix.classes().collect(), span, counts: std::array::from_fn(counts) }
    }

    #[inline]
    fn counts(&mut self, kind: OpClass) -> &mut Counts {
        &mut self.counts[kind as usize]
    }

    /// An operation ended well.
    #[inline]
    pub fn record(&mut self, op: &Op, times: &Times) {
        let counts = self.counts(op.kind);
        counts.service.record(times.service);
        if let Some(open) = &mut counts.open {
            open.response.record(times.response);
            open.late.record(times.late);
        }
        if let Some(first_byte) = times.first_byte {
            counts.first_byte.get_or_insert_default().record(first_byte);
        }
        counts.bytes += if op.kind.moves_bytes() { u64::from(op.len) } else { 0 };
    }

    pub fn record_error(&mut self, kind: OpClass) {
        self.counts(kind).errors += 1;
    }

    pub fn record_told(&mut self, kind: OpClass, told: &ReportedCounts) {
        let counts = self.counts(kind);
        if let Some(each) = told.took.checked_div(told.ops) {
            counts.service.record_times(each, told.ops);
        }
        counts.bytes += told.bytes;
        counts.told_ns += told.took;
    }

    /// The samples of this window, one for each kind that the workload has, and a fresh start.
    pub fn cut(&mut self, window: u32) -> Vec<(OpClass, Sample)> {
        let span = self.span;
        self.kinds.clone().into_iter().map(|kind| (kind, self.counts(kind).cut(window, span))).collect()
    }
}

impl Counts {
    fn cut(&mut self, window: u32, span: CountedTime) -> Sample {
        let service = self.service.take();
        let span_ns = match span {
            CountedTime::Window(length) => length,
            CountedTime::Told => self.told_ns,
        };
        let sample = Sample {
            window,
            span_ns,
            ops: service.count,
            bytes: self.bytes,
            errors: self.errors,
            service,
            response: self.open.as_mut().map(|open| open.response.take()),
            late: self.open.as_mut().map(|open| open.late.take()),
            first_byte: self.first_byte.as_mut().map(|first_byte| first_byte.take()),
        };
        (self.bytes, self.errors, self.told_ns) = (0, 0, 0);
        sample
    }
}
