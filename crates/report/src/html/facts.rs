//! What the page says of one figure beside its value: how it was measured, under which load, and what made its label visible.

use crate::numbers::{bytes, count, rough, seconds, share};
use crate::words;
use model::{Background, Figure, Sight, Unseen, Workload};

/// By name; `None`: it has no such fact.
pub(super) fn facts(figure: &Figure) -> Vec<(String, Option<String>)> {
    let effort = figure.effort.as_ref();
    let beyond = |volume| format!("{} written without pause", bytes(volume));
    let part = |of| format!("each wrote in {} of the time", share(of));
    let all = [
        ("slices", Some(count(figure.slices.into()))),
        ("measured for", Some(seconds(figure.seconds))),
        ("speaks of", figure.unseen.as_ref().map(unseen)),
        ("operations", Some(count(figure.operations))),
        ("moved", Some(bytes(figure.bytes))),
        ("errors", Some(count(figure.errors))),
        ("holds up to", figure.valid_up_to.map(beyond)),
        ("loaded at once", Some(count(figure.at_once.into()))),
        ("a sum of commands", figure.overlap.map(part)),
        ("threads ran", effort.map(|of| share(of.busy))),
        ("waited for a processor", effort.map(|of| share(of.queued))),
        ("Fathom's own part", effort.and_then(|of| of.overhead).map(share)),
        ("RocksDB compacted", figure.background.as_ref().map(compacted)),
        ("in the depth chart", Some(if figure.chart { "yes" } else { "no, shown beside it" }.to_string())),
    ];
    all.map(|(name, text)| (name.to_string(), text)).to_vec()
}

fn unseen(of: &Unseen) -> String {
    format!(
        "{}, seen at {} moments; slower events that come less often than once in {} could take up to {}, which {}",
        seconds(of.stretch_seconds),
        count(of.looks.into()),
        seconds(of.rarer_than_seconds),
        share(of.share),
        if of.in_interval { "the interval allows for" } else { "is not in the interval" }
    )
}

/// What RocksDB did in the OSDs while it was measured.
fn compacted(of: &Background) -> String {
    let [in_step, dips, osds, all] = [of.in_step, of.dips, of.osds, of.of].map(|n| count(n.into()));
    let dips = if of.dips > 0 { format!(", at {in_step} of {dips} dips") } else { String::new() };
    let seen = if of.osds < of.of { format!(" ({osds} of {all} OSDs looked at)") } else { String::new() };
    format!("{} of the time{dips}{seen}", share(of.busy))
}

/// A workload, each of its numbers by name.
pub(super) fn load(of: &Workload) -> Vec<[String; 2]> {
    let rate = of.rate.map(|rate| match rate.pause_ms() {
        Some(ms) => format!("after pauses of {} ms", crate::numbers::rough(ms)),
        None => format!("{} a second, {}", words::per_second(rate.per_second), words::arrivals(rate.arrivals)),
    });
    let several = (of.clients > 1).then(|| count(of.clients.into()));
    let all = [
        ("block", Some(words::sizes(of))),
        ("rate", rate),
        (if of.rate.is_some() { "in flight at most" } else { "depth" }, Some(count(of.depth.into()))),
        ("jobs", Some(count(of.jobs.into()))),
        ("clients", several),
        ("kind", Some(words::mix(of.mix))),
        ("access", Some(words::access(of.access))),
        ("durability", Some(words::durability_name(of.durability).to_string())),
        ("span", Some(bytes(of.bytes()))),
        ("spread over all", of.spread.map(bytes)),
        ("object", of.object.filter(|_| of.sizes.is_none()).map(bytes)),
        ("seed", Some(of.seed.to_string())),
        ("engine", of.engine.clone()),
        ("data", of.verify.then(|| "verified".to_string())),
    ];
    let known = all.into_iter().filter_map(|(name, text)| Some([name.to_string(), text?]));
    let options = of.options.iter().chain(&of.settings).map(|(name, value)| [name.clone(), value.clone()]);
    known.chain(options).collect()
}

/// What the parts of the shape that made a label visible are called in the picture.
pub(super) fn sight(figure: &Figure) -> Vec<String> {
    let with_unit = |value: &f64| format!("{} {}", rough(*value), figure.metric.unit());
    match &figure.sight {
        Some(Sight::TwoLevels { low, high, share_low }) => vec![
            format!("{}, {} of the time", with_unit(low), share(*share_low)),
            format!("{}, {}", with_unit(high), share(1.0 - share_low)),
        ],
        Some(Sight::Fall { before, after, .. }) => {
            vec![format!("before {}", with_unit(before)), format!("after {}", with_unit(after))]
        }
        Some(Sight::Moving { from, to, .. }) => vec![rough(*from), rough(*to)],
        Some(Sight::Slices { means }) => {
            let known = || means.iter().copied().filter(|mean| mean.is_finite());
            let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
            vec![format!("slices from {} to {}", rough(low), with_unit(&high))]
        }
        Some(Sight::Dips { .. }) | None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Arrivals, Pattern, Rate};

    #[test]
    fn a_load_is_said_number_by_number() {
        let mut of = Workload::canonical(Pattern::WriteLatency, 1 << 30, u64::MAX);
        of.rate = Some(Rate { per_second: 2500.0, arrivals: Arrivals::Poisson, by_job: false });
        of.options.insert("cache".into(), "off".into());
        let said: Vec<String> = load(&of).iter().map(|pair| pair.join(" ")).collect();
        let wanted = [
            "block 4 KiB",
            "rate 2,500 a second, Poisson",
            "in flight at most 1",
            "jobs 1",
            "kind write",
            "access random",
            "durability dsync",
            "span 1 GiB",
            "seed 18446744073709551615",
            "cache off",
        ];
        assert_eq!(said, wanted);
    }
}
