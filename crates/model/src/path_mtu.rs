//! How large a packet gets from one host to another in one piece.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Of an ordered pair of hosts, in bytes of an IP packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PathMtu {
    pub from: String,
    pub to: String,
    /// As of a target: between which of their addresses.
    #[serde(default)]
    pub network: Option<String>,
    /// Of the interfaces at both ends.
    pub sender: u32,
    pub receiver: u32,
    /// The largest that arrived, up to the sender's; `None`: none did.
    pub carries: Option<u32>,
}
