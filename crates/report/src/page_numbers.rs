//! How the page writes the numbers that only it knows.

use crate::numbers::UNKNOWN;
use schemars::JsonSchema;
use serde::Serialize;

/// How the page writes what only it knows: ticks of an axis, and what is under the pointer.
#[derive(Serialize, JsonSchema)]
pub struct NumberFormat {
    /// Whose thousands and decimals.
    locale: &'static str,
    /// Of a number without an interval, as `rough` has it.
    digits: u32,
    /// Of ticks, from the largest.
    units: [TickUnit; 3],
    unknown: String,
}

/// What a tick of at least this size is divided by, and the letter that says so.
#[derive(Serialize, JsonSchema)]
struct TickUnit {
    size: f64,
    letter: &'static str,
}

/// The one that there is.
pub fn on_page() -> NumberFormat {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k")].map(|(size, letter)| TickUnit { size, letter });
    NumberFormat { locale: "en-US", digits: 3, units, unknown: UNKNOWN.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::rough;

    #[test]
    fn the_page_has_as_many_digits_as_rough() {
        assert_eq!(rough(1.234_567).len(), 1 + on_page().digits as usize);
        assert!(on_page().units.is_sorted_by(|a, b| a.size > b.size), "the first that fits is taken");
    }
}
