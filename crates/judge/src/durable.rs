//! Writes that were made durable in two ways, O_DSYNC and fdatasync: the worse counts, and says how the other was.

use crate::entry::Entry;
use model::{Durability, Figure, OtherWay, Pattern};

/// A drive may ignore FUA, or be slower with it than with a flush: which way is the worse one is each target's own.
pub fn worse_of_both(entries: &mut [Entry]) {
    let durable =
        |figure: &Figure| figure.pattern == Pattern::WriteLatency && figure.workload.durability != Durability::None;
    let writes: Vec<usize> = (0..entries.len()).filter(|at| durable(&entries[*at].figure)).collect();
    for (number, one) in writes.iter().copied().enumerate() {
        let mut others = writes[number + 1..].iter().copied();
        let Some(other) = others.find(|other| two_ways(&entries[one].figure, &entries[*other].figure)) else {
            continue;
        };
        let value = |at: usize| entries[at].usable().map(|estimate| estimate.value);
        let (worse, better) = if value(other) > value(one) { (other, one) } else { (one, other) };
        entries[better].figure.chart = false;
        let [told, beside] = [worse, better].map(|at| way(&entries[at].figure));
        entries[worse].figure.other_way = Some(beside);
        entries[better].figure.other_way = Some(told);
    }
}

fn way(figure: &Figure) -> OtherWay {
    let (durability, label) = (figure.workload.durability, figure.label.name().to_string());
    OtherWay { durability, estimate: figure.estimate, label }
}

/// Figures of the same cell and target that differ in nothing but how writes are made durable.
fn two_ways(one: &Figure, other: &Figure) -> bool {
    let cell = |figure: &Figure| (figure.layer, figure.kind, figure.at_once, figure.chart);
    let load = |figure: &Figure| (figure.workload.block, figure.workload.depth, figure.workload.mix);
    let closed = |figure: &Figure| figure.workload.rate.is_none();
    cell(one) == cell(other)
        && (&one.target, &one.host) == (&other.target, &other.host)
        && load(one) == load(other)
        && closed(one)
        && closed(other)
        && one.workload.durability != other.workload.durability
}

/// Does the store that stands on a disk make its writes durable like this?
pub fn as_stores_do(durability: Durability) -> bool {
    matches!(durability, Durability::Fsync | Durability::Fdatasync | Durability::GroupCommit)
}
