//! Agents without load, all in one process: they speak the real frames, answer every order, and tell made-up windows in real time.

use crate::cost::stay_on;
use agents::frame::{self, MAGIC};
use agents::{AgentCommand, AgentEvent};
use engines::clock::RealClock;
use model::{Clock, HostFacts, Latencies, Nanos, Nic, OpClass, Sample, SliceEnd, WindowSet};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::io::{BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Operations of an agent in a window: 20,000 a second, spread over as many buckets as a real device fills.
const OPERATIONS: u64 = 2_000;

/// When commands to start came, as they are known at the end.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Starts {
    /// Agents that were told to start.
    pub told: usize,
    /// From the first to the last of them, and by how much the last order came too late at most, in ms (0: in time).
    pub spread_ms: f64,
    pub late_ms: f64,
}

/// What an agent loads.
#[derive(Clone, Copy)]
struct Load {
    slice: u64,
    /// On this process's clock.
    at: Nanos,
    window_ns: Nanos,
    next: u32,
}

struct Agent {
    out: UnixStream,
    opened: Option<(u64, Nanos)>,
    load: Option<Load>,
    sample: Sample,
}

type Shared = Arc<Mutex<Agent>>;
/// When the order came, and by how much too late.
type Log = Arc<Mutex<Vec<(Nanos, Nanos)>>>;

/// Until the coordinator has closed every line; then what is known of the starts goes to standard output.
pub fn serve(socket: &Path, count: usize) -> Result<bool, Box<dyn Error>> {
    stay_on(false)?;
    let log = Log::default();
    let mut agents: Vec<Shared> = Vec::new();
    let mut listeners = Vec::new();
    for number in 0..count {
        let mut stream = UnixStream::connect(socket)?;
        stream.write_all(MAGIC)?;
        frame::write(&mut stream, &AgentEvent::Hello { build: "simulated".into(), pid: number as u32 })?;
        let reading = stream.try_clone()?;
        let agent = Agent { out: stream, opened: None, load: None, sample: sample(number as u64) };
        let agent = Arc::new(Mutex::new(agent));
        let (own, log) = (agent.clone(), log.clone());
        let listen = move || listen(reading, &own, &log, number);
        listeners.push(std::thread::Builder::new().stack_size(128 << 10).spawn(listen)?);
        agents.push(agent);
    }
    std::thread::spawn(move || tick(&agents));
    listeners.into_iter().for_each(|listener| drop(listener.join()));
    let log = lock(&log);
    let (first, last) = (log.iter().map(|one| one.0).min(), log.iter().map(|one| one.0).max());
    let spread = last.zip(first).map_or(0, |(last, first)| last - first);
    let late = log.iter().map(|one| one.1).max().unwrap_or(0);
    let starts = Starts { told: log.len(), spread_ms: spread as f64 / 1e6, late_ms: late as f64 / 1e6 };
    println!("{}", serde_json::to_string(&starts)?);
    Ok(true)
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn sample(seed: u64) -> Sample {
    let mut chance = StdRng::seed_from_u64(seed);
    let mut latencies = Latencies::default();
    for _ in 0..OPERATIONS {
        let (a, b): (f64, f64) = (chance.random(), chance.random());
        latencies.record((50_000.0 * (1.0 + 2.0 * a * a - b.max(1e-3).ln())) as u64);
    }
    Sample { span_ns: 0, ops: OPERATIONS, bytes: OPERATIONS * 4096, service: latencies.take(), ..Sample::default() }
}

fn listen(stream: UnixStream, agent: &Shared, log: &Log, number: usize) {
    let mut stream = BufReader::new(stream);
    while let Ok(order) = frame::read::<AgentCommand>(&mut stream) {
        if matches!(order, AgentCommand::Leave) {
            return;
        }
        let mut agent = lock(agent);
        if let Some(news) = follow(&mut agent, order, log, number)
            && frame::write(&mut agent.out, &news).is_err()
        {
            return;
        }
    }
}

fn follow(agent: &mut Agent, order: AgentCommand, log: &Log, number: usize) -> Option<AgentEvent> {
    match order {
        AgentCommand::Ask { id } => {
            let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Some(AgentEvent::Clock { id, now: RealClock.now(), wall: wall.as_nanos() as u64 })
        }
        AgentCommand::Describe => {
            let address = format!("10.{}.{}.1", number / 256, number % 256);
            let nic = Nic { name: "eth0".into(), mtu: Some(1500), addresses: vec![address], ..Nic::default() };
            Some(AgentEvent::Description { facts: Box::new(HostFacts { nics: vec![nic], ..HostFacts::default() }) })
        }
        AgentCommand::Open { slice, window_ns, .. } => {
            agent.opened = Some((slice, window_ns));
            Some(AgentEvent::Ready { slice, error: None })
        }
        AgentCommand::Start { slice, at } => {
            let now = RealClock.now();
            lock(log).push((now, now.saturating_sub(at)));
            if let Some((opened, window_ns)) = agent.opened.filter(|(opened, _)| *opened == slice) {
                agent.load = Some(Load { slice: opened, at, window_ns, next: 0 });
            }
            None
        }
        AgentCommand::Stop { slice } => {
            agent.load = None;
            Some(AgentEvent::Ended { slice, end: SliceEnd::default() })
        }
        _ => None,
    }
}

/// Tells every window as it ends.
fn tick(agents: &[Shared]) {
    loop {
        std::thread::sleep(Duration::from_millis(5));
        let now = RealClock.now();
        for agent in agents {
            let mut agent = lock(agent);
            let Some(load) = agent.load.filter(|load| now >= load.at + Nanos::from(load.next + 1) * load.window_ns)
            else {
                continue;
            };
            let sample = Sample { window: load.next, span_ns: load.window_ns, ..agent.sample.clone() };
            let set = WindowSet { window: load.next, samples: vec![(0, OpClass::Read, sample)] };
            let _ = frame::write(&mut agent.out, &AgentEvent::Window { slice: load.slice, set });
            agent.load = Some(Load { next: load.next + 1, ..load });
        }
    }
}
