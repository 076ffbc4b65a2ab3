//! A run as OpenMetrics text, for a Prometheus that reads it from a file or a gateway.

use crate::words;
use model::{Estimate, Figure, Metric, Report};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use std::sync::atomic::AtomicU64;

type Labels = Vec<(String, String)>;
type Gauges = Family<Labels, Gauge<f64, AtomicU64>>;

/// Base units, as OpenMetrics wants them: seconds and bytes. Figures without a value are left out.
pub fn text(report: &Report) -> String {
    let mut registry = Registry::with_prefix("fathom");
    let family = |registry: &mut Registry, name: &str, help: &str, unit: Option<Unit>| {
        let gauges = Gauges::default();
        match unit {
            Some(unit) => registry.register_with_unit(name, help, unit, gauges.clone()),
            None => registry.register(name, help, gauges.clone()),
        }
        gauges
    };
    let bound = "bound: value, low and high of its 95 % interval";
    let latency =
        family(&mut registry, "latency_mean", &format!("Mean latency or round trip; {bound}"), Some(Unit::Seconds));
    let rate = family(&mut registry, "operations_per_second", &format!("Operations a second; {bound}"), None);
    let bandwidth = family(&mut registry, "bytes_per_second", &format!("Bytes a second; {bound}"), None);
    let percentiles = family(&mut registry, "latency", "Percentile of service time", Some(Unit::Seconds));
    let settled = family(&mut registry, "settled", "1: as precise as was asked for, without a reservation", None);
    for figure in &report.figures {
        let Some(estimate) = figure.estimate.filter(|_| words::holds(&figure.label)) else { continue };
        let (gauges, scale) = match figure.metric {
            Metric::LatencyMean | Metric::Rtt => (&latency, 1e-3),
            Metric::Iops => (&rate, 1.0),
            Metric::Bandwidth => (&bandwidth, 1e6),
        };
        for (name, value) in bounds(&estimate) {
            gauges.get_or_create(&labels(report, figure, Some(("bound", name.to_string())))).set(value * scale);
        }
        for percentile in &figure.percentiles {
            let quantile = ("quantile", (percentile.percent / 100.0).to_string());
            percentiles.get_or_create(&labels(report, figure, Some(quantile))).set(percentile.value_ms * 1e-3);
        }
        let is = f64::from(u8::from(matches!(figure.label, model::Label::Settled)));
        settled.get_or_create(&labels(report, figure, None)).set(is);
    }
    let mut text = String::new();
    // Writing to memory does not fail.
    let _ = encode(&mut text, &registry);
    text
}

fn bounds(estimate: &Estimate) -> [(&'static str, f64); 3] {
    [("value", estimate.value), ("low", estimate.low), ("high", estimate.high)]
}

fn labels(report: &Report, figure: &Figure, further: Option<(&str, String)>) -> Labels {
    let own = [
        ("run", report.head.run.clone()),
        ("layer", figure.layer.name().to_string()),
        ("target", figure.target.clone()),
        ("pattern", figure.pattern.name().to_string()),
        ("kind", words::kind(figure.kind).to_string()),
        ("at_once", figure.at_once.to_string()),
    ];
    own.into_iter().chain(further).map(|(name, value)| (name.to_string(), words::tame(&value))).collect()
}
