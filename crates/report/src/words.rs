//! Names, marks and workloads in words, the same in every face.

use crate::numbers;
use model::{
    Access, Arrivals, Durability, Estimate, Figure, Label, Layer, Metric, OpClass, OpMix, Pattern, SizeShare, Sizes,
    Workload,
};

/// A label as it is explained, the same on a terminal, in Markdown and in the HTML report.
pub struct Meaning {
    pub label: &'static str,
    /// Its letter in tables; `None`: it has no value to mark.
    mark: Option<char>,
    /// In a few words, beneath a table.
    short: &'static str,
    /// What it means.
    pub means: &'static str,
    /// What to do.
    pub then: &'static str,
}

/// Every label but `settled`.
pub const MEANINGS: [Meaning; 11] = [
    Meaning {
        label: "imprecise",
        mark: Some('i'),
        short: "the interval is wider than asked for",
        means: "The value is right within its interval, and the interval is wider than was asked for.",
        then: "Give it more time (fathom run --time-max 5m), or be content with the interval.",
    },
    Meaning {
        label: "unsettled",
        mark: Some('u'),
        short: "the level still moved when the time was up",
        means: "The level still moved when the time was up, so the value depends on how long it was measured.",
        then: "Look for what changes (a cache that fills, recovery, scrubbing, a neighbour) and measure again, or longer.",
    },
    Meaning {
        label: "wandering",
        mark: Some('w'),
        short: "the level differs from slice to slice",
        means: "Each slice has a level of its own: the target does not give the same rate minutes later.",
        then: "Take the interval seriously; look for neighbours or background work, and use more passes.",
    },
    Meaning {
        label: "few events",
        mark: Some('f'),
        short: "rare dips carry much of the result",
        means: "A few dips carry much of the result, and were seen too seldom to know how often they come.",
        then: "Use longer slices or more passes; see whether they come with compactions, scrubs or snapshots.",
    },
    Meaning {
        label: "two levels",
        mark: Some('t'),
        short: "the figure alternates between two levels",
        means: "It alternates between two levels, so it is hardly ever at its mean.",
        then: "Read the two levels and their shares instead; look for what switches (power states, caches, a neighbour).",
    },
    Meaning {
        label: "brief",
        mark: None,
        short: "it speaks of a short time",
        means: "It is as precise as was asked for, but it was measured over too short a time to show rare events, or changes over minutes.",
        then: "To know the value over a longer time, spread its slices over that time (fathom run --over 10m).",
    },
    Meaning {
        label: "burst",
        mark: Some('b'),
        short: "valid only up to the volume that was written",
        means: "It holds only until caches are full: writes beyond that volume are slower.",
        then: "For lasting load, rely on the level after the fall; fathom disk --sustained finds it.",
    },
    Meaning {
        label: "generator-limited",
        mark: Some('g'),
        short: "the load generator was the limit",
        means: "The load generator was the limit: the target could do more, or answer sooner.",
        then: "Use a host with more processors, or stop other programs that run there.",
    },
    Meaning {
        label: "unwritten",
        mark: None,
        short: "much of what was read was never written",
        means: "Much of what was read holds no data: it was never written, or was trimmed, and the device answers such reads without reading its medium. \
                The value says nothing about the disk, and is used nowhere.",
        then: "Fill the disk first, or, if it may be overwritten, let Fathom write to it in the same run.",
    },
    Meaning {
        label: "implausible",
        mark: None,
        short: "better than the layers below can supply",
        means: "It is better than the layers below can supply, so it is not what it seems; it is used nowhere.",
        then: "Look for a cache above the layer, or for a figure below that is too low.",
    },
    Meaning {
        label: "void",
        mark: None,
        short: "nothing was measured",
        means: "Nothing was measured.",
        then: "Fix the reported problem, and measure again.",
    },
];

/// The mark of a label by its name; `None` for settled figures and for those that have no value to mark.
pub fn mark(label: &str) -> Option<char> {
    match MEANINGS.iter().find(|one| one.label == label) {
        Some(known) => known.mark,
        None => (label != "settled").then_some('?'),
    }
}

/// Of a figure against which nothing is known: no mark, and no note.
pub const SETTLED: Meaning = Meaning {
    label: "settled",
    mark: None,
    short: "as precise as was asked for",
    means: "The interval is as narrow as was asked for, and the level stood still while it was measured.",
    then: "Rely on it, within its interval.",
};

pub fn meaning(label: &str) -> &'static str {
    MEANINGS.iter().find(|one| one.label == label).map_or("see the reason", |one| one.short)
}

/// Is the figure's value one that may be used?
pub fn holds(label: &Label) -> bool {
    is_usable(label.name())
}

/// The same of a label's name.
pub fn is_usable(label: &str) -> bool {
    !matches!(label, "unwritten" | "implausible" | "void")
}

/// The target, with its layer where the name alone does not say it.
pub fn place(layer: Layer, target: &str) -> String {
    if target.starts_with(layer.name()) { target.to_string() } else { format!("{} {target}", layer.name()) }
}

/// As in the JSON document.
pub fn metric(metric: Metric) -> &'static str {
    match metric {
        Metric::LatencyMean => "latency_mean",
        Metric::Rtt => "rtt",
        Metric::Iops => "iops",
        Metric::Bandwidth => "bandwidth",
    }
}

pub fn kind(kind: OpClass) -> &'static str {
    kind.name()
}

/// `write`, `70 % reads`, `50 % create, 50 % delete`
pub fn mix(mix: OpMix) -> String {
    if mix.is_mixed() && mix.classes().any(|class| !class.of_bytes()) {
        let share = |class| format!("{} % {}", mix.percent(class), class.name());
        return mix.classes().map(share).collect::<Vec<_>>().join(", ");
    }
    match mix.is_mixed() {
        false => mix.main().name().to_string(),
        true => mix
            .classes()
            .filter(|class| !class.spec().changes)
            .map(|class| format!("{} % {}s", mix.percent(class), class.name()))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// `, create`: of which operations of a mix a figure is; empty where its pattern says it, or it is of reads and writes alone.
pub fn class(figure: &Figure) -> String {
    let says = figure.workload.of_files() && figure.workload.mix.is_mixed();
    if says { format!(", {}", figure.kind.name()) } else { String::new() }
}

/// `3.21 ms ±0.12`, or a dash.
pub fn value(figure: &Figure) -> String {
    let shown = figure.estimate.as_ref().map(|estimate| numbers::figure(estimate, figure.metric).with_unit());
    shown.unwrap_or_else(|| numbers::NOTHING.to_string())
}

/// `312 MB/s ±9 %`
pub fn rate(estimate: &Estimate) -> String {
    numbers::figure(estimate, Metric::Bandwidth).with_unit()
}

/// Text from outside as plain text: it can neither command a terminal nor turn the direction of what follows.
pub fn tame(text: &str) -> String {
    text.chars().map(|c| if is_wild(c) { ' ' } else { c }).collect()
}

/// Several lines of it; colours are put in afterwards.
pub fn tame_lines(text: &str) -> String {
    text.split('\n').map(tame).collect::<Vec<_>>().join("\n")
}

/// A whole output, in which colours are already: nothing else in it commands a terminal. What JSON leaves as it is becomes an escape.
pub fn printable(text: &str) -> String {
    let ours = |c: char| matches!(c, '\n' | '\x1b' | '\r' | '\t') || !is_wild(c);
    if text.chars().all(ours) {
        return text.to_string();
    }
    let escaped = |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
    let json = text.starts_with('{');
    let shown = |c: char| match (ours(c), json) {
        (true, _) => c.to_string(),
        (false, true) => escaped(c),
        (false, false) => " ".to_string(),
    };
    text.chars().map(shown).collect()
}

/// Commands for a terminal (also those of one character, U+0080 to U+009F), and what turns or hides text (Unicode's format characters).
pub(crate) fn is_wild(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// What tells a figure from others of the same target and pattern: nothing for those of the depth chart, which are one each.
pub fn apart(chart: bool, layer: Layer, of: &Workload) -> Option<String> {
    (!chart).then(|| match layer {
        layer if layer.of_links() => workload(layer, of),
        _ => format!("{}, {}", workload(layer, of), over(of)),
    })
}

/// `over 4 GiB`, or, where they lie all over a device, `over 4 GiB spread over all 1.7 TiB`.
pub fn over(of: &Workload) -> String {
    let spread = of.spread.map(|device| format!(" spread over all {}", numbers::bytes(device)));
    format!("over {}{}", numbers::bytes(of.bytes()), spread.unwrap_or_default())
}

/// Bytes of each operation: `4 KiB`; where they differ, `4 KiB to 1 MiB`, or `4 KiB (70 %), 1 MiB (30 %)`.
pub fn sizes(of: &Workload) -> String {
    match &of.sizes {
        None => numbers::bytes(of.block),
        Some(Sizes::Between { least, most }) => format!("{} to {}", numbers::bytes(*least), numbers::bytes(*most)),
        Some(Sizes::Shares(shares)) => {
            let one = |one: &SizeShare| format!("{} ({} %)", numbers::bytes(one.bytes), one.percent);
            shares.iter().map(one).collect::<Vec<_>>().join(", ")
        }
    }
}

/// What the numbers of a sweep's axis count; `None`: things.
pub fn axis_unit(name: &str) -> Option<&'static str> {
    match name {
        "block-size" | "working-set" | "object-size" => Some("bytes"),
        "read-share" => Some("%"),
        _ => None,
    }
}

fn canonical(pattern: Pattern, of: &Workload) -> Workload {
    Workload::canonical(pattern, of.span, of.seed)
}

/// But for the way of making writes durable, of which a pattern may have several.
fn alike(one: &Workload, other: &Workload) -> bool {
    let numbers = |w: &Workload| {
        (
            w.block,
            w.depth,
            w.rate,
            w.jobs,
            w.clients,
            w.mix,
            w.access,
            w.verify,
            (w.tree, w.buckets, w.part, w.delete_at_once),
        )
    };
    numbers(one) == numbers(other)
        && one.sizes == other.sizes
        && (&one.options, &one.settings) == (&other.options, &other.settings)
}

/// Does the pattern's name say all of it? Of disks, which have several ways of making a write durable, that as well.
pub fn is_canonical(layer: Layer, pattern: Pattern, of: &Workload) -> bool {
    let canonical = canonical(pattern, of);
    alike(&canonical, of)
        && (!(layer.of_disks() || layer.of_folders() || layer.of_guests()) || canonical.durability == of.durability)
}

/// The workload of a figure, where its numbers are not those of its pattern.
pub fn own_numbers(figure: &Figure) -> Option<String> {
    let own = &figure.workload;
    (!alike(&canonical(figure.pattern, own), own)).then(|| workload(figure.layer, own))
}

/// Of a pattern with several ways of making a write durable: the figure's.
pub fn way(figure: &Figure) -> Option<&'static str> {
    figure.other_way.as_ref().map(|_| durability(figure.workload.durability))
}

/// What a figure's workload was, where its pattern does not say it: nothing for the canonical one.
pub fn beside_pattern(figure: &Figure) -> String {
    let mut parts = Vec::new();
    if figure.at_once > 1 {
        parts.push(format!("{} targets at once", figure.at_once));
    }
    parts.extend(own_numbers(figure).or_else(|| way(figure).map(str::to_string)));
    if figure.workload.spread.is_some() {
        parts.push(over(&figure.workload));
    }
    parts.join(", ")
}

/// What only objects of buckets have: `3 buckets`, `put in parts of 5 MiB`.
pub fn of_objects(of: &Workload) -> Vec<String> {
    let buckets = (of.buckets > 1).then(|| format!("{} buckets", of.buckets));
    let deleted = of.delete_at_once.map(|number| format!("{number} deleted at once"));
    let part = of.part.map(|part| format!("put in parts of {}", numbers::bytes(part)));
    [buckets, deleted, part].into_iter().flatten().collect()
}

/// `4 KiB random write, depth 1, dsync`; on the network, which has no places to draw from, `4 KiB, depth 1`.
pub fn workload(layer: Layer, workload: &Workload) -> String {
    let access = access(workload.access);
    let kind = mix(workload.mix);
    let block = sizes(workload);
    let how = match workload.rate {
        None => format!("depth {}", workload.depth),
        Some(rate) => match rate.pause_ms() {
            Some(ms) => format!("depth {}, after pauses of {} ms", workload.depth, numbers::rough(ms)),
            None => format!(
                "{} a second ({}), at most {} at once",
                per_second(rate.per_second),
                arrivals(rate.arrivals),
                workload.depth
            ),
        },
    };
    let mut text = match layer {
        layer if layer.of_links() => format!("{block}, {how}"),
        _ if workload.of_files() => {
            let tree = workload.tree.map_or(String::new(), |tree| format!(", tree {tree}"));
            let access = if workload.access == Access::Random { String::new() } else { format!(", {access}") };
            let things = if layer.of_buckets() { "objects" } else { "files" };
            format!("{kind} of {things} of {block}{tree}{access}, {how}")
        }
        _ => format!("{block} {access} {kind}, {how}"),
    };
    for own in of_objects(workload) {
        text += &format!(", {own}");
    }
    if workload.jobs > 1 {
        text += &format!(", {} {}", workload.jobs, if layer.of_links() { "streams" } else { "jobs" });
    }
    if workload.clients > 1 {
        text += &format!(", {} clients", workload.clients);
    }
    let made = workload.writes() || workload.mix.has(OpClass::Create);
    if made && workload.durability != Durability::None {
        text += ", ";
        text += durability(workload.durability);
    }
    if let Some(engine) = &workload.engine {
        text += ", ";
        text += engine;
    }
    for (name, value) in &workload.options {
        text += &format!(", {name}={value}");
    }
    for (name, value) in &workload.settings {
        text += &format!(", {name} = {value}");
    }
    if workload.verify {
        text += ", verified";
    }
    text
}

/// Whole rates with separators, others as they were asked for.
pub(crate) fn per_second(rate: f64) -> String {
    match rate.fract() == 0.0 && rate < 1e15 {
        true => numbers::count(rate as u64),
        // Without what adding and multiplying leaves behind the twelfth digit: 82.6, not 82.60000000000001.
        false => format!("{rate:.11e}").parse::<f64>().unwrap_or(rate).to_string(),
    }
}

pub fn arrivals(arrivals: Arrivals) -> &'static str {
    match arrivals {
        Arrivals::Poisson => "Poisson",
        Arrivals::Even => "even",
        Arrivals::Pauses => "after pauses",
    }
}

pub fn access(access: Access) -> String {
    match access {
        Access::Random => "random".to_string(),
        Access::Sequential => "sequential".to_string(),
        Access::Zipf(exponent) => format!("zipf {exponent}"),
    }
}

/// As in the JSON document and on the command line.
pub fn durability_name(of: Durability) -> &'static str {
    match of {
        Durability::None => "none",
        _ => durability(of),
    }
}

fn durability(durability: Durability) -> &'static str {
    match durability {
        Durability::None => "not durable",
        Durability::Sync => "sync",
        Durability::Dsync => "dsync",
        Durability::Fsync => "fsync",
        Durability::Fdatasync => "fdatasync",
        Durability::GroupCommit => "group-commit",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_told_as_it_was_asked_for() {
        assert_eq!([82.6, 0.1 + 0.2, 1e-6, 2500.0].map(per_second), ["82.6", "0.3", "0.000001", "2,500"]);
        assert_eq!(per_second(826.0 * 0.1), "82.6");
    }

    #[test]
    fn no_text_from_outside_commands_a_terminal() {
        assert_eq!(tame("a\x1b[31mb\u{9b}1mc\u{202e}d\u{7f}e\nf"), "a [31mb 1mc d e f");
        assert_eq!(tame_lines("a\x1b\nb"), "a \nb");
        assert_eq!(printable("\x1b[1mpainted\x1b[0m\n\u{9b}2J"), "\x1b[1mpainted\x1b[0m\n 2J");
        let json = printable("{\"name\": \"a\u{9b}b\u{e0041}\"}\n");
        assert_eq!(json, "{\"name\": \"a\\u009bb\\udb40\\udc41\"}\n");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap()["name"], "a\u{9b}b\u{e0041}");
    }
}
