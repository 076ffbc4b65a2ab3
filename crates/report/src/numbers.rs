//! The one place where numbers become words: never more digits than the interval allows, never without one where there is one.

use model::pattern::Family;

pub use crate::ranges::{change_between, change_parts, percent, ratio, times};
pub use model::units::{NOTHING, bytes, count, counted, rough, seconds};
use model::units::{exponent, rounded};
use model::{Estimate, Gain, LedgerRow, Metric, Percentile, Quantity};

/// No figure is known better than to four digits; more would be noise of the clock.
const DIGITS_MAX: i32 = 4;
/// Shown in its place; in a grid the second half stands where intervals stand.
pub const UNKNOWN: [&str; 2] = ["not known", "in this time"];

/// A value and its interval in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// `5,420`
    pub value: String,
    /// `±4 %`, `±0.12`; empty: there is no value.
    pub within: String,
    /// Empty: the value is not known.
    pub unit: &'static str,
}

impl Shown {
    /// `5,420 IOPS ±4 %`
    pub fn with_unit(&self) -> String {
        if self.within.is_empty() || self.unit.is_empty() {
            self.plain()
        } else {
            format!("{} {} {}", self.value, self.unit, self.within)
        }
    }

    /// `5,420 ±4 %`, for tables that state the unit once.
    pub fn plain(&self) -> String {
        if self.within.is_empty() { self.value.clone() } else { format!("{} {}", self.value, self.within) }
    }
}

/// A figure with its 95 % interval, or that it is not known: absolute for times, as a share for rates. Of an uneven interval the wider side.
pub fn figure(estimate: &Estimate, metric: Metric) -> Shown {
    if is_unknown(estimate) {
        return Shown { value: UNKNOWN[0].to_string(), within: UNKNOWN[1].to_string(), unit: "" };
    }
    let rate = matches!(metric, Metric::Iops | Metric::Bandwidth) && estimate.value != 0.0;
    shown(estimate, metric, rate)
}

/// Is the interval as wide as the value, so that it holds zero? No interval at all, as of an imported total, says nothing of that.
pub fn is_unknown(estimate: &Estimate) -> bool {
    !estimate.is_known()
}

/// What a layer adds, or falls short by: a difference, except of what lies at the bottom of a latency. Nothing falls short of a ceiling
/// that is not known.
pub fn adds(row: &LedgerRow) -> Shown {
    let metric = row.pattern.metric(row.layer);
    if row.share.is_none() && row.pattern.family() != Family::Latency {
        return Shown { value: NOTHING.to_string(), within: String::new(), unit: metric.unit() };
    }
    let bottom = (row.layer.of_disks() || row.layer.of_links()) && row.pattern.family() == Family::Latency;
    if bottom { figure(&row.adds, metric) } else { difference(&row.adds, metric) }
}

/// How much more `a` is than `b`, as their intervals say: `1.20 ms ±0.05`.
pub fn more(a: &Estimate, b: &Estimate, metric: Metric) -> Shown {
    difference(&Estimate::new(a.value - b.value, half_width(a).hypot(half_width(b))), metric)
}

/// The same for a number that may well be around zero: then that is what is known. Its interval is in its own unit: as a share of
/// next to nothing it says nothing.
fn difference(estimate: &Estimate, metric: Metric) -> Shown {
    shown(estimate, metric, false)
}

/// `by_share`: the interval as a share of the value.
fn shown(estimate: &Estimate, metric: Metric, by_share: bool) -> Shown {
    let unit = metric.unit();
    if !estimate.value.is_finite() {
        return Shown { value: NOTHING.to_string(), within: String::new(), unit };
    }
    let half = half_width(estimate);
    let place = last_place(estimate.value, half);
    let place = if by_share { place } else { apart(estimate.value, half, place) };
    let within = if by_share { relative(precision(estimate)) } else { absolute(half, place) };
    Shown { value: rounded(estimate.value, place), within, unit }
}

/// Up to two digits more, where rounding would make the half-width as large as a value that is larger.
fn apart(value: f64, half: f64, place: i32) -> i32 {
    let same = |place: &i32| half < value.abs() && steps_up(half, *place) >= (value.abs() / 10f64.powi(*place)).round();
    (place - 2..=place).rev().find(|place| !same(place)).unwrap_or(place)
}

/// Half-width of the interval as a share of the value; of an uneven interval the wider side.
pub fn precision(estimate: &Estimate) -> f64 {
    if estimate.value == 0.0 { f64::INFINITY } else { half_width(estimate) / estimate.value.abs() }
}

/// Another number in the unit of `guide`, to the digits that `guide`'s interval allows.
pub fn beside(value: f64, guide: &Estimate) -> String {
    rounded(value, last_place(guide.value, half_width(guide)))
}

/// `2.6 (2.1–3.4)`, `2.6 (≥ 2.1)` if what was seen does not bound it above, `2.6` without an interval.
pub fn percentile(of: &Percentile) -> String {
    let [value, range] = percentile_parts(of);
    if range.is_empty() { value } else { format!("{value} ({range})") }
}

/// The same, value and range apart.
pub fn percentile_parts(of: &Percentile) -> [String; 2] {
    let Some(low) = of.low_ms else { return [rough(of.value_ms), String::new()] };
    let half = half_width(&Estimate { value: of.value_ms, low, high: of.high_ms.unwrap_or(2.0 * of.value_ms - low) });
    let place = last_place(of.value_ms, half);
    let say = |value| rounded(value, place);
    let (at_least, at_most) = (|bound| say(rounded_down(bound, place)), |bound| say(rounded_up(bound, place)));
    // "At least nothing" would be no bound.
    let least = if low > 0.0 && at_least(low).parse() == Ok(0.0) { rough_at_least(low) } else { at_least(low) };
    let range = of.high_ms.map_or_else(|| format!("≥ {least}"), |high| format!("{}–{}", at_least(low), at_most(high)));
    [say(of.value_ms), range]
}

/// `≤87 %` where it may be lower: a part of a latency that holds another's, at the upper end of its interval.
pub fn share_at_most(row: &LedgerRow) -> String {
    let Some(known) = row.share else { return NOTHING.into() };
    if !row.at_least {
        return share(known);
    }
    let latency = row.pattern.family() == Family::Latency && row.adds.value > 0.0;
    let most = if latency { (known * row.adds.high / row.adds.value).min(1.0) } else { known };
    let place = if most >= 0.0095 { 0 } else { -1 };
    format!("≤{}", share(rounded_up(most * 100.0, place) / 100.0))
}

/// `≥12,000` where it may be higher.
pub fn ceiling(row: &LedgerRow) -> String {
    let said = |ceiling| if row.at_least { format!("≥{}", rough_at_least(ceiling)) } else { rough(ceiling) };
    row.ceiling.map_or(NOTHING.into(), said)
}

/// `34 %`; below one percent with one decimal.
pub fn share(share: f64) -> String {
    match share * 100.0 {
        percent if !percent.is_finite() => NOTHING.to_string(),
        percent if percent == 0.0 || percent.abs() >= 0.95 => format!("{} %", rounded(percent, 0)),
        percent => format!("{} %", rounded(percent, -1)),
    }
}

/// `1.79 ms ±0.06 → 1.24 ms ±0.04 (-31 % ±4 %)`
pub fn gain(gain: &Gain) -> String {
    let of = |estimate| quantity(&Quantity::Measured { estimate, metric: gain.metric });
    format!("{} → {} ({})", of(gain.from), of(gain.to), change(&gain.change))
}

/// `-31 % ±4 %`: a share and its half-width, both as shares of what was before.
pub fn change(share: &Estimate) -> String {
    let (value, half) = (share.value * 100.0, half_width(share) * 100.0);
    if !value.is_finite() {
        return NOTHING.to_string();
    }
    let place = last_place(value, half).max(-1);
    let sign = if value > 0.0 { "+" } else { "" };
    format!("{sign}{} % {} %", rounded(value, place), absolute(half, place))
}

/// A quantity in a sentence; what is not known within its interval is said with it.
pub fn quantity(quantity: &Quantity) -> String {
    match quantity {
        Quantity::Measured { estimate, metric } if is_unknown(estimate) => difference(estimate, *metric).with_unit(),
        Quantity::Measured { estimate, metric } => figure(estimate, *metric).with_unit(),
        Quantity::Value { value, metric } => format!("{} {}", rough(*value), metric.unit()),
        Quantity::Share(of) => share(*of),
        Quantity::Chance(of) if *of < 0.001 => "less than 0.1 %".to_string(),
        Quantity::Chance(of) => share(*of),
        Quantity::Times(times) => format!("{} times", rounded(*times, 0)),
        Quantity::Count(n) => count(*n),
        Quantity::Megabits(megabits) => format!("{} Mbit/s", count(u64::from(*megabits))),
        // As `ip link` shows it.
        Quantity::Packet(bytes) => bytes.to_string(),
    }
}

/// `±4.1 %`, `±12 %`: half-width as a share of the value, rounded up as all intervals are.
pub fn relative(half: f64) -> String {
    let percent = half * 100.0;
    if !percent.is_finite() {
        return "±?".to_string();
    }
    let tenths = rounded_up(percent, -1);
    match rounded_up(percent, 0) {
        whole if whole > 999.0 => "±10 times or more".to_string(),
        whole if whole == tenths || tenths >= 10.0 => format!("±{} %", rounded(whole, 0)),
        _ => format!("±{} %", rounded(tenths, -1)),
    }
}

/// An upper end, to this power of ten.
pub(crate) fn rounded_up(value: f64, place: i32) -> f64 {
    steps_up(value, place) * 10f64.powi(place)
}

/// A lower one.
pub(crate) fn rounded_down(value: f64, place: i32) -> f64 {
    -rounded_up(-value, place)
}

/// As `rough`, of what is at least so much.
fn rough_at_least(value: f64) -> String {
    rough(exponent(value).map_or(value, |first| rounded_down(value, first - 2)))
}

/// The half-width of an interval in a unit of its own, beside a number in the digits that `guide` allows.
pub fn half_width_beside(half: f64, guide: &Estimate) -> String {
    absolute(half, last_place(guide.value, half_width(guide)))
}

/// `2026-11-21 09:30:12 UTC` of an RFC 3339 time in UTC; anything else as it is.
pub fn when(rfc3339: &str) -> String {
    let plain = rfc3339.strip_suffix('Z').or_else(|| rfc3339.strip_suffix("+00:00"));
    match plain.and_then(|text| text.split_once('T')) {
        Some((day, time)) => format!("{day} {} UTC", time.split('.').next().unwrap_or(time)),
        None => rfc3339.to_string(),
    }
}

/// `2026-11-21 09:30 UTC`, for where a run's name has the seconds.
pub fn minute(rfc3339: &str) -> String {
    let when = when(rfc3339);
    let whole = when.strip_suffix(" UTC").and_then(|when| when.get(..16));
    whole.map_or(when.clone(), |minute| format!("{minute} UTC"))
}

fn half_width(estimate: &Estimate) -> f64 {
    let half = (estimate.high - estimate.value).max(estimate.value - estimate.low);
    if half.is_finite() { half.max(0.0) } else { f64::INFINITY }
}

/// The power of ten of the last digit that is shown: the first digit of the half-width, or the second while that says
/// more (±0.12, but ±0.4); at most four digits of the value, but always one.
fn last_place(value: f64, half: f64) -> i32 {
    let of_value = exponent(value);
    let allowed = match exponent(half) {
        Some(e) if half / 10f64.powi(e) < 3.55 => e - 1,
        Some(e) => e,
        None if half == 0.0 => i32::MIN,
        // Without an interval, as `rough` has it.
        None => of_value.map_or(i32::MAX, |e| e - 2),
    };
    match of_value {
        Some(e) => allowed.clamp(e + 1 - DIGITS_MAX, e),
        None if allowed == i32::MIN || allowed == i32::MAX => 0,
        None => allowed,
    }
}

/// An interval is rounded up: what is shown never claims more than what is known.
fn absolute(half: f64, place: i32) -> String {
    if !half.is_finite() {
        return "±?".to_string();
    }
    if half == 0.0 {
        return "±0".to_string();
    }
    format!("±{}", rounded(steps_up(half, place) * 10f64.powi(place), place))
}

fn steps_up(half: f64, place: i32) -> f64 {
    let steps = half / 10f64.powi(place);
    // Not up by a whole step for what the division itself added.
    if (steps - steps.round()).abs() < 1e-6 { steps.round() } else { steps.ceil() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Pattern;
    use model::testing;
    use proptest::prelude::*;

    fn ms(value: f64, half: f64) -> String {
        figure(&Estimate::new(value, half), Metric::LatencyMean).with_unit()
    }

    fn iops(value: f64, half: f64) -> String {
        figure(&Estimate::new(value, half), Metric::Iops).with_unit()
    }

    #[test]
    fn digits_end_where_the_interval_begins() {
        assert_eq!(ms(3.2143, 0.1199), "3.21 ms ±0.12");
        assert_eq!(ms(3.2143, 0.00001), "3.214 ms ±0.001");
        assert_eq!(ms(3.2143, 0.0), "3.214 ms ±0");
        assert_eq!(ms(0.01234, 0.0004), "0.0123 ms ±0.0004");
        assert_eq!(ms(5.43, 0.42), "5.4 ms ±0.5");
        assert_eq!(iops(5423.0, 217.0), "5,420 IOPS ±4.1 %");
        assert_eq!([0.0249, 0.04, 0.0996, 0.1, 0.104].map(relative), ["±2.5 %", "±4 %", "±10 %", "±10 %", "±11 %"]);
        assert_eq!(iops(1_234_567.0, 1000.0), "1,235,000 IOPS ±0.1 %");
        assert_eq!(iops(5423.0, 5423.0 * 0.0041), "5,423 IOPS ±0.5 %");
        assert_eq!([9.99, 9.996].map(relative), ["±999 %", "±10 times or more"]);
    }

    #[test]
    fn the_bound_of_a_percentile_is_one() {
        let told = |value_ms, low_ms, high_ms| percentile(&Percentile { percent: 99.0, value_ms, low_ms, high_ms });
        assert_eq!(told(2.61, Some(2.18), Some(3.44)), "2.6 (2.1–3.5)");
        assert_eq!(told(2.61, Some(2.12), None), "2.6 (≥ 2.1)");
        assert_eq!(told(31.2, Some(0.0124), None), "31 (≥ 0.0124)");
        assert_eq!(told(2.61, None, None), "2.61");
    }

    #[test]
    fn the_interval_of_a_difference_is_in_its_own_unit() {
        let iops = |value, half| difference(&Estimate::new(value, half), Metric::Iops).with_unit();
        assert_eq!(iops(500.0, 1590.0), "500 IOPS ±1,600");
        assert_eq!(iops(-70.0, 812.0), "-70 IOPS ±820");
        assert_eq!(iops(-4.0, 51.0), "-4 IOPS ±51");
        assert_eq!(iops(0.0, 51.0), "0 IOPS ±60");
        assert_eq!(iops(5423.0, 217.0), "5,420 IOPS ±220");
        assert_eq!(iops(32.0, f64::INFINITY), "32.0 IOPS ±?");
        let of = |value, half, metric| difference(&Estimate::new(value, half), metric).with_unit();
        assert_eq!(of(-0.2, 1.6, Metric::LatencyMean), "-0.2 ms ±1.6");
        assert_eq!(of(12.0, 340.0, Metric::Bandwidth), "10 MB/s ±340");
    }

    #[test]
    fn an_interval_as_wide_as_its_figure_leaves_nothing_known() {
        let unknown = "not known in this time";
        assert_eq!([ms(0.019, 0.019), ms(3.2143, 7.0), ms(0.0996, 0.0996), iops(5000.0, 5400.0)], [unknown; 4]);
        assert_eq!([iops(5423.0, 5423.0 * 0.996), iops(0.0, 3.0)], [unknown; 2], "±100 % in words is as wide");
        assert_eq!(iops(5423.0, 5423.0 * 0.985), "5,000 IOPS ±99 %");
        // The wider side of an uneven interval counts.
        let uneven = Estimate { value: 2.0, low: 1.0, high: 4.5 };
        assert_eq!(figure(&uneven, Metric::LatencyMean).plain(), unknown);
        // What rounding up alone made as wide gets one digit more.
        assert_eq!(ms(4.7, 4.5), "4.7 ms ±4.5");
    }

    #[test]
    fn what_a_layer_adds_may_be_around_zero_but_the_bottom_of_a_latency_is_a_figure() {
        let row = |pattern, layer| LedgerRow {
            pattern,
            layer,
            adds: Estimate::new(0.019, 0.019),
            expected: None,
            unexplained: None,
            share: Some(0.1),
            ceiling: None,
            at_least: false,
            because: String::new(),
        };
        let adds = |pattern, layer| adds(&row(pattern, layer)).plain();
        assert_eq!(adds(Pattern::WriteLatency, testing::disks()), "not known in this time");
        assert_eq!(adds(Pattern::ReadLatency, testing::links()), "not known in this time");
        assert_eq!(adds(Pattern::WriteLatency, testing::osds()), "0.019 ±0.019");
        assert_eq!(adds(Pattern::WriteParallel, testing::disks()), "0.019 ±0.019");
    }

    #[test]
    fn quantities_of_a_sentence() {
        let measured = |value, half| Quantity::Measured { estimate: Estimate::new(value, half), metric: Metric::Iops };
        let all = [
            measured(5423.0, 217.0),
            measured(5423.0, 6000.0),
            Quantity::Value { value: 1.0123, metric: Metric::LatencyMean },
            Quantity::Share(0.44),
            Quantity::Chance(1e-9),
            Quantity::Chance(0.004),
            Quantity::Times(13.7),
            Quantity::Count(10_000),
            Quantity::Megabits(10_000),
            Quantity::Packet(9000),
        ];
        let want = [
            "5,420 IOPS ±4.1 %",
            "5,000 IOPS ±6,000",
            "1.01 ms",
            "44 %",
            "less than 0.1 %",
            "0.4 %",
            "14 times",
            "10,000",
            "10,000 Mbit/s",
            "9000",
        ];
        assert_eq!(all.map(|one| quantity(&one)), want);
    }

    #[test]
    fn a_change_has_the_digits_of_its_interval() {
        let of = |value, half| change(&Estimate::new(value, half));
        assert_eq!(of(-0.3724, 0.061), "-37 % ±7 %");
        assert_eq!(of(-0.1213, 0.0044), "-12.1 % ±0.5 %");
        assert_eq!(of(0.4286, 0.02), "+42.9 % ±2.0 %");
        assert_eq!(of(-0.031, 0.05), "-3 % ±5 %");
        assert_eq!(of(-0.934, 0.31), "-93 % ±31 %");
        assert_eq!([of(f64::NAN, 0.1), of(-0.3, f64::INFINITY)], ["–", "-30.0 % ±? %"]);
    }

    #[test]
    fn what_is_not_a_number_is_shown_as_nothing() {
        assert_eq!(ms(f64::NAN, 1.0), "–");
        assert_eq!(ms(f64::INFINITY, 1.0), "–");
        assert_eq!(ms(3.2, f64::INFINITY), "3.20 ms ±?");
        assert_eq!(iops(0.0, 0.0), "0 IOPS ±0");
        assert_eq!(share(f64::NAN), "–");
        assert_eq!(seconds(f64::INFINITY), "–");
    }

    #[test]
    fn sizes_times_and_shares() {
        assert_eq!([0, 512, 4096, 4 << 20, 3 << 29].map(bytes), ["0 B", "512 B", "4 KiB", "4 MiB", "1.50 GiB"]);
        assert_eq!(bytes(u64::MAX), "16 EiB");
        let times = [0.0, 0.0042, 0.85, 8.24, 9.97, 59.6, 252.0, 3599.7, 7500.0];
        let words = times.map(seconds);
        let want = ["0 s", "4.2 ms", "850 ms", "8.2 s", "10 s", "1 min", "4 min 12 s", "1 h", "2 h 5 min"];
        assert_eq!(words, want);
        assert_eq!([0.0, 0.004, 0.34, 1.2, -0.05].map(share), ["0 %", "0.4 %", "34 %", "120 %", "-5 %"]);
        assert_eq!(when("2026-11-21T09:30:12.5Z"), "2026-11-21 09:30:12 UTC");
        assert_eq!(when("yesterday"), "yesterday");
        assert_eq!(rough(-0.04), "-0.0400");
        assert_eq!(rounded(-0.04, 0), "0");
    }

    fn parsed(text: &str) -> f64 {
        text.replace(',', "").parse().unwrap_or(f64::NAN)
    }

    proptest! {
        #[test]
        fn what_is_shown_lies_inside_the_interval_widened_by_a_digit(
            value in 1e-4..1e9f64, share in 0.0..2.0f64,
        ) {
            let shown = difference(&Estimate::new(value, value * share), Metric::LatencyMean);
            let half = parsed(shown.within.trim_start_matches('±'));
            prop_assert!(half >= value * share * 0.999_999, "{shown:?} is narrower than {}", value * share);
            let place = 10f64.powi(last_place(value, value * share));
            prop_assert!((parsed(&shown.value) - value).abs() <= place * 0.500_001, "{shown:?} is not {value}");
        }

        #[test]
        fn never_more_digits_than_the_interval_allows(value in 1e-4..1e9f64, share in 1e-6..0.99f64) {
            let shown = figure(&Estimate::new(value, value * share), Metric::Iops).value;
            let digits = shown.replace([',', '.'], "").trim_start_matches('0').trim_end_matches('0').len() as f64;
            // One digit of the value per power of ten between it and the half-width, and one more.
            prop_assert!(digits <= DIGITS_MAX as f64 + 1.0);
            prop_assert!(digits <= 3.0 - share.log10(), "{shown} for ±{share}");
        }

        #[test]
        fn nothing_panics(value in any::<f64>(), low in any::<f64>(), high in any::<f64>(), n in any::<u64>()) {
            let estimate = Estimate { value, low, high };
            for metric in [Metric::LatencyMean, Metric::Iops] {
                prop_assert!(figure(&estimate, metric).with_unit().chars().count() < 60);
            }
            prop_assert!(beside(low, &estimate).chars().count() < 60);
            prop_assert!(rough(value).len() < 60 && share(value).len() < 60 && seconds(value).len() < 60);
            prop_assert!(bytes(n).len() < 12 && count(n).len() < 27);
        }
    }
}
