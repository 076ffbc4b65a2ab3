//! What an operation costs in each state of an image, from rounds in which all states were asked one after the other.

use crate::batch_means::t_quantile;
use crate::series::sample_sd;
use model::{Estimate, ImageState, ImageStates, Multiple, Record, StateCost, StateOperation, StateTimes};

/// For every state and operation that was timed, in order.
pub fn state_costs(record: &Record) -> Vec<StateCost> {
    let seen: Vec<&StateTimes> = record.image_states().collect();
    let cells = ImageState::ALL
        .into_iter()
        .flat_map(|state| StateOperation::ALL.into_iter().map(move |operation| (state, operation)));
    cells.filter_map(|cell| cost(&seen, cell)).collect()
}

fn cost(seen: &[&StateTimes], cell @ (state, operation): (ImageState, StateOperation)) -> Option<StateCost> {
    let own: Vec<&StateTimes> = of(seen, cell).collect();
    let longest_ms = own.iter().map(|times| times.longest_ms).reduce(f64::max)?;
    let means: Vec<f64> = own.iter().map(|times| times.mean_ms).collect();
    Some(StateCost {
        state,
        operation,
        operations: own.iter().map(|times| times.operations).sum(),
        rounds: own.len() as u32,
        // A time is none below zero, however few rounds there are.
        mean: mean(&means).map(|(value, half)| Estimate { low: (value - half).max(0.0), ..Estimate::new(value, half) }),
        longest_ms,
        times: times_of_filled(seen, &own, operation).filter(|_| state != ImageState::Filled),
    })
}

fn of<'a>(
    seen: &'a [&'a StateTimes],
    (state, operation): (ImageState, StateOperation),
) -> impl Iterator<Item = &'a StateTimes> {
    seen.iter().copied().filter(move |times| (times.state, times.operation) == (state, operation))
}

/// Of logarithms, round by round: what made a whole round slow made both slow, and falls out.
fn times_of_filled(seen: &[&StateTimes], own: &[&StateTimes], operation: StateOperation) -> Option<Multiple> {
    let filled = |round: u32| {
        of(seen, (ImageState::Filled, operation.of_filled()))
            .find(|times| times.round == round)
            .map(|times| times.mean_ms)
    };
    let log = |times: &&StateTimes| {
        let ratio = times.mean_ms / filled(times.round)?;
        (ratio > 0.0 && ratio.is_finite()).then(|| ratio.ln())
    };
    let (value, half) = mean(&own.iter().filter_map(log).collect::<Vec<_>>())?;
    Some(Multiple { value: value.exp(), low: (value - half).exp(), high: Some((value + half).exp()) })
}

/// With the half-width of its 95 % interval (Student's t; rounds are seconds apart and taken as independent).
fn mean(values: &[f64]) -> Option<(f64, f64)> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.len() > 1).then(|| (mean, t_quantile(count - 1.0) * sample_sd(values) / count.sqrt()))
}

/// Is another round worth it? After the least number of them, until every mean, and every ratio, is as narrow as is asked for.
pub fn wants_another_round(plan: &ImageStates, settle: f64, record: &Record) -> bool {
    let done = record.image_states().map(|times| times.round).max().unwrap_or(0);
    let open = |cost: &StateCost| !cost.is_as_asked(settle);
    done < plan.rounds_min || (done < plan.rounds_max && state_costs(record).iter().any(open))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Observation;

    fn record(rounds: &[(f64, f64)]) -> Record {
        let times = |round: usize, state, operation, mean_ms| {
            Observation::ImageState(StateTimes {
                round: round as u32 + 1,
                state,
                operation,
                operations: 16,
                mean_ms,
                longest_ms: 2.0 * mean_ms,
                object: 4 << 20,
            })
        };
        rounds.iter().enumerate().fold(Record::default(), |record, (round, (filled, clone))| {
            record.with(times(round, ImageState::Filled, StateOperation::LaterWrite, *filled)).with(times(
                round,
                ImageState::Clone,
                StateOperation::FirstWrite,
                *clone,
            ))
        })
    }

    fn plan() -> ImageStates {
        ImageStates {
            layer: model::testing::images(),
            pool: "p".into(),
            data_pool: None,
            prefix: "f.".into(),
            bytes: 1,
            block: 4096,
            rounds_min: 3,
            rounds_max: 5,
        }
    }

    #[test]
    fn what_makes_a_whole_round_slow_falls_out_of_the_ratio() {
        let costs = state_costs(&record(&[(1.0, 6.0), (3.0, 18.0), (2.0, 12.0)]));
        let [filled, clone] = costs.as_slice() else { panic!("{costs:?}") };
        assert_eq!((filled.times, filled.operations, filled.rounds), (None, 48, 3));
        let times = clone.times.unwrap();
        assert!((times.value - 6.0).abs() < 1e-9 && times.low > 5.99 && times.high.unwrap() < 6.01, "{times:?}");
        let mean = clone.mean.unwrap();
        assert!((mean.value - 12.0).abs() < 1e-9 && mean.half_width() > 6.0, "{mean:?}");
        assert_eq!(clone.longest_ms, 36.0);
    }

    #[test]
    fn rounds_go_on_until_all_is_known_or_their_number_is_reached() {
        let steady = [(1.0, 6.0), (1.01, 6.1), (0.99, 5.9), (1.0, 6.0), (1.0, 6.0)];
        assert!(wants_another_round(&plan(), 0.1, &Record::default()));
        assert!(wants_another_round(&plan(), 0.1, &record(&steady[..2])));
        assert!(!wants_another_round(&plan(), 0.1, &record(&steady[..3])));
        let wild = [(1.0, 6.0), (2.0, 3.0), (0.5, 9.0), (1.0, 6.0), (1.0, 2.0)];
        assert!(wants_another_round(&plan(), 0.1, &record(&wild[..4])));
        assert!(!wants_another_round(&plan(), 0.1, &record(&wild)));
        let one = state_costs(&record(&steady[..1]));
        assert!(one.iter().all(|cost| cost.mean.is_none() && cost.times.is_none()));
    }
}
