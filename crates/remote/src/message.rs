//! What the coordinator and an agent say to each other. There are no versions: both are exactly the same build.

use model::{HostFacts, Nanos};
use serde::{Deserialize, Serialize};

/// From the coordinator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Order {
    /// The coordinator lives.
    Beat,
    /// What does your clock show?
    Ask {
        id: u64,
    },
    /// What kind of host are you?
    Describe,
    Leave,
}

/// From an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum News {
    /// The first word: which build speaks.
    Hello {
        build: String,
        pid: u32,
    },
    /// The agent lives, and nothing else has happened.
    Beat,
    /// What its clock shows, in ns since 1970.
    Clock {
        id: u64,
        wall: Nanos,
    },
    Description {
        facts: Box<HostFacts>,
    },
}
