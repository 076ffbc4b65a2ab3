//! What a write to an image and a read of it cost in each state in which an image can be: what is planned, what was timed, what it says.

use crate::change::Change;
use crate::figure::Estimate;
use crate::layer::Layer;
use crate::report::Multiple;
use crate::workload::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// In which state an image is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImageState {
    /// Just made: none of its objects exists.
    Fresh,
    /// Written once from end to end: what the others are held against.
    Filled,
    /// Filled, and a third of its blocks then written again, at random.
    Overwritten,
    /// Filled, and a snapshot taken since: the first write to an object keeps what was there.
    Snapshot,
    /// A new clone of a filled image: the first write to an object copies it from the parent.
    Clone,
    /// A clone that was made independent of its parent.
    Flattened,
    /// Filled, and open for two writers that write in turns: the image's lock goes from one to the other.
    TwoWriters,
}

impl ImageState {
    pub const ALL: [ImageState; 7] = [
        ImageState::Fresh,
        ImageState::Filled,
        ImageState::Overwritten,
        ImageState::Snapshot,
        ImageState::Clone,
        ImageState::Flattened,
        ImageState::TwoWriters,
    ];

    /// As documents have it.
    pub fn name(self) -> &'static str {
        match self {
            ImageState::Fresh => "fresh",
            ImageState::Filled => "filled",
            ImageState::Overwritten => "overwritten",
            ImageState::Snapshot => "snapshot",
            ImageState::Clone => "clone",
            ImageState::Flattened => "flattened",
            ImageState::TwoWriters => "two-writers",
        }
    }
}

/// One operation at a time; which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StateOperation {
    /// At random, before anything was written in this state.
    Read,
    /// The first one to each object.
    FirstWrite,
    /// The ones after that.
    LaterWrite,
}

impl StateOperation {
    pub const ALL: [StateOperation; 3] = [StateOperation::FirstWrite, StateOperation::LaterWrite, StateOperation::Read];

    pub fn name(self) -> &'static str {
        match self {
            StateOperation::Read => "read",
            StateOperation::FirstWrite => "first-write",
            StateOperation::LaterWrite => "later-write",
        }
    }

    /// What a filled image is asked, to be held against.
    pub fn of_filled(self) -> StateOperation {
        match self {
            StateOperation::Read => StateOperation::Read,
            StateOperation::FirstWrite | StateOperation::LaterWrite => StateOperation::LaterWrite,
        }
    }
}

/// In the plan. Every round asks all states, in an order drawn by lot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImageStates {
    /// That of images.
    pub layer: Layer,
    pub pool: String,
    /// Where the bytes of images lie, if not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_pool: Option<String>,
    /// Names of the images begin so.
    pub prefix: String,
    /// Bytes of each image.
    pub bytes: Bytes,
    /// Bytes of one operation.
    pub block: Bytes,
    pub rounds_min: u32,
    pub rounds_max: u32,
}

impl ImageStates {
    pub fn image(&self, state: ImageState) -> String {
        // Who writes to it makes no other image of it.
        let state = if state == ImageState::TwoWriters { ImageState::Filled } else { state };
        format!("{}{}", self.prefix, state.name())
    }

    /// What makes the image of this name.
    pub fn made(&self, name: String) -> Change {
        Change::Image { pool: self.pool.clone(), data_pool: self.data_pool.clone(), name, bytes: self.bytes }
    }

    /// Of which clones are made.
    pub fn parent(&self) -> String {
        format!("{}parent", self.prefix)
    }

    /// The images that stand through the whole run; fresh ones and clones are made for each round.
    pub fn lasting(&self) -> Vec<String> {
        let states = [ImageState::Filled, ImageState::Overwritten, ImageState::Snapshot];
        std::iter::once(self.parent()).chain(states.map(|state| self.image(state))).collect()
    }
}

/// Operations of one kind on one state in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateTimes {
    pub round: u32,
    pub state: ImageState,
    pub operation: StateOperation,
    pub operations: u32,
    pub mean_ms: f64,
    pub longest_ms: f64,
    /// Bytes of the image's objects.
    pub object: Bytes,
}

/// What was found, of which images, and how narrow the intervals were to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatesFound {
    pub plan: ImageStates,
    pub settle: f64,
    /// Bytes of the images' objects; `None`: nothing was timed.
    pub object: Option<Bytes>,
    pub costs: Vec<StateCost>,
}

/// What an operation costs in a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateCost {
    pub state: ImageState,
    pub operation: StateOperation,
    pub operations: u32,
    pub rounds: u32,
    /// ms, the mean over the rounds; `None`: fewer than two of them.
    pub mean: Option<Estimate>,
    pub longest_ms: f64,
    /// How many times that of a filled image, round by round; `None`: it is that, or too few rounds.
    pub times: Option<Multiple>,
}

impl StateCost {
    /// Are its mean and its ratio as narrow as this?
    pub fn is_as_asked(&self, settle: f64) -> bool {
        let narrow = |times: &Multiple| times.high.is_some_and(|high| (high / times.value).ln() <= settle.ln_1p());
        self.mean.is_some_and(|mean| mean.relative() <= settle) && self.times.as_ref().is_none_or(narrow)
    }
}
