//! What a lab's supervisor and those who talk to it say to each other: one JSON document a line.

use crate::errors::LabError;
use crate::job::Job;
use crate::lab::LabCluster;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Write};

/// From the supervisor to `up`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Told {
    Progress(String),
    Ready(Box<LabCluster>),
    Failed { text: String, exit_code: u8 },
}

/// From `up` to the supervisor, once it has been told that the lab is ready. If it ends without, the supervisor takes the lab down.
pub(crate) const KEEP: &str = "keep";

/// From anyone to the supervisor, over its socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SupervisorCommand {
    Down,
    /// Nothing: answered once all is done that was asked before, also by those who have gone.
    Settle,
    Daemon {
        name: String,
        act: Act,
    },
    /// Starts a process that goes on with a fault's job, or ends it.
    Worker {
        name: String,
        job: Option<Job>,
    },
}

/// What can be done to one daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// SIGKILL; done when the process is gone.
    Kill,
    /// SIGSTOP: it hangs, and is not noticed by its own host.
    Stop,
    /// SIGCONT.
    Cont,
    /// Ends it in order (SIGTERM, and SIGKILL where that takes long) if it runs, and starts it again. Whoever asks may end meanwhile.
    Restart,
    /// Starts it again, on the data that it had. Done when the process runs, which is before the cluster counts it as up.
    Start,
}

/// The supervisor's answer to an order.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Answer {
    Done,
    Failed { text: String, exit_code: u8 },
}

impl Answer {
    pub fn of(result: Result<(), LabError>) -> Answer {
        match result {
            Ok(()) => Answer::Done,
            Err(error) => Answer::Failed { text: error.to_string(), exit_code: error.exit_code() },
        }
    }
}

pub(crate) fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    to.write_all(&line)?;
    to.flush()
}

/// The next message; `None`: the other side has ended.
pub(crate) fn receive<T: DeserializeOwned>(from: &mut impl BufRead) -> io::Result<Option<T>> {
    let mut line = String::new();
    if from.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    Ok(Some(serde_json::from_str(&line)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_as_they_were_sent() -> io::Result<()> {
        let order = SupervisorCommand::Daemon { name: "osd.1".to_owned(), act: Act::Cont };
        let mut bytes = Vec::new();
        send(&mut bytes, &order)?;
        send(&mut bytes, &SupervisorCommand::Down)?;
        let mut reader = bytes.as_slice();
        assert_eq!(receive::<SupervisorCommand>(&mut reader)?, Some(order));
        assert_eq!(receive::<SupervisorCommand>(&mut reader)?, Some(SupervisorCommand::Down));
        assert_eq!(receive::<SupervisorCommand>(&mut reader)?, None);
        assert!(receive::<SupervisorCommand>(&mut &b"nonsense\n"[..]).is_err());
        Ok(())
    }
}
