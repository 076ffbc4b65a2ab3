//! Figures and what is made of them, in the document: chart, ledger, distances from the floor, outliers.

use super::parts::{Bounds, Interval, Keyed, LabelName, Unit, interval, interval_of, six_digits, value_of};
use crate::phrase;
use model::{
    Background, Bytes, ChartCell, Checked, Distance, DoorPrice, Durability, EmptyPages, Estimate, Figure, GatewayPair,
    Label, LatencyPart, LatencyParts, Layer, LedgerRow, Metric, OpClass, OsdStages, OtherWay, Outlier, PairTime,
    Pattern, Percentile, PositionOfOsd, Positions, Shares, Sight, Standing, StepId, Unseen, Workload, WriteTimes,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize, JsonSchema)]
pub(super) struct FigureDocument {
    step: StepId,
    layer: Layer,
    target: String,
    host: Option<String>,
    /// Of a pair of hosts: on which network; null: that of the load.
    network: Option<String>,
    pattern: Pattern,
    kind: OpClass,
    workload: Workload,
    other_way: Option<OtherWayDocument>,
    metric: Metric,
    unit: Unit,
    /// null exactly if the label is void.
    value: Option<f64>,
    ci95: Option<Interval>,
    label: LabelName,
    why: Option<String>,
    chart: bool,
    at_once: u32,
    slices: u32,
    seconds: f64,
    operations: u64,
    bytes: u64,
    errors: u64,
    per_second: Option<f64>,
    per_second_ci95: Option<[f64; 2]>,
    first_error: Option<String>,
    percentiles: Keyed<f64>,
    percentiles_ci95: Keyed<Bounds>,
    response_percentiles: Keyed<f64>,
    response_percentiles_ci95: Keyed<Bounds>,
    first_byte_percentiles: Keyed<f64>,
    first_byte_percentiles_ci95: Keyed<Bounds>,
    effort: Option<Shares>,
    verified: Option<Checked>,
    valid_up_to: Option<Bytes>,
    gaps: Vec<String>,
    overlap: Option<f64>,
    unseen: Option<Unseen>,
    empty_pages: Option<EmptyPages>,
    pgs_seen: Vec<PgsDocument>,
    background: Option<Background>,
    sight: Option<Sight>,
}

#[derive(Serialize, JsonSchema)]
struct OtherWayDocument {
    durability: Durability,
    value: Option<f64>,
    ci95: Option<Interval>,
    label: LabelName,
}

#[derive(Serialize, JsonSchema)]
struct PgsDocument {
    pass: u32,
    states: BTreeMap<String, u32>,
}

impl From<&OtherWay> for OtherWayDocument {
    fn from(other: &OtherWay) -> Self {
        OtherWayDocument {
            durability: other.durability,
            value: value_of(other.estimate.as_ref()),
            ci95: interval_of(other.estimate.as_ref()),
            label: LabelName(other.label.clone()),
        }
    }
}

/// A figure has a value exactly if it is not void: a value that is no number makes it so.
impl From<&Figure> for FigureDocument {
    fn from(figure: &Figure) -> Self {
        let void = matches!(figure.label, Label::Void(_));
        let estimate = figure.estimate.filter(|estimate| estimate.value.is_finite() && !void);
        let (label, why) = match estimate {
            Some(_) => (figure.label.name(), figure.label.why()),
            None => ("void", figure.label.why().or(Some("its value is not a finite number"))),
        };
        let pgs = figure.pgs_seen.iter().map(|seen| PgsDocument { pass: seen.pass, states: seen.states.clone() });
        FigureDocument {
            step: figure.step,
            layer: figure.layer,
            target: figure.target.clone(),
            host: figure.host.clone(),
            network: figure.network.clone(),
            pattern: figure.pattern,
            kind: figure.kind,
            workload: figure.workload.clone(),
            other_way: figure.other_way.as_ref().map(OtherWayDocument::from),
            metric: figure.metric,
            unit: Unit(figure.metric.unit()),
            value: value_of(estimate.as_ref()),
            ci95: interval_of(estimate.as_ref()),
            label: LabelName(label.to_string()),
            why: why.map(String::from),
            chart: figure.chart,
            at_once: figure.at_once,
            slices: figure.slices,
            seconds: figure.seconds,
            operations: figure.operations,
            bytes: figure.bytes,
            errors: figure.errors,
            per_second: value_of(figure.per_second.as_ref()),
            per_second_ci95: interval_of(figure.per_second.as_ref()),
            first_error: figure.first_error.clone(),
            percentiles: Keyed::of(&figure.percentiles, |one| six_digits(one.value_ms)),
            percentiles_ci95: Keyed::of(&figure.percentiles, bounds),
            response_percentiles: Keyed::of(&figure.response, |one| six_digits(one.value_ms)),
            response_percentiles_ci95: Keyed::of(&figure.response, bounds),
            first_byte_percentiles: Keyed::of(&figure.first_byte, |one| six_digits(one.value_ms)),
            first_byte_percentiles_ci95: Keyed::of(&figure.first_byte, bounds),
            effort: figure.effort,
            verified: figure.checked.clone(),
            valid_up_to: figure.valid_up_to,
            gaps: figure.gaps.clone(),
            overlap: figure.overlap,
            unseen: figure.unseen,
            empty_pages: figure.empty_pages,
            pgs_seen: pgs.collect(),
            background: figure.background.clone().map(with_blame),
            sight: figure.sight.clone(),
        }
    }
}

/// All that it says, as one.
fn with_blame(mut seen: Background) -> Background {
    let blamed = seen.blamed().map(|blamed| phrase::text(&blamed));
    seen.says = seen.says.into_iter().chain(blamed).reduce(|one, other| format!("{one}; {other}"));
    seen
}

fn bounds(of: &Percentile) -> Bounds {
    [of.low_ms, of.high_ms].map(|end| end.map(six_digits))
}

#[derive(Serialize, JsonSchema)]
pub(super) struct CellDocument {
    layer: Layer,
    /// Which of several gateways, or file systems.
    #[serde(skip_serializing_if = "Option::is_none")]
    door: Option<String>,
    pattern: Pattern,
    metric: Metric,
    unit: Unit,
    value: Option<f64>,
    ci95: Option<Interval>,
    targets: u32,
    worst: Option<String>,
    label: LabelName,
    why: Option<String>,
}

impl From<&ChartCell> for CellDocument {
    fn from(cell: &ChartCell) -> Self {
        let metric = cell.pattern.metric(cell.layer);
        let estimate = cell.estimate.filter(|estimate| estimate.value.is_finite());
        CellDocument {
            layer: cell.layer,
            door: cell.door.clone(),
            pattern: cell.pattern,
            metric,
            unit: Unit(metric.unit()),
            value: value_of(estimate.as_ref()),
            ci95: interval_of(estimate.as_ref()),
            targets: cell.targets,
            worst: cell.worst.clone(),
            label: LabelName(cell.label.clone()),
            why: cell.why.clone(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct LedgerDocument {
    pattern: Pattern,
    layer: Layer,
    unit: Unit,
    adds: f64,
    ci95: Interval,
    expected: Option<f64>,
    unexplained: Option<f64>,
    share: Option<f64>,
    ceiling: Option<f64>,
    /// The share may be lower; and the ceiling, where there is one, higher.
    at_least: bool,
    because: String,
}

impl From<&LedgerRow> for LedgerDocument {
    fn from(row: &LedgerRow) -> Self {
        LedgerDocument {
            pattern: row.pattern,
            layer: row.layer,
            unit: Unit(row.pattern.metric(row.layer).unit()),
            adds: row.adds.value,
            ci95: interval(&row.adds),
            expected: row.expected,
            unexplained: row.unexplained,
            share: row.share,
            ceiling: row.ceiling,
            at_least: row.at_least,
            because: row.because.clone(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct LatencyPartsDocument {
    layer: Layer,
    pattern: Pattern,
    target: String,
    mean_ms: f64,
    /// They add up to the mean.
    parts: Vec<LatencyPart>,
    /// Share of the operations that the OSDs, or the gateways, counted which were the run's own; null for a metadata server.
    own: Option<f64>,
    /// Requests to a gateway or a metadata server in one operation; null where nobody stands between the client and the OSDs.
    requests: Option<f64>,
    osds: u32,
    of: u32,
    doubt: Option<String>,
}

impl From<&LatencyParts> for LatencyPartsDocument {
    fn from(one: &LatencyParts) -> Self {
        let LatencyParts { layer, pattern, mean_ms, own, requests, osds, of, .. } = *one;
        let (target, parts, doubt) = (one.target.clone(), one.parts.clone(), one.doubt.clone());
        LatencyPartsDocument { layer, pattern, target, mean_ms, parts, own, requests, osds, of, doubt }
    }
}

/// Of writes with one in flight, in turns over pairs of OSDs; ms.
#[derive(Serialize, JsonSchema)]
pub(super) struct PositionsDocument {
    layer: Layer,
    pattern: Pattern,
    usual_median: f64,
    usual_median_ci95: Interval,
    usual_mean: f64,
    usual_mean_ci95: Interval,
    usual_p90: f64,
    usual_p90_ci95: Interval,
    /// Over all OSDs, each as often the primary as the replica.
    mean: f64,
    mean_ci95: Interval,
    operations: u64,
    osds: Vec<PositionDocument>,
    pairs: Vec<PairDocument>,
}

#[derive(Serialize, JsonSchema)]
struct PositionDocument {
    osd: u32,
    host: String,
    primary: RoleDocument,
    replica: RoleDocument,
    /// What the OSD says of its own part; null: it was not asked, or does not count it.
    own_stages: Option<OsdStages>,
}

/// What it adds in this role, more than the median OSD.
#[derive(Serialize, JsonSchema)]
struct RoleDocument {
    median: f64,
    median_ci95: Interval,
    mean: f64,
    mean_ci95: Interval,
    p90: f64,
    p90_ci95: Interval,
}

#[derive(Serialize, JsonSchema)]
struct PairDocument {
    primary: u32,
    replica: u32,
    mean: f64,
    /// What of it neither of both explains.
    beyond: f64,
}

impl From<&WriteTimes<Estimate>> for RoleDocument {
    fn from(times: &WriteTimes<Estimate>) -> Self {
        let WriteTimes { median, mean, p90 } = times;
        RoleDocument {
            median: median.value,
            median_ci95: interval(median),
            mean: mean.value,
            mean_ci95: interval(mean),
            p90: p90.value,
            p90_ci95: interval(p90),
        }
    }
}

impl From<&Positions> for PositionsDocument {
    fn from(all: &Positions) -> Self {
        let osd = |one: &PositionOfOsd| PositionDocument {
            osd: one.osd,
            host: one.host.clone(),
            primary: RoleDocument::from(&one.primary),
            replica: RoleDocument::from(&one.replica),
            own_stages: one.timers,
        };
        let pair = |one: &PairTime| {
            let PairTime { primary, replica, mean, beyond } = *one;
            PairDocument { primary, replica, mean, beyond }
        };
        PositionsDocument {
            layer: all.layer,
            pattern: all.pattern,
            usual_median: all.usual.median.value,
            usual_median_ci95: interval(&all.usual.median),
            usual_mean: all.usual.mean.value,
            usual_mean_ci95: interval(&all.usual.mean),
            usual_p90: all.usual.p90.value,
            usual_p90_ci95: interval(&all.usual.p90),
            mean: all.mean.value,
            mean_ci95: interval(&all.mean),
            operations: all.operations,
            osds: all.osds.iter().map(osd).collect(),
            pairs: all.pairs.iter().map(pair).collect(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct DistanceDocument {
    pattern: Pattern,
    replicas: u32,
    on: String,
    unit: Unit,
    floor: f64,
    floor_ci95: Interval,
    ceph: f64,
    ceph_ci95: Interval,
    floor_label: LabelName,
    ceph_label: LabelName,
    times: f64,
    /// Without an upper end: the floor may be next to nothing.
    times_ci95: Bounds,
}

impl From<&Distance> for DistanceDocument {
    fn from(distance: &Distance) -> Self {
        DistanceDocument {
            pattern: distance.pattern,
            replicas: distance.replicas,
            on: distance.on.clone(),
            unit: Unit(distance.metric.unit()),
            floor: distance.floor.value,
            floor_ci95: interval(&distance.floor),
            ceph: distance.ceph.value,
            ceph_ci95: interval(&distance.ceph),
            floor_label: LabelName(distance.floor_label.clone()),
            ceph_label: LabelName(distance.ceph_label.clone()),
            times: distance.times.value,
            times_ci95: [Some(distance.times.low), distance.times.high],
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct DoorDocument {
    layer: Layer,
    pattern: Pattern,
    target: String,
    unit: Unit,
    /// Through the door.
    value: f64,
    ci95: Interval,
    label: LabelName,
    /// Objects of RADOS under the same work.
    rados: f64,
    rados_ci95: Interval,
    rados_label: LabelName,
    /// How many times slower it is through the door.
    times: f64,
    /// Without an upper end: what it is divided by may be next to nothing.
    times_ci95: Bounds,
}

impl From<&DoorPrice> for DoorDocument {
    fn from(price: &DoorPrice) -> Self {
        DoorDocument {
            layer: price.layer,
            pattern: price.pattern,
            target: price.target.clone(),
            unit: Unit(price.metric.unit()),
            value: price.at_door.value,
            ci95: interval(&price.at_door),
            label: LabelName(price.door_label.clone()),
            rados: price.of_rados.value,
            rados_ci95: interval(&price.of_rados),
            rados_label: LabelName(price.rados_label.clone()),
            times: price.times.value,
            times_ci95: [Some(price.times.low), price.times.high],
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct GatewayDocument {
    pattern: Pattern,
    kind: OpClass,
    unit: Unit,
    slow: String,
    value: f64,
    ci95: Interval,
    quick: String,
    quick_value: f64,
    quick_ci95: Interval,
    /// How many times slower the one is.
    times: f64,
    /// Without an upper end: what it is divided by may be next to nothing.
    times_ci95: Bounds,
    /// It is slower beyond the noise, by at least a tenth.
    apart: bool,
}

impl From<&GatewayPair> for GatewayDocument {
    fn from(pair: &GatewayPair) -> Self {
        GatewayDocument {
            pattern: pair.pattern,
            kind: pair.kind,
            unit: Unit(pair.metric.unit()),
            slow: pair.slow.clone(),
            value: pair.of_slow.value,
            ci95: interval(&pair.of_slow),
            quick: pair.quick.clone(),
            quick_value: pair.of_quick.value,
            quick_ci95: interval(&pair.of_quick),
            times: pair.times.value,
            times_ci95: [Some(pair.times.low), pair.times.high],
            apart: pair.apart,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct OutlierDocument {
    layer: Layer,
    pattern: Pattern,
    target: String,
    slower_by: f64,
    standing: Standing,
    says: String,
}

impl From<&Outlier> for OutlierDocument {
    fn from(outlier: &Outlier) -> Self {
        OutlierDocument {
            layer: outlier.layer,
            pattern: outlier.pattern,
            target: outlier.target.clone(),
            slower_by: outlier.slower_by,
            standing: outlier.standing,
            says: phrase::text(&outlier.says),
        }
    }
}
