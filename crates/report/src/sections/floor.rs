//! What Ceph does beside what any replicated store could do at best.

use crate::block::{Block, Cell, Column, Row, Table};
use crate::numbers;
use model::pattern::Family;
use model::{Distance, Estimate, Report, Scope};

const TITLE: &str =
    "Distance from the floor: what any replicated store could do at best on these disks and this network";
const HEADING: [&str; 6] = ["pattern", "against", "floor", "rados", "Ceph is slower by", "price of its software"];

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    if report.distances.is_empty() {
        return Vec::new();
    }
    let table = Table::new(HEADING.map(Column::left), report.distances.iter().map(row));
    vec![Block::title(TITLE), table.into()]
}

fn row(distance: &Distance) -> Row {
    let metric = distance.metric;
    let times = &distance.times;
    let price = match distance.pattern.family() {
        _ if [&distance.floor, &distance.ceph].into_iter().any(numbers::is_unknown) => numbers::NOTHING.to_string(),
        Family::Latency => {
            let more = numbers::more(&distance.ceph, &distance.floor, metric).with_unit();
            format!("{more} of {}", numbers::beside(distance.ceph.value, &distance.ceph))
        }
        Family::Parallel | Family::Linear | Family::Metadata => {
            let lost = |times: f64| numbers::share(1.0 - 1.0 / times);
            let most = times.high.map_or("all".to_string(), lost);
            format!("{} of what could be done ({} to {most})", lost(times.value), lost(times.low))
        }
    };
    let figure = |value: &Estimate, label: &str| Cell::from(numbers::figure(value, metric).with_unit()).labelled(label);
    Row::new([
        Cell::from(distance.pattern.name()),
        distance.on.clone().into(),
        figure(&distance.floor, &distance.floor_label),
        figure(&distance.ceph, &distance.ceph_label),
        numbers::times(times).into(),
        price.into(),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Multiple, Pattern, testing};

    #[test]
    fn a_price_within_the_noise_says_so() {
        let of = |pattern, floor, ceph, times: f64| Distance {
            pattern,
            metric: pattern.metric(testing::pools()),
            replicas: 3,
            on: "three".into(),
            floor: Estimate::new(floor, 0.3),
            ceph: Estimate::new(ceph, 0.4),
            floor_label: "settled".into(),
            ceph_label: "settled".into(),
            times: Multiple { value: times, low: times - 0.2, high: Some(times + 0.25) },
        };
        let price = |distance: &Distance| row(distance).cells.pop().unwrap().text;
        assert_eq!(price(&of(Pattern::WriteLatency, 2.0, 2.1, 1.05)), "0.1 ms ±0.5 of 2.1");
        let rate = of(Pattern::WriteParallel, 2.0, 1.0, 1.0);
        assert_eq!(price(&rate), "0 % of what could be done (-25 % to 20 %)");
        let unbounded = Distance { times: Multiple { high: None, ..rate.times }, ..rate };
        assert_eq!(price(&unbounded), "0 % of what could be done (-25 % to all)");
    }
}
