//! What a write to an image and a read of it cost in each state of the image, beside a filled one.

use crate::block::{Block, Cell, Column, Emphasis, Row, Table};
use crate::numbers;
use model::{Estimate, ImageState, Metric, Multiple, Quantity, Report, Scope, StateCost, StateOperation, StatesFound};

const NOTE: &str = "The first write is that to each object, once in a round. \"×\" is the geometric mean of the rounds' ratios to a filled image \
                    (reads to reads, writes to its later writes). Reads come from a client that holds the image's lock, as a virtual machine's do: what \
                    the object map says was never written is asked of no OSD. Shaded, or bold: at least twice a filled image, as far as the interval decides. The longest is of all rounds.";

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    let Some(StatesFound { plan, object, costs, .. }) =
        report.answer.image_states().filter(|found| !found.costs.is_empty())
    else {
        return Vec::new();
    };
    let heading = [
        Column::left("image"),
        Column::left("operation"),
        Column::of("mean", "ms"),
        Column::right("× filled"),
        Column::of("longest", "ms"),
        Column::right("operations"),
    ];
    let work = format!(
        "One operation of {} at a time, each at a random place in an image of {} in objects of {}, pool {}; the image's first object is not counted. {NOTE}",
        numbers::bytes(plan.block),
        numbers::bytes(plan.bytes),
        object.map_or(numbers::NOTHING.to_string(), numbers::bytes),
        plan.pool
    );
    vec![Table::new(heading, costs.iter().map(row)).into(), Block::note(work)]
}

fn row(cost: &StateCost) -> Row {
    let first = cost.operation == StateOperation::FirstWrite;
    let alone = cost.state == ImageState::TwoWriters;
    let times = match (&cost.times, cost.state) {
        (Some(times), _) => numbers::times(times),
        (None, ImageState::Filled) => String::new(),
        (None, _) => numbers::NOTHING.to_string(),
    };
    let row = Row::new([
        Cell::from(if first || alone { cost.state.name() } else { "" }),
        operation(cost.operation).into(),
        cost.mean.map_or_else(Cell::nothing, |mean| Cell::value(&mean, Metric::LatencyMean)),
        times.into(),
        numbers::rough(cost.longest_ms).into(),
        numbers::count(cost.operations.into()).into(),
    ]);
    // From here on nobody calls it noise.
    if cost.times.is_some_and(|times| times.low >= 2.0) { row.with(Emphasis::Strong) } else { row }
}

fn operation(operation: StateOperation) -> &'static str {
    match operation {
        StateOperation::Read => "read",
        StateOperation::FirstWrite => "first write",
        StateOperation::LaterWrite => "later write",
    }
}

/// What clearly costs another share than a filled image, the dearest first.
fn others(costs: &[StateCost]) -> Vec<&StateCost> {
    let mut others: Vec<&StateCost> =
        costs.iter().filter(|cost| cost.times.is_some_and(|times| differs(&times))).collect();
    let value = |cost: &StateCost| cost.times.map_or(1.0, |times| times.value);
    others.sort_by(|a, b| value(b).total_cmp(&value(a)));
    others
}

/// The one that costs most beyond a filled image, if any clearly does.
pub(crate) fn dearest(found: &StatesFound) -> Option<&StateCost> {
    others(&found.costs).into_iter().next().filter(|cost| cost.times.is_some_and(|times| times.value > 1.0))
}

/// The dearest, and what a filled image takes.
pub(crate) fn sentences(found: &StatesFound) -> Vec<String> {
    let of = |operation| {
        found
            .costs
            .iter()
            .find(|cost| (cost.state, cost.operation) == (ImageState::Filled, operation))?
            .mean
            .map(written)
    };
    let (Some(write), Some(read)) = (of(StateOperation::LaterWrite), of(StateOperation::Read)) else {
        return vec!["Fewer than two rounds of a filled image: nothing is known yet.".to_string()];
    };
    let most = dearest(found).and_then(says).map(|says| format!("{says}, the most beyond a filled image."));
    most.into_iter().chain([format!("A write to a filled image takes {write}, a read {read}.")]).collect()
}

/// A line for each of the others, then what does not clearly differ, and what is not as narrow as was asked for.
pub(crate) fn lines(found: &StatesFound) -> Vec<String> {
    let first = dearest(found);
    let others = others(&found.costs).into_iter().filter(|cost| first != Some(*cost)).filter_map(says);
    others.map(|says| format!("{says}.")).chain(alike(&found.costs)).chain(wide(found)).collect()
}

fn wide(StatesFound { settle, costs, .. }: &StatesFound) -> Option<String> {
    let wide: Vec<String> = costs
        .iter()
        .filter(|cost| !cost.is_as_asked(*settle))
        .map(|cost| format!("{} {}", cost.state.name(), operation(cost.operation)))
        .collect();
    let rounds = costs.iter().map(|cost| cost.rounds).max()?;
    (!wide.is_empty()).then(|| {
        format!(
            "Not as narrow as asked for ({}) after {}: {}.",
            numbers::relative(*settle),
            numbers::counted(rounds.into(), "round", "rounds"),
            wide.join(", ")
        )
    })
}

/// `Within a quarter of a filled image: all of overwritten, flattened; later writes of fresh, clone.`, and what may lie on either side.
fn alike(costs: &[StateCost]) -> Vec<String> {
    let is = |cost: &StateCost| cost.times.is_some_and(|times| is_alike(&times));
    let own = |state: ImageState| costs.iter().filter(move |cost| cost.state == state);
    let whole = |state: ImageState| own(state).next().is_some() && own(state).all(is);
    let named = |what: &str, states: Vec<ImageState>| {
        let names: Vec<&str> = states.into_iter().map(ImageState::name).collect();
        (!names.is_empty()).then(|| format!("{what} of {}", names.join(", ")))
    };
    let all = named("all", ImageState::ALL.into_iter().filter(|state| whole(*state)).collect());
    let parts = StateOperation::ALL.into_iter().filter_map(|operation| {
        let own = costs.iter().filter(|cost| cost.operation == operation && is(cost) && !whole(cost.state));
        named(plain(operation), own.map(|cost| cost.state).collect())
    });
    let parts: Vec<String> = all.into_iter().chain(parts).collect();
    let open = |cost: &&StateCost| cost.times.is_some_and(|times| !differs(&times) && !is_alike(&times));
    let undecided: Vec<String> = costs
        .iter()
        .filter(open)
        .filter_map(|cost| {
            Some(format!("{} {} {}", cost.state.name(), operation(cost.operation), numbers::times(&cost.times?)))
        })
        .collect();
    let says = |what: &str, parts: Vec<String>, between: &str| {
        (!parts.is_empty()).then(|| format!("{what}: {}.", parts.join(between)))
    };
    says("Within a quarter of a filled image", parts, "; ")
        .into_iter()
        .chain(says("Not decided", undecided, ", "))
        .collect()
}

/// The whole interval lies near one.
fn is_alike(times: &Multiple) -> bool {
    !differs(times) && times.low >= 1.0 / NEAR && times.high.is_some_and(|high| high <= NEAR)
}

const NEAR: f64 = 1.25;

/// By a tenth at least, as far as the interval decides: of some twenty ratios, one or two are beside 1 by chance.
fn differs(times: &Multiple) -> bool {
    times.low > 1.0 + LEAST || times.high.is_some_and(|high| high < 1.0 - LEAST)
}

const LEAST: f64 = 0.1;

/// `The first write to an object of a clone takes 8.1 ms ±0.4, ×6.2 (5.5–7.0)`
fn says(cost: &StateCost) -> Option<String> {
    let (mean, times) = (written(cost.mean?), numbers::times(&cost.times?));
    let what = match cost.operation {
        StateOperation::FirstWrite => format!("The first write to an object of {}", image(cost.state)),
        StateOperation::LaterWrite if cost.state == ImageState::TwoWriters => {
            format!("A write to {}", image(cost.state))
        }
        StateOperation::LaterWrite => format!("A later write to {}", image(cost.state)),
        StateOperation::Read => format!("A read of {}", image(cost.state)),
    };
    Some(format!("{what} takes {mean}, {times}"))
}

fn written(mean: Estimate) -> String {
    numbers::quantity(&Quantity::Measured { estimate: mean, metric: Metric::LatencyMean })
}

fn image(state: ImageState) -> &'static str {
    match state {
        ImageState::Fresh => "a fresh image",
        ImageState::Filled => "a filled image",
        ImageState::Overwritten => "an image of which a third was written again",
        ImageState::Snapshot => "an image with a new snapshot",
        ImageState::Clone => "a clone",
        ImageState::Flattened => "a flattened clone",
        ImageState::TwoWriters => "an image to which two clients write in turns",
    }
}

fn plain(operation: StateOperation) -> &'static str {
    match operation {
        StateOperation::Read => "reads",
        StateOperation::FirstWrite => "first writes",
        StateOperation::LaterWrite => "later writes",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ImageStates;

    fn cost(state: ImageState, operation: StateOperation, ms: f64, times: Option<[f64; 3]>) -> StateCost {
        StateCost {
            state,
            operation,
            operations: 80,
            rounds: 5,
            mean: Some(Estimate::new(ms, ms / 20.0)),
            longest_ms: 4.0 * ms,
            times: times.map(|[low, value, high]| Multiple { value, low, high: Some(high) }),
        }
    }

    #[test]
    fn the_dearest_is_told_first_and_noise_is_called_so() {
        let (first, later) = (StateOperation::FirstWrite, StateOperation::LaterWrite);
        let costs = [
            cost(ImageState::Fresh, first, 2.0, Some([1.4, 1.6, 1.8])),
            cost(ImageState::Filled, later, 1.25, None),
            cost(ImageState::Filled, StateOperation::Read, 0.5, None),
            cost(ImageState::Clone, first, 8.0, Some([5.4, 6.4, 7.6])),
            cost(ImageState::Clone, later, 1.3, Some([0.9, 1.05, 1.2])),
        ];
        let plan = ImageStates {
            layer: model::testing::images(),
            pool: "vms".into(),
            data_pool: None,
            prefix: String::new(),
            bytes: 1,
            block: 1,
            rounds_min: 3,
            rounds_max: 5,
        };
        let found = StatesFound { plan, settle: 0.1, object: Some(4 << 20), costs: costs.into() };
        let says = sentences(&found);
        assert!(
            says[0].starts_with("The first write to an object of a clone takes 8.0 ms ±0.4, ×6.4 (5.4–7.6)"),
            "{says:?}"
        );
        assert_eq!(says[1], "A write to a filled image takes 1.25 ms ±0.07, a read 0.500 ms ±0.025.");
        let lines = lines(&found);
        assert!(lines[0].starts_with("The first write to an object of a fresh image"), "{lines:?}");
        assert_eq!(lines[1], "Within a quarter of a filled image: later writes of clone.");
        let wide = "Not as narrow as asked for (±10 %) after 5 rounds: fresh first write, clone first write, clone later write.";
        assert_eq!(lines[2], wide);
        let none = StatesFound { costs: found.costs[..1].into(), ..found };
        assert_eq!(sentences(&none).len(), 1, "nothing is known without a filled image");
    }
}
