//! What a face shows of a report, in which order, before it is laid out: shared by the terminal and Markdown.

use crate::{numbers, words};
use model::{ChartCell, Figure, Label, Layer, OpKind, Outlier, Overhead, Pattern, ReadFrom, Report, Scope, Unseen};

/// So many figures are named, more are counted.
const NAMED: usize = 6;

/// `Fathom 0.1.0, run 2026…, 3 passes in 14 min`, then when, and the cluster.
pub fn head(report: &Report, scope: &Scope) -> Vec<String> {
    let took = numbers::seconds(report.seconds);
    let passes = match report.passes {
        0 => took,
        n => format!("{} in {took}", numbers::counted(u64::from(n), "pass", "passes")),
    };
    let when = std::iter::once(numbers::minute(&report.head.started)).chain(cluster(scope));
    vec![
        format!("Fathom {}, run {}, {passes}", report.head.version, report.head.run),
        when.collect::<Vec<_>>().join(", "),
    ]
}

/// What measuring costs by itself.
pub fn overhead(report: &Report) -> Option<String> {
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

fn cluster(scope: &Scope) -> Option<String> {
    scope.fsid.as_ref()?;
    let mut parts: Vec<String> = scope.cluster.iter().cloned().collect();
    if let Some(versions) = scope.versions.get("osd") {
        parts.push(format!("Ceph {}", versions.join(" and ")));
    }
    if !scope.osds.is_empty() {
        let mut hosts: Vec<&str> = scope.osds.iter().map(|osd| osd.host.as_str()).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let hosts = numbers::counted(hosts.len() as u64, "host", "hosts");
        parts.push(format!("{} on {hosts}", numbers::counted(scope.osds.len() as u64, "OSD", "OSDs")));
    }
    parts.extend(scope.health.clone());
    Some(parts.join(", "))
}

/// Layers and patterns of the chart, in the order of every table.
pub fn axes(report: &Report) -> (Vec<Layer>, Vec<Pattern>) {
    let layers = Layer::ALL.into_iter().filter(|layer| report.chart.iter().any(|cell| cell.layer == *layer));
    let patterns = Pattern::ALL.into_iter().filter(|pattern| report.chart.iter().any(|cell| cell.pattern == *pattern));
    (layers.collect(), patterns.collect())
}

pub fn cell(report: &Report, layer: Layer, pattern: Pattern) -> Option<&ChartCell> {
    report.chart.iter().find(|cell| cell.layer == layer && cell.pattern == pattern)
}

/// Cells without a value, with the reason, in the order of their numbers.
pub fn missing(report: &Report) -> Vec<(usize, &ChartCell)> {
    let (layers, patterns) = axes(report);
    let cells = layers.iter().flat_map(|layer| patterns.iter().filter_map(|pattern| cell(report, *layer, *pattern)));
    (1..).zip(cells.filter(|cell| cell.estimate.is_none())).collect()
}

/// Marks that the chart's cells carry, each once, in the order of first use.
pub fn marks(report: &Report) -> Vec<(char, String)> {
    explained(report.chart.iter().filter(|cell| cell.estimate.is_some()).map(|cell| cell.label.as_str()))
}

/// Marks of these figures that the chart has not explained.
pub fn further_marks<'a>(report: &Report, figures: impl Iterator<Item = &'a Figure>) -> Vec<(char, String)> {
    let known = marks(report);
    let shown = figures.filter(|figure| figure.estimate.is_some()).map(|figure| figure.label.name());
    explained(shown).into_iter().filter(|mark| !known.contains(mark)).collect()
}

fn explained<'a>(labels: impl Iterator<Item = &'a str>) -> Vec<(char, String)> {
    let mut marks: Vec<(char, String)> = Vec::new();
    for label in labels {
        if let Some(mark) = words::mark(label)
            && !marks.iter().any(|(known, _)| *known == mark)
        {
            marks.push((mark, format!("{label}: {}", words::meaning(label))));
        }
    }
    marks
}

/// The targets of a layer side by side.
pub struct Targets<'a> {
    pub layer: Layer,
    pub patterns: Vec<Pattern>,
    pub rows: Vec<TargetRow<'a>>,
}

pub struct TargetRow<'a> {
    pub name: &'a str,
    pub host: &'a str,
    pub device: &'a str,
    pub class: &'a str,
    /// One per pattern of the table.
    pub figures: Vec<Option<&'a Figure>>,
}

impl Targets<'_> {
    /// What is the same for all rows.
    pub fn title(&self) -> String {
        let mut classes: Vec<&str> = self.rows.iter().map(|row| row.class).collect();
        classes.dedup();
        match classes.as_slice() {
            [class] if !class.is_empty() => format!("Each target of {}, all of class {class}", self.layer.name()),
            _ => format!("Each target of {}", self.layer.name()),
        }
    }

    /// Which patterns were measured with other targets loaded at the same time.
    pub fn note(&self) -> String {
        let joint = |i: &usize| self.rows.iter().any(|row| row.figures[*i].is_some_and(|figure| figure.at_once > 1));
        let joint: Vec<usize> = (0..self.patterns.len()).filter(joint).collect();
        match joint.len() {
            0 => "each measured while the others were quiet".to_string(),
            n if n == self.patterns.len() => "all measured at once".to_string(),
            _ => {
                let names: Vec<&str> = joint.iter().map(|i| self.patterns[*i].name()).collect();
                format!("{}: all at once; else each while the others were quiet", names.join(", "))
            }
        }
    }
}

/// One table for every layer of which several targets were measured.
pub fn targets<'a>(report: &'a Report, scope: &'a Scope) -> Vec<Targets<'a>> {
    let tables = Layer::ALL.into_iter().map(|layer| {
        let mut own: Vec<&Figure> = report.figures.iter().filter(|f| f.layer == layer && f.chart).collect();
        // Measured alone goes before measured beside others, as in the chart.
        own.sort_by_key(|figure| figure.at_once);
        let patterns = Pattern::ALL.into_iter().filter(|pattern| own.iter().any(|figure| figure.pattern == *pattern));
        let patterns: Vec<Pattern> = patterns.collect();
        let mut names: Vec<&str> = own.iter().map(|figure| figure.target.as_str()).collect();
        names.sort_by_key(|name| natural(name));
        names.dedup();
        let rows = names.into_iter().map(|name| target_row(name, &own, &patterns, scope)).collect();
        Targets { layer, patterns, rows }
    });
    tables.filter(|table| table.rows.len() > 1).collect()
}

fn target_row<'a>(name: &'a str, own: &[&'a Figure], patterns: &[Pattern], scope: &'a Scope) -> TargetRow<'a> {
    let osd = scope.osds.iter().find(|osd| name.strip_prefix("osd.").is_some_and(|id| id == osd.id.to_string()));
    let mine = || own.iter().filter(|figure| figure.target == name);
    let host = mine().find_map(|figure| figure.host.as_deref()).or(osd.map(|osd| osd.host.as_str()));
    TargetRow {
        name,
        host: host.unwrap_or(""),
        device: osd.and_then(|osd| osd.device.as_deref()).unwrap_or(""),
        class: osd.and_then(|osd| osd.class.as_deref()).unwrap_or(""),
        figures: patterns
            .iter()
            .map(|pattern| {
                mine().find(|f| f.pattern == *pattern && (f.kind == OpKind::Write) == pattern.writes()).copied()
            })
            .collect(),
    }
}

/// `osd.10` after `osd.9`.
fn natural(name: &str) -> (String, u64, String) {
    let head = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (head.to_string(), name[head.len()..].parse().unwrap_or(0), name.to_string())
}

pub fn outlier<'a>(report: &'a Report, figure: &Figure) -> Option<&'a Outlier> {
    let same = |o: &&Outlier| o.layer == figure.layer && o.pattern == figure.pattern && o.target == figure.target;
    report.outliers.iter().find(same)
}

/// Figures that neither the chart, nor a table of targets, nor that of response times shows: one stream, all at once, a mixed
/// load.
pub fn beside(report: &Report) -> Vec<&Figure> {
    if report.sweep.is_some() {
        return Vec::new();
    }
    let mut figures: Vec<&Figure> = report
        .figures
        .iter()
        .filter(|figure| {
            !figure.chart
                && figure.workload.rate.is_none()
                && report.limits.is_empty()
                && report.doubled.is_empty()
                && report.ab.is_none()
        })
        .collect();
    // Of targets that were loaded at once, the sum stands for all; the parts are in the JSON document.
    figures.retain(|figure| figure.at_once <= 1 || figure.target.ends_with(".*"));
    figures.sort_by_key(|figure| (figure.layer, figure.pattern));
    figures
}

/// Was it only tried on the way to the highest rate, or is it one side of two? Then what counts stands in their table.
fn searching(report: &Report, figure: &Figure) -> bool {
    let confirmed = |limit: &model::Limit| {
        (limit.layer, limit.pattern, &limit.target) == (figure.layer, figure.pattern, &figure.target)
            && limit.rate.is_some()
            && limit.rate == figure.workload.rate.map(|rate| rate.per_second * f64::from(figure.at_once))
    };
    report.ab.is_some() || (!report.limits.is_empty() && !report.limits.iter().any(confirmed))
}

/// Figures that are not settled: by label, the gravest first; each with its reason.
pub fn unsettled(report: &Report) -> Vec<(&'static str, Vec<&Figure>)> {
    let mut groups: Vec<(u8, &'static str, Vec<&Figure>)> = Vec::new();
    // What brief figures say little of is said of all at once (`speaks`).
    let open =
        |figure: &&Figure| !matches!(figure.label, Label::Settled | Label::Brief(_)) && !searching(report, figure);
    for figure in report.figures.iter().filter(open).filter(|figure| !said_of_all(report, figure)) {
        let name = figure.label.name();
        match groups.iter_mut().find(|(_, known, _)| *known == name) {
            Some((.., figures)) => figures.push(figure),
            None => groups.push((gravity(&figure.label), name, vec![figure])),
        }
    }
    groups.sort_by_key(|(gravity, ..)| *gravity);
    groups.into_iter().map(|(_, name, figures)| (name, figures)).collect()
}

/// Is the very same said of all targets of its step together, whose figure comes last?
fn said_of_all(report: &Report, figure: &Figure) -> bool {
    let beside = |other: &&Figure| (other.step, other.kind) == (figure.step, figure.kind);
    let all = report.figures.iter().rfind(beside).filter(|all| all.at_once > 1 && !std::ptr::eq(*all, figure));
    all.is_some_and(|all| {
        all.label == figure.label && report.figures.iter().filter(beside).count() > all.at_once as usize
    })
}

/// What the labels of these groups mean and what to do, each once. An imprecise figure says it by its interval.
pub fn meanings(groups: &[(&'static str, Vec<&Figure>)]) -> Vec<String> {
    let of = |(label, _): &(&'static str, Vec<&Figure>)| {
        let known = words::MEANINGS.iter().find(|one| one.label == *label && *label != "imprecise")?;
        Some(format!("{label}: {} {}", known.means, known.then))
    };
    groups.iter().filter_map(of).collect()
}

/// From where the reads of each cell came, by the OSDs' own counters: from devices or from memory.
pub fn read_from(report: &Report) -> Option<String> {
    let (layers, patterns) = axes(report);
    let cells = layers.iter().flat_map(|layer| patterns.iter().map(move |pattern| (*layer, *pattern)));
    let told = |(layer, pattern): (Layer, Pattern)| {
        let of_store = |figure: &&Figure| {
            layer.can().reads_from_osds
                && (figure.layer, figure.pattern, figure.kind) == (layer, pattern, OpKind::Read)
                && figure.chart
                // Where nothing was written there was nothing to take.
                && !matches!(figure.label, Label::Unwritten(_))
        };
        let figures: Vec<&Figure> = report.figures.iter().filter(of_store).collect();
        let known = |figure: &&Figure| figure.background.as_ref().and_then(|seen| seen.reads);
        let reads: Vec<ReadFrom> = figures.iter().filter_map(known).collect();
        let name = format!("{} {}", layer.name(), pattern.name());
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
    let told: Vec<String> = cells.filter_map(told).collect();
    if told.iter().all(|one| one.ends_with(" not known")) {
        let text =
            "Whether reads came from the OSDs' devices or from their memory is not known: no OSD told its counters.";
        return (!told.is_empty()).then(|| text.to_string());
    }
    Some(format!("Reads, by the share of bytes that the OSDs took from their devices: {}.", told.join(", ")))
}

/// Which part of disks was measured, where that is not from their beginning on.
pub fn spread(report: &Report) -> Option<String> {
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
pub fn both_ways(report: &Report) -> Option<String> {
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
pub fn speaks(report: &Report) -> Option<String> {
    if !report.limits.is_empty() || !report.verdicts.is_empty() || report.ab.is_some() {
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
    let interval = match first.in_interval {
        true => "the intervals allow for that",
        false => {
            "that is not in the intervals: slices spread over more time would see them (without --quick, --duration and --passes)"
        }
    };
    Some(format!(
        "The figures speak of {time}, from the first slice to the last. Slower events that come less often than once in {} may have been \
         missed; where they take {} of it while they last, that is up to {} of a value (95 %), and {interval}.",
        numbers::seconds(most(|one| one.rarer_than_seconds)),
        numbers::share(most(Unseen::depth)),
        numbers::share(most(|one| one.share)),
    ))
}

/// Sums of what each OSD's bench command told, of which nobody knows when exactly it wrote.
pub fn sums(report: &Report) -> Option<String> {
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
pub fn without_compaction(report: &Report) -> Option<String> {
    let quiet = |figure: &&Figure| {
        let seen = figure.background.as_ref().filter(|seen| seen.says.is_some() && figure.kind == OpKind::Write);
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

fn gravity(label: &Label) -> u8 {
    match label {
        Label::Implausible(_) => 0,
        Label::Unwritten(_) | Label::Void(_) => 1,
        Label::GeneratorLimited(_) => 2,
        Label::TwoLevels(_) => 3,
        Label::FewEvents(_) => 4,
        Label::Wandering(_) => 5,
        Label::Unsettled(_) => 6,
        Label::Burst(_) => 7,
        Label::Imprecise(_) => 8,
        Label::Brief(_) => 9,
        Label::Settled => 10,
    }
}

/// Changes that are still there, in words.
pub fn left_behind(report: &Report) -> Vec<String> {
    report.changes.iter().filter(|undo| !undo.undone).map(|undo| undo.change.what()).collect()
}
