//! Numbers as fio writes them (HOWTO, "Parameter types").

use model::Bytes;

/// `4k`, `4KiB`, `1g`, `0x1000`, in bytes. With `kb_base` 1024, fio's default, `k` is 1024 and `kib` is 1000; with 1000 it is
/// the other way round. Of `ki` without the `b`, fio's manual and program say different things: it is refused.
pub fn size(text: &str, kb_base: u64) -> Result<Bytes, String> {
    let low = text.trim().to_ascii_lowercase();
    let wrong = || match low.ends_with('i') && low.len() > 2 {
        true => format!(
            "`{text}`: fio's manual and fio disagree on what it is; write {0} or {0}ib",
            low.trim_end_matches('i')
        ),
        false => format!("`{text}` is no size; write it as 4k, 1m or 1g"),
    };
    let number = match low.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => {
            let split = low.find(|c: char| !c.is_ascii_digit()).unwrap_or(low.len());
            let scale = scale(&low[split..], kb_base);
            low[..split].parse().ok().and_then(|number: u64| number.checked_mul(scale?))
        }
    };
    number.filter(|bytes| *bytes <= i64::MAX as u64).ok_or_else(wrong)
}

fn scale(unit: &str, kb_base: u64) -> Option<u64> {
    let (letter, other) = match unit.strip_suffix("ib") {
        Some(letter) => (letter, true),
        None => (unit.strip_suffix('b').unwrap_or(unit), false),
    };
    let base: u64 = if (kb_base == 1000) == other { 1024 } else { 1000 };
    match (letter, other) {
        ("", false) => Some(1),
        _ => base.checked_pow(["k", "m", "g", "t", "p"].iter().position(|known| *known == letter)? as u32 + 1),
    }
}

/// `30`, `30s`, `5m`, `1h`, `2d`, `500ms`, in seconds; without a unit it is seconds.
pub fn seconds(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is no time; write it as 30, 30s, 5m or 1h");
    let low = text.trim().to_ascii_lowercase();
    let split = low.find(|c: char| !c.is_ascii_digit()).unwrap_or(low.len());
    let scale = match &low[split..] {
        "d" => 86_400.0,
        "h" => 3600.0,
        "m" => 60.0,
        "" | "s" | "sec" => 1.0,
        "ms" | "msec" => 1e-3,
        "us" | "usec" => 1e-6,
        _ => return Err(wrong()),
    };
    let number: u64 = low[..split].parse().map_err(|_| wrong())?;
    Ok(number as f64 * scale)
}

/// A whole number.
pub fn whole(text: &str) -> Result<u64, String> {
    size(text, 1024).map_err(|_| format!("`{text}` is no whole number"))
}

/// A switch: alone, or with 1 or 0.
pub fn switch(value: Option<&str>) -> Result<bool, String> {
    match value.map(str::trim) {
        None | Some("1" | "true") => Ok(true),
        Some("0" | "false") => Ok(false),
        Some(other) => Err(format!("`{other}` is neither 1 nor 0")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As fio 3.33 reads them (the sizes of the files that it makes).
    #[test]
    fn sizes_as_fio_reads_them() {
        for (text, base, bytes) in [
            ("4096", 1000, 4096),
            ("4kib", 1000, 4096),
            ("1MiB", 1000, 1 << 20),
            ("1000k", 1000, 1_000_000),
            ("1mb", 1000, 1_000_000),
            ("1t", 1000, 1_000_000_000_000),
            ("4k", 1024, 4096),
            ("4kB", 1024, 4096),
            ("4096B", 1024, 4096),
            ("1024g", 1024, 1 << 40),
            ("1mib", 1024, 1_000_000),
            ("4kiB", 1024, 4000),
            ("0x1000", 1024, 4096),
        ] {
            assert_eq!(size(text, base), Ok(bytes), "{text} with {base}");
        }
        for text in
            ["", "k", "4x", "-4k", "4kk", "i", "4ki", "4i", "0x10k", "99999999999999999999", "9999999p", "1z", "50%"]
        {
            assert!(size(text, 1024).is_err(), "{text}");
        }
    }

    #[test]
    fn times_of_the_manual() {
        for (text, wanted) in [("10m", 600.0), ("30", 30.0), ("1D", 86400.0), ("500ms", 0.5), ("2sec", 2.0)] {
            assert_eq!(seconds(text), Ok(wanted), "{text}");
        }
        for text in ["", "m", "-1", "1.5", "10 min"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = (size(&text, 1024), size(&text, 1000), seconds(&text), whole(&text), switch(Some(&text)));
        }
    }
}
