//! Hosts as a run sees them: how others are named and reached, the agent that runs there, and this host, which loads in process.

pub mod build;
pub mod dial;
mod explain;
pub mod facts;
pub mod fleet;
pub mod frame;
pub mod holding;
pub mod host;
pub mod limits;
pub mod link;
pub mod loader;
pub mod looks;
mod memory_file;
pub mod message;
pub mod names;
pub mod offset;
pub mod own_files;
pub mod restarters;
mod room;
mod scripts;
mod serve;
pub mod transport;

pub use dial::{DialError, Dialled, Program, clean, dial};
pub use explain::kubectl as explain_kubectl;
pub use link::{Far, Heard, Link, Pipes, What};
pub use message::{AgentAccess, AgentAnswer, AgentCommand, AgentEvent, ClusterTexts, Preparation, Question, S3Texts};
pub use names::{NamesError, expand, of_file};
pub use offset::{Exchange, offset};
pub use serve::serve;
pub use transport::{SshOptions, Transport};
