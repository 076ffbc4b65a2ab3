//! Commands that the supervisor gets from other processes and carries out, one after another.

use crate::daemons;
use crate::errors::LabError;
use crate::job::Job;
use crate::lab::Host;
use crate::supervisor::{Supervisor, end};
use crate::wire::{Act, Answer, SupervisorCommand, receive, send};
use nix::sys::signal::Signal;
use std::io::BufReader;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

/// An OSD says farewell to the monitors first; without them it would wait for ever.
const ENDS_WITHIN: Duration = Duration::from_secs(10);

/// Lives as long as the supervisor: daemons that are started here are tied to this thread.
pub(crate) fn listen(supervisor: &Supervisor, listener: &UnixListener) {
    for mut stream in listener.incoming().flatten() {
        if let Ok(Some(order)) = read(&stream) {
            // Whoever asked may have gone.
            let answer = Answer::of(obey(supervisor, order, &stream));
            let _ = send(&mut stream, &answer);
        }
    }
}

fn read(stream: &UnixStream) -> std::io::Result<Option<SupervisorCommand>> {
    // A command comes with the connection; a client that sends none must not hold up the others.
    stream.set_read_timeout(Some(Duration::from_secs(1)))?;
    receive(&mut BufReader::new(stream))
}

fn obey(supervisor: &Supervisor, order: SupervisorCommand, mut asked: &UnixStream) -> Result<(), LabError> {
    match order {
        SupervisorCommand::Down => end(supervisor, || {
            let _ = send(&mut asked, &Answer::Done);
        }),
        SupervisorCommand::Settle => Ok(()),
        SupervisorCommand::Daemon { name, act } => act_on(supervisor, &name, act),
        SupervisorCommand::Worker { name, job } => work(supervisor, &name, job.as_ref()),
    }
}

/// One of the name that runs is ended first. The worker is no host's: it reaches the lab as any client does.
fn work(supervisor: &Supervisor, name: &str, job: Option<&Job>) -> Result<(), LabError> {
    supervisor.process_group.kill(name);
    let Some(job) = job else { return Ok(()) };
    let job = serde_json::to_string(job).map_err(|error| LabError::Usage(error.to_string()))?;
    let words = ["lab", "worker", &supervisor.dirs.name, &job];
    supervisor.process_group.start_other(name, &Host::here(), &supervisor.spec.program, &words)
}

fn act_on(supervisor: &Supervisor, name: &str, act: Act) -> Result<(), LabError> {
    let wrong = |state, mend| LabError::WrongState { daemon: name.to_owned(), state, mend };
    let lab = supervisor.lab.get().ok_or_else(|| wrong("not yet made", "wait until the lab is ready"))?;
    let known = daemons::names(lab);
    if !known.iter().any(|known| known == name) {
        let (daemon, name) = (name.to_owned(), lab.name.clone());
        return Err(LabError::NoSuchDaemon { daemon, name, daemons: known.join(", ") });
    }
    let done = match act {
        Act::Kill => supervisor.process_group.kill(name),
        Act::Stop => supervisor.process_group.stop(name),
        Act::Cont => supervisor.process_group.signal(name, Signal::SIGCONT),
        Act::Restart => {
            supervisor.process_group.end(name, ENDS_WITHIN);
            return daemons::start(supervisor, lab, name);
        }
        Act::Start if supervisor.process_group.runs(name) => return Err(wrong("running", "kill it first")),
        Act::Start => return daemons::start(supervisor, lab, name),
    };
    if done { Ok(()) } else { Err(wrong("not running", "start it first")) }
}
