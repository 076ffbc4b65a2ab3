//! Who slows a pool, by position: what each OSD adds to a write as its primary and as a replica.

use super::slowest;
use crate::block::{Block, Cell, Column, Emphasis, Row, Table};
use crate::chart::{Caption, Chart, Heat, HeatCell, HeatGroup, HeatMark};
use crate::numbers;
use model::{Estimate, Metric, PairTime, PositionOfOsd, Positions, Report, Scope, WriteTimes};
use std::collections::BTreeSet;

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let known =
        |one: &&Positions| one.usual.mean.value.is_finite() && one.usual.mean.value > 0.0 && !one.osds.is_empty();
    report.positions.as_ref().filter(known).map(of).unwrap_or_default()
}

fn of(all: &Positions) -> Vec<Block> {
    let title = Block::title("What each OSD adds to a write of a pair, by its position");
    let usual = all.usual.map(|ms| numbers::figure(ms, Metric::LatencyMean).with_unit());
    let lead = format!(
        "{} writes of 4 KiB with one in flight, in turns over {} pairs of a primary and a replica. Usual: median {}, mean {}, p90 {}.",
        numbers::counted(all.operations, "write", "writes").trim_end_matches(" writes").trim_end_matches(" write"),
        all.pairs.len(),
        usual.median,
        usual.mean,
        usual.p90
    );
    let columns = ["OSD", "host"].map(Column::left).into_iter();
    let roles = ["as primary: median", "mean", "p90", "as replica: median", "mean", "p90"];
    let columns = columns.chain(roles.map(|role| Column::of(role, "ms")));
    let columns = columns.chain(["own software", "own commit"].map(|own| Column::of(own, "ms")));
    let rows = all.osds.iter().map(|osd| row(osd, all));
    let mut blocks = vec![title, Block::paragraph(lead), heat(all).into(), Table::new(columns, rows).into()];
    let pairs = known(all).count();
    if pairs > 0 {
        let title = format!("Pairs of OSDs: {}", slowest::title(pairs, "pairs"));
        blocks.extend([Block::title(title), slow_pairs(all).into()]);
    }
    blocks
}

fn known(all: &Positions) -> impl Iterator<Item = &PairTime> {
    all.pairs.iter().filter(|pair| pair.mean.is_finite() && pair.mean > 0.0)
}

fn host(all: &Positions, osd: u32) -> &str {
    all.osds.iter().find(|one| one.osd == osd).map_or("", |one| one.host.as_str())
}

fn slow_pairs(all: &Positions) -> Table {
    let osd = |osd: u32| [format!("osd.{osd}"), host(all, osd).to_string()];
    let row = |pair: &PairTime| {
        let ends = [osd(pair.primary), osd(pair.replica)].into_iter().flatten();
        Row::new(ends.chain([written(pair.mean, all.usual.mean.value)]))
    };
    let columns = ["primary", "on host", "replica", "on host"].map(Column::left).into_iter();
    let slow = slowest::first(known(all).collect(), |pair| pair.mean);
    Table::new(columns.chain([Column::of("mean write", "ms")]), slow.into_iter().map(row))
}

fn row(osd: &PositionOfOsd, all: &Positions) -> Row {
    let role = |times: &WriteTimes<Estimate>| {
        let usual = &all.usual;
        let of = [(times.median, usual.median), (times.mean, usual.mean), (times.p90, usual.p90)];
        of.map(|(adds, usual)| cell(&adds, usual.value, all))
    };
    let own = osd.timers.map(|own| [own.software, own.commit].map(|ms| Cell::from(written(ms, all.usual.mean.value))));
    let names = [Cell::from(format!("osd.{}", osd.osd)), Cell::from(osd.host.clone())];
    let roles = role(&osd.primary).into_iter().chain(role(&osd.replica));
    Row::new(names.into_iter().chain(roles).chain(own.unwrap_or([Cell::nothing(), Cell::nothing()])))
}

/// What the rules call clear stands out.
fn cell(adds: &Estimate, usual: f64, all: &Positions) -> Cell {
    let text = format!("{}{}", if adds.value > 0.0 { "+" } else { "" }, written(adds.value, all.usual.mean.value));
    let odd = Positions::is_clear(adds, usual);
    let within = numbers::half_width_beside(adds.high - adds.value, &guide(all.usual.mean.value));
    Cell { within, ..Cell::from(text) }.with(if odd { Emphasis::Outlier } else { Emphasis::Plain })
}

fn written(ms: f64, mean: f64) -> String {
    numbers::beside(ms, &guide(mean))
}

/// As many digits as of a mean that is known to a hundredth.
fn guide(mean: f64) -> Estimate {
    Estimate { value: mean, low: mean * 0.99, high: mean * 1.01 }
}

/// Ends of the scale are at least so far apart: what healthy pairs differ by is to look alike.
const SCALE_LEAST: f64 = 2.0;
/// How many colours the legend explains.
const MARKS: usize = 5;

/// Primaries below each other, replicas beside each other, both by host.
fn heat(all: &Positions) -> Chart {
    let host = |osd: u32| host(all, osd);
    let known = || known(all);
    let osds: BTreeSet<(&str, u32)> =
        known().flat_map(|pair| [pair.primary, pair.replica]).map(|osd| (host(osd), osd)).collect();
    let osds: Vec<(&str, u32)> = osds.into_iter().collect();
    let least = known().map(|pair| pair.mean).fold(f64::INFINITY, f64::min);
    let times = (known().map(|pair| pair.mean).fold(0.0, f64::max) / least).max(SCALE_LEAST);
    let place = |osd: u32| osds.iter().position(|one| one.1 == osd).unwrap_or(0);
    let ms = |value: f64| written(value, all.usual.mean.value);
    let cells = known().map(|pair| HeatCell {
        column: place(pair.replica),
        row: place(pair.primary),
        share: (pair.mean / least).ln() / times.ln(),
        short: ms(pair.mean),
        text: format!(
            "primary osd.{} on {}, replica osd.{} on {}: mean {} ms",
            pair.primary,
            host(pair.primary),
            pair.replica,
            host(pair.replica),
            ms(pair.mean)
        ),
        ring: false,
        figure: None,
    });
    let mark = |at: usize| {
        let share = at as f64 / (MARKS - 1) as f64;
        HeatMark { share, text: format!("{} ms", ms(least * times.powf(share))) }
    };
    let names: Vec<String> = osds.iter().map(|(_, osd)| format!("osd.{osd}")).collect();
    let caption = Caption::new("Pairs of OSDs", "the mean write of each; rows are primaries, columns replicas", "ms");
    Chart::Heat(Heat {
        columns: names.clone(),
        rows: names,
        across: "replica".into(),
        groups: groups(&osds),
        full_is_bad: true,
        scale: if osds.is_empty() { Vec::new() } else { (0..MARKS).map(mark).collect() },
        cells: cells.collect(),
        table: slowest::says(known().count(), "pairs"),
        caption,
    })
}

fn groups(osds: &[(&str, u32)]) -> Vec<HeatGroup> {
    let mut groups: Vec<HeatGroup> = Vec::new();
    for (place, (host, _)) in osds.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if group.name == *host => group.count += 1,
            _ => groups.push(HeatGroup { name: host.to_string(), first: place, count: 1 }),
        }
    }
    groups
}
