//! Figures over a series of runs, as blocks: their levels, and where they changed.

use crate::block::{Block, Row, Table};
use crate::compare::{ROWS_MOST, came_to_nothing};
use crate::{finds, numbers};
use model::{Trend, TrendPoint};

const HEADING: [&str; 6] = ["finds", "target", "pattern", "runs", "newest", "levels"];

/// `lost`: figures that earlier runs had and that came to nothing in the newest.
pub fn blocks(trends: &[Trend], lost: &[String], until: &str) -> Vec<Vec<Block>> {
    let row = |one: &Trend| Row::new(cells(one)).with(finds::emphasis(one.finds));
    let head = vec![Block::Headline(title(until)), Block::paragraph(format!("{}.", counts(trends)))];
    let sorted = sorted(trends);
    let (shown, more) = sorted.split_at(sorted.len().min(ROWS_MOST));
    let table = Table::plain(HEADING, shown.iter().copied().map(row));
    let more = finds::more(more.iter().map(|one| one.finds));
    let table = std::iter::once(table.into()).chain(more).collect();
    vec![head, table, came_to_nothing(lost).map(Block::paragraph).into_iter().collect()]
}

fn title(until: &str) -> String {
    format!("History up to run {until}")
}

fn counts(trends: &[Trend]) -> String {
    finds::counts(trends.iter().map(|one| one.finds))
}

pub(crate) fn sorted(trends: &[Trend]) -> Vec<&Trend> {
    let mut sorted: Vec<&Trend> = trends.iter().collect();
    sorted.sort_by(|a, b| finds::before((a.finds, a.change), (b.finds, b.change)));
    sorted
}

fn cells(one: &Trend) -> Vec<String> {
    let value = |point: &TrendPoint| numbers::figure(&point.estimate, one.figure.metric).with_unit();
    let newest = one.points.last().map_or(numbers::NOTHING.to_string(), value);
    let further = [one.points.len().to_string(), newest, levels(one)];
    finds::cells(one.finds, &one.figure).into_iter().chain(further).collect()
}

/// `1,020 ±2 %, from run 20261101-… on 905 ±3 % (−11 %)`.
fn levels(one: &Trend) -> String {
    let mut text = String::new();
    let mut last: Option<f64> = None;
    for level in &one.levels {
        let value = numbers::figure(&level.estimate, one.figure.metric).plain();
        text += &match last {
            None => value,
            Some(last) => {
                let percent = numbers::percent(level.estimate.value / last - 1.0);
                let run = one.points.get(level.begins).map_or("", |point| point.run.as_str());
                format!(", from run {run} on {value} ({percent})")
            }
        };
        last = Some(level.estimate.value);
    }
    text
}
