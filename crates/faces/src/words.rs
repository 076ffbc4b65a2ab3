//! Names, marks and workloads in words, the same in every face.

use crate::numbers;
use model::{Access, Arrivals, Durability, Figure, Label, Layer, Metric, OpKind, Workload};

/// Every label that carries a value but is not settled: its name, its one-letter mark, what it means.
const MARKS: [(&str, char, &str); 7] = [
    ("imprecise", 'i', "the interval is wider than asked for"),
    ("unsettled", 'u', "the level still moved when the time was up"),
    ("wandering", 'w', "the level differs from slice to slice"),
    ("few events", 'f', "rare dips carry much of the result"),
    ("two levels", 't', "the figure alternates between two levels"),
    ("burst", 'b', "valid only up to the volume that was written"),
    ("generator-limited", 'g', "the load generator was the limit"),
];

/// The mark of a label by its name; `None` for settled figures and for those that have no value to mark.
pub fn mark(label: &str) -> Option<char> {
    match label {
        "settled" | "implausible" | "void" => None,
        _ => Some(MARKS.iter().find(|(name, ..)| *name == label).map_or('?', |(_, mark, _)| *mark)),
    }
}

pub fn meaning(label: &str) -> &'static str {
    MARKS.iter().find(|(name, ..)| *name == label).map_or("see the reason", |(.., meaning)| meaning)
}

/// Is the figure's value one that may be used?
pub fn holds(label: &Label) -> bool {
    !matches!(label, Label::Implausible(_) | Label::Void(_))
}

/// The target, with its layer where the name alone does not say it.
pub fn place(layer: Layer, target: &str) -> String {
    if target.starts_with(layer.name()) { target.to_string() } else { format!("{} {target}", layer.name()) }
}

/// As in the JSON document.
pub fn metric(metric: Metric) -> &'static str {
    match metric {
        Metric::LatencyMean => "latency_mean",
        Metric::Rtt => "rtt",
        Metric::Iops => "iops",
        Metric::Bandwidth => "bandwidth",
    }
}

pub fn kind(kind: OpKind) -> &'static str {
    match kind {
        OpKind::Read => "read",
        OpKind::Write => "write",
    }
}

/// `3.21 ms ±0.12`, or a dash.
pub fn value(figure: &Figure) -> String {
    let shown = figure.estimate.as_ref().map(|estimate| numbers::figure(estimate, figure.metric).with_unit());
    shown.unwrap_or_else(|| numbers::NOTHING.to_string())
}

/// Text from outside as plain text: it can neither command a terminal nor turn the direction of what follows.
pub fn tame(text: &str) -> String {
    let wild = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if wild(c) { ' ' } else { c }).collect()
}

/// Options say by their names that their values are secret.
pub fn is_secret(option: &str) -> bool {
    const WORDS: [&str; 6] = ["secret", "password", "passwd", "token", "credential", "private_key"];
    let name = option.to_lowercase();
    WORDS.iter().any(|word| name.contains(word)) || name.ends_with("_key") || name.ends_with("/key")
}

/// What tells a figure from others of the same target and pattern: nothing for those of the depth chart, which are one each.
pub fn apart(chart: bool, layer: Layer, of: &Workload) -> Option<String> {
    (!chart).then(|| match layer {
        Layer::Network => workload(layer, of),
        _ => format!("{}, over {}", workload(layer, of), numbers::bytes(of.span)),
    })
}

/// What the numbers of a sweep's axis count; `None`: things.
pub fn axis_unit(name: &str) -> Option<&'static str> {
    match name {
        "block-size" | "working-set" | "object-size" => Some("bytes"),
        "read-share" => Some("%"),
        _ => None,
    }
}

/// What a figure's workload was, where its pattern does not say it: nothing for the canonical one.
pub fn beside_pattern(figure: &Figure) -> String {
    let canonical = Workload::canonical(figure.pattern, figure.workload.span, figure.workload.seed);
    let numbers = |w: &Workload| (w.block, w.depth, w.rate, w.jobs, w.clients, w.read_percent, w.access, w.verify);
    let options = |w: &Workload| (w.options.clone(), w.settings.clone());
    let core = |w: &Workload| (numbers(w), options(w));
    let mut parts = Vec::new();
    if figure.at_once > 1 {
        parts.push(format!("{} targets at once", figure.at_once));
    }
    if core(&canonical) != core(&figure.workload) {
        parts.push(workload(figure.layer, &figure.workload));
    }
    parts.join(", ")
}

/// `4 KiB random write, depth 1, dsync`; on the network, which has no places to draw from, `4 KiB, depth 1`.
pub fn workload(layer: Layer, workload: &Workload) -> String {
    let access = access(workload.access);
    let kind = match workload.read_percent {
        0 => "write".to_string(),
        100 => "read".to_string(),
        percent => format!("{percent} % read"),
    };
    let block = numbers::bytes(workload.block);
    let how = match workload.rate {
        None => format!("depth {}", workload.depth),
        Some(rate) => format!(
            "{} a second ({}), at most {} at once",
            per_second(rate.per_second),
            arrivals(rate.arrivals),
            workload.depth
        ),
    };
    let mut text = match layer {
        Layer::Network => format!("{block}, {how}"),
        _ => format!("{block} {access} {kind}, {how}"),
    };
    if workload.jobs > 1 {
        text += &format!(", {} {}", workload.jobs, if layer == Layer::Network { "streams" } else { "jobs" });
    }
    if workload.clients > 1 {
        text += &format!(", {} clients", workload.clients);
    }
    if workload.writes() && workload.durability != Durability::None {
        text += ", ";
        text += durability(workload.durability);
    }
    if let Some(engine) = &workload.engine {
        text += ", ";
        text += engine;
    }
    for (name, value) in &workload.options {
        text += &format!(", {name}={value}");
    }
    for (name, value) in &workload.settings {
        text += &format!(", {name} = {value}");
    }
    if workload.verify {
        text += ", verified";
    }
    text
}

/// Whole rates with separators, others as they were asked for.
pub(crate) fn per_second(rate: f64) -> String {
    if rate.fract() == 0.0 && rate < 1e15 { numbers::count(rate as u64) } else { rate.to_string() }
}

pub fn arrivals(arrivals: Arrivals) -> &'static str {
    match arrivals {
        Arrivals::Poisson => "Poisson",
        Arrivals::Even => "even",
    }
}

pub fn access(access: Access) -> String {
    match access {
        Access::Random => "random".to_string(),
        Access::Sequential => "sequential".to_string(),
        Access::Zipf(exponent) => format!("zipf {exponent}"),
    }
}

/// As in the JSON document and on the command line.
pub fn durability_name(of: Durability) -> &'static str {
    match of {
        Durability::None => "none",
        _ => durability(of),
    }
}

fn durability(durability: Durability) -> &'static str {
    match durability {
        Durability::None => "not durable",
        Durability::Sync => "sync",
        Durability::Dsync => "dsync",
        Durability::Fsync => "fsync",
        Durability::Fdatasync => "fdatasync",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_which_options_are_secret() {
        for name in ["client/rgw_keystone_admin_password", "mgr/mgr/dashboard/jwt_token", "client/rgw_crypt_kmip_key"] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["osd/osd_max_backfills", "osd.2/debug_osd", "global/osd_pool_default_size", "mon/keyvaluedb"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
