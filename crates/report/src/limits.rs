//! The highest rates that keep a bound, as rows of words; the same on a terminal and in Markdown.

use crate::{numbers, words};
use model::{Bound, Limit, Percentile, Probe, Report};

pub(crate) const HEADING: [&str; 5] = ["target", "pattern", "a second", "at that rate", "closed loop, a second"];

/// `Highest rate with p99 < 10 ms`; `None`: nothing was searched for.
pub(crate) fn title(report: &Report) -> Option<String> {
    report.limits.first().map(|limit| format!("Highest rate with {}", bound(&limit.bound)))
}

/// `p99 < 10 ms`
pub(crate) fn bound(bound: &Bound) -> String {
    format!("p{} < {} ms", bound.percent, bound.ms)
}

pub(crate) fn rows(report: &Report) -> Vec<Vec<String>> {
    report.limits.iter().map(row).collect()
}

fn row(limit: &Limit) -> Vec<String> {
    let confirmed = limit.probes.iter().rev().find(|probe| probe.confirms && probe.kept);
    let said = match confirmed {
        Some(probe) => format!(
            "{} slower, p{} {} ms, over {}",
            share(probe),
            limit.bound.percent,
            percentile(&probe.bounded),
            numbers::seconds(probe.seconds)
        ),
        None => limit.why.clone().unwrap_or_default(),
    };
    vec![
        words::place(limit.layer, &limit.target),
        limit.pattern.name().to_string(),
        limit.rate.map_or(numbers::NOTHING.into(), words::per_second),
        said,
        limit.capacity.map_or(numbers::NOTHING.into(), numbers::rough),
    ]
}

/// Over the rates that were tried.
pub(crate) fn heading(limit: &Limit) -> Vec<String> {
    let own = format!("p{}, ms", limit.bound.percent);
    ["a second", "outcome", "seconds", "slower than the bound", "p50, ms", &own].map(String::from).to_vec()
}

/// Every rate that was tried, in ascending order.
pub(crate) fn probes(limit: &Limit) -> Vec<Vec<String>> {
    let mut sorted: Vec<&Probe> = limit.probes.iter().collect();
    sorted.sort_by(|a, b| a.rate.total_cmp(&b.rate).then(a.confirms.cmp(&b.confirms)));
    let outcome = |probe: &Probe| match (probe.kept, probe.confirms) {
        (true, true) => "keeps it, confirmed",
        (true, false) => "keeps it",
        (false, true) => "does not keep it for long",
        (false, false) => "breaks it",
    };
    let row = |probe: &&Probe| {
        vec![
            words::per_second(probe.rate),
            outcome(probe).to_string(),
            numbers::rough(probe.seconds),
            share(probe),
            percentile(&probe.median),
            percentile(&probe.bounded),
        ]
    };
    sorted.iter().map(row).collect()
}

/// What a rate that was confirmed does not say.
pub(crate) fn note(limit: &Limit) -> Option<String> {
    // None seen in T seconds: with 95 % fewer than three in that time.
    limit.rate.map(|_| {
        let seconds = numbers::seconds(limit.seconds);
        format!(
            "confirmed over {seconds}; what happens less often than every {} is not excluded",
            numbers::seconds(limit.seconds / 3.0)
        )
    })
}

fn share(probe: &Probe) -> String {
    let percent = |share: f64| numbers::rough(share * 100.0);
    format!("{} % ({}–{})", percent(probe.over), percent(probe.over_low), percent(probe.over_high))
}

fn percentile(of: &Option<Percentile>) -> String {
    of.as_ref().map_or(numbers::NOTHING.to_string(), numbers::percentile)
}
