//! How fast each host is towards each other, as a square of numbers.

use crate::block::{Block, Cell, Column, Row, Table};
use crate::chart::{Caption, Chart, Heat, HeatCell};
use crate::numbers;
use model::pattern::Family;
use model::{Figure, Report, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// With more hosts than this the square is too wide for a terminal.
const HOSTS_MOST: usize = 12;
/// With two hosts the table of targets says as much.
const HOSTS_LEAST: usize = 3;

/// What goes from one host to another, and the place of its figure.
type Ways = BTreeMap<(String, String), (usize, f64)>;

/// Streams in MB/s, round trips in ms; none where there are too few hosts.
pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let of = [(Family::Linear, "From host to host", "MB/s"), (Family::Latency, "Round trips between hosts", "ms")];
    let networks: BTreeSet<Option<&str>> = report.figures.iter().map(|figure| figure.network.as_deref()).collect();
    let squares = |network: Option<&str>| {
        let ways = of.into_iter().map(|(family, title, unit)| (family, title, unit, ways(report, network, family)));
        ways.flat_map(|(family, title, unit, ways)| {
            let title = network.map_or(title.to_string(), |network| format!("{title}, on network {network}"));
            square(&ways, family, title, unit)
        })
        .collect::<Vec<_>>()
    };
    networks.into_iter().flat_map(squares).collect()
}

fn ways(report: &Report, network: Option<&str>, family: Family) -> Ways {
    let own = |figure: &Figure| figure.alone_on(network) && figure.pattern.family() == family;
    let figures = report.figures.iter().enumerate().filter(|(_, figure)| own(figure));
    let mut ways: Ways = figures.filter_map(|(place, one)| Some((one.way.clone()?, (place, usable(one)?)))).collect();
    if family == Family::Latency {
        // There and back: the same for both, unless both were measured.
        for ((from, to), value) in ways.clone() {
            ways.entry((to, from)).or_insert(value);
        }
    }
    ways
}

fn square(ways: &Ways, family: Family, title: String, unit: &str) -> Vec<Block> {
    let mut hosts: Vec<&String> = ways.keys().flat_map(|(from, to)| [from, to]).collect();
    hosts.sort();
    hosts.dedup();
    // From one host to each of the others is no square.
    let pairs: BTreeSet<_> = ways.keys().map(|(a, b)| if a < b { (a, b) } else { (b, a) }).collect();
    let full = 10 * pairs.len() >= 9 * hosts.len() * hosts.len().saturating_sub(1) / 2;
    if !full || hosts.len() < HOSTS_LEAST {
        return Vec::new();
    }
    let mut blocks = vec![picture(ways, &hosts, family, Caption::new(&title, "", unit)).into()];
    if hosts.len() <= HOSTS_MOST {
        let cell = |from: &String, to: &String| {
            let way = ways.get(&(from.clone(), to.clone()));
            way.map_or_else(Cell::nothing, |(place, value)| Cell {
                figure: Some(*place),
                ..numbers::rough(*value).into()
            })
        };
        let row =
            |from: &&String| Row::new(std::iter::once(Cell::from(*from)).chain(hosts.iter().map(|to| cell(from, to))));
        let columns = hosts.iter().map(|host| Column::right(host.as_str()));
        let columns = std::iter::once(Column::left("from ↓ to →")).chain(columns);
        let table = Table::new(columns, hosts.iter().map(row)).into();
        blocks.extend([Block::title(format!("{title}, {unit}")), table]);
    }
    blocks
}

/// The faster, the fuller the cell.
fn picture(ways: &Ways, hosts: &[&String], family: Family, caption: Caption) -> Chart {
    let lower_is_better = family == Family::Latency;
    let values = ways.values().map(|(_, value)| *value);
    let best = if lower_is_better { values.fold(f64::INFINITY, f64::min) } else { values.fold(0.0, f64::max) };
    let place = |host: &String| hosts.iter().position(|other| *other == host).unwrap_or_default();
    let cell = |((from, to), (figure, value)): (&(String, String), &(usize, f64))| {
        let share = if lower_is_better { best / value } else { value / best };
        let short = numbers::rough(*value);
        HeatCell {
            column: place(to),
            row: place(from),
            share: if share.is_finite() { share } else { 0.0 },
            text: format!("{from} → {to}: {short} {}", caption.unit),
            short,
            ring: false,
            figure: Some(*figure),
        }
    };
    let names: Vec<String> = hosts.iter().map(|host| (*host).clone()).collect();
    let cells = ways.iter().map(cell).collect();
    Chart::Heat(Heat { columns: names.clone(), rows: names, cells, caption, ..Heat::default() })
}

fn usable(figure: &Figure) -> Option<f64> {
    let void = !crate::words::holds(&figure.label);
    figure.estimate.filter(|_| !void).map(|estimate| estimate.value).filter(|value| value.is_finite())
}
