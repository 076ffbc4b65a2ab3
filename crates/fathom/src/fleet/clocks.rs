//! How far the agents' clocks are off ours: asked when they come, and again before they have drifted.

use super::Fleet;
use engines::clock::RealClock;
use model::{Clock, Nanos};
use remote::{Exchange, News, Order, What, offset};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The quickest of these tells the offset.
const EXCHANGES: u64 = 12;
/// So many are asked side by side: more would wait for each other here, and fewer would take seconds for a thousand.
const AT_ONCE: usize = 16;
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
        let agents: Vec<usize> = (0..self.members.len()).filter(|agent| self.members[*agent].link.is_some()).collect();
        let wrong = agents.chunks(AT_ONCE).flat_map(|some| self.compare_some(some)).collect();
        self.compared = Instant::now();
        wrong
    }

    fn compare_some(&mut self, agents: &[usize]) -> Vec<(usize, String)> {
        let mut open: BTreeMap<usize, Exchanges> = agents.iter().map(|agent| (*agent, Exchanges::default())).collect();
        let mut wrong = Vec::new();
        for id in 0..EXCHANGES {
            for (agent, exchanges) in &mut open {
                exchanges.asked = Some((RealClock.now(), wall()));
                self.order(*agent, Order::Ask { id });
            }
            for (agent, why) in self.hear_clocks(id, &mut open) {
                open.remove(&agent);
                wrong.push((agent, why));
            }
        }
        for (agent, exchanges) in open {
            let member = &mut self.members[agent];
            member.seen.clock = offset(&exchanges.days);
            match offset(&exchanges.own) {
                Some(found) => member.offset = found,
                None => wrong.push((agent, "its clock jumps, so that nothing can start together".to_string())),
            }
        }
        wrong
    }

    /// One answer of each; who gives none, and why.
    fn hear_clocks(&mut self, question: u64, open: &mut BTreeMap<usize, Exchanges>) -> Vec<(usize, String)> {
        let deadline = Instant::now() + ANSWER;
        let mut wrong = Vec::new();
        let mut waited: BTreeSet<usize> = open.keys().copied().collect();
        while !waited.is_empty() {
            let Some(heard) = self.next(deadline.saturating_duration_since(Instant::now())) else { break };
            match heard.what {
                What::News(News::Clock { id, now, wall: day }) if id == question && waited.remove(&heard.agent) => {
                    // When it came, not when its turn was to be looked at.
                    let lag = self.since.elapsed().saturating_sub(heard.at).as_nanos() as Nanos;
                    let answered = (RealClock.now() - lag, wall().saturating_sub(lag));
                    if let Some(exchanges) = open.get_mut(&heard.agent) {
                        exchanges.answer((now, day), answered);
                    }
                }
                What::Lost(why) if waited.remove(&heard.agent) => wrong.push((heard.agent, why)),
                _ => {}
            }
        }
        wrong.extend(waited.into_iter().map(|agent| (agent, format!("no answer within {} s", ANSWER.as_secs()))));
        wrong
    }
}

/// Questions to one agent, of the clock that only moves forwards and of the time of day.
#[derive(Default)]
struct Exchanges {
    asked: Option<(Nanos, Nanos)>,
    own: Vec<Exchange>,
    days: Vec<Exchange>,
}

impl Exchanges {
    fn answer(&mut self, theirs: (Nanos, Nanos), answered: (Nanos, Nanos)) {
        if let Some(asked) = self.asked.take() {
            self.own.push(Exchange { asked: asked.0, theirs: theirs.0, answered: answered.0 });
            self.days.push(Exchange { asked: asked.1, theirs: theirs.1, answered: answered.1 });
        }
    }
}

fn wall() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}
