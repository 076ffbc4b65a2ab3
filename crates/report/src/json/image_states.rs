//! What operations cost in each state of an image, in the document.

use super::parts::{Bounds, Interval, Unit, interval_of, value_of};
use model::{Bytes, ImageState, Metric, StateCost, StateOperation, StatesFound};
use schemars::JsonSchema;
use serde::Serialize;

/// What operations cost in each state of an image.
#[derive(Serialize, JsonSchema)]
pub(super) struct StatesDocument {
    pool: String,
    /// Bytes of each image, and of one operation.
    image_bytes: Bytes,
    block: Bytes,
    /// Bytes of the images' objects; null: nothing was timed.
    object_bytes: Option<Bytes>,
    /// Is every mean and every ratio as narrow as was asked for?
    as_asked: bool,
    states: Vec<StateDocument>,
}

impl From<&StatesFound> for StatesDocument {
    fn from(found: &StatesFound) -> Self {
        let StatesFound { plan, settle, object, costs } = found;
        StatesDocument {
            pool: plan.pool.clone(),
            image_bytes: plan.bytes,
            block: plan.block,
            object_bytes: *object,
            as_asked: !costs.is_empty() && costs.iter().all(|cost| cost.is_as_asked(*settle)),
            states: costs.iter().map(StateDocument::from).collect(),
        }
    }
}

/// One operation at a time on an image in one of its states.
#[derive(Serialize, JsonSchema)]
struct StateDocument {
    state: ImageState,
    operation: StateOperation,
    operations: u32,
    rounds: u32,
    unit: Unit,
    /// The mean over the rounds; null: fewer than two of them.
    mean: Option<f64>,
    mean_ci95: Option<Interval>,
    longest: f64,
    /// How many times that of a filled image, round by round; null: it is that, or there were too few rounds.
    times: Option<f64>,
    times_ci95: Option<Bounds>,
}

impl From<&StateCost> for StateDocument {
    fn from(cost: &StateCost) -> Self {
        StateDocument {
            state: cost.state,
            operation: cost.operation,
            operations: cost.operations,
            rounds: cost.rounds,
            unit: Unit(Metric::LatencyMean.unit()),
            mean: value_of(cost.mean.as_ref()),
            mean_ci95: interval_of(cost.mean.as_ref()),
            longest: cost.longest_ms,
            times: cost.times.map(|times| times.value),
            times_ci95: cost.times.map(|times| [Some(times.low), times.high]),
        }
    }
}
