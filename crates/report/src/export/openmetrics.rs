//! A run as OpenMetrics text, for a Prometheus that reads it from a file or a gateway.

use crate::words;
use model::{Estimate, Event, Figure, FlawKind, Metric, Report};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use std::sync::atomic::AtomicU64;

type Labels = Vec<(String, String)>;
type Gauges = Family<Labels, Gauge<f64, AtomicU64>>;

/// Where a run is that goes on.
#[derive(Clone, Debug, Default)]
pub struct Course {
    pass: u32,
    /// In this pass: steps that have had their slice.
    done: u32,
    steps: u32,
    /// Layer, target and pattern of the step that is loaded.
    step: Option<[String; 3]>,
    /// What is prepared, and the share of it that is done.
    preparing: Option<(String, f64)>,
}

impl Course {
    pub fn take(&mut self, event: &Event) {
        match event {
            Event::Planned { plan } => self.steps = plan.steps.len() as u32,
            Event::Progress { what, share } => self.preparing = Some((what.clone(), *share)),
            Event::StepStarted { pass, step, .. } => {
                if *pass != self.pass {
                    (self.pass, self.done) = (*pass, 0);
                }
                self.preparing = None;
                self.step = Some([step.layer.name().into(), step.together(), step.pattern.name().into()]);
            }
            Event::StepFinished { .. } => (self.done, self.step) = (self.done + 1, None),
            Event::RunFinished { .. } => (self.step, self.preparing) = (None, None),
            _ => {}
        }
    }
}

fn family(registry: &mut Registry, name: &str, help: &str, unit: Option<Unit>) -> Gauges {
    let gauges = Gauges::default();
    match unit {
        Some(unit) => registry.register_with_unit(name, help, unit, gauges.clone()),
        None => registry.register(name, help, gauges.clone()),
    }
    gauges
}

/// Base units, as OpenMetrics wants them: seconds and bytes. Figures without a value are left out.
pub fn text(report: &Report) -> String {
    let mut registry = Registry::with_prefix("fathom");
    add_figures(&mut registry, report);
    add_cost(&mut registry, report);
    add_verified(&mut registry, report);
    encoded(&registry)
}

/// The same of a run that goes on, with where it is.
pub fn live(report: &Report, course: &Course) -> String {
    let mut registry = Registry::with_prefix("fathom");
    let run = || vec![label("run", &report.head.run)];
    let mut one = |name: &str, help: &str, value: f64| {
        family(&mut registry, name, help, None).get_or_create(&run()).set(value);
    };
    one("pass", "The pass that goes on; 0: the run is being prepared", f64::from(course.pass));
    one("steps", "Steps of the plan", f64::from(course.steps));
    one("steps_done", "Steps that have had their slice in this pass", f64::from(course.done));
    one("finished", "1: all is measured", f64::from(u8::from(report.finished())));
    if let Some((what, share)) = course.preparing.as_ref().filter(|(_, share)| share.is_finite()) {
        let preparing = family(&mut registry, "preparing_ratio", "The share that is done of what is prepared", None);
        let labels = [run(), vec![label("what", what)]].concat();
        preparing.get_or_create(&labels).set(*share);
    }
    if let Some(step) = &course.step {
        let loaded = family(&mut registry, "step_loaded", "1: this step is loaded now", None);
        let named = ["layer", "target", "pattern"].into_iter().zip(step);
        let labels = named.map(|(name, value)| label(name, value)).collect();
        loaded.get_or_create(&[run(), labels].concat()).set(1.0);
    }
    add_figures(&mut registry, report);
    add_cost(&mut registry, report);
    add_verified(&mut registry, report);
    encoded(&registry)
}

fn encoded(registry: &Registry) -> String {
    let mut text = String::new();
    // Writing to memory does not fail.
    let _ = encode(&mut text, registry);
    text
}

fn add_figures(registry: &mut Registry, report: &Report) {
    let bound = "bound: value, low and high of its 95 % interval";
    let latency = family(
        registry,
        "latency_mean",
        &format!("Mean latency or round trip (of an open loop: from when an operation was due); {bound}"),
        Some(Unit::Seconds),
    );
    let rate = family(registry, "operations_per_second", &format!("Operations a second; {bound}"), None);
    let bandwidth = family(registry, "bytes_per_second", &format!("Bytes a second; {bound}"), None);
    let percentiles = family(registry, "latency", "Percentile of service time", Some(Unit::Seconds));
    let responses = family(
        registry,
        "response",
        "Percentile of response time, from when an operation was due",
        Some(Unit::Seconds),
    );
    let first_bytes = family(
        registry,
        "first_byte",
        "Percentile of the time until the first byte of what was read came",
        Some(Unit::Seconds),
    );
    let settled = family(registry, "settled", "1: as precise as was asked for, without a reservation", None);
    let marked = family(registry, "figure_label", "1: the figure has this label", None);
    for figure in &report.figures {
        let Some(estimate) = figure.estimate.filter(|_| words::holds(&figure.label)) else { continue };
        let (gauges, scale) = match figure.metric {
            Metric::LatencyMean | Metric::Rtt => (&latency, 1e-3),
            Metric::Iops => (&rate, 1.0),
            Metric::Bandwidth => (&bandwidth, 1e6),
        };
        for (name, value) in bounds(&estimate).into_iter().filter(|(_, value)| value.is_finite()) {
            gauges.get_or_create(&labels(report, figure, Some(("bound", name.to_string())))).set(value * scale);
        }
        let times =
            [(&percentiles, &figure.percentiles), (&responses, &figure.response), (&first_bytes, &figure.first_byte)];
        for (gauges, told) in times {
            for percentile in told {
                let quantile = ("quantile", quantile(percentile.percent));
                gauges.get_or_create(&labels(report, figure, Some(quantile))).set(percentile.value_ms * 1e-3);
            }
        }
        let is = f64::from(u8::from(matches!(figure.label, model::Label::Settled)));
        settled.get_or_create(&labels(report, figure, None)).set(is);
        let name = ("label", figure.label.name().to_string());
        marked.get_or_create(&labels(report, figure, Some(name))).set(1.0);
    }
}

/// What measuring costs by itself, and what the load generator took of the processors.
fn add_cost(registry: &mut Registry, report: &Report) {
    let seconds = Some(Unit::Seconds);
    let overhead =
        family(registry, "overhead", "What measuring costs by itself, of one operation or clock reading", seconds);
    for (of, ns) in report.overhead.iter().flat_map(|overhead| {
        [
            ("operation", overhead.operation_ns),
            ("deep operation", overhead.deep_operation_ns),
            ("clock", overhead.clock_ns),
        ]
    }) {
        let labels = vec![label("run", &report.head.run), label("of", of)];
        overhead.get_or_create(&labels).set(ns / 1e9);
    }
    let busy =
        family(registry, "generator_busy_ratio", "Of their time, that the threads that put on the load ran", None);
    let queued =
        family(registry, "generator_queued_ratio", "Of their time, that these threads waited for a processor", None);
    let own = family(
        registry,
        "generator_overhead_ratio",
        "Measuring's own part of the latency, or of these threads' CPU",
        None,
    );
    for figure in &report.figures {
        let Some(effort) = figure.effort else { continue };
        let shares = [(&busy, Some(effort.busy)), (&queued, Some(effort.queued)), (&own, effort.overhead)];
        for (gauges, share) in shares {
            let Some(share) = share.filter(|share| share.is_finite()) else { continue };
            gauges.get_or_create(&labels(report, figure, None)).set(share);
        }
    }
}

/// What `--verify` read back, also of figures whose value may not be used.
fn add_verified(registry: &mut Registry, report: &Report) {
    let verified = family(registry, "verified", "Read and compared with what was written", Some(Unit::Bytes));
    let unknown = family(registry, "unverified", "Read, but their last write was not acknowledged", Some(Unit::Bytes));
    let flaws = family(registry, "flawed_blocks", "Blocks that were not as they were written", None);
    for figure in &report.figures {
        let Some(checked) = &figure.checked else { continue };
        verified.get_or_create(&labels(report, figure, None)).set(checked.bytes as f64);
        unknown.get_or_create(&labels(report, figure, None)).set(checked.unknown as f64);
        for kind in FlawKind::ALL {
            let flaw = ("flaw", kind.name().to_string());
            flaws.get_or_create(&labels(report, figure, Some(flaw))).set(checked.count(kind) as f64);
        }
    }
}

/// `0.999`, without what the division adds.
fn quantile(percent: f64) -> String {
    ((percent * 1e4).round() / 1e6).to_string()
}

fn bounds(estimate: &Estimate) -> [(&'static str, f64); 3] {
    [("value", estimate.value), ("low", estimate.low), ("high", estimate.high)]
}

fn labels(report: &Report, figure: &Figure, further: Option<(&str, String)>) -> Labels {
    let own = [
        ("run", report.head.run.clone()),
        ("step", figure.step.0.to_string()),
        ("layer", figure.layer.name().to_string()),
        ("target", figure.target.clone()),
        ("pattern", figure.pattern.name().to_string()),
        ("kind", words::kind(figure.kind).to_string()),
        ("at_once", figure.at_once.to_string()),
    ];
    let apart = words::apart(figure.chart, figure.layer, &figure.workload).map(|workload| ("workload", workload));
    own.into_iter().chain(apart).chain(further).map(|(name, value)| label(name, &value)).collect()
}

/// Escaped here: the encoder writes values as they are, and one quote in a name would make the whole text unreadable.
fn label(name: &str, value: &str) -> (String, String) {
    let line = |line: &str| words::tame(line).replace('\\', r"\\").replace('"', r#"\""#);
    (name.to_string(), value.split('\n').map(line).collect::<Vec<_>>().join(r"\n"))
}
