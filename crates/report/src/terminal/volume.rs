//! A rate over the volume that was written, drawn with characters, the place where it falls marked.

use super::line::Line;
use super::style::Paint;
use crate::chart::Volume;
use crate::numbers;
use model::Bytes;

/// Rows of a picture, and its least and greatest width.
const ROWS: usize = 4;
const NARROWEST: usize = 20;
const WIDEST: usize = 60;
/// Columns to the left of it, for the scale.
const MARGIN: usize = 20;
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Empty: too little was written.
pub(crate) fn picture(of: &Volume, room: usize) -> Vec<Line> {
    characters(of, room.saturating_sub(MARGIN))
        .into_iter()
        .map(|line| Line::new(&format!("  {line}"), Paint::Plain))
        .collect()
}

/// As wide as it gets, in Markdown.
pub(crate) fn plain(of: &Volume) -> Vec<String> {
    characters(of, WIDEST)
}

fn characters(of: &Volume, width: usize) -> Vec<String> {
    let width = width.min(WIDEST);
    let rates = over_volume(&of.each_second, of.seconds, width);
    let top = rates.iter().copied().fold(0.0, f64::max);
    if top <= 0.0 || !top.is_finite() || width < NARROWEST || !of.worth_drawing {
        return Vec::new();
    }
    let scale = format!("{} MB/s ", numbers::rough(top / 1e6));
    let lead = scale.chars().count();
    let mut lines: Vec<String> = (0..ROWS)
        .rev()
        .map(|row| {
            let eighths = |rate: &f64| (rate / top * (8 * ROWS) as f64).round() - (8 * row) as f64;
            let bar = |rate: &f64| BARS[eighths(rate).clamp(0.0, 8.0) as usize];
            let left = if row + 1 == ROWS { scale.clone() } else { " ".repeat(lead) };
            (left + &rates.iter().map(bar).collect::<String>()).trim_end().to_string()
        })
        .collect();
    if let Some(cliff) = &of.cliff {
        let at = (cliff.at as f64 / of.written.max(1) as f64 * width as f64).min(width as f64) as usize;
        let text = &cliff.text;
        let room = text.chars().count() + 2;
        lines.push(match at >= room {
            true => format!("{}{text} ^", " ".repeat(lead + at - room + 1)),
            false => format!("{}^ {text}", " ".repeat(lead + at)),
        });
    }
    let end = format!("{} written", numbers::bytes(of.written));
    lines.push(format!("{}0{}{end}", " ".repeat(lead), " ".repeat(width.saturating_sub(1 + end.chars().count()))));
    lines
}

/// Bytes a second in each of `columns` equal parts of the volume. The last of the seconds may have been cut short.
fn over_volume(each_second: &[Bytes], seconds: f64, columns: usize) -> Vec<f64> {
    let total: f64 = each_second.iter().map(|bytes| *bytes as f64).sum();
    let part = total / columns.max(1) as f64;
    let (mut rates, mut filled, mut took) = (Vec::with_capacity(columns), 0.0, 0.0);
    for (second, bytes) in each_second.iter().enumerate() {
        let (mut left, mut time) = (*bytes as f64, (seconds - second as f64).clamp(0.0, 1.0));
        while filled + left >= part && part > 0.0 && rates.len() < columns {
            let share = if left > 0.0 { (part - filled) / left } else { 0.0 };
            rates.push(part / f64::max(took + time * share, 1e-9));
            (left, time, filled, took) = (left * (1.0 - share), time * (1.0 - share), 0.0, 0.0);
        }
        filled += left;
        took += time;
    }
    if rates.len() < columns && took > 0.0 {
        rates.push(filled / took);
    }
    rates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_over_the_volume_is_the_rate_of_the_time_in_which_it_was_written() {
        let rates = over_volume(&[100, 100, 100, 50, 25], 4.5, 15);
        assert_eq!(rates.len(), 15);
        assert!(rates[..12].iter().all(|rate| (rate - 100.0).abs() < 1e-6), "{rates:?}");
        assert!(rates[12..].iter().all(|rate| (rate - 50.0).abs() < 1e-6), "{rates:?}");
        assert!(over_volume(&[], 0.0, 8).is_empty());
        assert!(over_volume(&[0, 0], 2.0, 8).iter().all(|rate| *rate == 0.0));
    }
}
