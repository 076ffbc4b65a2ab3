//! Other hosts: their names, how they are reached, and the line to the agent that runs there.

pub mod build;
pub mod dial;
mod explain;
pub mod frame;
pub mod limits;
pub mod link;
pub mod message;
pub mod names;
pub mod offset;
mod room;
mod scripts;
pub mod transport;

pub use dial::{DialError, Dialled, Program, clean, dial};
pub use explain::kubectl as explain_kubectl;
pub use link::{Far, Heard, Link, Pipes, What};
pub use message::{Access, AgentCommand, AgentEvent, Answer, Question};
pub use names::{NamesError, expand, of_file};
pub use offset::{Exchange, offset};
pub use transport::{SshOptions, Transport};
