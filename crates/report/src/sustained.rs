//! Writing without pause until it falls: in a sentence, as a picture of characters, in the document.

use crate::{markdown, numbers, words};
use model::{Bytes, Endurance, Estimate, Metric, Report};
use serde_json::{Value, json};

pub(crate) const TITLE: &str = "Sustained writes";

/// Rows of a picture, and the widest that it gets.
const ROWS: usize = 4;
const WIDEST: usize = 60;
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// `/dev/sdx (model): fell by …`
pub(crate) fn sentence(found: &Endurance) -> String {
    let model = found.model.as_ref().map_or(String::new(), |model| format!(" ({model})"));
    let also = match found.also.as_slice() {
        [] => String::new(),
        also => format!(" It stands for {} as well: the same model, or the same device.", also.join(", ")),
    };
    let rate = found.rate.map_or(String::new(), |rate| format!(" {}.", words::rate(&rate)));
    format!("{}{model}: {}.{rate}{also}", found.target, found.says)
}

/// The rate over the volume written, the cliff marked. Empty: too little was written.
pub(crate) fn picture(found: &Endurance, width: usize) -> Vec<String> {
    let width = if found.held == 0 { 0 } else { width.min(WIDEST) };
    let rates = over_volume(&found.each_second, found.seconds, width);
    let top = rates.iter().copied().fold(0.0, f64::max);
    if top <= 0.0 || !top.is_finite() || width < 20 {
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
    if let Some(cliff) = &found.cliff {
        let at = (cliff.written as f64 / found.written.max(1) as f64 * width as f64).min(width as f64) as usize;
        let text = format!("cliff after {}", numbers::bytes(cliff.written));
        let room = text.chars().count() + 2;
        lines.push(match at >= room {
            true => format!("{}{text} ^", " ".repeat(lead + at - room + 1)),
            false => format!("{}^ {text}", " ".repeat(lead + at)),
        });
    }
    let end = format!("{} written", numbers::bytes(found.written));
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

pub(crate) fn page(report: &Report) -> String {
    let one = |found: &Endurance| {
        let picture: String = picture(found, WIDEST).iter().map(|line| words::tame(line) + "\n").collect();
        let picture = if picture.is_empty() { picture } else { format!("\n```\n{picture}```\n") };
        format!("\n{}\n{picture}", markdown::escaped(&sentence(found)))
    };
    let all: String = report.sustained.iter().map(one).collect();
    if all.is_empty() { all } else { format!("## {TITLE}\n{all}") }
}

pub(crate) fn document(found: &Endurance) -> Value {
    let value = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.value);
    let interval = |estimate: Option<Estimate>| estimate.map(|estimate| [estimate.low, estimate.high]);
    let cliff = found.cliff.map(|cliff| {
        json!({
            "written": cliff.written,
            "between": [cliff.low, cliff.high],
            "from": value(cliff.from),
            "from_ci95": interval(cliff.from),
            "to": value(cliff.to),
            "to_ci95": interval(cliff.to),
            "fall": cliff.fall,
        })
    });
    json!({
        "target": found.target,
        "model": found.model,
        "also": found.also,
        "ended": found.ended.name(),
        "error": found.error,
        "written": found.written,
        "seconds": found.seconds,
        "written_before": found.before,
        "held": found.held,
        "unit": Metric::Bandwidth.unit(),
        "rate": value(found.rate),
        "rate_ci95": interval(found.rate),
        "cliff": cliff,
        "each_second": found.each_second,
        "says": found.says,
    })
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
