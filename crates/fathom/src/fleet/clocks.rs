//! How far the agents' clocks are off ours: asked when they come, and again before they have drifted.

use super::Fleet;
use engines::clock::RealClock;
use model::{Clock, Nanos};
use remote::{Exchange, News, Order, What, offset};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The quickest of these tells the offset.
const EXCHANGES: u64 = 12;
/// Two clocks run apart by up to 50 µs a second, undisciplined; half a minute is then a sixtieth of a window.
const STALE: Duration = Duration::from_secs(30);
const ANSWER: Duration = Duration::from_secs(15);

impl Fleet {
    /// Before a common start: offsets that are good for it.
    pub(super) fn keep_clocks(&mut self) {
        if self.compared.elapsed() > STALE {
            // Who does not answer keeps the offset that it had; that it is lost is told where it is missed.
            self.compare_clocks();
        }
    }

    /// Those that did not answer, or whose clock makes no sense, and why.
    pub(super) fn compare_clocks(&mut self) -> Vec<(usize, String)> {
        let mut wrong = Vec::new();
        for agent in 0..self.members.len() {
            // Each by itself: a question that waits behind another one's answer would be slow for no reason of its own.
            if self.members[agent].link.is_some()
                && let Err(why) = self.compare_clock(agent)
            {
                wrong.push((agent, why));
            }
        }
        self.compared = Instant::now();
        wrong
    }

    fn compare_clock(&mut self, agent: usize) -> Result<(), String> {
        let (mut exchanges, mut days) = (Vec::new(), Vec::new());
        for id in 0..EXCHANGES {
            let (asked, asked_wall) = (RealClock.now(), wall());
            if !self.order(agent, Order::Ask { id }) {
                return Err("it is gone".to_string());
            }
            let (theirs, their_wall, lag) = self.clock_of(agent, id)?;
            let (answered, answered_wall) = (RealClock.now() - lag, wall().saturating_sub(lag));
            exchanges.push(Exchange { asked, theirs, answered });
            days.push(Exchange { asked: asked_wall, theirs: their_wall, answered: answered_wall });
        }
        let member = &mut self.members[agent];
        member.seen.clock = offset(&days);
        member.offset = offset(&exchanges).ok_or("its clock jumps, so that nothing can start together")?;
        Ok(())
    }

    /// What its clocks showed, and how long ago the answer came.
    fn clock_of(&mut self, agent: usize, question: u64) -> Result<(Nanos, Nanos, Nanos), String> {
        let deadline = Instant::now() + ANSWER;
        loop {
            let Some(heard) = self.next(deadline.saturating_duration_since(Instant::now())) else {
                return Err(format!("no answer within {} s", ANSWER.as_secs()));
            };
            match heard.what {
                What::News(News::Clock { id, now, wall }) if heard.agent == agent && id == question => {
                    let lag = self.since.elapsed().saturating_sub(heard.at);
                    return Ok((now, wall, lag.as_nanos() as Nanos));
                }
                What::Lost(why) if heard.agent == agent => return Err(why),
                _ => {}
            }
        }
    }
}

fn wall() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}
