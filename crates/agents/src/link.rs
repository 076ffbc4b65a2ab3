//! An open connection to an agent: commands go out, events come in, and each side knows within seconds when the other is gone.

use crate::explain;
use crate::frame::{self, FrameError};
use crate::limits::{self, Pace, Queue, QueuePlace};
use crate::message::{AgentCommand, AgentEvent};
use std::io::{Read, Write};
use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Each side sends a sign of life at least this often.
pub const BEAT: Duration = Duration::from_secs(1);
/// After this time without a message the other side counts as gone.
pub const DEAF: Duration = Duration::from_secs(10);
/// Commands that may wait for a slow connection. There are never many: windows go the other way.
const ORDERS: usize = 64;

/// What lives at the other end, as something that ends: the program that leads to the agent.
pub trait Far: Send {
    /// How it ended, in words, none if in order. `None`: it lives.
    fn ended(&mut self) -> Option<String>;
    /// Ends it, whatever it does.
    fn end(&mut self);
}

impl Far for Child {
    fn ended(&mut self) -> Option<String> {
        match self.try_wait() {
            Ok(None) => None,
            Ok(Some(status)) if !status.success() => Some(status.to_string()),
            Ok(Some(_)) | Err(_) => Some(String::new()),
        }
    }

    fn end(&mut self) {
        let _ = self.kill();
        let _ = self.wait();
    }
}

/// The streams of an agent that said its first word.
pub struct Pipes {
    pub far: Box<dyn Far>,
    pub input: Box<dyn Write + Send>,
    pub output: Box<dyn Read + Send>,
    /// What it complained of on standard error, once it has ended.
    pub complaints: Receiver<String>,
}

/// Something that came from agent number `agent`.
#[derive(Debug)]
pub struct Heard {
    pub agent: usize,
    /// When it came, since the coordinator began to listen.
    pub at: Duration,
    pub what: What,
    /// Its place in what waits of this agent; `None`: it takes none.
    _place: Option<QueuePlace>,
}

impl Heard {
    /// That an agent is not listened to any more.
    pub fn lost(agent: usize, at: Duration, why: String) -> Heard {
        Heard { agent, at, what: What::Lost(why), _place: None }
    }
}

#[derive(Debug)]
pub enum What {
    AgentEvent(AgentEvent),
    /// It is gone, and why. The last word of this agent.
    Lost(String),
}

/// The coordinator's end.
pub struct Link {
    orders: SyncSender<AgentCommand>,
    /// Shared with the thread that ends it when it is silent for too long.
    far: Arc<Mutex<Box<dyn Far>>>,
    /// When it was last heard, in milliseconds since `since`.
    heard: Arc<AtomicU64>,
    since: Instant,
}

impl Link {
    /// From now on all that agent `agent` says goes to `tell`.
    pub fn new(agent: usize, pipes: Pipes, since: Instant, tell: Sender<Heard>) -> Link {
        let Pipes { far, input, output, complaints } = pipes;
        let far = Arc::new(Mutex::new(far));
        let (orders, waiting) = sync_channel(ORDERS);
        let heard = Arc::new(AtomicU64::new(millis(since)));
        let speaker = Speaker { waiting, input, heard: heard.clone(), since, far: far.clone() };
        std::thread::spawn(move || speaker.speak());
        let listener = Listener { agent, output, complaints, heard: heard.clone(), since, tell, far: far.clone() };
        std::thread::spawn(move || listener.listen());
        Link { orders, far, heard, since }
    }

    /// False: it is gone, or takes nothing any more; that is told by [`What::Lost`].
    pub fn order(&self, order: AgentCommand) -> bool {
        self.orders.try_send(order).is_ok()
    }

    /// How long nothing has come from it, not even that it lives.
    pub fn silence(&self) -> Duration {
        Duration::from_millis(millis(self.since).saturating_sub(self.heard.load(Ordering::Relaxed)))
    }

    /// Ends it at once: it is not to be trusted.
    pub fn end(self) {
        end(&self.far);
    }

    /// Asks it to leave, and waits for that no longer than `timeout`.
    pub fn leave(self, timeout: Duration) {
        let _ = self.orders.try_send(AgentCommand::Leave);
        let deadline = Instant::now() + timeout;
        while Instant::now() < deadline {
            if lock(&self.far).ended().is_some() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        end(&self.far);
    }
}

fn millis(since: Instant) -> u64 {
    since.elapsed().as_millis() as u64
}

fn lock(far: &Mutex<Box<dyn Far>>) -> std::sync::MutexGuard<'_, Box<dyn Far>> {
    far.lock().unwrap_or_else(PoisonError::into_inner)
}

fn end(far: &Mutex<Box<dyn Far>>) {
    lock(far).end();
}

/// Writes commands, and a sign of life every second while there are none.
struct Speaker {
    waiting: Receiver<AgentCommand>,
    input: Box<dyn Write + Send>,
    heard: Arc<AtomicU64>,
    since: Instant,
    far: Arc<Mutex<Box<dyn Far>>>,
}

impl Speaker {
    fn speak(mut self) {
        loop {
            let order = match self.waiting.recv_timeout(BEAT) {
                Ok(order) => order,
                Err(RecvTimeoutError::Timeout) => AgentCommand::Beat,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let silent = millis(self.since).saturating_sub(self.heard.load(Ordering::Relaxed));
            if silent > DEAF.as_millis() as u64 {
                // Ends the pipe, and the listener says so.
                return end(&self.far);
            }
            if frame::write(&mut self.input, &order).is_err() {
                return;
            }
        }
    }
}

struct Listener {
    agent: usize,
    output: Box<dyn Read + Send>,
    complaints: Receiver<String>,
    heard: Arc<AtomicU64>,
    since: Instant,
    tell: Sender<Heard>,
    far: Arc<Mutex<Box<dyn Far>>>,
}

impl Listener {
    fn listen(mut self) {
        let mut stream = std::io::BufReader::with_capacity(
            64 << 10,
            std::mem::replace(&mut self.output, Box::new(std::io::empty())),
        );
        let (mut pace, queue) = (Pace::new(Instant::now()), Queue::default());
        let lost = loop {
            let read = frame::read_counted::<AgentEvent>(&mut stream, limits::longest).and_then(|(news, bytes)| {
                pace.another(Instant::now()).and_then(|()| limits::check(&news)).map_err(FrameError::Beyond)?;
                Ok((news, bytes))
            });
            match read {
                Ok((news, bytes)) => {
                    self.hear();
                    if matches!(news, AgentEvent::Beat) {
                        continue;
                    }
                    let at = self.since.elapsed();
                    let place = Some(queue.place(bytes + limits::more_than_its_bytes(&news), &|| self.hear()));
                    if self
                        .tell
                        .send(Heard { agent: self.agent, at, what: What::AgentEvent(news), _place: place })
                        .is_err()
                    {
                        return;
                    }
                }
                Err(error) => break error,
            }
        };
        if matches!(lost, FrameError::Beyond(_)) {
            end(&self.far);
        }
        let silent = millis(self.since).saturating_sub(self.heard.load(Ordering::Relaxed));
        let why = self.why(lost, silent);
        let at = self.since.elapsed();
        let _ = self.tell.send(Heard { agent: self.agent, at, what: What::Lost(why), _place: None });
    }

    fn hear(&self) {
        self.heard.store(millis(self.since), Ordering::Relaxed);
    }

    fn why(&self, error: FrameError, silent: u64) -> String {
        if matches!(error, FrameError::Beyond(_)) {
            return error.to_string();
        }
        if silent > DEAF.as_millis() as u64 {
            return format!("nothing was heard of it for {} s", DEAF.as_secs());
        }
        let complaint = self.complaints.recv_timeout(Duration::from_millis(500)).unwrap_or_default();
        let complaint = explain::sink(&complaint).pop().unwrap_or_default();
        let ended = lock(&self.far).ended().unwrap_or_default();
        match (complaint.is_empty(), ended.is_empty()) {
            (false, _) => format!("{error}: {complaint}"),
            (true, false) => format!("{error} ({ended})"),
            (true, true) => error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{OpClass, Sample, WindowSet};
    use std::os::unix::net::UnixStream;
    use std::sync::mpsc::channel;

    struct Nobody;

    impl Far for Nobody {
        fn ended(&mut self) -> Option<String> {
            None
        }
        fn end(&mut self) {}
    }

    /// What a coordinator hears of an agent that writes this, until it is lost.
    fn heard(write: impl FnOnce(&mut UnixStream) + Send + 'static) -> (usize, String) {
        let (mut agent, ours) = UnixStream::pair().unwrap();
        let (tell, news) = channel();
        let pipes = Pipes {
            far: Box::new(Nobody),
            input: Box::new(std::io::sink()),
            output: Box::new(ours),
            complaints: channel().1,
        };
        let link = Link::new(0, pipes, Instant::now(), tell);
        let writer = std::thread::spawn(move || write(&mut agent));
        let mut count = 0;
        let why = loop {
            match news.recv().unwrap().what {
                What::AgentEvent(_) => count += 1,
                What::Lost(why) => break why,
            }
        };
        drop((link, news));
        writer.join().unwrap();
        (count, why)
    }

    #[test]
    fn an_agent_that_floods_is_lost_and_what_waits_of_it_is_bounded() {
        let (count, why) = heard(|agent| {
            let news = AgentEvent::Filling { slice: 1, bytes: 1 };
            while frame::write(agent, &news).is_ok() {}
        });
        assert!(why.contains("messages a second") && count < 100_000, "{count}: {why}");
        let (_, why) = heard(|agent| while frame::write(agent, &AgentEvent::Beat).is_ok() {});
        assert!(why.contains("messages a second"), "{why}");
    }

    #[test]
    fn an_agent_whose_numbers_can_not_be_is_lost_with_the_reason() {
        let window = |sample: Sample| AgentEvent::Window {
            slice: 1,
            set: WindowSet { window: 0, samples: vec![(0, OpClass::Read, sample)] },
        };
        let latencies = |index: u32, count: u64| model::Sparse {
            buckets: [(index, 1)].into_iter().collect(),
            sum_ns: 1,
            count,
            max_ns: 1,
        };
        let sample = Sample::default;
        let second = |cpu| AgentEvent::Second {
            slice: 1,
            at: 1,
            second: Box::new(model::HostSecond { cpu, ..Default::default() }),
        };
        let described = |nic: model::Nic| AgentEvent::Description {
            facts: Box::new(model::HostFacts { nics: vec![nic], ..Default::default() }),
        };
        for (news, word) in [
            (window(Sample { ops: u64::MAX, ..sample() }), "operations"),
            (window(Sample { bytes: u64::MAX, ..sample() }), "bytes"),
            (window(Sample { span_ns: u64::MAX, ..sample() }), "ns of a sample"),
            (window(Sample { service: latencies(u32::MAX, 1), ..sample() }), "bucket"),
            (window(Sample { service: latencies(0, 7), ..sample() }), "a histogram of 1"),
            (second(f64::NAN), "rate of NaN"),
            (second(-1.0), "rate of -1"),
            (window(Sample { window: u32::MAX, ..sample() }), "of window 4294967295 in window 0"),
            (
                described(model::Nic { addresses: vec![String::new(); 2 << 20], ..Default::default() }),
                "too long for its kind",
            ),
            (AgentEvent::Clock { id: 1, now: u64::MAX, wall: 0 }, "clock"),
            (AgentEvent::Reached { error: Some("x".repeat(100_000)) }, "bytes of a text"),
        ] {
            let (count, why) = heard(move |agent| frame::write(agent, &news).unwrap());
            assert!(count == 0 && why.contains(word) && why.contains("broke a limit"), "{why}");
        }
        let (count, why) = heard(move |agent| frame::write(agent, &window(sample())).unwrap());
        assert_eq!((count, why.contains("closed")), (1, true), "{why}");
    }
}
