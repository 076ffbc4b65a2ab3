//! Values with both ends of their intervals. Ends are rounded away from the value: what is shown holds all of the interval.

use crate::numbers::{rounded_down, rounded_up};
use model::units::rounded;
use model::{Estimate, Multiple};

/// From here on a multiple stands out (`sections/image_states.rs`): no rounding may carry one over it.
const TWICE: f64 = 2.0;
/// Digits behind the point at most.
const PLACE_LEAST: i32 = -4;

/// `×5.4 (3.9–7.2)`, `×5.4 (3.9 and more)`
pub fn times(multiple: &Multiple) -> String {
    let Multiple { value, low, high } = multiple;
    // Near one the second decimal says on which side it lies.
    let place = |number: f64| if number < TWICE { -2 } else { -1 };
    let over = |place: &i32| *value < TWICE && rounded(*value, *place).parse().is_ok_and(|shown: f64| shown >= TWICE);
    let of_value = (PLACE_LEAST..=place(*value)).rev().find(|place| !over(place)).unwrap_or(PLACE_LEAST);
    let (value, least) = (rounded(*value, of_value), rounded(rounded_down(*low, place(*low)), place(*low)));
    match high {
        Some(high) => format!("×{value} ({least}–{})", rounded(rounded_up(*high, place(*high)), place(*high))),
        None => format!("×{value} ({least} and more)"),
    }
}

/// `0.995 (0.981–1.009)`
pub fn ratio(ratio: &Estimate) -> String {
    const PLACE: i32 = -3;
    let [low, high] = [rounded_down(ratio.low, PLACE), rounded_up(ratio.high, PLACE)];
    let [value, low, high] = [ratio.value, low, high].map(|number| rounded(number, PLACE));
    format!("{value} ({low}–{high})")
}

/// `−12 % (−18 to −5)`: a change as a share of what was before. `−12 % (−18 and more)` where nothing bounds it above.
pub fn change_between(change: &Estimate) -> String {
    change_parts(change).join(" ")
}

/// The same, value and interval apart.
pub fn change_parts(change: &Estimate) -> [String; 2] {
    let [value, low, high] = [change.value, change.low, change.high].map(|share| share * 100.0);
    let place = place_of_change(value, low, high);
    let least = signed(rounded_down(low, place), place);
    let range = match high.is_finite() {
        true => format!("({least} to {})", signed(rounded_up(high, place), place)),
        false => format!("({least} and more)"),
    };
    [format!("{} %", signed(value, place)), range]
}

/// `+12 %`, `−0.4 %`: a change without an interval.
pub fn percent(share: f64) -> String {
    format!("{} %", signed(share * 100.0, 0))
}

/// Whole percents, but tenths where the interval is narrow; and more where rounding its ends would make it hold zero.
fn place_of_change(value: f64, low: f64, high: f64) -> i32 {
    let holds_zero = |place: &i32| rounded_down(low, *place) <= 0.0 && rounded_up(high, *place) >= 0.0;
    let usual = if (high - value).max(value - low) < 1.0 { -1 } else { 0 };
    if low <= 0.0 && high >= 0.0 {
        return usual;
    }
    (PLACE_LEAST..=usual).rev().find(|place| !holds_zero(place)).unwrap_or(PLACE_LEAST)
}

fn signed(number: f64, place: i32) -> String {
    let digits = rounded(number.abs(), place);
    let zero = digits.chars().all(|digit| matches!(digit, '0' | '.'));
    let sign = match number {
        _ if zero => "",
        number if number > 0.0 => "+",
        _ => "−",
    };
    format!("{sign}{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn multiple(value: f64, low: f64, high: f64) -> String {
        times(&Multiple { value, low, high: Some(high) })
    }

    #[test]
    fn a_multiple_is_no_more_than_it_is_known_to_be() {
        assert_eq!(multiple(3.2, 0.96, 5.97), "×3.2 (0.96–6.0)");
        assert_eq!(multiple(2.4, 1.97, 3.01), "×2.4 (1.97–3.1)");
        assert_eq!(multiple(1.997, 1.234, 1.999), "×1.997 (1.23–2.00)");
        assert_eq!(multiple(5.43, 3.9, 7.2), "×5.4 (3.9–7.2)");
        assert_eq!(times(&Multiple { value: 5.43, low: 3.99, high: None }), "×5.4 (3.9 and more)");
    }

    #[test]
    fn a_change_is_known_between_its_ends() {
        let told = |value, low, high| change_between(&Estimate { value, low, high });
        assert_eq!(told(0.0, -0.054, 0.054), "0 % (−6 to +6)");
        assert_eq!(told(-0.12, -0.181, -0.05), "−12 % (−19 to −5)");
        assert_eq!(told(0.06, 0.004, 0.12), "+6.0 % (+0.4 to +12.0)");
        assert_eq!(told(0.002, -0.004, 0.008), "+0.2 % (−0.4 to +0.8)");
        assert_eq!(told(0.5, -1.0, f64::INFINITY), "+50 % (−100 and more)");
        assert_eq!([0.123, -0.004, -0.2].map(percent), ["+12 %", "0 %", "−20 %"]);
    }

    #[test]
    fn a_ratio_keeps_three_decimals() {
        let told = |value, low, high| ratio(&Estimate { value, low, high });
        assert_eq!(told(0.9954, 0.9808, 1.0091), "0.995 (0.980–1.010)");
        assert_eq!(told(1.1, 1.05, 1.15), "1.100 (1.050–1.150)");
    }

    fn numbers(text: &str) -> Vec<f64> {
        let plain = text.replace('−', "-").replace([',', '×', '%', '+', '(', ')'], "").replace(" to ", "–");
        let parts = plain.split(['–', ' ']).filter(|part| !part.is_empty());
        parts.map(|part| part.parse().unwrap_or_else(|_| panic!("{part} in {text}"))).collect()
    }

    proptest! {
        /// The interval in words holds the real one, and the value in words lies in it.
        #[test]
        fn what_is_shown_holds_what_is_known(value in 0.01f64..30.0, down in 0.0f64..1.0, up in 0.0f64..3.0, change in -0.99f64..9.0) {
            let (low, high) = (value * (1.0 - down), value * (1.0 + up));
            let share = Estimate { value: change, low: change - down * (1.0 + change), high: change + up };
            let shown = [
                (multiple(value, low, high), [low, value, high], 1.0),
                (ratio(&Estimate { value, low, high }), [low, value, high], 1.0),
                (change_between(&share), [share.low, share.value, share.high], 100.0),
            ];
            for (text, [low, value, high], times) in shown {
                let said = numbers(&text);
                prop_assert_eq!(said.len(), 3, "{}", &text);
                // What a division of two numbers adds is no step.
                let tiny = 1e-6 * times;
                prop_assert!(said[1] <= times * low + tiny && times * high - tiny <= said[2], "{text} of {low} to {high}");
                prop_assert!(said[1] <= said[0] && said[0] <= said[2], "{text} of {value}");
            }
        }

        #[test]
        fn an_interval_holds_zero_in_words_where_it_does(value in -0.5f64..2.0, half in 0.0f64..0.3) {
            let share = Estimate::new(value, half);
            let said = numbers(&change_between(&share));
            let holds = |low: f64, high: f64| low <= 0.0 && high >= 0.0;
            let least = share.low.abs().min(share.high.abs());
            prop_assume!(least > 1e-5);
            prop_assert_eq!(holds(said[1], said[2]), holds(share.low, share.high), "{}", change_between(&share));
        }
    }
}
