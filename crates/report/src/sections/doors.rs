//! What each door to a pool costs, beside objects of RADOS under the same work.

use crate::block::{Block, Cell, Column, Row, Table};
use crate::numbers;
use model::pattern::Family;
use model::{DoorPrice, Estimate, Layer, Multiple, Report, Scope};

const TITLE: &str = "Price of each door: what images, files, buckets and guests take, beside objects of RADOS";
const HEADING: [&str; 6] = ["layer", "pattern", "rados", "this layer", "times slower", "it adds, or loses"];
const WORK: &str = "The operations are alike (size, mix, number in flight); the data are not: each layer has a working set of its own, so that reads may come from memory in one and not in the other, \
                    and a write of an object replaces all of it.";
const NO_MODEL: &str = "What file systems, gateways and hypervisors should take was never published: there is no model. Their pools may be others than the one of the RADOS figures.";
const OF_GATEWAYS: &str = "That a gateway is one of this cluster is not looked at.";
const OF_GUESTS: &str = "That a guest's disks and folders lie in this cluster is not looked at.";

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    // What images add to RADOS the ledger says; here they stand beside mapped ones, files and buckets.
    let is = |of: fn(Layer) -> bool| report.doors.iter().any(|price| of(price.layer));
    if !is(Layer::has_doors) && !is(Layer::of_disks) {
        return Vec::new();
    }
    let table = Table::new(HEADING.map(Column::left), report.doors.iter().map(|price| row(&report.doors, price)));
    let not_looked_at = [(Layer::of_buckets as fn(Layer) -> bool, OF_GATEWAYS), (Layer::of_guests, OF_GUESTS)];
    let not_looked_at = not_looked_at.into_iter().filter(|(of, _)| is(*of)).map(|(_, says)| says);
    let notes = [WORK, NO_MODEL].into_iter().chain(not_looked_at).map(Block::note);
    [Block::title(TITLE), table.into()].into_iter().chain(notes).collect()
}

/// `×5.4 (3.9–7.2)`; `None`: one of both values is not known.
pub(crate) fn times(price: &DoorPrice) -> Option<String> {
    if unknown(price) {
        return None;
    }
    Some(numbers::times(&price.times))
}

fn unknown(price: &DoorPrice) -> bool {
    [&price.at_door, &price.of_rados].into_iter().any(numbers::is_unknown)
}

/// The layer, or which of several doors of it.
fn door(all: &[DoorPrice], price: &DoorPrice) -> String {
    let another = |other: &DoorPrice| other.layer == price.layer && other.target != price.target;
    match price.layer.of_disks() || price.layer.of_guests() || all.iter().any(another) {
        true => price.target.clone(),
        false => price.layer.name().to_string(),
    }
}

fn row(all: &[DoorPrice], price: &DoorPrice) -> Row {
    let metric = price.metric;
    // One is within the interval: which of both is quicker is not known.
    let alike = price.times.low <= 1.0 && price.times.high.is_none_or(|high| high >= 1.0);
    let cost = match price.pattern.family() {
        _ if unknown(price) => numbers::NOTHING.to_string(),
        _ if alike => "no difference beyond the noise".to_string(),
        Family::Latency => numbers::more(&price.at_door, &price.of_rados, metric).with_unit(),
        Family::Parallel | Family::Linear | Family::Metadata => lost(&price.times),
    };
    let figure = |value: &Estimate, label: &str| Cell::from(numbers::figure(value, metric).with_unit()).labelled(label);
    Row::new([
        Cell::from(door(all, price)),
        price.pattern.name().into(),
        figure(&price.of_rados, &price.rados_label),
        figure(&price.at_door, &price.door_label),
        times(price).unwrap_or_else(|| numbers::NOTHING.to_string()).into(),
        cost.into(),
    ])
}

/// Of the rate of RADOS.
fn lost(times: &Multiple) -> String {
    let share = |times: f64| numbers::share(1.0 - 1.0 / times);
    match times.value >= 1.0 {
        true => {
            let most = times.high.map_or("all".to_string(), share);
            format!("{} of the rate lost ({} to {most})", share(times.value), share(times.low))
        }
        false => "quicker than RADOS was".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Pattern, testing};

    fn price(pattern: Pattern, rados: Estimate, door: Estimate, times: [f64; 3]) -> Vec<String> {
        let [low, value, high] = times;
        let price = DoorPrice {
            layer: testing::buckets(),
            pattern,
            metric: pattern.metric(testing::buckets()),
            target: "gateway g:80".into(),
            at_door: door,
            of_rados: rados,
            door_label: "settled".into(),
            rados_label: "settled".into(),
            times: Multiple { value, low, high: Some(high) },
        };
        row(&[], &price).cells.split_off(4).into_iter().map(|cell| cell.text).collect()
    }

    #[test]
    fn a_price_is_told_as_surely_as_it_is_known() {
        let of = |value: f64, half: f64| Estimate::new(value, half);
        let told = price(Pattern::WriteLatency, of(1.6, 0.1), of(8.8, 0.5), [4.9, 5.5, 6.2]);
        assert_eq!(told, ["×5.5 (4.9–6.2)", "7.2 ms ±0.6"]);
        let told = price(Pattern::ReadParallel, of(9000.0, 90.0), of(3000.0, 30.0), [2.8, 3.0, 3.2]);
        assert_eq!(told, ["×3.0 (2.8–3.2)", "67 % of the rate lost (64 % to 69 %)"]);
        let told = price(Pattern::ReadParallel, of(10.0, 1.0), of(11.0, 1.0), [0.7, 0.9, 1.2]);
        assert_eq!(told[1], "no difference beyond the noise");
        let told = price(Pattern::WriteLatency, of(1.0, 2.0), of(8.8, 0.5), [0.1, 5.5, 60.0]);
        assert_eq!(told, [numbers::NOTHING, numbers::NOTHING]);
    }
}
