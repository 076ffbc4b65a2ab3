//! Paths of other hosts: what they are, and files that their agents make there.

use super::Fleet;
use model::{Found, HostFile, NotFree, SiteWish};
use remote::{News, Order, What};
use std::time::{Duration, Instant};

/// A disk that sleeps wakes up within this.
const ANSWER: Duration = Duration::from_secs(30);

impl Fleet {
    /// What the path is on that host, and whether it may be loaded.
    pub fn look(&mut self, host: &str, wish: &SiteWish) -> Result<Found, NotFree> {
        const ID: u32 = 0;
        let order = Order::Look { id: ID, wish: wish.clone() };
        let found = self.ask_one(host, order, |news| match news {
            News::Looked { id: ID, found } => Some(found),
            _ => None,
        });
        found.unwrap_or_else(|says| Err(NotFree { says, holds: false }))
    }

    /// # Errors
    /// There is no room, or the host is gone.
    pub fn make(&mut self, file: &HostFile) -> Result<(), String> {
        let made = self.ask_one(&file.host, Order::Make { file: file.clone() }, |news| match news {
            News::Made { error } => Some(error),
            _ => None,
        })?;
        made.map_or(Ok(()), Err)
    }

    /// Asks one agent, and waits for its answer.
    pub(super) fn ask_one<T>(
        &mut self,
        host: &str,
        order: Order,
        answer: impl Fn(News) -> Option<T>,
    ) -> Result<T, String> {
        let gone = || "its agent is gone".to_string();
        let agent = self.agent_of(host).ok_or_else(gone)?;
        if !self.order(agent, order) {
            return Err(gone());
        }
        let deadline = Instant::now() + ANSWER;
        loop {
            let Some(heard) = self.next(deadline.saturating_duration_since(Instant::now())) else {
                return Err(format!("no answer within {} s", ANSWER.as_secs()));
            };
            match heard.what {
                What::Lost(why) if heard.agent == agent => return Err(why),
                What::News(news) if heard.agent == agent => {
                    if let Some(found) = answer(news) {
                        return Ok(found);
                    }
                }
                _ => {}
            }
        }
    }
}
