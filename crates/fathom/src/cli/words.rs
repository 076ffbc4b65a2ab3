//! Words of the command line that become values: sizes, durations, shares, patterns, access, sync modes.

use super::workload::Clients;
use experiments::diagnose::About;
use ipnet::IpNet;
use model::{Access, Arrivals, Bytes, Durability, Layer, OpClass, OpMix, Pattern, SizeShare, Sizes, Tree};
use std::fmt::Display;
use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;

/// `ssd`, `eu:ssd`, `ssd/COLD`: as zone groups name them.
pub fn placement(text: &str) -> Result<String, String> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.:/".contains(letter);
    match !text.trim_matches(':').is_empty() && text.chars().all(plain) {
        true => Ok(text.to_string()),
        false => Err(format!("`{text}` is no placement; write it as ID or ZONEGROUP:ID")),
    }
}

/// `4k`, `4KiB`, `4M`, `1.5G`, `4096`: powers of 1024.
pub fn size(text: &str) -> Result<Bytes, String> {
    let wrong = || format!("`{text}` is not a size; write it as 4k, 4KiB, 4M or 1G");
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" | "ki" => 10,
        "m" | "mb" | "mib" | "mi" => 20,
        "g" | "gb" | "gib" | "gi" => 30,
        "t" | "tb" | "tib" | "ti" => 40,
        "p" | "pb" | "pib" | "pi" => 50,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let bytes = number * (1u64 << shift) as f64;
    match bytes {
        b if b >= 1.0 && b < (1u64 << 60) as f64 && b.fract() == 0.0 => Ok(b as Bytes),
        _ => Err(wrong()),
    }
}

/// `4K-1M`, `4K=70,64K=25,1M=5`
pub fn sizes(text: &str) -> Result<Sizes, String> {
    if let Some((least, most)) = text.split_once('-') {
        if least.trim().is_empty() || most.trim().is_empty() {
            return Err(format!("`{text}` is no range of sizes; write the least and the most: 4K-1M"));
        }
        return Sizes::between(size(least)?, size(most)?);
    }
    let one = |part: &str| {
        let wrong = || format!("`{part}` is no size with its percent; write it as 4K=70, or a range as 4K-1M");
        let (bytes, percent) = part.split_once('=').ok_or_else(wrong)?;
        let percent = whole_percent(percent).ok_or_else(wrong)?;
        Ok(SizeShare { bytes: size(bytes.trim())?, percent })
    };
    Sizes::shares(text.split(',').map(one).collect::<Result<_, String>>()?)
}

/// `70` or `70%`.
fn whole_percent(text: &str) -> Option<u8> {
    let text = text.trim();
    text.strip_suffix('%').unwrap_or(text).parse().ok().filter(|percent| *percent <= 100)
}

/// A whole number between these.
pub fn whole<N>(least: N, most: N) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync + 'static
where
    N: FromStr + PartialOrd + Display + Copy + Send + Sync + 'static,
{
    move |text: &str| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("`{text}` is no whole number from {least} to {most}"))
    }
}

/// A slice's length, in seconds.
pub const SECONDS_LEAST: f64 = 0.1;
pub const SECONDS_MOST: f64 = 7.0 * 86_400.0;

/// A run's own, if none is given: no two runs read the same places in the same order. Small enough to be typed, and exact in JSON.
pub fn seed() -> u64 {
    u64::from(rand::random::<u32>())
}

/// `500ms`, `30s`, `5m`, `1h`, as seconds.
pub fn seconds(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is not a duration; write it as 500ms, 30s, 5m or 1h");
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let scale = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    match number * scale {
        seconds if seconds > SECONDS_MOST => Err(format!("{}, of 7 days at most", wrong())),
        seconds if seconds < SECONDS_LEAST => Err(format!("`{text}` is too short; at least 100ms")),
        seconds => Ok(seconds),
    }
}

/// `create=20,open=60,delete=20`
pub fn mix(text: &str) -> Result<OpMix, String> {
    let one = |part: &str| {
        let wrong = || format!("`{part}` is no part of a mix; write it as open=60");
        let (name, percent) = part.split_once('=').ok_or_else(wrong)?;
        // As S3 calls them.
        let name = match name.trim() {
            "get" => "read",
            "put" => "write",
            "head" => "stat",
            other => other,
        };
        let class = OpClass::all().find(|class| class.name() == name);
        let class =
            class.ok_or_else(|| unknown("operation", name, &OpClass::all().map(OpClass::name).collect::<Vec<_>>()))?;
        Ok((class, whole_percent(percent).ok_or_else(wrong)?))
    };
    let shares = text.split(',').map(one).collect::<Result<Vec<(OpClass, u8)>, String>>()?;
    let named = |class: OpClass| shares.iter().filter(|(other, _)| *other == class).count();
    if let Some((class, _)) = shares.iter().find(|(class, _)| named(*class) > 1) {
        return Err(format!("{} is named twice", class.name()));
    }
    let percents: u32 = shares.iter().map(|(_, percent)| u32::from(*percent)).sum();
    if percents != 100 {
        return Err(format!("{percents} percent in all, and not 100 (parts are divided by commas: open=60,list=40)"));
    }
    if shares.iter().all(|(class, _)| class.of_bytes()) {
        return Err("for reads and writes only, use --read-share".to_string());
    }
    OpMix::of(shares).map_err(|_| {
        "the shares of create and delete differ, so that there would be more and more, or nothing to delete; make them alike".to_string()
    })
}

/// `5%` or `0.05`, as a share between 0 and 1.
pub fn share(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is not a share; write it as 5%");
    let share = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().map_err(|_| wrong())? / 100.0,
        None => text.parse::<f64>().map_err(|_| wrong())?,
    };
    if share > 0.0 && share < 1.0 { Ok(share) } else { Err(wrong()) }
}

/// Percent of reads: `0` to `100`, with or without `%`.
pub fn percent(text: &str) -> Result<u8, String> {
    whole_percent(text).ok_or_else(|| format!("`{text}` is not a share of reads; write it as 70%"))
}

/// Percent of a device that are written: `0` to `100`, with or without `%`.
pub fn fill_level(text: &str) -> Result<u8, String> {
    whole_percent(text).ok_or_else(|| format!("`{text}` is no fill level; write whole percent, as 0,50,90"))
}

/// `1` to `64`, or `auto`.
pub fn clients(text: &str) -> Result<Clients, String> {
    let number = || text.parse().ok().filter(|number| (1..=64).contains(number)).map(Clients::Number);
    let auto = (text == "auto").then_some(Clients::Auto);
    auto.or_else(number).ok_or_else(|| format!("`{text}` is neither 1 to 64 clients nor auto"))
}

pub fn layer(text: &str) -> Result<Layer, String> {
    Layer::from_name(text).ok_or_else(|| unknown("layer", text, Layer::ALL.map(Layer::name).as_slice()))
}

/// `rbd`, `rbd/write-latency`.
pub fn about(text: &str) -> Result<About, String> {
    let (name, of_it) = text.split_once('/').map_or((text, None), |(layer, pattern)| (layer, Some(pattern)));
    let about = About { layer: layer(name)?, pattern: of_it.map(pattern).transpose()? };
    match about.pattern.filter(|pattern| !about.layer.has(*pattern)) {
        Some(pattern) => {
            let own = Pattern::ALL.into_iter().filter(|own| about.layer.has(*own)).map(Pattern::name);
            let own = own.collect::<Vec<_>>().join(", ");
            Err(format!("{} is no pattern of {name}; there are: {own}", pattern.name()))
        }
        None => Ok(about),
    }
}

/// In the order in which they were named first.
pub fn each_once(patterns: &[Pattern]) -> Vec<Pattern> {
    let mut once: Vec<Pattern> = Vec::new();
    patterns.iter().for_each(|pattern| {
        if !once.contains(pattern) {
            once.push(*pattern)
        }
    });
    once
}

/// `2x8x100`: levels of folders, folders in each, files in each of the lowest.
pub fn tree(text: &str) -> Result<Tree, String> {
    let wrong =
        || "write LEVELSxFOLDERSxFILES, as in 2x8x100: at most 16 levels, at least one folder and one file".to_string();
    let numbers: Vec<u32> = text.split('x').map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
    match numbers.as_slice() {
        [levels @ 0..=16, folders, files] if *folders > 0 && *files > 0 => {
            Ok(Tree { levels: *levels, folders: *folders, files: *files, shared: false })
        }
        _ => Err(wrong()),
    }
}

pub fn pattern(text: &str) -> Result<Pattern, String> {
    Pattern::from_name(text).ok_or_else(|| unknown("pattern", text, Pattern::ALL.map(Pattern::name).as_slice()))
}

/// `random`, `sequential`, `zipf`, `zipf:1.1`.
pub fn access(text: &str) -> Result<Access, String> {
    let theta = |text: &str| text.parse::<f64>().ok().filter(|theta| *theta > 0.0 && *theta <= 5.0);
    match text.split_once(':') {
        Some(("zipf", exponent)) => theta(exponent)
            .map(Access::Zipf)
            .ok_or_else(|| format!("`{exponent}` is not a zipf exponent; it is between 0 and 5, as in zipf:1.1")),
        None if text == "random" => Ok(Access::Random),
        None if text == "sequential" => Ok(Access::Sequential),
        None if text == "zipf" => Ok(Access::Zipf(1.1)),
        _ => Err(unknown("access", text, &["random", "sequential", "zipf", "zipf:1.1"])),
    }
}

pub fn durability(text: &str) -> Result<Durability, String> {
    match text {
        "none" => Ok(Durability::None),
        "sync" => Ok(Durability::Sync),
        "dsync" => Ok(Durability::Dsync),
        "fsync" => Ok(Durability::Fsync),
        "fdatasync" => Ok(Durability::Fdatasync),
        "group-commit" => Ok(Durability::GroupCommit),
        _ => Err(unknown("sync mode", text, &["none", "sync", "dsync", "fsync", "fdatasync", "group-commit"])),
    }
}

/// `500`, `500/s`, `2.5k`: operations a second, k and M being powers of 1000.
pub fn rate(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is not a rate; write it as operations a second: 500, 2.5k");
    let number = text.strip_suffix("/s").unwrap_or(text);
    let split = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
    let scale = match &number[split..] {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        _ => return Err(wrong()),
    };
    let rate = number[..split].parse::<f64>().map_err(|_| wrong())? * scale;
    if (0.1..=1e8).contains(&rate) { Ok(rate) } else { Err(format!("{}; between 0.1 and 100M", wrong())) }
}

/// `p99<10ms`, `p99.9 <= 500us`: percent and milliseconds.
pub fn bound(text: &str) -> Result<(f64, f64), String> {
    let wrong = || format!("`{text}` is no bound on response times; write it as 'p99<10ms' or 'p99.9<500us'");
    let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (percentile, time) = squeezed.split_once('<').ok_or_else(wrong)?;
    let percent: f64 = percentile.strip_prefix('p').ok_or_else(wrong)?.parse().map_err(|_| wrong())?;
    let time = time.strip_prefix('=').unwrap_or(time);
    let split = time.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(time.len());
    let scale = match &time[split..] {
        "us" | "µs" => 1e-3,
        "ms" => 1.0,
        "s" => 1e3,
        _ => return Err(wrong()),
    };
    let ms = time[..split].parse::<f64>().map_err(|_| wrong())? * scale;
    match (percent, ms) {
        (1.0..=99.99, 0.001..=60_000.0) => Ok((percent, ms)),
        _ => Err(format!("{}; percentiles from 1 to 99.99, times from 1us to 60s", wrong())),
    }
}

pub fn arrivals(text: &str) -> Result<Arrivals, String> {
    match text {
        "poisson" => Ok(Arrivals::Poisson),
        "even" => Ok(Arrivals::Even),
        _ => Err(unknown("way for operations to arrive", text, &["poisson", "even"])),
    }
}

/// `name=value`.
pub fn option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_string(), value.to_string())),
        _ => Err(format!("`{text}` is not an option; write it as name=value")),
    }
}

/// `2` or `osd.2`.
pub fn osd(text: &str) -> Result<u32, String> {
    text.strip_prefix("osd.")
        .unwrap_or(text)
        .parse()
        .map_err(|_| format!("`{text}` is not an OSD; write it as osd.2 or 2"))
}

/// A list of hosts, or how many of a lab.
pub fn hosts(text: &str) -> Result<String, String> {
    match text.parse() {
        Ok(0u32) => Err("at least one host is needed; name some, or leave the option out".to_string()),
        _ => Ok(text.to_string()),
    }
}

/// `127.0.0.1:9750`, `[::1]:9750`, `localhost:9750`.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let found = text.to_socket_addrs().ok().and_then(|mut all| all.next());
    found.ok_or_else(|| format!("`{text}` is no address of this host; write it as 127.0.0.1:9750"))
}

/// `10.1.0.0/24`, `fd00::/64`.
pub fn network(text: &str) -> Result<IpNet, String> {
    let found: Result<IpNet, _> = text.trim().parse();
    found.map(|network| network.trunc()).map_err(|_| format!("`{text}` is no network; write it as 10.1.0.0/24"))
}

fn unknown(what: &str, text: &str, known: &[&str]) -> String {
    format!("`{text}` is no {what}; there are: {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn placements_as_zone_groups_name_them() {
        for text in ["ssd", "eu:ssd", ":ssd", "ssd/COLD", "default-placement"] {
            assert_eq!(placement(text), Ok(text.to_string()));
        }
        for text in ["", ":", "a b", "<x>", "a&b"] {
            assert!(placement(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_as_people_write_them() {
        for (text, bytes) in [
            ("4k", 4096),
            ("4KiB", 4096),
            ("4K", 4096),
            ("4M", 4 << 20),
            ("1.5G", 3 << 29),
            ("512", 512),
            ("2mi", 2 << 20),
            ("7 GB", 7 << 30),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in
            ["", "k", "4x", "-4k", "0", "1e9", "4kk", "nan", "inf", "99999P", "0.1", "4iii", "4kbbb", "4bb", "4ib"]
        {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_that_differ() {
        let written = |text: &str| sizes(text).unwrap().to_string();
        assert_eq!(written("4K-1M"), "4096-1048576");
        assert_eq!(written("4K=70, 64KiB=30%"), "4096x70-65536x30");
        for text in ["", "4K", "4K-", "1M-4K", "4K=70", "4K=70;1M=30", "x=100", "4K=50,4096=50"] {
            assert!(sizes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_and_shares() {
        assert_eq!(seconds("500ms"), Ok(0.5));
        assert_eq!(seconds("5m"), Ok(300.0));
        assert_eq!(share("5%"), Ok(0.05));
        assert_eq!((seconds("300ms"), percent("70%"), percent("100")), (Ok(0.3), Ok(70), Ok(100)));
        for text in ["1ms", "0.01s", "99ms"] {
            assert!(seconds(text).unwrap_err().contains("at least 100ms"), "{text}");
        }
        for text in ["50%%", "101%", "-5%", "", "%"] {
            assert!(percent(text).is_err() && fill_level(text).is_err(), "{text}");
        }
        assert_eq!(whole::<u32>(1, 8)("8"), Ok(8));
        for text in ["9", "-1", "1e9", ""] {
            assert!(whole::<u32>(1, 8)(text).unwrap_err().ends_with("is no whole number from 1 to 8"), "{text}");
        }
        for text in ["", "5", "0s", "-1s", "nans", "1e3s", "9999h"] {
            assert!(seconds(text).is_err(), "{text}");
        }
        for text in ["", "0", "0%", "100%", "nan", "x"] {
            assert!(share(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = (size(&text), seconds(&text), share(&text), percent(&text), osd(&text), option(&text));
            let _ = (layer(&text), pattern(&text), access(&text), durability(&text));
        }

        #[test]
        fn whole_sizes_come_back(n in 1u64..1_000_000) {
            prop_assert_eq!(size(&format!("{n}k")), Ok(n * 1024));
        }
    }
}
