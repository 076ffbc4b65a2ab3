//! What an agent's clock shows when ours shows something: from questions and answers over the pipe, the quickest ones.

use model::{Nanos, Offset};

/// One question: when it was asked and answered by our clock, and what the agent's clock showed between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    pub asked: Nanos,
    pub theirs: Nanos,
    pub answered: Nanos,
}

/// Two clocks drift apart by at most one part in this many of the time that passes: each by 100 millionths by itself, and by 500 while it
/// is slewed (adjtimex(2)).
const DRIFT: i128 = 1_000;

/// The offset at the end. Each exchange bounds the offset from both sides: the answer was given at some instant within it (Cristian,
/// 1989). Since then the clocks may have run apart, so the older, the wider. The narrowest bounds together are the answer, so that a slow
/// exchange never makes it worse. `None`: there was none, or they contradict each other (a clock was set).
pub fn offset(exchanges: &[Exchange]) -> Option<Offset> {
    let end = exchanges.iter().map(|one| i128::from(one.answered)).max()?;
    let since = |one: &Exchange| (end - i128::from(one.asked)) / DRIFT;
    let least = exchanges.iter().map(|one| i128::from(one.theirs) - i128::from(one.answered) - since(one)).max()?;
    let most = exchanges.iter().map(|one| i128::from(one.theirs) - i128::from(one.asked) + since(one)).min()?;
    if least > most {
        return None;
    }
    let ns = i64::try_from((least + most).div_euclid(2)).ok()?;
    Some(Offset { ns, error_ns: u64::try_from((most - least + 1) / 2).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_truth_lies_within_the_error(
            truth in -1_000_000_000_000i64..1_000_000_000_000,
            drift in -900i64..900,
            pause in 1_000u64..2_000_000_000,
            ways in proptest::collection::vec((1u64..50_000_000, 1u64..50_000_000), 1..20),
        ) {
            let start = 10_000_000_000_000u64;
            let mut now = start;
            // In millionths.
            let truth = |at: u64| truth + (at - start) as i64 * drift / 1_000_000;
            let exchanges: Vec<Exchange> = ways.iter().map(|(there, back)| {
                let asked = now;
                let theirs = (asked + there).saturating_add_signed(truth(asked + there));
                now += there + back + pause;
                Exchange { asked, theirs, answered: asked + there + back }
            }).collect();
            let found = offset(&exchanges).unwrap();
            let end = now - pause;
            // What the divisions cut off.
            prop_assert!(found.ns.abs_diff(truth(end)) <= found.error_ns + 2);
            let worth = |one: &Exchange| (one.answered - one.asked) / 2 + (end - one.asked) / 1_000;
            prop_assert!(found.error_ns <= exchanges.iter().map(worth).min().unwrap() + 1);
        }
    }

    #[test]
    fn a_clock_that_runs_apart_does_not_jump() {
        // Round trips of 50 µs, a second apart: between the first and the last one the other clock gains 5.5 ms.
        let exchange = |second: u64, set: u64| {
            let asked = second * 1_000_000_000;
            Exchange { asked, theirs: asked + 25_000 + second * 500_000 + set, answered: asked + 50_000 }
        };
        let drifts: Vec<Exchange> = (0..12).map(|second| exchange(second, 0)).collect();
        let found = offset(&drifts).unwrap();
        assert!(found.ns.abs_diff(5_500_000) <= found.error_ns && found.error_ns < 100_000, "{found:?}");
        let set: Vec<Exchange> = (0..12).map(|second| exchange(second, 50_000_000 * (second / 6))).collect();
        assert_eq!(offset(&set), None);
    }

    #[test]
    fn exchanges_that_contradict_each_other_say_nothing() {
        let one = Exchange { asked: 100, theirs: 1_000, answered: 110 };
        let set = Exchange { asked: 200, theirs: 5_000, answered: 210 };
        assert_eq!(offset(&[one, set]), None);
        assert_eq!(offset(&[]), None);
        assert_eq!(offset(&[one]), Some(Offset { ns: 895, error_ns: 5 }));
    }
}
