//! The patterns, six of them canonical, and the metric that each is shown in.

use crate::layer::Layer;
use crate::operation::{OpClass, OpMix};
use crate::workload::{Access, Bytes, Durability, KIB, MIB, Workload};
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
    /// Files or objects of 4 KiB are made, and others of them deleted; 16 operations at a time, as in all that follow.
    CreateDelete,
    /// Files or objects are asked about; whoever keeps them answers.
    Stat,
    /// The same, where the client's own cache may answer.
    StatCached,
    /// Files of 4 KiB are opened, read whole and closed.
    OpenRead,
    /// Folders, or pages of a bucket's names, are listed.
    List,
    /// Files are given other names.
    Rename,
    /// Operations of several kinds in a mix, more often on some files or objects than on others; that of a file server, unless another
    /// one is given.
    Mixed,
}

/// The families of patterns: a sum of stages, two kinds of minimum over ceilings, and files by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    Latency,
    Parallel,
    Linear,
    /// Each class of operations by itself; no cell of the depth chart.
    Metadata,
}

/// All that is known of a pattern. Names, words and reports follow from its row.
pub struct PatternSpec {
    pub pattern: Pattern,
    pub name: &'static str,
    pub mix: OpMix,
    pub family: Family,
    pub block: Bytes,
    /// Operations in flight.
    pub depth: u32,
    pub access: Access,
    pub durability: Durability,
}

/// The only list of patterns, in the order of every table, which is that of the enum.
pub const PATTERNS: &[PatternSpec] = &[
    PatternSpec { durability: Durability::Dsync, ..latency(Pattern::WriteLatency, "write-latency", OpClass::Write) },
    latency(Pattern::ReadLatency, "read-latency", OpClass::Read),
    parallel(Pattern::WriteParallel, "write-parallel", OpClass::Write),
    parallel(Pattern::ReadParallel, "read-parallel", OpClass::Read),
    linear(Pattern::WriteLinear, "write-linear", OpClass::Write),
    linear(Pattern::ReadLinear, "read-linear", OpClass::Read),
    metadata(Pattern::CreateDelete, "create-delete", OpMix::halves(OpClass::Create, OpClass::Delete)),
    metadata(Pattern::Stat, "stat", OpMix::only(OpClass::Stat)),
    metadata(Pattern::StatCached, "stat-cached", OpMix::only(OpClass::StatCached)),
    metadata(Pattern::OpenRead, "open-read", OpMix::only(OpClass::Open)),
    metadata(Pattern::List, "list", OpMix::only(OpClass::List)),
    metadata(Pattern::Rename, "rename", OpMix::only(OpClass::Rename)),
    PatternSpec { access: Access::Zipf(ZIPF), ..metadata(Pattern::Mixed, "mixed", OpMix::FILE_SERVER) },
];

/// Exponent with which some files are more popular than others: that of YCSB.
const ZIPF: f64 = 0.99;

const fn latency(pattern: Pattern, name: &'static str, class: OpClass) -> PatternSpec {
    PatternSpec {
        pattern,
        name,
        mix: OpMix::only(class),
        family: Family::Latency,
        block: 4 * KIB,
        depth: 1,
        access: Access::Random,
        durability: Durability::None,
    }
}

const fn parallel(pattern: Pattern, name: &'static str, class: OpClass) -> PatternSpec {
    PatternSpec { family: Family::Parallel, depth: 128, ..latency(pattern, name, class) }
}

const fn linear(pattern: Pattern, name: &'static str, class: OpClass) -> PatternSpec {
    let (family, access) = (Family::Linear, Access::Sequential);
    PatternSpec { family, block: 4 * MIB, depth: 16, access, ..latency(pattern, name, class) }
}

const fn metadata(pattern: Pattern, name: &'static str, mix: OpMix) -> PatternSpec {
    PatternSpec { family: Family::Metadata, depth: 16, mix, ..latency(pattern, name, OpClass::Read) }
}

impl Pattern {
    pub const ALL: [Pattern; PATTERNS.len()] = {
        let mut all = [Pattern::WriteLatency; PATTERNS.len()];
        let mut row = 0;
        while row < PATTERNS.len() {
            all[row] = PATTERNS[row].pattern;
            row += 1;
        }
        all
    };

    /// Those that are measured unless others are named: one that is a mix of others is not.
    pub fn usual() -> impl Iterator<Item = Pattern> {
        Pattern::ALL.into_iter().filter(|pattern| *pattern != Pattern::Mixed)
    }

    /// The six that every layer of blocks has.
    pub fn canonical() -> impl Iterator<Item = Pattern> {
        Pattern::ALL.into_iter().filter(|pattern| !pattern.is_metadata())
    }

    pub fn spec(self) -> &'static PatternSpec {
        &PATTERNS[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.spec().name
    }

    pub fn from_name(name: &str) -> Option<Pattern> {
        Pattern::ALL.into_iter().find(|pattern| pattern.name() == name)
    }

    /// The one of a family that is about a class of operations; of a class without one, that of reads.
    pub fn of(family: Family, class: OpClass) -> Pattern {
        let own =
            |class: OpClass| PATTERNS.iter().find(move |spec| spec.family == family && spec.pattern.kind() == class);
        own(class).or_else(|| own(OpClass::Read)).map_or(Pattern::ReadLatency, |spec| spec.pattern)
    }

    /// The pattern that a workload of any numbers is nearest to.
    pub fn nearest(workload: &Workload) -> Pattern {
        if workload.of_files() {
            let own = PATTERNS.iter().find(|spec| spec.mix == workload.mix);
            return own.map_or(Pattern::Mixed, |spec| spec.pattern);
        }
        let family = match (workload.depth, workload.block) {
            (_, block) if block >= MIB => Family::Linear,
            (0 | 1, _) => Family::Latency,
            _ => Family::Parallel,
        };
        Pattern::of(family, workload.mix.main())
    }

    pub fn writes(self) -> bool {
        self.spec().mix.has(OpClass::Write)
    }

    /// Is it of files by their names, and no cell of the depth chart?
    pub fn is_metadata(self) -> bool {
        self.family() == Family::Metadata
    }

    /// The operations that it is about; of a mix the first of them.
    pub fn kind(self) -> OpClass {
        self.spec().mix.main()
    }

    pub fn family(self) -> Family {
        self.spec().family
    }

    /// The metric in which a figure of this pattern on this layer is stated.
    pub fn metric(self, layer: Layer) -> Metric {
        match (self.family(), layer) {
            (Family::Latency, layer) if layer.can().round_trips => Metric::Rtt,
            (Family::Latency | Family::Metadata, _) => Metric::LatencyMean,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_lie_in_their_own_rows_and_are_nearest_to_themselves() {
        for (row, spec) in PATTERNS.iter().enumerate() {
            assert_eq!(spec.pattern as usize, row);
            assert_eq!(Pattern::nearest(&Workload::canonical(spec.pattern, 1 << 30, 1)), spec.pattern);
            assert_eq!(Pattern::from_name(spec.name), Some(spec.pattern));
        }
    }
}
