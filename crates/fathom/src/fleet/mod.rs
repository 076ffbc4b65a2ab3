//! All agents of a run, as one: reached side by side, listened to on one channel, ended together.

mod muster;
mod sources;

pub use muster::{clean, muster};
pub use sources::{Wanted, wanted};

use model::HostSeen;
use remote::{Heard, Link, News, Order, What};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// An agent that answered.
struct Member {
    seen: HostSeen,
    /// `None`: it is gone.
    link: Option<Link>,
}

pub struct Fleet {
    members: Vec<Member>,
    news: Receiver<Heard>,
    since: Instant,
}

/// How long an agent may take to end what it does and go.
const FAREWELL: Duration = Duration::from_secs(5);

impl Fleet {
    /// The hosts whose agents live.
    pub fn here(&self) -> impl Iterator<Item = &HostSeen> {
        self.members.iter().filter(|member| member.link.is_some()).map(|member| &member.seen)
    }

    /// False: it is gone.
    fn order(&self, agent: usize, order: Order) -> bool {
        self.members[agent].link.as_ref().is_some_and(|link| link.order(order))
    }

    /// The next word of any agent, within `patience`. `None`: all were silent.
    fn next(&mut self, patience: Duration) -> Option<Heard> {
        let heard = match self.news.recv_timeout(patience) {
            Ok(heard) => heard,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
        };
        if let What::Lost(_) = &heard.what {
            self.members[heard.agent].link = None;
        }
        Some(heard)
    }

    /// Every agent that lives is asked once, and answers are taken until all have come or `patience` is over. Whoever is lost
    /// meanwhile is told with the reason.
    fn ask(
        &mut self,
        order: &dyn Fn() -> Order,
        patience: Duration,
        take: &mut dyn FnMut(&mut Member, News, Duration) -> bool,
    ) -> Vec<(usize, String)> {
        let mut lost = Vec::new();
        let asked = 0..self.members.len();
        let mut open: Vec<usize> = asked.filter(|agent| self.order(*agent, order())).collect();
        let deadline = Instant::now() + patience;
        while !open.is_empty() {
            let Some(heard) = self.next(deadline.saturating_duration_since(Instant::now())) else { break };
            match heard.what {
                What::Lost(why) => {
                    open.retain(|agent| *agent != heard.agent);
                    lost.push((heard.agent, why));
                }
                What::News(news) => {
                    if take(&mut self.members[heard.agent], news, heard.at) {
                        open.retain(|agent| *agent != heard.agent);
                    }
                }
            }
        }
        lost.extend(open.into_iter().map(|agent| (agent, format!("no answer within {} s", patience.as_secs()))));
        lost
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        let links: Vec<Link> = self.members.iter_mut().filter_map(|member| member.link.take()).collect();
        std::thread::scope(|scope| {
            for link in links {
                scope.spawn(move || link.leave(FAREWELL));
            }
        });
    }
}
