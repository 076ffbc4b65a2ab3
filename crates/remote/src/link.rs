//! A line to an agent that stands: orders go out, news come in, and both sides know within seconds when the other is gone.

use crate::explain;
use crate::frame::{self, FrameError};
use crate::message::{News, Order};
use std::io::{Read, Write};
use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Each side says that it lives at least this often.
pub const BEAT: Duration = Duration::from_secs(1);
/// Nothing heard for so long: the other side is gone.
pub const DEAF: Duration = Duration::from_secs(10);
/// Orders that wait for a slow line. Windows don't go this way, so few are ever on it.
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
}

#[derive(Debug)]
pub enum What {
    News(News),
    /// It is gone, and why. The last word of this agent.
    Lost(String),
}

/// The coordinator's end.
pub struct Link {
    orders: SyncSender<Order>,
    /// Shared with the thread that ends it when it is silent for too long.
    far: Arc<Mutex<Box<dyn Far>>>,
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
        let listener = Listener { agent, output, complaints, heard, since, tell, far: far.clone() };
        std::thread::spawn(move || listener.listen());
        Link { orders, far }
    }

    /// False: it is gone, or takes nothing any more; that is told by [`What::Lost`].
    pub fn order(&self, order: Order) -> bool {
        self.orders.try_send(order).is_ok()
    }

    /// Asks it to leave, and waits for that no longer than `patience`.
    pub fn leave(self, patience: Duration) {
        let _ = self.orders.try_send(Order::Leave);
        let deadline = Instant::now() + patience;
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

/// Writes orders, and beats while there are none.
struct Speaker {
    waiting: Receiver<Order>,
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
                Err(RecvTimeoutError::Timeout) => Order::Beat,
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
        let mut stream = std::io::BufReader::with_capacity(64 << 10, &mut self.output);
        let lost = loop {
            match frame::read::<News>(&mut stream) {
                Ok(news) => {
                    self.heard.store(millis(self.since), Ordering::Relaxed);
                    let heard = Heard { agent: self.agent, at: self.since.elapsed(), what: What::News(news) };
                    if !matches!(heard.what, What::News(News::Beat)) && self.tell.send(heard).is_err() {
                        return;
                    }
                }
                Err(error) => break error,
            }
        };
        let silent = millis(self.since).saturating_sub(self.heard.load(Ordering::Relaxed));
        let why = self.why(lost, silent);
        let _ = self.tell.send(Heard { agent: self.agent, at: self.since.elapsed(), what: What::Lost(why) });
    }

    fn why(&self, error: FrameError, silent: u64) -> String {
        if silent > DEAF.as_millis() as u64 {
            return format!("nothing was heard of it for {} s", DEAF.as_secs());
        }
        let complaint = self.complaints.recv_timeout(Duration::from_millis(500)).unwrap_or_default();
        let complaint = explain::telling(&complaint).pop().unwrap_or_default();
        let ended = lock(&self.far).ended().unwrap_or_default();
        match (complaint.is_empty(), ended.is_empty()) {
            (false, _) => format!("{error}: {complaint}"),
            (true, false) => format!("{error} ({ended})"),
            (true, true) => error.to_string(),
        }
    }
}
