//! What runs on another host: does what the coordinator says over standard streams, and ends when nobody speaks any more.

use crate::failure::Failure;
use remote::frame::{self, FrameError, MAGIC};
use remote::link::{BEAT, DEAF};
use remote::{News, Order};
use std::io::{Stdin, Stdout, Write, stdin, stdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// News that wait for a slow line: more would be memory without end.
const NEWS: usize = 1024;

/// The whole life of an agent. Its exit code says nothing to anybody but a person: 0 in order, 1 if the line broke.
///
/// # Errors
/// Its own program can't be read, or nobody takes its first word.
pub fn serve() -> Result<u8, Failure> {
    let build = remote::build::id(std::path::Path::new(remote::build::OWN))?;
    let mut output = stdout();
    output.write_all(MAGIC)?;
    let (tell, waiting) = sync_channel(NEWS);
    let (heard, orders) = sync_channel(1);
    std::thread::spawn(move || speak(output, &waiting));
    std::thread::spawn(move || listen(stdin(), &heard));
    let _ = tell.send(News::Hello { build, pid: std::process::id() });
    Ok(u8::from(!obey(&orders, &tell)))
}

/// True: it was asked to leave.
fn obey(orders: &Receiver<Result<Order, FrameError>>, tell: &SyncSender<News>) -> bool {
    let mut heard = Instant::now();
    loop {
        match orders.recv_timeout(BEAT) {
            Ok(Ok(Order::Leave)) => return true,
            Ok(Ok(order)) => {
                heard = Instant::now();
                if let Some(news) = answer(order)
                    && tell.send(news).is_err()
                {
                    return false;
                }
            }
            Ok(Err(error)) => {
                eprintln!("fathom agent: {error}");
                return false;
            }
            Err(RecvTimeoutError::Timeout) if heard.elapsed() > DEAF => {
                eprintln!("fathom agent: nothing was heard for {} s", DEAF.as_secs());
                return false;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}

fn answer(order: Order) -> Option<News> {
    match order {
        Order::Ask { id } => {
            let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Some(News::Clock { id, wall: wall.as_nanos() as u64 })
        }
        Order::Describe => Some(News::Description { facts: Box::new(cluster::here::facts()) }),
        Order::Beat | Order::Leave => None,
    }
}

fn listen(mut input: Stdin, heard: &SyncSender<Result<Order, FrameError>>) {
    loop {
        let order = frame::read(&mut input);
        let last = order.is_err();
        if heard.send(order).is_err() || last {
            return;
        }
    }
}

/// Writes news, and beats while there are none.
fn speak(mut output: Stdout, waiting: &Receiver<News>) {
    loop {
        let news = match waiting.recv_timeout(BEAT) {
            Ok(news) => news,
            Err(RecvTimeoutError::Timeout) => News::Beat,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if frame::write(&mut output, &news).is_err() {
            return;
        }
    }
}
