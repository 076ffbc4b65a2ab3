//! A file of thresholds: TOML, a table for each layer, a bound for each pattern.
//!
//! ```toml
//! [rbd]
//! write-latency = "<= 3 ms"
//! read-parallel = ">= 5000 IOPS"
//! [osd."osd.2"]               # one target of a layer
//! write-latency = "<= 4 ms"
//! ```

use super::words;
use cluster::text_file;
use model::{Failure, Layer, Metric, Pattern, Threshold};
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// All thresholds of a file. Errors name the file, the line, and how to fix it.
pub fn read(path: &Path) -> Result<Vec<Threshold>, Failure> {
    let wrong = |text: String| Failure::Usage(format!("{}:{text}", path.display()));
    let unread = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => wrong(
            " there is no such file; thresholds are lines like `write-latency = \"<= 3 ms\"` below `[rbd]` in a file"
                .to_string(),
        ),
        _ if path.is_dir() => wrong(" is a folder; name a file of thresholds in it".to_string()),
        _ => wrong(format!(" can't be read: {error}")),
    };
    let text = text_file::read_up_to(path, text_file::LARGEST).map_err(unread)?;
    parse(&text).map_err(wrong)
}

/// The error begins with the line: `3: …`.
fn parse(text: &str) -> Result<Vec<Threshold>, String> {
    let at = |span: std::ops::Range<usize>| 1 + text[..span.start.min(text.len())].matches('\n').count();
    let document = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, at);
        format!("{line}: {}", error.message())
    })?;
    let mut found = Vec::new();
    for (name, table) in document.get_ref() {
        let layer = words::layer(name.get_ref()).map_err(|why| format!("{}: {why}", at(name.span())))?;
        of_layer(layer, None, table, &at, &mut found)?;
    }
    match found.is_empty() {
        true => {
            Err("1: no threshold; write a table for each layer, as [rbd], and in it write-latency = \"<= 3 ms\"".into())
        }
        false => Ok(found),
    }
}

fn of_layer(
    layer: Layer,
    target: Option<&str>,
    table: &Spanned<DeValue>,
    at: &dyn Fn(std::ops::Range<usize>) -> usize,
    found: &mut Vec<Threshold>,
) -> Result<(), String> {
    let DeValue::Table(entries) = table.get_ref() else {
        return Err(format!(
            "{}: {} is a table: write [{}] and its patterns below",
            at(table.span()),
            layer.name(),
            layer.name()
        ));
    };
    for (name, entry) in entries {
        match entry.get_ref() {
            DeValue::Table(_) if target.is_none() => of_layer(layer, Some(name.get_ref()), entry, at, found)?,
            DeValue::String(text) => {
                let pattern = words::pattern(name.get_ref()).map_err(|why| format!("{}: {why}", at(name.span())))?;
                let value = bound(text, (layer, pattern)).map_err(|why| format!("{}: {why}", at(entry.span())))?;
                found.push(Threshold::of(layer, pattern, target, value));
            }
            _ => {
                let text = format!("{}: {name} is a text, as \"<= 3 ms\"", at(entry.span()), name = name.get_ref());
                return Err(text);
            }
        }
    }
    Ok(())
}

/// `<= 3 ms`, `>= 5000 IOPS`, `>= 1.2 GB/s`: in the metric's unit.
fn bound(text: &str, (layer, pattern): (Layer, Pattern)) -> Result<f64, String> {
    let (sign, units): (&[&str], &[(&str, f64)]) = match pattern.metric(layer) {
        Metric::LatencyMean | Metric::Rtt => {
            (&["<=", "≤"], &[("ms", 1.0), ("us", 0.001), ("µs", 0.001), ("s", 1000.0)])
        }
        Metric::Iops => (&[">=", "≥"], &[("IOPS", 1.0), ("kIOPS", 1000.0)]),
        Metric::Bandwidth => {
            (&[">=", "≥"], &[("MB/s", 1.0), ("GB/s", 1000.0), ("MiB/s", 1.048576), ("GiB/s", 1073.741824)])
        }
    };
    let wrong = || {
        let (layer, pattern) = (layer.name(), pattern.name());
        format!("`{text}` is no bound on {layer} {pattern}; write it as {} 3 {}", sign[0], units[0].0)
    };
    let rest = sign.iter().find_map(|sign| text.trim().strip_prefix(sign)).ok_or_else(wrong)?.trim();
    let split = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(rest.len());
    let (digits, unit) = rest.split_at(split);
    let number: f64 = digits.replace('_', "").parse().map_err(|_| wrong())?;
    let scale = units.iter().find(|(name, _)| *name == unit.trim()).map(|(_, scale)| *scale).ok_or_else(wrong)?;
    if number > 0.0 && number.is_finite() { Ok(number * scale) } else { Err(wrong()) }
}

/// `-10%`: a tenth worse is still good; `+20%`: a fifth better is wanted. As a share.
pub fn change(text: &str) -> Result<f64, String> {
    let wrong = || {
        format!(
            "`{text}` is no change: --expect takes a run and a change (--expect last -10%); write -10% for at most a tenth worse, +20% for at least a fifth better"
        )
    };
    let sign = match text.chars().next() {
        Some('-') => -1.0,
        Some('+') => 1.0,
        _ => return Err(wrong()),
    };
    let percent: f64 = text[1..].trim().strip_suffix('%').and_then(|p| p.trim().parse().ok()).ok_or_else(wrong)?;
    if (0.0..100.0).contains(&percent) { Ok(sign * percent / 100.0) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing;
    use proptest::prelude::*;

    #[test]
    fn layers_patterns_and_targets() {
        let text = "# limits\n[rbd]\nwrite-latency = \"<= 3 ms\"\nread-linear = \">= 1.2 GB/s\"\n[osd.\"osd.2\"]\nread-parallel = \"≥ 5_000 IOPS\"\n";
        let found = parse(text).unwrap();
        assert_eq!(found.len(), 3);
        assert!(found.contains(&Threshold::of(testing::images(), Pattern::WriteLatency, None, 3.0)));
        assert!(found.contains(&Threshold::of(testing::images(), Pattern::ReadLinear, None, 1200.0)));
        assert!(found.contains(&Threshold::of(testing::osds(), Pattern::ReadParallel, Some("osd.2"), 5000.0)));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line_and_its_mend() {
        for (text, words) in [
            ("", ["1:", "[rbd]"]),
            ("[rbd]\n", ["1:", "write-latency"]),
            ("\n[disk]\n", ["2:", "`disk`"]),
            ("[rbd]\nwrite-latencies = \"<= 3 ms\"\n", ["2:", "write-latency"]),
            ("[rbd]\nwrite-latency = 3\n", ["2:", "<= 3 ms"]),
            ("[rbd]\nwrite-latency = \">= 3 ms\"\n", ["2:", "<= 3 ms"]),
            (
                "[rbd]\n\nread-parallel = \">= 3 ms\"\n",
                ["3:", "`>= 3 ms` is no bound on rbd read-parallel; write it as >= 3 IOPS"],
            ),
            ("[rbd]\nread-parallel = \">= -3 IOPS\"\n", ["2:", "IOPS"]),
            ("[rbd\n", ["1:", ""]),
            ("rbd = 3\n", ["1:", "[rbd]"]),
        ] {
            let why = parse(text).unwrap_err();
            assert!(words.iter().all(|word| why.contains(word)), "{text:?}: {why}");
        }
    }

    #[test]
    fn changes_have_a_sign() {
        assert_eq!(change("-10%"), Ok(-0.1));
        assert_eq!(change("+20 %"), Ok(0.2));
        for text in ["10%", "-10", "-100%", "", "-x%", "−10%"] {
            assert!(change(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*", bound_of in "\\PC{0,12}") {
            let _ = parse(&text);
            let _ = parse(&format!("[rbd]\nwrite-latency = {bound_of:?}\n"));
            let _ = change(&bound_of);
        }
    }
}
