//! Throughput is a minimum over ceilings: which share of what the layers below can give a layer delivers.

use crate::books::links::{Carried, Links, to_each_osd};
use crate::books::{Books, Ceiling, less, named, not_known, passed, scaled};
use crate::caches::COLD_LEAST;
use crate::client::LINK_MOST;
use crate::disks::sharing_host;
use crate::entry::Entry;
use crate::expect::{self, Passes};
use crate::redundancy::redundancy;
use crate::words::number;
use model::pattern::Family;
use model::{Estimate, Layer, LedgerRow, Pattern};

pub fn rows(books: &Books, pattern: Pattern) -> Vec<LedgerRow> {
    Layer::ALL.into_iter().filter(|layer| layer.of_ceph()).filter_map(|layer| row(books, layer, pattern)).collect()
}

fn row(books: &Books, layer: Layer, pattern: Pattern) -> Option<LedgerRow> {
    let delivered = books.cell(layer, pattern)?;
    let Some(expected) = expect::of(layer) else { return Some(without_model(layer, pattern, delivered)) };
    let local = (expected.ceiling)(books, pattern);
    let network = of_network(books, (layer, expected.passes), pattern, delivered);
    let reaches = expected.passes != Passes::Nothing && !local.as_ref().is_some_and(|local| local.over_network);
    let unsure = unsure(delivered, layer, pattern, local.as_ref());
    let ceiling = lowest(local, network, delivered)?;
    let adds = less(ceiling.value, &[delivered]);
    let row = LedgerRow {
        pattern,
        layer,
        adds,
        expected: None,
        unexplained: None,
        share: None,
        ceiling: None,
        at_least: false,
        because: unsure.join("; "),
    };
    if !unsure.is_empty() {
        return Some(row);
    }
    let share = delivered.value / ceiling.value.value;
    let beyond = delivered.low > ceiling.value.high;
    let because = match (ceiling.at_least, beyond) {
        (Some(why), _) => format!("{}; or more: {why}", ceiling.because),
        (None, true) => format!("{}; {}", ceiling.because, beyond_words(books, layer, pattern)),
        (None, false) if share > 1.0 => format!("{}: reached, within the noise", ceiling.because),
        (None, false) => ceiling.because,
    };
    let unlike = books.unlike_below(layer, pattern).filter(|_| !pattern.writes());
    let link = if reaches { link_unknown(books, (layer, expected.passes), pattern) } else { None };
    let because = [because].into_iter().chain(link).chain(unlike).collect::<Vec<_>>().join("; ");
    let at_least = ceiling.at_least.is_some();
    Some(LedgerRow { share: Some(share), ceiling: Some(ceiling.value.value), at_least, because, ..row })
}

/// A layer for which there is no model of what it can give.
fn without_model(layer: Layer, pattern: Pattern, delivered: Estimate) -> LedgerRow {
    let because = format!("{}: no model", layer.name());
    LedgerRow {
        pattern,
        layer,
        adds: delivered,
        expected: None,
        unexplained: None,
        share: None,
        ceiling: None,
        at_least: false,
        because,
    }
}

/// Which of these is not known: what was delivered, and what it is compared with.
fn unsure(delivered: Estimate, layer: Layer, pattern: Pattern, local: Option<&Ceiling>) -> Vec<String> {
    let own = (delivered, named(layer.name(), pattern));
    let all = [own].into_iter().chain(local.map(|local| (local.value, local.of.clone())));
    all.filter(|(value, _)| !value.is_known()).map(|(_, name)| not_known(&name)).collect()
}

/// Is a layer that is reached over the network held against what lies beyond it alone?
fn link_unknown(books: &Books, (layer, passes): (Layer, Passes), pattern: Pattern) -> Option<String> {
    match passed(books, &books.figures(layer, pattern), linear(pattern)) {
        None => Some("network not measured: it may be the limit".to_string()),
        Some(link) if link.value.is_known() => {
            cluster_network_unknown(books, layer, pattern).filter(|_| passes == Passes::All)
        }
        Some(_) => Some(format!("{}: it may be the limit", not_known(&named("network", linear(pattern))))),
    }
}

/// Copies and chunks pass a network of their own that was not measured.
fn cluster_network_unknown(books: &Books, layer: Layer, pattern: Pattern) -> Option<String> {
    let figures = books.figures(layer, pattern);
    let place = figures.first().filter(|_| pattern.writes())?.loads()?;
    let several = redundancy(books.record, place)?.write_traffic() > 1.0;
    let links = Links::of(books, &figures, linear(pattern)).filter(|links| several && links.copies_apart)?;
    links.among.is_none().then(|| "the OSDs' cluster network was not measured: it may be the limit".to_string())
}

fn linear(pattern: Pattern) -> Pattern {
    if pattern.writes() { Pattern::WriteLinear } else { Pattern::ReadLinear }
}

fn beyond_words(books: &Books, layer: Layer, pattern: Pattern) -> &'static str {
    let from_devices = books.share_of_devices(layer, pattern).is_some_and(|share| share >= COLD_LEAST);
    if pattern.writes() {
        "more than that: the layer gathers small writes, or holds them back"
    } else if from_devices {
        "more than that, and not from the OSDs' memory: a cache below them (drive, controller, host), or another part of the disk"
    } else {
        "more than that: read from a cache"
    }
}

/// What the links can carry: those of the clients, and those of the OSDs' hosts, which carry every copy of a write and, of an
/// erasure-coded pool, most chunks twice; copies and chunks on the cluster network, where there is one.
fn of_network(
    books: &Books,
    (layer, passes): (Layer, Passes),
    pattern: Pattern,
    delivered: Estimate,
) -> Option<Ceiling> {
    if passes == Passes::Nothing {
        return None;
    }
    let figures = books.figures(layer, pattern);
    let first = figures.first()?;
    let (per_second, blocks) = match pattern.family() {
        Family::Linear => (1.0, String::new()),
        _ => {
            let block = first.step.workload.block;
            (1e6 / block.max(1) as f64, format!(" in blocks of {block} bytes"))
        }
    };
    let ceiling = |value: Estimate, words: String, at_least: Option<&'static str>| {
        let of_links = Ceiling::of("network", pattern, scaled(value, per_second), format!("{words}{blocks}"));
        Ceiling { at_least, ..of_links }
    };
    if passes == Passes::ToEachOsd {
        let (link, beside) = to_each_osd(books, &figures, linear(pattern)).filter(|(link, _)| link.is_known())?;
        let link = ceiling(link, format!("network {} MB/s", number(link.value)), None);
        return Some(of_shared_link(link, first, delivered).or_more(beside));
    }
    let links = Links::of(books, &figures, linear(pattern))?;
    let pool = redundancy(books.record, first.loads()?)?;
    let traffic = if pattern.writes() { pool.write_traffic() } else { pool.read_traffic() };
    let copies = |times: f64| match (pattern.writes(), pool.erasure_k) {
        _ if times <= 1.0 => String::new(),
        (true, None) => format!(" / {} copies", number(times)),
        _ => format!(" / {} times the data, with the chunks between OSDs", number(times)),
    };
    let of = |carried: Carried, name: &str, times: f64, per_data: String| {
        let words = format!("{name} {}{per_data}", carried.words);
        ceiling(scaled(carried.all, 1.0 / times), words, carried.at_least)
    };
    let on_load = if links.copies_apart { 1.0 } else { traffic };
    // Who runs beside OSDs reaches these without the public network; copies go between OSDs in any case.
    let public =
        |carried: Carried, times: f64, per_data: String| of(carried, "network", times, per_data).or_more(links.beside);
    let clients = links.clients.map(|carried| public(carried, 1.0, String::new()));
    let hosts = links.hosts.map(|carried| public(carried, on_load, copies(on_load)));
    let among = links.among.filter(|_| traffic > 1.0);
    let among = among.map(|carried| {
        let between = traffic - 1.0;
        of(carried, "cluster network", between, format!(" / {} times the data between OSDs", number(between)))
    });
    // More than they carry came through: then there are more of them, or they are quicker than it was seen.
    let holds = |link: &Ceiling| link.value.is_known() && delivered.low <= link.value.high;
    let all: Vec<Ceiling> = [clients, hosts, among].into_iter().flatten().filter(holds).collect();
    // What may be more is the lowest only if it is so clearly.
    let value = |link: &Ceiling| if link.at_least.is_some() { link.value.high } else { link.value.value };
    all.into_iter().min_by(|a, b| value(a).total_cmp(&value(b)))
}

/// OSDs that were loaded at once shared their host's link, and all of them that of the host which loaded them.
fn of_shared_link(link: Ceiling, first: &Entry, delivered: Estimate) -> Ceiling {
    let (all, of_host) = (first.figure.at_once, sharing_host(first));
    let all_at_once = scaled(delivered, f64::from(all));
    // More than one link came through: then that host has more than one.
    let (sharing, words) = match all > of_host && all_at_once.low <= link.value.high {
        true => (all, "OSDs at once through one client's link"),
        false => (of_host, "OSDs of a host at once"),
    };
    if sharing > 1 { link.times(1.0 / f64::from(sharing), &format!(" / {sharing} {words}")) } else { link }
}

/// The lower of both. What is a ceiling at least is one only as far as it is above what was delivered: then the network is the ceiling if it
/// was nearly filled; else all that is known is that it lies above what was delivered.
fn lowest(local: Option<Ceiling>, network: Option<Ceiling>, delivered: Estimate) -> Option<Ceiling> {
    let refuted = |one: &Ceiling| one.at_least.is_some() && one.value.value < delivered.value;
    let filled = |network: &Ceiling| delivered.value > LINK_MOST * network.value.value;
    match (local, network.filter(|network| !refuted(network))) {
        (Some(local), Some(network)) if network.value.value < local.value.value => Some(network),
        (Some(local), Some(network)) if refuted(&local) && filled(&network) => Some(network),
        (Some(local), _) if refuted(&local) => {
            let because = format!("{}, which it surpassed", local.because);
            Some(Ceiling { value: delivered, because, ..local })
        }
        // The network alone is a ceiling only for what was also measured below it.
        (local, _) => local,
    }
}
