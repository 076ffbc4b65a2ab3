//! What is to be known about how figures were measured: of which time they speak, where reads came from, what was not seen.

use super::chart;
use crate::block::{self, Block, Emphasis};
use crate::{numbers, words};
use model::{Answer, ChartCell, Figure, Label, Overhead, ReadFrom, Report, Scope, Unseen};

/// At most this many figures are named; the others are counted.
const NAMED: usize = 6;

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let notes = [
        speaks(report),
        spread(report),
        both_ways(report),
        sums(report),
        read_from(report),
        without_compaction(report),
        overhead(report),
    ];
    block::list(notes.into_iter().flatten(), Emphasis::Plain).into_iter().collect()
}

/// What measuring costs by itself.
fn overhead(report: &Report) -> Option<String> {
    let say = |of: &Overhead| {
        format!(
            "Measuring costs {} ns an operation, {} ns of each where many are in flight; a reading of the clock {} ns.",
            numbers::rough(of.operation_ns),
            numbers::rough(of.deep_operation_ns),
            numbers::rough(of.clock_ns)
        )
    };
    report.overhead.as_ref().map(say)
}

/// From where the reads of each cell came, by the OSDs' own counters: from devices or from memory.
fn read_from(report: &Report) -> Option<String> {
    let told = |cell: &ChartCell| {
        let of_store = |figure: &&Figure| {
            cell.layer.can().data_in_osds
                && !figure.kind.changes()
                && cell.has(figure)
                // Where nothing was written there was nothing to take.
                && !matches!(figure.label, Label::Unwritten(_))
        };
        let figures: Vec<&Figure> = report.figures.iter().filter(of_store).collect();
        let known = |figure: &&Figure| figure.background.as_ref().and_then(|seen| seen.reads);
        let reads: Vec<ReadFrom> = figures.iter().filter_map(known).collect();
        let name = format!("{} {}", cell.row(), cell.pattern.name());
        let shares: Vec<f64> = reads.iter().map(|read| read.from_device).collect();
        let (least, most) = (shares.iter().copied().fold(1.0, f64::min), shares.iter().copied().fold(0.0, f64::max));
        match (figures.is_empty(), reads.first()) {
            (true, _) => None,
            (false, None) => Some(format!("{name} not known")),
            (false, Some(first)) => {
                let one = reads.iter().all(|read| read.caches == first.caches);
                let caches = if one { first.caches.name() } else { "partly cached" };
                let range = if numbers::share(least) == numbers::share(most) {
                    String::new()
                } else {
                    format!("{} to ", numbers::share(least))
                };
                Some(format!("{name} {caches} ({range}{})", numbers::share(most)))
            }
        }
    };
    let told: Vec<String> = chart::cells(report).into_iter().filter_map(told).collect();
    if told.iter().all(|one| one.ends_with(" not known")) {
        let text = "Whether reads came from the OSDs' devices or from their memory is not known: the OSDs' counters of that were not read.";
        return (!told.is_empty()).then(|| text.to_string());
    }
    Some(format!("Reads, by the share of bytes that the OSDs took from their devices: {}.", told.join(", ")))
}

/// Which part of disks was measured, where that is not from their beginning on.
fn spread(report: &Report) -> Option<String> {
    let mut disks: Vec<String> = Vec::new();
    for figure in report.figures.iter().filter(|figure| figure.layer.of_disks()) {
        let Some(bytes) = figure.workload.spread else { continue };
        let (span, whole) = (numbers::bytes(figure.workload.span), numbers::bytes(bytes));
        let told = format!("{span} of {}, which has {whole}", figure.target);
        if !disks.contains(&told) && (figure.at_once == 1 || disks.is_empty()) {
            disks.push(told);
        }
    }
    let more = disks.len().saturating_sub(NAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let named = disks.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
    (!disks.is_empty())
        .then(|| format!("Disks were measured in parts that lie spread over the whole of them: {named}{more}."))
}

/// Durable writes that were measured in two ways: which counts, and how the other was.
fn both_ways(report: &Report) -> Option<String> {
    let charted = || report.figures.iter().filter(|figure| figure.chart).filter_map(ways);
    let worse: Vec<String> = charted().filter(|ways| ways.worse_known).map(|ways| ways.says).collect();
    let open: Vec<String> = charted().filter(|ways| !ways.worse_known).map(|ways| ways.says).collect();
    let named = |all: &[String]| {
        let more = all.len().saturating_sub(NAMED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        all.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ") + &more
    };
    let worse = (!worse.is_empty())
        .then(|| format!("write-latency counts with the worse of two ways to make writes durable: {}.", named(&worse)));
    let open = (!open.is_empty()).then(|| {
        format!(
            "write-latency counts with one of two ways to make writes durable, and which is the worse is not known: {}.",
            named(&open)
        )
    });
    let says: Vec<String> = worse.into_iter().chain(open).collect();
    (!says.is_empty()).then(|| says.join(" "))
}

/// One target's writes in two ways.
struct Ways {
    says: String,
    worse_known: bool,
}

/// `None`: it has one way, or neither has a value.
fn ways(figure: &Figure) -> Option<Ways> {
    let other = figure.other_way.as_ref()?;
    if figure.estimate.is_none() && other.estimate.is_none() {
        return None;
    }
    let name = words::durability_name;
    let beside =
        other.estimate.map_or(other.label.clone(), |estimate| numbers::figure(&estimate, figure.metric).with_unit());
    let (way, value) = (name(figure.workload.durability), words::value(figure));
    let place = words::place(figure.layer, &figure.target);
    let holds = words::holds(&figure.label) && !["void", "implausible", "unwritten"].contains(&other.label.as_str());
    let known = |estimate: Option<model::Estimate>| estimate.is_some_and(|estimate| estimate.is_known());
    Some(Ways {
        says: format!("{place} {way} {value} ({} {beside})", name(other.durability)),
        worse_known: holds && known(figure.estimate) && known(other.estimate),
    })
}

/// Of which time the figures speak, and what they may have missed in it.
fn speaks(report: &Report) -> Option<String> {
    if !report.answer.verdicts().is_empty() || report.answer.replaces_figures() {
        return None;
    }
    let all: Vec<Unseen> =
        report.figures.iter().filter(|figure| words::holds(&figure.label)).filter_map(|figure| figure.unseen).collect();
    let least = |of: fn(&Unseen) -> f64| all.iter().map(of).fold(f64::INFINITY, f64::min);
    let most = |of: fn(&Unseen) -> f64| all.iter().map(of).fold(0.0, f64::max);
    let first = all.first()?;
    let (from, to) =
        (numbers::seconds(least(|one| one.stretch_seconds)), numbers::seconds(most(|one| one.stretch_seconds)));
    let time = if from == to { from } else { format!("{from} to {to}") };
    let how = match report.answer {
        Answer::Diagnosis(_) => "fathom run",
        _ => "without --quick, --duration and --passes",
    };
    let interval = match first.in_interval {
        true => "the intervals allow for that".to_string(),
        false => format!("that is not in the intervals: slices spread over more time would see them ({how})"),
    };
    Some(format!(
        "The figures speak of {time}, from the first slice to the last. Slower events that come less often than once in {} may have been \
         missed; where they take {} of it while they last, that is up to {} of a value (95 %), and {interval}.",
        numbers::seconds(most(|one| one.rarer_than_seconds)),
        numbers::share(most(Unseen::depth)),
        numbers::share(most(|one| one.share)),
    ))
}

/// Sums of what each OSD's bench command reported: it is not known when exactly each of them wrote.
fn sums(report: &Report) -> Option<String> {
    let told = |figure: &Figure| {
        let place = words::place(figure.layer, &figure.target);
        Some(format!("{place} {} ({})", figure.pattern.name(), numbers::share(figure.overlap?)))
    };
    let all: Vec<String> = report.figures.iter().filter_map(told).collect();
    (!all.is_empty()).then(|| {
        format!(
            "An OSD's bench command tells how long it wrote, and not when. All together are therefore the sum, or the mean, of what each did \
             while its own command wrote; in brackets the share of the time in which each did, on average: {}. A sum's interval reaches down \
             to that share.",
            all.join(", ")
        )
    })
}

/// Writes through a store during which no compaction ran: what these take is in none of their values.
fn without_compaction(report: &Report) -> Option<String> {
    let quiet = |figure: &&Figure| {
        let seen = figure.background.as_ref().filter(|seen| seen.says.is_some() && figure.kind.changes());
        seen.is_some_and(|seen| seen.slices > 0 && seen.quiet == seen.slices && seen.in_step == 0)
    };
    let all: Vec<&Figure> = report.figures.iter().filter(quiet).collect();
    let name = |figure: &&Figure| format!("{} {}", words::place(figure.layer, &figure.target), figure.pattern.name());
    let mut named: Vec<String> = all.iter().take(NAMED).map(name).collect();
    if all.len() > NAMED {
        named.push(format!("and {} more", all.len() - NAMED));
    }
    let what = named.join(", ");
    (!all.is_empty()).then(|| {
        format!("No RocksDB compaction ran while these writes were measured, so that none is in their values: {what}.")
    })
}
