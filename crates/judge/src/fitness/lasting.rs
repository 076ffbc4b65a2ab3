//! What writes without pause say of a drive. It counts as a reason and changes no answer: how much is written at once, the user knows.

use crate::steady;
use model::{Endurance, FitnessReason, Until};

/// A share of the first round's rate from which on its loss is told: less is the usual difference between rounds.
const LOST: f64 = 0.2;

pub fn reasons(target: &str, sustained: &[Endurance]) -> Vec<FitnessReason> {
    let own = sustained.iter().filter(|test| test.target == target || test.also.iter().any(|also| also == target));
    own.filter_map(reason).collect()
}

fn reason(test: &Endurance) -> Option<FitnessReason> {
    if test.until == Until::Falls {
        let cliff = test.cliff.as_ref()?;
        let (from, to) = (cliff.from?.value, cliff.to?.value);
        return Some(FitnessReason::FallsWhenFull { after: cliff.written, from, to });
    }
    let (rounds, filled) = (test.rounds.as_ref()?, test.filled);
    if !rounds.steady? && rounds.covered < steady::COVERED {
        return Some(FitnessReason::PartWritten { filled, covered: rounds.covered });
    }
    if !rounds.steady? {
        return Some(FitnessReason::NotSteady { filled });
    }
    steady::fall(rounds).filter(|lost| *lost >= LOST)?;
    Some(FitnessReason::SlowerWhenSteady { filled, first: rounds.first?.value, steady: rounds.last?.value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Cliff, Ended, Estimate, Rounds};

    fn test(until: Until) -> Endurance {
        Endurance {
            target: "d".into(),
            until,
            filled: Some(90),
            model: None,
            also: vec!["twin".into()],
            ended: Ended::Time,
            error: None,
            written: 1 << 32,
            seconds: 60.0,
            before: 0,
            held: 0,
            cliff: None,
            rounds: None,
            rate: None,
            each_second: Vec::new(),
            says: String::new(),
        }
    }

    #[test]
    fn a_cliff_and_a_loss_are_told_of_the_drive_and_of_its_twins() {
        let (from, to) = (Estimate::new(500.0, 5.0), Estimate::new(80.0, 5.0));
        let cliff = Cliff { written: 1 << 31, low: 1 << 30, high: 1 << 32, from: Some(from), to: Some(to), fall: 0.84 };
        let falls = Endurance { cliff: Some(cliff), ..test(Until::Falls) };
        let told = [FitnessReason::FallsWhenFull { after: 1 << 31, from: 500.0, to: 80.0 }];
        assert_eq!(reasons("d", std::slice::from_ref(&falls)), told);
        assert_eq!(reasons("twin", std::slice::from_ref(&falls)), told);
        assert_eq!(reasons("other", &[falls, test(Until::Falls)]), []);
        let part = |covered: f64, first: f64, steady: Option<bool>| {
            let (first, last) = (Some(Estimate::new(first, 10.0)), Some(Estimate::new(2000.0, 10.0)));
            let each = vec![2000.0; 5];
            let rounds = Rounds { seconds: 60.0, each, block: 4096, steady, covered, first, last };
            reasons("d", &[Endurance { rounds: Some(rounds), ..test(Until::Steady) }])
        };
        let rounds = |first: f64, steady: Option<bool>| part(1.0, first, steady);
        let filled = Some(90);
        assert_eq!(part(0.06, 2000.0, Some(false)), [FitnessReason::PartWritten { filled, covered: 0.06 }]);
        assert_eq!(
            rounds(9000.0, Some(true)),
            [FitnessReason::SlowerWhenSteady { filled, first: 9000.0, steady: 2000.0 }]
        );
        assert_eq!(rounds(2400.0, Some(true)), [], "a sixth");
        assert_eq!(rounds(9000.0, None), [], "too few rounds");
        assert_eq!(rounds(9000.0, Some(false)), [FitnessReason::NotSteady { filled }]);
    }
}
