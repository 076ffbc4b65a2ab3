//! The ledger: what each layer adds to a latency, and what share of its ceiling it delivers of a throughput.

use super::style::{Paint, Style};
use super::table::{Align, Table};
use crate::numbers;
use model::pattern::Family;
use model::{LedgerRow, Pattern, Report};

/// Columns of a bar.
const BAR: usize = 20;
const BAR_BESIDE_WORDS: usize = 12;
/// A terminal of this width has room for reasons.
const WIDE: usize = 100;

pub(crate) fn ledger(report: &Report, style: &Style) -> String {
    let mut text = String::new();
    for pattern in Pattern::ALL {
        let mut rows: Vec<&LedgerRow> = report.ledger.iter().filter(|row| row.pattern == pattern).collect();
        rows.sort_by_key(|row| row.layer);
        if rows.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text += &match pattern.family() {
            Family::Latency => latency(pattern, &rows, style),
            Family::Parallel | Family::Linear => throughput(pattern, &rows, style),
        };
    }
    text
}

fn latency(pattern: Pattern, rows: &[&LedgerRow], style: &Style) -> String {
    let mut table = Table::new(&[
        ("layer", Align::Left),
        ("adds, ms", Align::Right),
        ("expected", Align::Right),
        ("unexplained", Align::Right),
        ("share", Align::Right),
        ("", Align::Left),
        ("", Align::Left),
    ]);
    // Words in place of a number take their room from the bar.
    let words = rows.iter().any(|row| numbers::adds(row).unit.is_empty());
    let bar = if words { BAR_BESIDE_WORDS } else { BAR };
    let mut before = 0.0;
    for row in rows {
        let cells = vec![
            row.layer.name().to_string(),
            numbers::adds(row).plain(),
            row.expected.map_or(numbers::NOTHING.into(), |expected| numbers::beside(expected, &row.adds)),
            row.unexplained.map_or(numbers::NOTHING.into(), |rest| numbers::beside(rest, &row.adds)),
            numbers::share_at_most(row),
            row.share.map_or_else(String::new, |share| step(bar, before, share)),
            reason(row, style),
        ];
        before += row.share.unwrap_or(0.0);
        table.row(cells, Paint::Plain);
    }
    let title = format!("Ledger of {}: what each layer adds", pattern.name());
    style.paint(&title, Paint::Bold) + "\n" + &table.text(0, style)
}

fn throughput(pattern: Pattern, rows: &[&LedgerRow], style: &Style) -> String {
    let unit = rows.first().map_or("", |row| pattern.metric(row.layer).unit());
    let heading = format!("ceiling, {unit}");
    let mut table = Table::new(&[
        ("layer", Align::Left),
        (&heading, Align::Right),
        ("short of it", Align::Right),
        ("share", Align::Right),
        ("", Align::Left),
        ("", Align::Left),
    ]);
    for row in rows {
        let cells = vec![
            row.layer.name().to_string(),
            numbers::ceiling(row),
            numbers::adds(row).plain(),
            numbers::share_at_most(row),
            row.share.map_or_else(String::new, |share| step(BAR, 0.0, share)),
            reason(row, style),
        ];
        table.row(cells, Paint::Plain);
    }
    let title = format!("Ledger of {}: what each layer delivers of its ceiling", pattern.name());
    style.paint(&title, Paint::Bold) + "\n" + &table.text(0, style)
}

/// What the row was made of, where there is room for it.
fn reason(row: &LedgerRow, style: &Style) -> String {
    if style.room() >= WIDE { row.because.clone() } else { String::new() }
}

/// A bar of `bar` columns from `from` to `from + share` of the whole; anything beyond the whole is cut off.
fn step(bar: usize, from: f64, share: f64) -> String {
    let column = |share: f64| (share.clamp(0.0, 1.0) * bar as f64).round() as usize;
    let (low, high) = if share < 0.0 { (from + share, from) } else { (from, from + share) };
    let (low, high) = (column(low), column(high));
    let drawn = if share < 0.0 { "-" } else { "█" };
    format!("{}{}{}", "·".repeat(low), drawn.repeat(high.saturating_sub(low)), "·".repeat(bar - high.max(low)))
}
