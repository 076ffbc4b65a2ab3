//! What an agent's clock shows when ours shows something: from questions and answers over the pipe, the quickest ones.

use model::{Nanos, Offset};

/// One question: when it was asked and answered by our clock, and what the agent's clock showed between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    pub asked: Nanos,
    pub theirs: Nanos,
    pub answered: Nanos,
}

/// Each exchange bounds the offset from both sides: the answer was given at some instant within it (Cristian, 1989). The
/// narrowest bounds together are the answer, so that a slow exchange never makes it worse. `None`: there was none, or they
/// contradict each other (a clock was set).
pub fn offset(exchanges: &[Exchange]) -> Option<Offset> {
    let least = exchanges.iter().map(|one| i128::from(one.theirs) - i128::from(one.answered)).max()?;
    let most = exchanges.iter().map(|one| i128::from(one.theirs) - i128::from(one.asked)).min()?;
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
            ways in proptest::collection::vec((1u64..50_000_000, 1u64..50_000_000), 1..20),
        ) {
            let mut now = 10_000_000_000_000u64;
            let exchanges: Vec<Exchange> = ways.iter().map(|(there, back)| {
                let asked = now;
                let theirs = (asked + there).saturating_add_signed(truth);
                now += there + back + 1_000;
                Exchange { asked, theirs, answered: asked + there + back }
            }).collect();
            let found = offset(&exchanges).unwrap();
            prop_assert!(found.ns.abs_diff(truth) <= found.error_ns);
            let quickest = ways.iter().map(|(there, back)| there + back).min().unwrap();
            prop_assert!(found.error_ns <= quickest / 2 + 1);
        }
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
