//! What runs on another host: does what the coordinator says over standard streams, and ends when the coordinator is silent for too long.

mod hearing;
mod load;
mod reach;
mod systemd;
mod watching;

use crate::frame::{self, FrameError, MAGIC};
use crate::host::LocalHost;
use crate::link::{BEAT, DEAF};
use crate::looks::Looks;
use crate::own_files::{Files, changed_by_others};
use crate::{AgentAnswer, AgentCommand, AgentEvent, Question};
use cluster::journal::AgentJournal;
use engines::Context;
use engines::clock::RealClock;
use engines::crew::{ASK_EVERY, LEAVE};
use engines::floor::keep;
use engines::network::{Echo, Listener, carries};
use engines::verify::Verify;
use hearing::{LastHeard, Undoing, leave_soon, leave_when_deaf, listen};
use load::{Load, Loading};
use model::clock::SECOND;
use model::{Clock, Endpoint, Failure, Nanos, Step, Undo};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use std::io::{Write, stdin};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use watching::KernelWatch;

/// At most this many events wait for a slow connection; without a limit they would fill the memory.
const NEWS: usize = 1024;

/// At most this many commands wait while one is carried out; a working coordinator never sends more.
const ORDERS: usize = 4096;

/// The whole life of an agent. Its exit code is only for people: 0 if it ended in order, 1 if the connection broke.
///
/// # Errors
/// Its own program can't be read, or its first message can't be sent.
pub fn serve() -> Result<u8, Failure> {
    more_files();
    let build = crate::build::id(std::path::Path::new(crate::build::OWN))?;
    let mut output = ceph::results();
    output.write_all(MAGIC)?;
    let (tell, waiting) = sync_channel(NEWS);
    let (heard, (pass_on, orders)) = (LastHeard::now(), sync_channel(ORDERS));
    std::thread::spawn(move || speak(output, &waiting));
    let undoing = Undoing::default();
    let (own, ends_after) = (heard.clone(), undoing.clone());
    std::thread::spawn(move || {
        listen(stdin(), &own, &pass_on);
        leave_soon(ends_after);
    });
    leave_when_deaf(heard.clone(), undoing.clone());
    let _ = tell.send(AgentEvent::Hello { build, pid: std::process::id() });
    let looks = Looks::default();
    let verify = Arc::new(Verify::of_this_run(RealClock.now()));
    let mut agent = Agent {
        host: LocalHost::new(
            Context { holds: looks.held.holds.clone(), verify, ..Context::default() },
            Files::default(),
        ),
        looks,
        loading: None,
        listeners: Vec::new(),
        watching: None,
        echo: None,
        tell,
        journal: AgentJournal::in_folder(cluster::dirs::journals()),
        undoing: undoing.clone(),
        timeout: UNDO_AFTER,
    };
    let asked = agent.obey(&orders, &heard);
    leave_soon(undoing);
    agent.roll_back().iter().for_each(|why| tell_person(format_args!("fathom agent: {why}")));
    drop(agent);
    Ok(u8::from(!asked))
}

/// A connection for each write in flight, and as many to the other replicas: more than a process may have open by default.
fn more_files() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < hard
    {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

struct Agent {
    host: LocalHost<'static>,
    looks: Looks,
    /// The slice that is open or runs. Dropped, it stops its load.
    loading: Option<Loading>,
    /// Passive ends of pairs, replica_hosts of replicas, and of which slice.
    listeners: Vec<(u64, Listener)>,
    watching: Option<KernelWatch>,
    echo: Option<Echo>,
    tell: SyncSender<AgentEvent>,
    journal: AgentJournal,
    undoing: Undoing,
    /// How long what loads is waited for when it is to end.
    timeout: Duration,
}

/// A slice sees within a second that it is to stop, and waits [`LEAVE`] for its threads.
const UNDO_AFTER: Duration = Duration::from_nanos(LEAVE + ASK_EVERY + SECOND);

impl Agent {
    /// True: it was asked to leave. However it ends, nothing is loaded any more.
    fn obey(&mut self, orders: &Receiver<Result<AgentCommand, FrameError>>, heard: &LastHeard) -> bool {
        loop {
            match orders.recv_timeout(BEAT) {
                Ok(Ok(AgentCommand::Leave)) => return true,
                Ok(Ok(order)) => {
                    if let Some(news) = self.follow(order)
                        && self.tell.send(news).is_err()
                    {
                        return false;
                    }
                }
                Ok(Err(error)) => {
                    tell_person(format_args!("fathom agent: {error}"));
                    return false;
                }
                Err(RecvTimeoutError::Timeout) if heard.silence() > DEAF => {
                    tell_person(format_args!("fathom agent: nothing was heard for {} s", DEAF.as_secs()));
                    return false;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    fn follow(&mut self, order: AgentCommand) -> Option<AgentEvent> {
        match order {
            AgentCommand::Ask { id } => {
                let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Some(AgentEvent::Clock { id, now: RealClock.now(), wall: wall.as_nanos() as u64 })
            }
            AgentCommand::Describe => Some(AgentEvent::Description { facts: Box::new(cluster::here::facts()) }),
            AgentCommand::Reach { access } => {
                let reached = reach::reach(*access);
                let error = reached.as_ref().err().map(ToString::to_string);
                let (holds, verify) = (self.looks.held.holds.clone(), self.host.context.verify.clone());
                self.host.context = Context { holds, verify, ..reached.unwrap_or_default() };
                Some(AgentEvent::Reached { error })
            }
            AgentCommand::Question { id, question } => Some(AgentEvent::Answer { id, answer: self.answer(question) }),
            AgentCommand::Prepare { slice, step, how } => {
                self.end_loading();
                self.loading = Some(Loading::prepare(self.load(slice, *step, 0), how));
                None
            }
            AgentCommand::Answer { slice, target, end, workload } => {
                self.listeners.retain(|(of, _)| *of == slice);
                let listener = Listener::open(&end, &workload).map_err(|error| error.to_string());
                let key = listener.as_ref().map(|listener| listener.key.clone()).map_err(Clone::clone);
                self.listeners.extend(listener.ok().map(|listener| (slice, listener)));
                Some(AgentEvent::Answers { slice, target, listener: key })
            }
            AgentCommand::Keep { slice, target: asked, replica, step } => {
                self.listeners.retain(|(of, _)| *of == slice);
                let step = self.host.files.found(*step);
                let kept = step.targets.first().ok_or("a step without a target".to_string()).and_then(|target| {
                    keep(target, replica as usize, &step.workload, &self.host.context.holds)
                        .map_err(|error| self.host.files.names().named(&error.to_string()))
                });
                let key = kept.as_ref().map(|listener| listener.key.clone()).map_err(Clone::clone);
                self.listeners.extend(kept.ok().map(|listener| (slice, listener)));
                Some(AgentEvent::Answers { slice, target: asked, listener: key })
            }
            AgentCommand::Open { slice, step, window_ns, most } => {
                self.end_loading();
                self.loading = Some(Loading::open(self.load(slice, *step, window_ns), most));
                None
            }
            AgentCommand::Verify { slice, step, limit, run_started } => {
                self.end_loading();
                self.loading = Some(Loading::verify(self.load(slice, *step, 0), limit, run_started));
                None
            }
            AgentCommand::Start { slice, at } => {
                self.loading.iter().filter(|loading| loading.slice == slice).for_each(|loading| loading.start(at));
                None
            }
            AgentCommand::Stop { slice } => {
                self.loading.iter().filter(|loading| loading.slice == slice).for_each(Loading::stop);
                None
            }
            AgentCommand::Close { slice } => {
                self.listeners.retain(|(of, _)| *of != slice);
                None
            }
            AgentCommand::Hush => {
                self.echo = None;
                None
            }
            AgentCommand::Watch { slice, osds } => {
                self.watching = None;
                self.watching = Some(KernelWatch::start(slice, osds, self.tell.clone()));
                None
            }
            AgentCommand::Unwatch { slice } => {
                self.watching.take_if(|watching| watching.slice == slice);
                None
            }
            AgentCommand::Beat | AgentCommand::Leave => None,
        }
    }

    fn answer(&mut self, question: Question) -> AgentAnswer {
        match question {
            Question::Look { wish, in_turn } => {
                let seen = self.looks.look(&wish, in_turn).map(Box::new);
                AgentAnswer::Looked { seen, unseen: self.looks.held.unseen() }
            }
            Question::Make { of, change } => {
                let made = self.host.files.change(&change, || self.journal.begun(&of));
                AgentAnswer::Made(made.map_err(|error| error.to_string()))
            }
            Question::Undo(change) => {
                let undo = || self.host.files.undo(&change, self.journal.standing());
                let undone = self.undoing.during(undo);
                let left = |undo: Option<Undo>| undo.as_ref().and_then(changed_by_others).map(str::to_string);
                AgentAnswer::Made(
                    undone.map_err(|error| error.to_string()).and_then(|undo| left(undo).map_or(Ok(()), Err)),
                )
            }
            Question::Value { setting } => AgentAnswer::Value(cluster::host_settings::read(&setting)),
            Question::Temperature { disk } => AgentAnswer::Temperature(cluster::temperature::now(&disk)),
            Question::Restore => self.undoing.during(restored),
            Question::Restart { osd } => AgentAnswer::Made(systemd::restart(osd)),
            Question::RollBack => AgentAnswer::RolledBack(self.roll_back()),
            Question::Echo(end) => {
                let echo = address(&end).and_then(|at| Echo::open(at).map_err(|error| format!("{at}: {error}")));
                let key = echo.as_ref().map(|echo| echo.key.clone()).map_err(Clone::clone);
                self.echo = echo.ok();
                AgentAnswer::Echoes(key)
            }
            Question::PathMtu { from, to, key, largest } => AgentAnswer::Probed(address(&from).and_then(|from| {
                carries(from, address(&to)?, &key, largest).map_err(|error| format!("{from}: {error}"))
            })),
            Question::Services { fsid } => AgentAnswer::Services(cluster::service_counters::look(&fsid)),
            Question::Setup { osds } => AgentAnswer::Setup(Box::new(cluster::here::setup(&osds))),
        }
    }

    /// One that was forgotten ends before the next one begins. The agent is not ended meanwhile: it undoes its changes after that.
    fn end_loading(&mut self) {
        if let Some(loading) = self.loading.take() {
            self.undoing.during(|| dropped_within(self.timeout, loading));
        }
    }

    /// Nothing is loaded any more, and all that was changed here is undone. What is not, and why.
    fn roll_back(&mut self) -> Vec<String> {
        let undoing = self.undoing.clone();
        let left = undoing.during(|| {
            dropped_within(self.timeout, (self.loading.take(), std::mem::take(&mut self.listeners)));
            self.host.files = Files::default();
            self.journal.roll_back()
        });
        left.iter().map(ToString::to_string).collect()
    }

    fn load(&self, slice: u64, step: Step, window_ns: Nanos) -> Load {
        Load { slice, step, window_ns, host: self.host.clone(), tell: self.tell.clone(), stop: Default::default() }
    }
}

/// Ends it, but does not wait longer: a call to a disk that is gone or a cluster that does not answer may never return. Whoever is in it is left
/// behind, and stops once it does.
fn dropped_within(timeout: Duration, what: impl Send + 'static) {
    let (tell, told) = channel();
    let end = move || {
        drop(what);
        // Nobody waits any more if it took too long.
        let _ = tell.send(());
    };
    if std::thread::Builder::new().name("fathom-end".into()).spawn(end).is_ok() {
        let _ = told.recv_timeout(timeout);
    }
}

fn restored() -> AgentAnswer {
    let (undone, wrong) = cluster::journal::restore_agents(&cluster::dirs::journals());
    let undone = undone.iter().map(model::Undo::done).collect();
    AgentAnswer::Restored(undone, wrong.iter().map(ToString::to_string).collect())
}

fn address(end: &Endpoint) -> Result<IpAddr, String> {
    end.address.parse().map_err(|_| format!("{:?} is no IP address", end.address))
}

/// Writes events, and a sign of life every second while there are none.
fn speak(mut output: impl Write, waiting: &Receiver<AgentEvent>) {
    loop {
        let news = match waiting.recv_timeout(BEAT) {
            Ok(news) => news,
            Err(RecvTimeoutError::Timeout) => AgentEvent::Beat,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if frame::write(&mut output, &news).is_err() {
            return;
        }
    }
}

/// On standard error, for whoever started it by hand. Nobody may read that: no reason to end.
fn tell_person(text: std::fmt::Arguments) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use cluster::journal::AgentOf;
    use std::path::Path;
    use std::time::Instant;

    /// One that loads, and has changed something.
    fn agent(journals: &Path, undoing: &Undoing, loading: Loading) -> Agent {
        let mut journal = AgentJournal::in_folder(journals.to_path_buf());
        journal.begun(&AgentOf { run: "r".into(), host: "h".into() }).unwrap();
        Agent {
            host: LocalHost::new(Context::default(), Files::default()),
            looks: Looks::default(),
            loading: Some(loading),
            listeners: Vec::new(),
            watching: None,
            echo: None,
            tell: sync_channel(8).0,
            journal,
            undoing: undoing.clone(),
            timeout: UNDO_AFTER,
        }
    }

    #[test]
    fn an_agent_that_waits_for_its_load_to_end_before_it_undoes_its_changes_is_not_ended() {
        let folder = tempfile::tempdir().unwrap();
        let ends: [fn(&mut Agent); 2] = [|agent| drop(agent.roll_back()), Agent::end_loading];
        for end in ends {
            let undoing = Undoing::default();
            let (own, (tell, told)) = (undoing.clone(), channel());
            let loading = load::tests::loading(move |start| {
                // Until it is stopped.
                let _ = start.recv();
                tell.send(own.goes_on(Instant::now())).unwrap();
            });
            end(&mut agent(folder.path(), &undoing, loading));
            assert_eq!(told.recv(), Ok(true));
        }
    }

    #[test]
    fn a_load_that_is_stuck_keeps_no_change_from_being_undone() {
        let folder = tempfile::tempdir().unwrap();
        let (release, stuck) = channel::<()>();
        let loading = load::tests::loading(move |_| stuck.recv().unwrap_or_default());
        let mut agent = agent(folder.path(), &Undoing::default(), loading);
        agent.timeout = Duration::ZERO;
        assert_eq!(agent.roll_back(), Vec::<String>::new());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the journal stands");
        drop(release);
    }
}
