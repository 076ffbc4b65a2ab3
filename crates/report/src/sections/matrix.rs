//! How fast each host is towards each other, as a square of numbers.

use super::slowest;
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
    let measured = once(ways);
    let fits = hosts.len() <= HOSTS_MOST;
    let table = if fits { slowest::ALL.to_string() } else { slowest::says(measured.len(), "ways") };
    let mut blocks = vec![picture(ways, &hosts, family, Caption::new(&title, "", unit), table).into()];
    if fits {
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
    } else {
        let title = format!("{title}: {}", slowest::title(measured.len(), "ways"));
        blocks.extend([Block::title(title), slow_ways(measured, family, unit).into()]);
    }
    blocks
}

/// Each figure, though a round trip stands for both of its directions.
fn once(ways: &Ways) -> Vec<Measured<'_>> {
    let mut known = BTreeSet::new();
    let all = ways.iter().map(|((from, to), (figure, value))| Measured { from, to, figure: *figure, value: *value });
    all.filter(|one| known.insert(one.figure)).collect()
}

struct Measured<'a> {
    from: &'a str,
    to: &'a str,
    figure: usize,
    value: f64,
}

fn slow_ways(measured: Vec<Measured>, family: Family, unit: &str) -> Table {
    let lower_is_better = family == Family::Latency;
    let row = |one: Measured| {
        let value = Cell { figure: Some(one.figure), ..numbers::rough(one.value).into() };
        Row::new([one.from.into(), one.to.into(), value])
    };
    let columns = [Column::left("from"), Column::left("to"), Column::right(unit)];
    let slow = slowest::first(measured, |one| if lower_is_better { one.value } else { -one.value });
    Table::new(columns, slow.into_iter().map(row))
}

/// The faster, the fuller the cell.
fn picture(ways: &Ways, hosts: &[&String], family: Family, caption: Caption, table: String) -> Chart {
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
    Chart::Heat(Heat { columns: names.clone(), rows: names, cells, caption, table, ..Heat::default() })
}

fn usable(figure: &Figure) -> Option<f64> {
    let void = !crate::words::holds(&figure.label);
    figure.estimate.filter(|_| !void).map(|estimate| estimate.value).filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way between hosts, each a little faster than the one before it.
    fn between(hosts: usize) -> Ways {
        let name = |host: usize| format!("host{host:02}");
        let pairs = (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to))).filter(|(from, to)| from != to);
        pairs.enumerate().map(|(n, (from, to))| ((name(from), name(to)), (n, 100.0 + n as f64))).collect()
    }

    fn told(ways: &Ways, family: Family, unit: &str) -> (String, String, Table) {
        let blocks = square(ways, family, "Between hosts".to_string(), unit);
        let [Block::Chart(chart), Block::Title(title), Block::Table(table)] = &blocks[..] else { panic!("{blocks:?}") };
        let Chart::Heat(heat) = &**chart else { panic!("{chart:?}") };
        (heat.table.clone(), title.clone(), table.clone())
    }

    fn cells(row: &Row) -> Vec<&str> {
        row.cells.iter().map(|cell| cell.text.as_str()).collect()
    }

    #[test]
    fn few_hosts_have_every_number_in_a_table() {
        let (says, title, table) = told(&between(12), Family::Linear, "MB/s");
        assert_eq!((says.as_str(), title.as_str()), (slowest::ALL, "Between hosts, MB/s"));
        assert_eq!((table.rows.len(), table.columns.len()), (12, 13));
    }

    #[test]
    fn of_many_hosts_the_slowest_ways_are_in_a_table_and_the_picture_says_so() {
        let (says, title, table) = told(&between(13), Family::Linear, "MB/s");
        assert_eq!(says, "a table below holds the 20 slowest of 156 ways");
        assert_eq!(title, "Between hosts: the 20 slowest of 156 ways");
        assert_eq!(table.rows.len(), 20);
        assert_eq!(cells(&table.rows[0]), ["host00", "host01", "100"]);
        assert_eq!(table.rows[0].cells[2].figure, Some(0));
    }

    #[test]
    fn a_round_trip_is_told_once_and_the_longest_first() {
        let mut ways: Ways = between(13).into_iter().filter(|((from, to), _)| from < to).collect();
        for ((from, to), value) in ways.clone() {
            ways.insert((to, from), value);
        }
        let (says, _, table) = told(&ways, Family::Latency, "ms");
        assert_eq!(says, "a table below holds the 20 slowest of 78 ways");
        assert_eq!(cells(&table.rows[0])[..2], ["host11", "host12"]);
        let figures: BTreeSet<Option<usize>> = table.rows.iter().map(|row| row.cells[2].figure).collect();
        assert_eq!(figures.len(), 20);
    }
}
