//! Names, marks and workloads in words, the same in every face.

use crate::numbers;
use model::{Access, Durability, Figure, Label, Workload};

/// Every label that carries a value but is not settled: its name, its one-letter mark, what it means.
const MARKS: [(&str, char, &str); 7] = [
    ("imprecise", 'i', "the interval is wider than asked for"),
    ("unsettled", 'u', "the level still moved when the time was up"),
    ("wandering", 'w', "the level differs from slice to slice"),
    ("few events", 'f', "rare dips carry much of the result"),
    ("two levels", '2', "the figure alternates between two levels"),
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

/// `3.21 ms ±0.12`, or a dash.
pub fn value(figure: &Figure) -> String {
    let shown = figure.estimate.as_ref().map(|estimate| numbers::figure(estimate, figure.metric).with_unit());
    shown.unwrap_or_else(|| numbers::NOTHING.to_string())
}

/// `4 KiB random write, depth 1, dsync`
pub fn workload(workload: &Workload) -> String {
    let access = match workload.access {
        Access::Random => "random".to_string(),
        Access::Sequential => "sequential".to_string(),
        Access::Zipf(exponent) => format!("zipf {exponent}"),
    };
    let kind = match workload.read_percent {
        0 => "write".to_string(),
        100 => "read".to_string(),
        percent => format!("{percent} % read"),
    };
    let mut text = format!("{} {access} {kind}, depth {}", numbers::bytes(workload.block), workload.depth);
    if workload.jobs > 1 {
        text += &format!(", {} jobs", workload.jobs);
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
    text
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
