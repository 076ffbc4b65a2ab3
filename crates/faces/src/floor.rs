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
            let more = distance.ceph.value - distance.floor.value;
            format!(
                "{} ms of {}",
                numbers::beside(more, &distance.ceph),
                numbers::beside(distance.ceph.value, &distance.ceph)
            )
        }
        Family::Parallel | Family::Linear => {
            format!("{} of what could be done", numbers::share(1.0 - distance.ceph.value / distance.floor.value))
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
