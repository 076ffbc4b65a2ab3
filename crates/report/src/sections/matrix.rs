//! Between all pairs of hosts: who is how fast towards whom, as a square of numbers.

use crate::block::{Block, Column, Row, Table};
use crate::numbers::{self, NOTHING};
use model::pattern::Family;
use model::{Figure, Report, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// More hosts than this fill no square that anybody reads on a terminal.
const HOSTS_MOST: usize = 12;
/// Of two hosts the table of targets says as much.
const HOSTS_LEAST: usize = 3;

/// Streams in MB/s, round trips in ms; none where there are too few hosts or too many.
pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let of = [(Family::Linear, "From host to host, MB/s"), (Family::Latency, "Round trips between hosts, ms")];
    let networks: BTreeSet<Option<&str>> = report.figures.iter().map(|figure| figure.network.as_deref()).collect();
    let squares = |network| of.into_iter().filter_map(move |(family, title)| square(report, network, family, title));
    networks.into_iter().flat_map(squares).flatten().collect()
}

fn square(report: &Report, network: Option<&str>, family: Family, title: &str) -> Option<[Block; 2]> {
    let mut values: BTreeMap<(String, String), f64> = BTreeMap::new();
    let own = |figure: &&Figure| {
        let alone = figure.chart || (network.is_some() && figure.at_once == 1);
        figure.layer.of_links() && figure.network.as_deref() == network && alone
    };
    for figure in report.figures.iter().filter(own) {
        let (Some(way), Some(value)) = (way(figure, family), usable(figure)) else { continue };
        values.insert(way, value);
    }
    let mut hosts: Vec<&String> = values.keys().flat_map(|(from, to)| [from, to]).collect();
    hosts.sort();
    hosts.dedup();
    // From one host to each of the others is no square.
    let pairs: BTreeSet<_> = values.keys().map(|(a, b)| if a < b { (a, b) } else { (b, a) }).collect();
    let full = 10 * pairs.len() >= 9 * hosts.len() * hosts.len().saturating_sub(1) / 2;
    let cell = |from: &String, to: &String| {
        let back = || values.get(&(to.clone(), from.clone())).filter(|_| family == Family::Latency);
        let value = values.get(&(from.clone(), to.clone())).or_else(back);
        value.map_or(NOTHING.to_string(), |value| numbers::rough(*value))
    };
    let row = |from: &&String| Row::new([(*from).clone()].into_iter().chain(hosts.iter().map(|to| cell(from, to))));
    let columns = hosts.iter().map(|host| Column::right(host.as_str()));
    let columns = std::iter::once(Column::left("from ↓ to →")).chain(columns);
    let title = network.map_or(title.to_string(), |network| format!("{title}, on network {network}"));
    (full && (HOSTS_LEAST..=HOSTS_MOST).contains(&hosts.len()))
        .then(|| [Block::title(title), Table::new(columns, hosts.iter().map(row)).into()])
}

/// The way that a figure speaks of: what is read from `a→b` comes from b.
fn way(figure: &Figure, family: Family) -> Option<(String, String)> {
    let suffix = figure.network.as_ref().map(|network| format!(" ({network})")).unwrap_or_default();
    let pair = figure.target.strip_suffix(&suffix)?;
    let (from, to) = pair.split_once('→').filter(|_| figure.pattern.family() == family)?;
    let turned = family == Family::Linear && !figure.pattern.writes();
    Some(if turned { (to.to_string(), from.to_string()) } else { (from.to_string(), to.to_string()) })
}

fn usable(figure: &Figure) -> Option<f64> {
    let void = !crate::words::holds(&figure.label);
    figure.estimate.filter(|_| !void).map(|estimate| estimate.value)
}
