//! Everything that Fathom can do to a cluster or a host, and what undoes it. What is not here, Fathom cannot do.

use crate::workload::Bytes;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum Change {
    /// A pool of our own, labelled with application `fathom`. Undone by deleting it with all that is in it.
    Pool { name: String, pg_num: u32, size: Option<u32> },
    /// An image of our own. Undone by deleting it.
    Image { pool: String, name: String, bytes: Bytes },
    /// Objects whose names begin with `prefix`, in a pool that is not ours. Undone by deleting exactly those.
    Objects { pool: String, prefix: String },
    /// An option in the cluster's configuration database. Undone by setting what was there, or removing it.
    Option { who: String, name: String, value: String },
    /// A cluster flag (`noscrub`). Undone by unsetting it if it was unset.
    Flag { name: String },
    /// A file of our own. Undone by deleting it.
    File { path: PathBuf, bytes: Bytes },
}

impl Change {
    /// As shown to the user: `pool fathom.x`, `image rbd/fathom.y`.
    pub fn what(&self) -> String {
        match self {
            Change::Pool { name, .. } => format!("pool {name}"),
            Change::Image { pool, name, .. } => format!("image {pool}/{name}"),
            Change::Objects { pool, prefix } => format!("objects {prefix}* in pool {pool}"),
            Change::Option { who, name, value } => format!("option {who}/{name} = {value}"),
            Change::Flag { name } => format!("flag {name}"),
            Change::File { path, .. } => format!("file {}", path.display()),
        }
    }
}

/// A change in the journal, with what was there before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Undo {
    pub change: Change,
    /// The option's earlier value; `None`: there was none. Other changes need nothing.
    pub before: Option<String>,
    pub undone: bool,
}
