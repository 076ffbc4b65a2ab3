//! Looking at a cluster and its hosts; and, only through the journal, changing them.

pub mod admin;
mod apply;
pub mod compaction;
mod crush;
pub mod deletable;
pub mod devices;
pub mod dirs;
mod entry;
mod errors;
pub mod facts;
pub mod here;
pub mod host_settings;
pub mod journal;
pub mod kernel;
pub mod option_values;
pub mod orch;
mod own_files;
mod own_keys;
pub mod pg_states;
mod pool_like;
pub mod pools;
mod proof;
mod quiet;
pub mod restart;
pub mod rights;
pub mod scope;
mod settings;
mod spread;
pub mod text_file;
mod timers;
pub mod watch;

pub use admin::Cluster;
pub use apply::Trust;
pub use entry::JournalEntry;
pub use errors::ClusterError;
pub use journal::{Journal, pending};
