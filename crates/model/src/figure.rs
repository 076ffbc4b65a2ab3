//! A figure is a measured value with its interval and its label.

use crate::background::Background;
use crate::effort::Shares;
use crate::layer::Layer;
use crate::observed::PgsSeen;
use crate::operation::OpClass;
use crate::pages::EmptyPages;
use crate::pattern::{Metric, Pattern};
use crate::step_id::StepId;
use crate::verified::Checked;
use crate::workload::{Bytes, Durability, Workload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value with its 95 % interval, in the metric's unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Estimate {
    pub fn new(value: f64, half_width: f64) -> Estimate {
        Estimate { value, low: value - half_width, high: value + half_width }
    }

    /// Half-width, as a share of the value, from which on nothing is known: what would be shown as ±100 % or more holds zero.
    pub const UNKNOWN_FROM: f64 = 0.99;

    /// Is the interval narrower than the value? No interval at all, as of an imported total, says nothing of that. Of an uneven interval
    /// the wider side counts.
    pub fn is_known(&self) -> bool {
        let half = (self.high - self.value).max(self.value - self.low);
        let nothing_to_know = !self.value.is_finite() || half.is_infinite() || half <= 0.0;
        nothing_to_know || (self.value != 0.0 && half / self.value.abs() < Estimate::UNKNOWN_FROM)
    }

    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Half-width as a share of the value.
    pub fn relative(&self) -> f64 {
        if self.value == 0.0 { f64::INFINITY } else { self.half_width() / self.value.abs() }
    }
}

/// What is known about a figure. The text is the reason, as shown to the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "label", content = "why", rename_all = "kebab-case")]
pub enum Label {
    Settled,
    /// The interval is wider than asked for when the time was up.
    Imprecise(String),
    /// The level still moved.
    Unsettled(String),
    /// The level differs from slice to slice more than the inside of the slices explains.
    Wandering(String),
    /// Rare dips carry much of the result and were seen too seldom.
    FewEvents(String),
    TwoLevels(String),
    /// It speaks of a stretch of time that is too short to speak of longer ones.
    Brief(String),
    /// Valid only up to the volume that was written.
    Burst(String),
    GeneratorLimited(String),
    /// Much of what was read was never written, or was trimmed: the medium was not asked for it.
    Unwritten(String),
    /// Better than the layer below can supply.
    Implausible(String),
    /// Nothing was measured.
    Void(String),
}

impl Label {
    pub fn name(&self) -> &'static str {
        match self {
            Label::Settled => "settled",
            Label::Imprecise(_) => "imprecise",
            Label::Unsettled(_) => "unsettled",
            Label::Wandering(_) => "wandering",
            Label::FewEvents(_) => "few events",
            Label::TwoLevels(_) => "two levels",
            Label::Brief(_) => "brief",
            Label::Burst(_) => "burst",
            Label::GeneratorLimited(_) => "generator-limited",
            Label::Unwritten(_) => "unwritten",
            Label::Implausible(_) => "implausible",
            Label::Void(_) => "void",
        }
    }

    pub fn why(&self) -> Option<&str> {
        match self {
            Label::Settled => None,
            Label::Imprecise(why)
            | Label::Unsettled(why)
            | Label::Wandering(why)
            | Label::FewEvents(why)
            | Label::TwoLevels(why)
            | Label::Brief(why)
            | Label::Burst(why)
            | Label::GeneratorLimited(why)
            | Label::Unwritten(why)
            | Label::Implausible(why)
            | Label::Void(why) => Some(why),
        }
    }
}

/// A percentile of service or response time, ms. `low`/`high` are the 95 % interval; `high: None`: not bounded by what was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Percentile {
    /// 50, 95, 99, 99.9; 100 is the largest seen and has no interval.
    pub percent: f64,
    pub value_ms: f64,
    pub low_ms: Option<f64>,
    pub high_ms: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    pub step: StepId,
    pub layer: Layer,
    /// Target's name; for several at once `osd.*`.
    pub target: String,
    pub host: Option<String>,
    /// Of a pair of hosts on another network than that of the load: `cluster`, `10.1.0.0/24`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// Of a pair of hosts: from which of them data went to which; of round trips, who asked whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<(String, String)>,
    pub pattern: Pattern,
    pub kind: OpClass,
    pub workload: Workload,
    pub metric: Metric,
    /// `None` exactly when the label is `void`.
    pub estimate: Option<Estimate>,
    pub label: Label,
    /// Does it count for the depth chart?
    pub chart: bool,
    /// How many targets were loaded at the same time as this one, itself included.
    pub at_once: u32,
    pub slices: u32,
    /// Measuring time spent, warm-up included.
    pub seconds: f64,
    /// What slices of this number may have missed; `None`: void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unseen: Option<Unseen>,
    pub operations: u64,
    pub bytes: u64,
    pub errors: u64,
    /// Of operations by names in a closed loop: how many ended a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_second: Option<Estimate>,
    /// The first operation that failed, or had no answer, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_error: Option<String>,
    /// Of service time.
    pub percentiles: Vec<Percentile>,
    /// Of response time, from when operations were due; empty in a closed loop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub response: Vec<Percentile>,
    /// Of the time to the first byte of what was read; empty where the engine does not see it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_byte: Vec<Percentile>,
    /// What the load generator took; `None`: nobody kept account.
    #[serde(default)]
    pub effort: Option<Shares>,
    /// Of a workload that verifies: what was read back. Of a mixed one, its reads have it.
    #[serde(default)]
    pub checked: Option<Checked>,
    /// Of writes to a device that was also written to until it fell, or whose model was: they are as they are up to so
    /// many bytes written without pause. `None`: not known, or they are past it.
    #[serde(default)]
    pub valid_up_to: Option<Bytes>,
    /// Hosts that should have loaded it and went missing: `pass 2: host b is missing from 1.0 s into the slice on: gone`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
    /// Of several targets together whose other sides told how long they wrote, and not when: the mean share of the time in which each
    /// of them did. The value is the sum of what each did in its own time, and its interval reaches down to this share of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<f64>,
    /// Passes during which not all placement groups of the cluster were active and clean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pgs_seen: Vec<PgsSeen>,
    /// Of reads: pages that were looked at, and those without data; `None`: nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty_pages: Option<EmptyPages>,
    /// What the OSDs' stores did meanwhile; `None`: nobody looked.
    #[serde(default)]
    pub background: Option<Background>,
    /// What made its label visible, for a picture.
    #[serde(default)]
    pub sight: Option<Sight>,
    /// The same writes were made durable in another way as well: the worse of the two counts for the depth chart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_way: Option<OtherWay>,
}

impl Figure {
    /// Of a pair of hosts on this network, with no other pair in its way.
    pub fn alone_on(&self, network: Option<&str>) -> bool {
        self.network.as_deref() == network && self.at_once == 1 && (self.chart || network.is_some())
    }
}

/// What a figure speaks of, and what it may have missed there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unseen {
    /// Seconds from the beginning of its first slice to the end of its last one.
    pub stretch_seconds: f64,
    /// Moments at which it was looked at, 4 s or more apart.
    pub looks: u32,
    /// Events that come less often than once in this many seconds may have been missed. It is a third of the counted time: of a
    /// Poisson process none is seen in three times its mean gap with a chance of 5 %.
    pub rarer_than_seconds: f64,
    /// The share of the value that slower events could take which no look met (95 %).
    pub share: f64,
    /// The figure's interval is at least as wide as `share` says.
    pub in_interval: bool,
}

impl Unseen {
    /// The part of the value that such events are assumed to take while they last: `share`, divided by the share of the time in
    /// which they may occur.
    pub fn depth(&self) -> f64 {
        self.share / (1.0 - 0.05f64.powf(1.0 / f64::from(self.looks.max(1))))
    }
}

/// The other of two ways to make writes durable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OtherWay {
    pub durability: Durability,
    /// `None`: it is void.
    pub estimate: Option<Estimate>,
    pub label: String,
}

/// What is seen in a figure's windows. Values are in the figure's unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "kebab-case")]
pub enum Sight {
    TwoLevels {
        low: f64,
        high: f64,
        /// Share of the time at `low`, which is the level of fewer operations a second.
        share_low: f64,
    },
    /// It fell, and stayed down.
    Fall {
        before: f64,
        after: f64,
        /// Seconds from the run's start.
        at: f64,
    },
    /// Runs of slow windows.
    Dips { level: f64, dips: Vec<Dip> },
    /// From where to where a level moved that did not settle.
    Moving { pass: u32, from: f64, to: f64 },
    /// The mean of each slice.
    Slices { means: Vec<f64> },
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dip {
    pub pass: u32,
    /// Seconds from the slice's start.
    pub from: f64,
    pub to: f64,
}
