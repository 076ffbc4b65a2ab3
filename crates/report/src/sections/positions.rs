//! Who slows a pool, by position: what each OSD adds to a write as its primary and as a replica.

use crate::block::{Block, Cell, Column, Emphasis, Row, Table};
use crate::chart::{Caption, Chart, Heat, HeatCell};
use crate::numbers;
use model::{Estimate, PositionOfOsd, Positions, Report, Scope, WriteTimes};
use std::collections::BTreeSet;

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let known = |one: &&Positions| one.usual.mean.is_finite() && one.usual.mean > 0.0 && !one.osds.is_empty();
    report.positions.as_ref().filter(known).map(of).unwrap_or_default()
}

fn of(all: &Positions) -> Vec<Block> {
    let title = Block::title("What each OSD adds to a write of a pair, by its position");
    let usual = all.usual.map(|ms| written(*ms, all.usual.mean));
    let lead = format!(
        "{} writes of 4 KiB with one in flight, in turns over {} pairs of a primary and a replica. Usual: median {} ms, mean {}, p90 {}.",
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
    vec![title, Block::paragraph(lead), heat(all).into(), Table::new(columns, rows).into()]
}

fn row(osd: &PositionOfOsd, all: &Positions) -> Row {
    let role = |times: &WriteTimes<Estimate>| [times.median, times.mean, times.p90].map(|adds| cell(&adds, all));
    let own = osd.timers.map(|own| [own.software, own.commit].map(|ms| Cell::from(written(ms, all.usual.mean))));
    let names = [Cell::from(format!("osd.{}", osd.osd)), Cell::from(osd.host.clone())];
    let roles = role(&osd.primary).into_iter().chain(role(&osd.replica));
    Row::new(names.into_iter().chain(roles).chain(own.unwrap_or([Cell::nothing(), Cell::nothing()])))
}

/// What is beyond its interval and a fifth of the usual stands out.
fn cell(adds: &Estimate, all: &Positions) -> Cell {
    let text = format!("{}{}", if adds.value > 0.0 { "+" } else { "" }, written(adds.value, all.usual.mean));
    let odd = adds.low > 0.0 && adds.value > 0.2 * all.usual.mean;
    let within = written(adds.high - adds.value, all.usual.mean);
    Cell { within: format!("±{within}"), ..Cell::from(text) }.with(if odd {
        Emphasis::Outlier
    } else {
        Emphasis::Plain
    })
}

fn written(ms: f64, mean: f64) -> String {
    numbers::beside(ms, &Estimate { value: mean, low: mean * 0.99, high: mean * 1.01 })
}

fn heat(all: &Positions) -> Chart {
    let osds: Vec<u32> =
        all.pairs.iter().flat_map(|pair| [pair.primary, pair.replica]).collect::<BTreeSet<u32>>().into_iter().collect();
    let most = all.pairs.iter().map(|pair| pair.mean).filter(|ms| ms.is_finite()).fold(0.0, f64::max);
    let place = |osd: u32| osds.iter().position(|one| *one == osd).unwrap_or(0);
    let cells = all.pairs.iter().filter(|pair| pair.mean.is_finite()).map(|pair| HeatCell {
        column: place(pair.replica),
        row: place(pair.primary),
        share: if most > 0.0 { pair.mean / most } else { 0.0 },
        short: written(pair.mean, all.usual.mean),
        text: format!(
            "primary osd.{}, replica osd.{}: mean {} ms",
            pair.primary,
            pair.replica,
            written(pair.mean, all.usual.mean)
        ),
        ring: false,
        figure: None,
    });
    let names: Vec<String> = osds.iter().map(|osd| format!("osd.{osd}")).collect();
    let caption = Caption::new("Pairs of OSDs", "rows are primaries, columns replicas; the darker, the slower", "ms");
    Chart::Heat(Heat { columns: names.clone(), rows: names, across: "replica".into(), cells: cells.collect(), caption })
}
