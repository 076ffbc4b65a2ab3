//! What an operation takes at the topmost layer, and which layer takes most of it.

use crate::sections::{chart, doors, gateways, metadata};
use crate::{numbers, words};
use model::pattern::Family;
use model::target::LOOPBACK;
use model::{ChartCell, DoorPrice, Durability, Estimate, Figure, Label, Layer, LedgerRow, Pattern, Report, Workload};

/// At most this many figures are named where there is no chart.
const NAMED: usize = 3;
/// Of layers beside the first two that may take as much: as many are named.
const OTHERS_NAMED: usize = 3;

/// A write before a read, one at a time before many: the first of them that was measured.
pub(super) fn says(report: &Report) -> Vec<String> {
    for pattern in Pattern::ALL {
        if let Some((cell, estimate)) = topmost(report, pattern) {
            let first = std::iter::once(whole(report, cell, estimate)).chain(others(report, cell));
            let most = most(report, pattern);
            return first
                .chain(most)
                .chain(beside(report, cell, pattern))
                .chain(gateways::line(report))
                .chain(metadata::lines(report))
                .collect();
        }
    }
    let network = Pattern::ALL.into_iter().find_map(|pattern| {
        let mut links = Layer::ALL.into_iter().filter(|layer| layer.of_links());
        let cell = links.find_map(|layer| chart::cell(report, layer, pattern))?;
        Some((cell, cell.estimate.as_ref()?))
    });
    match network {
        Some((cell, estimate)) => vec![between_hosts(report, cell, estimate)],
        None => figures(report),
    }
}

/// The layer that alone takes most, if the intervals tell.
pub(super) fn dearest(report: &Report) -> Option<Layer> {
    let pattern = Pattern::ALL.into_iter().find(|pattern| topmost(report, *pattern).is_some())?;
    match parts(report, pattern).as_slice() {
        [only] if !numbers::is_unknown(&only.adds) => Some(only.layer),
        _ => None,
    }
}

/// Of the layers that data goes through: a network's round trip is no write. Buckets and folders stand beside the stack that the ledger takes
/// apart, and count where there is nothing else.
fn topmost(report: &Report, pattern: Pattern) -> Option<(&ChartCell, &Estimate)> {
    let cells = report.chart.iter().filter(|cell| cell.pattern == pattern && !cell.layer.of_links());
    let known = cells.filter_map(|cell| Some((cell, cell.estimate.as_ref()?)));
    known.max_by_key(|(cell, _)| (!cell.layer.has_doors(), cell.layer))
}

/// Of a mix: what its other operations did meanwhile.
fn others(report: &Report, cell: &ChartCell) -> Vec<String> {
    let of_cell = |figure: &&Figure| cell.has(figure) && figure.workload.mix.is_mixed();
    let other = report.figures.iter().filter(of_cell).filter(|figure| figure.kind != cell.pattern.kind());
    let say = |figure: &Figure| {
        let whose = if cell.targets > 1 { format!(" of {}", figure.target) } else { String::new() };
        format!("Its {}s{whose} meanwhile: {}.", words::kind(figure.kind), words::value(figure))
    };
    other.filter(|figure| figure.estimate.is_some() && words::holds(&figure.label)).take(NAMED).map(say).collect()
}

/// What the same takes through a bucket, where that is not what was told.
fn beside(report: &Report, told: &ChartCell, pattern: Pattern) -> Option<String> {
    let own = |price: &&DoorPrice| price.layer.of_buckets() && price.layer != told.layer && price.pattern == pattern;
    // Of several gateways the slowest: the section of gateways has all.
    let price = report.doors.iter().filter(own).max_by(|a, b| a.times.value.total_cmp(&b.times.value))?;
    let figure = numbers::figure(&price.at_door, price.metric).with_unit();
    let times = doors::times(price).map(|times| format!(", {times} slower than objects of RADOS"));
    Some(format!("Through {} it is {figure}{}.", price.target, times.unwrap_or_default()))
}

fn whole(report: &Report, cell: &ChartCell, estimate: &Estimate) -> String {
    let workload = workload(report, cell);
    let (operation, metric) = (operation(&workload, cell), cell.pattern.metric(cell.layer));
    let (value, at) = (numbers::figure(estimate, metric).with_unit(), cell.layer.spec().place);
    let mean = mean(cell, "targets") + &slowest(report, cell);
    let (label, many) = (label(cell), in_flight(report, cell, &workload));
    if let Some(several) = gateways::whole(report, cell).or_else(|| by_doors(report, cell)) {
        return format!("{}s {at}, {many}: {several}{label}.", capital(&operation));
    }
    if cell.pattern.family() != Family::Latency {
        return format!("{}s {at}, {many}: {value}{label}{mean}.", capital(&operation));
    }
    if numbers::is_unknown(estimate) {
        return format!("What a {operation} takes {at}, {many}, is {value}: its interval is as wide as its value.");
    }
    format!("A {operation} takes {value} {at}{label}, {many}{mean}.")
}

/// `one at a time`, `128 in flight from each of 4 hosts`
fn in_flight(report: &Report, cell: &ChartCell, workload: &Workload) -> String {
    let each = if workload.depth <= 1 { "one at a time".to_string() } else { format!("{} in flight", workload.depth) };
    let whole = report.figures.iter().find(|figure| cell.has(figure) && figure.host.is_none());
    let whole = whole.filter(|figure| figure.layer.can().clients);
    let of_host = |one: &&Figure| whole.is_some_and(|all| (one.step, one.kind) == (all.step, all.kind));
    match report.figures.iter().filter(of_host).filter(|one| one.host.is_some()).count() {
        0 | 1 => each,
        hosts => format!("{each} from each of {hosts} hosts"),
    }
}

/// Of several file systems, and of mapped images beside disks: `1.2 ms ±0.1 (cephfs (libcephfs)), 2.3 ms ±0.2 (nfs://server/cephfs)`.
fn by_doors(report: &Report, cell: &ChartCell) -> Option<String> {
    cell.door.as_ref()?;
    let of = |one: &&ChartCell| (one.layer, one.pattern) == (cell.layer, cell.pattern);
    let say = |one: &ChartCell| {
        let value = numbers::figure(one.estimate.as_ref()?, one.pattern.metric(one.layer)).with_unit();
        Some(format!("{value} ({})", one.door.as_deref().unwrap_or(one.layer.name())))
    };
    Some(report.chart.iter().filter(of).filter_map(say).collect::<Vec<_>>().join(", "))
}

fn between_hosts(report: &Report, cell: &ChartCell, estimate: &Estimate) -> String {
    let metric = cell.pattern.metric(cell.layer);
    let value = numbers::figure(estimate, metric).with_unit();
    let (label, mean) = (label(cell), mean(cell, "pairs"));
    let within_one = report.figures.iter().filter(|one| cell.has(one)).all(|figure| figure.target == LOOPBACK);
    let ways = if within_one { "within this host (loopback)" } else { "between two hosts" };
    match cell.pattern.family() {
        Family::Latency => {
            let block = numbers::bytes(workload(report, cell).block);
            format!("A {block} round trip {ways} takes {value}{label}{mean}.")
        }
        _ => format!("{} go {value}{label}{mean}.", capital(ways)),
    }
}

/// Of the cell's first figure; without one the pattern's own.
fn workload(report: &Report, cell: &ChartCell) -> Workload {
    let first = report.figures.iter().find(|figure| cell.has(figure));
    first.map_or_else(|| Workload::canonical(cell.pattern, 0, 0), |figure| figure.workload.clone())
}

/// `durable 4 KiB write`, `4 MiB sequential read`
fn operation(workload: &Workload, cell: &ChartCell) -> String {
    // What a store or pool acknowledges is durable; a device has to be asked for it.
    let asked = workload.durability != Durability::None || !(cell.layer.of_paths() || cell.layer.of_folders());
    let durable = if cell.pattern.writes() && asked { "durable " } else { "" };
    let block = words::sizes(workload);
    let linear = if cell.pattern.family() == Family::Linear { "sequential " } else { "" };
    format!("{durable}{block} {linear}{}", words::kind(cell.pattern.kind()))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().to_string() + letters.as_str())
}

fn mean(cell: &ChartCell, what: &str) -> String {
    if cell.targets > 1 { format!(", on average over {} {what}", cell.targets) } else { String::new() }
}

/// A mean says little where one of its targets is slower than its peers: which, and what that does.
fn slowest(report: &Report, cell: &ChartCell) -> String {
    let own =
        report.standing_outliers().filter(|outlier| (outlier.layer, outlier.pattern) == (cell.layer, cell.pattern));
    let Some(worst) = own.max_by(|a, b| a.slower_by.total_cmp(&b.slower_by)) else { return String::new() };
    let of = |figure: &&Figure| figure.target == worst.target && cell.has(figure);
    let figure = report.figures.iter().find(of).and_then(|figure| Some((figure, figure.estimate?)));
    let value = figure.filter(|(_, estimate)| !numbers::is_unknown(estimate));
    value.map_or(String::new(), |(figure, _)| format!(", of which {} {}", worst.target, words::value(figure)))
}

/// An imprecise figure says it by its interval, a brief one is as precise as was asked for.
fn label(cell: &ChartCell) -> String {
    match cell.label.as_str() {
        "settled" | "imprecise" | "brief" => String::new(),
        label => format!(" ({label})"),
    }
}

/// The layer that takes most, with those that may be it as well: their intervals overlap.
fn parts(report: &Report, pattern: Pattern) -> Vec<&LedgerRow> {
    let rows: Vec<(&LedgerRow, Estimate)> =
        report.ledger.iter().filter(|row| row.pattern == pattern).filter_map(|row| Some((row, lost(row)?))).collect();
    let most = rows.iter().max_by(|(_, a), (_, b)| a.value.total_cmp(&b.value));
    let Some((first, most)) = most.filter(|_| rows.len() > 1) else { return Vec::new() };
    let near = rows.iter().filter(|(row, part)| !std::ptr::eq(*row, *first) && part.high >= most.low);
    let mut near: Vec<&(&LedgerRow, Estimate)> = near.collect();
    near.sort_by(|(_, a), (_, b)| b.value.total_cmp(&a.value));
    std::iter::once(*first).chain(near.into_iter().map(|(row, _)| *row)).collect()
}

/// What a layer takes, in numbers that are comparable between layers: ms, or the share of its ceiling.
fn lost(row: &LedgerRow) -> Option<Estimate> {
    let by = match row.pattern.family() {
        Family::Latency => 1.0,
        Family::Parallel | Family::Linear | Family::Metadata => row.ceiling.filter(|ceiling| *ceiling > 0.0)?,
    };
    let Estimate { value, low, high } = row.adds;
    value.is_finite().then(|| Estimate { value: value / by, low: low / by, high: high / by })
}

/// What the only layer that is held against anything reaches of that.
fn ceiling(report: &Report, pattern: Pattern) -> Option<String> {
    let mut rows = report.ledger.iter().filter(|row| row.pattern == pattern && row.ceiling.is_some());
    let row = rows.next().filter(|row| row.share.is_some())?;
    rows.next().is_none().then(|| {
        let share = numbers::share_at_most(row);
        format!("That is {share} of what lies below the {} layer can give: {}.", row.layer.name(), row.because)
    })
}

fn most(report: &Report, pattern: Pattern) -> Option<String> {
    let parts = parts(report, pattern);
    let latency = pattern.family() == Family::Latency;
    let Some(first) = parts.first() else { return ceiling(report, pattern) };
    if numbers::is_unknown(&first.adds) {
        return Some("Which layer takes the largest part is not known: the intervals are too wide.".to_string());
    }
    let part = |row: &LedgerRow| {
        let value = numbers::adds(row).with_unit();
        match latency {
            true if row.share.is_none() => value,
            true => format!("{value} ({})", numbers::share_at_most(row)),
            false => format!("{value} short of {}", numbers::ceiling(row)),
        }
    };
    let does = if latency { "takes the largest part" } else { "falls shortest of its ceiling" };
    Some(match parts.as_slice() {
        [first, second, rest @ ..] => {
            let others = match rest {
                [] => String::new(),
                [_, ..] if rest.len() <= OTHERS_NAMED => {
                    rest.iter().map(|row| format!(", or {} {}", row.layer.name(), part(row))).collect()
                }
                more => format!(", or one of {} more", more.len()),
            };
            format!(
                "Which layer {does} is not certain, their intervals overlap: {} {}, or {} {}{others}.",
                first.layer.name(),
                part(first),
                second.layer.name(),
                part(second)
            )
        }
        // Its row holds what was not measured below it as well.
        _ if latency && first.at_least => {
            format!(
                "The {} layer, with what lies below it and was not measured, {does}: {}.",
                first.layer.name(),
                part(first)
            )
        }
        _ => format!("The {} layer {does}: {}.", first.layer.name(), part(first)),
    })
}

/// Where no figure counts for the chart: jobs, open loops, mixed loads, imports.
fn figures(report: &Report) -> Vec<String> {
    let usable = |figure: &&Figure| figure.estimate.is_some() && words::holds(&figure.label);
    let sums = |figure: &&Figure| figure.at_once <= 1 || figure.target.ends_with(".*");
    let by_names = metadata::lines(report);
    let of_bytes = |figure: &&Figure| by_names.is_empty() || !figure.pattern.is_metadata();
    let all: Vec<&Figure> = report.figures.iter().filter(usable).filter(sums).filter(of_bytes).collect();
    if all.is_empty() && !by_names.is_empty() {
        return by_names;
    }
    if all.is_empty() {
        let none = if report.figures.is_empty() { "Nothing was measured." } else { "No figure can be used." };
        return vec![none.to_string()];
    }
    let mut says: Vec<String> = all.iter().take(NAMED).map(|figure| one(figure)).collect();
    if all.len() > NAMED {
        says.push(format!("And {} more.", numbers::counted((all.len() - NAMED) as u64, "figure", "figures")));
    }
    says
}

fn one(figure: &Figure) -> String {
    let what =
        format!("{}, {}", words::place(figure.layer, &figure.target), words::workload(figure.layer, &figure.workload));
    let kind =
        if figure.workload.mix.is_mixed() { format!(", its {}s", words::kind(figure.kind)) } else { String::new() };
    let label = match &figure.label {
        Label::Settled | Label::Imprecise(_) | Label::Brief(_) => String::new(),
        label => format!(" ({})", label.name()),
    };
    match figure.response.iter().find(|one| one.percent == 99.0) {
        Some(p99) => format!("{what}{kind}: response time p99 {} ms{label}.", numbers::percentile(p99)),
        None => format!("{what}{kind}: {}{label}.", words::value(figure)),
    }
}
