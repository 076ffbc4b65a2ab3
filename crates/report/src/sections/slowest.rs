//! Of a picture whose numbers are too many for a table the slowest: those who hear the page have these.

/// Read out, they take about a minute.
const MOST: usize = 20;

/// What a picture says of a table that has every number.
pub(super) const ALL: &str = "the table below holds the same numbers";

/// What a picture of `all` of them says of its table.
pub(super) fn says(all: usize, what: &str) -> String {
    if all > MOST { format!("a table below holds {}", title(all, what)) } else { ALL.to_string() }
}

/// `the 20 slowest of 380 ways`
pub(super) fn title(all: usize, what: &str) -> String {
    if all > MOST { format!("the {MOST} slowest of {all} {what}") } else { "the slowest first".to_string() }
}

/// The slowest first; where they are more, no more than fit.
pub(super) fn first<T>(mut all: Vec<T>, time: impl Fn(&T) -> f64) -> Vec<T> {
    all.sort_by(|a, b| time(b).total_cmp(&time(a)));
    all.truncate(MOST);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_told_whole_and_else_how_many_there_are() {
        assert_eq!((says(20, "pairs").as_str(), title(20, "pairs").as_str()), (ALL, "the slowest first"));
        assert_eq!(says(21, "pairs"), "a table below holds the 20 slowest of 21 pairs");
        let slow = first((0..30).collect(), |one| f64::from(*one % 25));
        assert_eq!((slow.len(), &slow[..3]), (20, &[24, 23, 22][..]));
    }
}
