//! The six canonical patterns, and the metric that each is shown in.

use crate::layer::Layer;
use crate::workload::{MIB, OpKind, Workload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is done to a target. The order is the order of every table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// 4 KiB random durable write, depth 1.
    WriteLatency,
    /// 4 KiB random read, depth 1.
    ReadLatency,
    /// 4 KiB random write, depth 128.
    WriteParallel,
    /// 4 KiB random read, depth 128.
    ReadParallel,
    /// 4 MiB sequential write, depth 16.
    WriteLinear,
    /// 4 MiB sequential read, depth 16.
    ReadLinear,
}

/// The three families of patterns: a sum of stages, and two kinds of minimum over ceilings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    Latency,
    Parallel,
    Linear,
}

impl Pattern {
    pub const ALL: [Pattern; 6] = [
        Pattern::WriteLatency,
        Pattern::ReadLatency,
        Pattern::WriteParallel,
        Pattern::ReadParallel,
        Pattern::WriteLinear,
        Pattern::ReadLinear,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Pattern::WriteLatency => "write-latency",
            Pattern::ReadLatency => "read-latency",
            Pattern::WriteParallel => "write-parallel",
            Pattern::ReadParallel => "read-parallel",
            Pattern::WriteLinear => "write-linear",
            Pattern::ReadLinear => "read-linear",
        }
    }

    pub fn from_name(name: &str) -> Option<Pattern> {
        Pattern::ALL.into_iter().find(|pattern| pattern.name() == name)
    }

    /// The pattern that a workload of any numbers is nearest to.
    pub fn nearest(workload: &Workload) -> Pattern {
        let family = match (workload.depth, workload.block) {
            (_, block) if block >= MIB => Family::Linear,
            (0 | 1, _) => Family::Latency,
            _ => Family::Parallel,
        };
        match (family, workload.read_percent < 50) {
            (Family::Latency, true) => Pattern::WriteLatency,
            (Family::Latency, false) => Pattern::ReadLatency,
            (Family::Parallel, true) => Pattern::WriteParallel,
            (Family::Parallel, false) => Pattern::ReadParallel,
            (Family::Linear, true) => Pattern::WriteLinear,
            (Family::Linear, false) => Pattern::ReadLinear,
        }
    }

    pub fn writes(self) -> bool {
        matches!(self, Pattern::WriteLatency | Pattern::WriteParallel | Pattern::WriteLinear)
    }

    /// The operations that it is about.
    pub fn kind(self) -> OpKind {
        if self.writes() { OpKind::Write } else { OpKind::Read }
    }

    pub fn family(self) -> Family {
        match self {
            Pattern::WriteLatency | Pattern::ReadLatency => Family::Latency,
            Pattern::WriteParallel | Pattern::ReadParallel => Family::Parallel,
            Pattern::WriteLinear | Pattern::ReadLinear => Family::Linear,
        }
    }

    /// The metric in which a figure of this pattern on this layer is stated.
    pub fn metric(self, layer: Layer) -> Metric {
        match (self.family(), layer) {
            (Family::Latency, layer) if layer.can().round_trips => Metric::Rtt,
            (Family::Latency, _) => Metric::LatencyMean,
            (Family::Parallel, _) => Metric::Iops,
            (Family::Linear, _) => Metric::Bandwidth,
        }
    }
}

/// What a figure's value is. Values are kept in the unit of [`Metric::unit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Mean latency, ms.
    LatencyMean,
    /// Mean full round trip, ms.
    Rtt,
    /// Operations per second.
    Iops,
    /// 10^6 bytes per second.
    Bandwidth,
}

impl Metric {
    pub fn unit(self) -> &'static str {
        match self {
            Metric::LatencyMean | Metric::Rtt => "ms",
            Metric::Iops => "IOPS",
            Metric::Bandwidth => "MB/s",
        }
    }

    pub fn lower_is_better(self) -> bool {
        matches!(self, Metric::LatencyMean | Metric::Rtt)
    }
}
