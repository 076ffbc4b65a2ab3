//! What Ceph does beside what any replicated store could do at best: rows for a terminal and for Markdown.

use crate::{numbers, words};
use model::pattern::Family;
use model::{Distance, Estimate, Layer, Report};

pub(crate) const TITLE: &str =
    "Distance from the floor: what any replicated store could do at best on these disks and this network";
pub(crate) const HEADING: [&str; 6] =
    ["pattern", "against", "floor", "rados", "Ceph is slower by", "price of its software"];

pub(crate) fn rows(report: &Report) -> Vec<Vec<String>> {
    report.distances.iter().map(row).collect()
}

fn row(distance: &Distance) -> Vec<String> {
    let metric = distance.pattern.metric(Layer::Rados);
    let times = &distance.times;
    let price = match distance.pattern.family() {
        _ if [&distance.floor, &distance.ceph].into_iter().any(numbers::is_unknown) => numbers::NOTHING.to_string(),
        Family::Latency => {
            let more = numbers::more(&distance.ceph, &distance.floor, metric).with_unit();
            format!("{more} of {}", numbers::beside(distance.ceph.value, &distance.ceph))
        }
        Family::Parallel | Family::Linear => {
            let lost = |times: f64| numbers::share(1.0 - 1.0 / times);
            let most = times.high.map_or("all".to_string(), lost);
            format!("{} of what could be done ({} to {most})", lost(times.value), lost(times.low))
        }
    };
    // With the mark of its label, as in the depth chart.
    let figure = |value: &Estimate, label: &str| {
        let mark = words::mark(label).map_or(String::new(), |mark| format!(" {mark}"));
        numbers::figure(value, metric).with_unit() + &mark
    };
    vec![
        distance.pattern.name().to_string(),
        distance.on.clone(),
        figure(&distance.floor, &distance.floor_label),
        figure(&distance.ceph, &distance.ceph_label),
        match times.high {
            Some(high) => format!("×{:.1} ({:.1}–{high:.1})", times.value, times.low),
            None => format!("×{:.1} ({:.1} and more)", times.value, times.low),
        },
        price,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Multiple, Pattern};

    #[test]
    fn a_price_within_the_noise_says_so() {
        let of = |pattern, floor, ceph, times: f64| Distance {
            pattern,
            replicas: 3,
            on: "three".into(),
            floor: Estimate::new(floor, 0.3),
            ceph: Estimate::new(ceph, 0.4),
            floor_label: "settled".into(),
            ceph_label: "settled".into(),
            times: Multiple { value: times, low: times - 0.2, high: Some(times + 0.25) },
        };
        let price = |distance: &Distance| row(distance).pop().unwrap();
        assert_eq!(price(&of(Pattern::WriteLatency, 2.0, 2.1, 1.05)), "0.1 ms ±0.5 of 2.1");
        let rate = of(Pattern::WriteParallel, 2.0, 1.0, 1.0);
        assert_eq!(price(&rate), "0 % of what could be done (-25 % to 20 %)");
        let unbounded = Distance { times: Multiple { high: None, ..rate.times }, ..rate };
        assert_eq!(price(&unbounded), "0 % of what could be done (-25 % to all)");
    }
}
