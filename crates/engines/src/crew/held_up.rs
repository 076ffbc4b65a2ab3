//! Operations that ended after their slice: what stood still would show in nothing else.

use model::Nanos;
use model::clock::SECOND;

/// Operations of at least this length that ended after their slice are told, if they took many times as long as all that are counted.
const HELD_UP: Nanos = SECOND;
const MANY_TIMES: u64 = 5;
/// Where none is counted, operations may simply be long: those that are longer than this are told.
const LONG: Nanos = 5 * SECOND;

/// What was in flight when a slice was to end, and ended later, is in no figure: of something that stood still that would be all there is to
/// see. `counted`, `all`: the longest operation without these, and with them. `None`: it was not long.
pub fn held_up(counted: Nanos, all: Nanos) -> Option<String> {
    let most = if counted == 0 { LONG } else { HELD_UP.max(MANY_TIMES * counted) };
    (all >= most).then(|| {
        format!(
            "an operation that went on at the end of a slice took {:.1} s, and no other more than {:.1} s; it is in no figure",
            all as f64 / SECOND as f64,
            counted as f64 / SECOND as f64
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_held_an_operation_up_beyond_the_end_is_told_if_nothing_counted_shows_it() {
        assert_eq!(held_up(SECOND / 50, SECOND / 2), None);
        assert_eq!(held_up(3 * SECOND / 2, 2 * SECOND), None, "others took as long");
        assert_eq!(held_up(0, 2 * SECOND), None, "they are long");
        let told = held_up(SECOND / 10, 8 * SECOND).unwrap();
        assert!(told.contains("took 8.0 s, and no other more than 0.1 s"), "{told}");
    }
}
