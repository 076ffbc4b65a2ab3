//! The real coordinator with simulated agents: fleet, merging, conductor and archive as in any run, on one processor.

use crate::cost::{memory_peak, processor_seconds, stay_on};
use crate::swarm::Starts;
use agents::fleet::{Answered, Fleet, HostsLoader};
use agents::loader::Loader;
use agents::{AgentEvent, Dialled, Far, Pipes, frame};
use cluster::watch::Seen;
use engines::EngineError;
use engines::clock::RealClock;
use engines::crew::Flow;
use model::testing;
use model::{
    Bytes, Client, Clock, Ending, Event, Goal, Nanos, Pattern, Place, Plan, Report, RunHead, Scope, SliceEnd, Step,
    Subscriber, Target, WindowSet, Workload,
};
use nix::sys::socket::{MsgFlags, recv};
use run::conductor::{AsItIs, Conductor};
use run::probes::Probes;
use run::{EventSink, HealthMonitor, Unfilled};
use std::cell::{Cell, RefCell};
use std::error::Error;
use std::io;
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Instant;

/// What is promised for a thousand agents.
const START_MS: f64 = 1000.0;
const MEMORY_MIB: f64 = 1024.0;
const PROCESSORS: f64 = 1.0;
/// Each window is passed on at most this long after it came, and all of them are in the archive at most this long after the last one:
/// else the coordinator falls behind.
const BEHIND_MS: f64 = 1000.0;

/// One run for each number of agents, each in a process of its own, so that the memory of one is not that of another.
///
/// # Errors
/// A process or a socket can't be had.
pub fn all(numbers: &[usize], seconds: f64) -> Result<bool, Box<dyn Error>> {
    if let [one] = numbers {
        return one_run(*one, seconds);
    }
    println!("{}", heading());
    let mut good = true;
    for number in numbers {
        let program = std::env::current_exe()?;
        let words = ["agents", "--agents", &number.to_string(), "--seconds", &seconds.to_string()];
        let run = Command::new(program).args(words).stdin(Stdio::null()).output()?;
        let out = String::from_utf8_lossy(&run.stdout).into_owned();
        out.lines().filter(|line| *line != heading()).for_each(|line| println!("{line}"));
        eprint!("{}", String::from_utf8_lossy(&run.stderr));
        good &= run.status.success();
    }
    Ok(good)
}

fn heading() -> String {
    "agents  reached s  start ms  windows  behind ms  archived ms  processors  memory MiB  end s  archive MiB"
        .to_string()
}

fn one_run(number: usize, seconds: f64) -> Result<bool, Box<dyn Error>> {
    stay_on(true)?;
    let folder = tempfile::tempdir()?;
    let socket = folder.path().join("agents");
    let listener = UnixListener::bind(&socket)?;
    let swarm = Command::new(std::env::current_exe()?)
        .arg("swarm")
        .args([socket.as_os_str(), number.to_string().as_ref()])
        .stdout(Stdio::piped())
        .spawn()?;
    let began = Instant::now();
    let answered = (0..number).map(|number| accept(&listener, number)).collect::<Result<Vec<_>, _>>()?;
    let (fleet, silent) = Fleet::gather(answered);
    if let Some(host) = silent.first() {
        return Err(format!("{} of {number} agents are silent, the first: {}", silent.len(), host.why).into());
    }
    let reached = began.elapsed().as_secs_f64();
    let archive = folder.path().join("archive.sqlite");
    let measured = measure(fleet, &archive, number, seconds)?;
    let archived = std::fs::metadata(&archive).map_or(0, |file| file.len()) as f64 / f64::from(1 << 20);
    let output = swarm.wait_with_output()?;
    let starts: Starts = serde_json::from_slice(&output.stdout)?;
    println!("{}", heading());
    println!(
        "{number:>6}  {reached:>9.2}  {:>8.1}  {:>7}  {:>9.0}  {:>11.0}  {:>10.2}  {:>10.0}  {:>5.2}  {archived:>11.1}",
        starts.spread_ms + starts.late_ms,
        measured.windows,
        measured.behind_ms,
        measured.archived_ms,
        measured.processors,
        memory_peak(),
        measured.end
    );
    let expected = (seconds * 10.0) as u32;
    let wrong = [
        (starts.told != number, "not every agent was told to start"),
        (starts.spread_ms + starts.late_ms > START_MS, "the start took longer than a second"),
        (measured.windows < expected, "windows are missing"),
        (measured.behind_ms > BEHIND_MS, "windows were passed on late"),
        (measured.archived_ms > BEHIND_MS, "the archive fell behind"),
        (measured.processors > PROCESSORS, "more than one processor was used"),
        (memory_peak() > MEMORY_MIB, "more than a GiB of memory was used"),
    ];
    wrong.iter().filter(|(is, _)| *is).for_each(|(_, what)| eprintln!("scale: {number} agents: {what}"));
    Ok(wrong.iter().all(|(is, _)| !is))
}

/// A line that is no program's: closed, both sides know.
struct Line(UnixStream);

impl Far for Line {
    fn ended(&mut self) -> Option<String> {
        let mut nothing = [0; 1];
        let peeked = recv(self.0.as_raw_fd(), &mut nothing, MsgFlags::MSG_PEEK | MsgFlags::MSG_DONTWAIT);
        (peeked == Ok(0)).then(String::new)
    }

    fn end(&mut self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

fn accept(listener: &UnixListener, number: usize) -> Result<Answered, Box<dyn Error>> {
    let (stream, _) = listener.accept()?;
    let mut output = stream.try_clone()?;
    frame::find_magic(&mut output).map_err(|_| "an agent did not say its first word")?;
    let hello: AgentEvent = frame::read(&mut output)?;
    if !matches!(hello, AgentEvent::Hello { .. }) {
        return Err("an agent said something else first".into());
    }
    let (_, complaints) = channel();
    let far = Box::new(Line(stream.try_clone()?));
    let pipes = Pipes { far, input: Box::new(stream), output: Box::new(output), complaints };
    Ok(Answered { name: format!("h{number}"), via: "simulated".into(), dialled: Dialled { pipes, sent: false } })
}

struct Measured {
    windows: u32,
    behind_ms: f64,
    /// From the last window until all slices are in the archive.
    archived_ms: f64,
    processors: f64,
    /// From the last window to the end of the step, with the picture after the pass.
    end: f64,
}

/// Is told what the archive has stored.
#[derive(Clone, Default)]
struct Stored(Rc<Cell<Option<Instant>>>);

impl Subscriber for Stored {
    fn take(&mut self, event: &Event) -> io::Result<()> {
        if matches!(event, Event::StepFinished { .. }) {
            self.0.set(Some(Instant::now()));
        }
        Ok(())
    }

    fn finish(&mut self, _: &Report) -> io::Result<()> {
        Ok(())
    }
}

fn measure(fleet: Fleet, archive: &std::path::Path, number: usize, seconds: f64) -> Result<Measured, Box<dyn Error>> {
    let clock: Arc<dyn Clock> = Arc::new(RealClock);
    let head = RunHead { run: "scale".into(), started: "2026-01-01T00:00:00Z".into(), ..RunHead::default() };
    let stored = Stored::default();
    let mut sink = EventSink::open(archive, &head, clock.clone(), vec![Box::new(stored.clone())])?;
    sink.tell(Event::RunStarted { head, scope: Scope::default() })?;
    let plan = plan(number, seconds);
    sink.tell(Event::Planned { plan: plan.clone() })?;
    let fleet = RefCell::new(fleet);
    let hosts = HostsLoader::new(&Nobody, &fleet, sink.started());
    let timed = Timed { hosts: &hosts, seen: RefCell::default() };
    let (began, before) = (Instant::now(), processor_seconds());
    let (health, unfilled) = (Blind, Unfilled::default());
    let conductor = Conductor {
        clock: &clock,
        health: &health,
        loader: &timed,
        sides: &AsItIs,
        observer: &Probes::default(),
        unfilled: &unfilled,
    };
    conductor.conduct(&mut *experiments::scheduler(&plan), &mut sink)?;
    let wall = began.elapsed().as_secs_f64();
    let processors = (processor_seconds() - before) / wall;
    let seen = timed.seen.take();
    let end = seen.last.map_or(f64::NAN, |last| last.elapsed().as_secs_f64());
    let archived = seen.last.zip(stored.0.get()).map(|(last, stored)| stored.duration_since(last).as_secs_f64() * 1e3);
    let archived_ms = archived.ok_or("nothing was stored")?;
    sink.tell(Event::RunFinished { seconds: wall, ending: Ending::Done })?;
    if let Some(error) = sink.record().errors.first() {
        return Err(error.clone().into());
    }
    Ok(Measured { windows: seen.windows, behind_ms: seen.behind_ms, archived_ms, processors, end })
}

/// One step: every agent reads a pool.
fn plan(number: usize, seconds: f64) -> Plan {
    let (layer, pattern) = (testing::pools(), Pattern::ReadParallel);
    let target = |number: usize| Target {
        client: Some(Client { host: format!("h{number}"), of: "pool".into() }),
        ..Target::new(layer, format!("pool from h{number}"), Place::Pool { pool: "p".into(), prefix: "x".into() })
    };
    let step =
        Step::new(0, layer, pattern, (0..number).map(target).collect(), Workload::canonical(pattern, 1 << 30, 1));
    let goal = Goal {
        passes_min: 1,
        passes_max: 1,
        read_slice_seconds: seconds,
        fixed: true,
        seconds_max: f64::from(u32::MAX),
        ..Goal::default()
    };
    Plan { steps: vec![step], goal, ..Plan::default() }
}

/// Nothing is loaded from here.
struct Nobody;

impl Loader for Nobody {
    fn load(
        &self,
        _: (&Step, Option<Bytes>),
        _: Nanos,
        _: &mut dyn FnMut(),
        _: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        Err(EngineError::Refused("everything is loaded by agents".into()))
    }
}

/// There is no cluster to look at.
struct Blind;

impl HealthMonitor for Blind {
    fn asked_to_end(&self) -> bool {
        false
    }

    fn seen(&self) -> Seen {
        Seen::default()
    }
}

#[derive(Default)]
struct Passed {
    windows: u32,
    first: Option<Instant>,
    last: Option<Instant>,
    behind_ms: f64,
}

/// Looks how much later each window is passed on than its place after the first one says.
struct Timed<'a> {
    hosts: &'a HostsLoader<'a>,
    seen: RefCell<Passed>,
}

impl Loader for Timed<'_> {
    fn load(
        &self,
        what: (&Step, Option<Bytes>),
        window_ns: Nanos,
        opened: &mut dyn FnMut(),
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        let mut look = |set: &WindowSet| {
            let mut seen = self.seen.borrow_mut();
            let first = *seen.first.get_or_insert_with(Instant::now);
            let due = f64::from(set.window) * window_ns as f64 / 1e6;
            seen.behind_ms = seen.behind_ms.max(first.elapsed().as_secs_f64() * 1e3 - due);
            seen.windows += 1;
            seen.last = Some(Instant::now());
            drop(seen);
            on_window(set)
        };
        self.hosts.load(what, window_ns, opened, &mut look)
    }
}
