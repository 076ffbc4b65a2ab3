//! How far the agents' clocks are off ours: asked when they come, and again before they have drifted.

use super::Fleet;
use crate::{AgentCommand, AgentEvent, Exchange, What, offset};
use engines::clock::RealClock;
use model::clock::SECOND;
use model::{Clock, Nanos};
use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Exchanges with each agent; the quickest of them give the offset.
const EXCHANGES: usize = 12;
/// Agents that are asked at the same time: more would wait for each other here; fewer would take seconds for a thousand.
const AT_ONCE: usize = 16;
/// Two clocks run apart by up to 50 µs a second, undisciplined; half a minute is then a sixtieth of a window.
const STALE: Duration = Duration::from_secs(30);
const ANSWER: Duration = Duration::from_secs(15);
/// An offset that is known no better than this starts a slice seconds late (and windows count as reported too early, see `merge`).
const VAGUE: Nanos = SECOND;

impl Fleet {
    /// Before a common start: offsets that are good for it.
    pub(super) fn keep_clocks(&mut self) {
        if self.compared.elapsed() > STALE {
            // An agent that does not answer keeps its old offset; that it is lost is reported where it is missed.
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

    /// Each at its own pace: waiting for the slowest host's answers would stretch the exchanges with a near host over seconds, in which
    /// clocks run apart.
    fn compare_some(&mut self, agents: &[usize]) -> Vec<(usize, String)> {
        let mut open: BTreeMap<usize, Exchanges> = agents.iter().map(|agent| (*agent, Exchanges::begin())).collect();
        open.iter_mut().for_each(|(agent, exchanges)| self.ask_clock(*agent, exchanges));
        let mut wrong = Vec::new();
        let mut deadline = Instant::now() + ANSWER;
        while !open.is_empty() {
            let Some(heard) = self.next(deadline.saturating_duration_since(Instant::now())) else { break };
            let agent = heard.agent;
            match heard.what {
                What::AgentEvent(AgentEvent::Clock { id, now, wall: day }) => {
                    let Some(exchanges) = open.get_mut(&agent).filter(|one| one.question == id) else { continue };
                    // When it came, not when its turn was to be looked at.
                    let lag = self.since.elapsed().saturating_sub(heard.at).as_nanos() as Nanos;
                    exchanges.answer((now, day), (RealClock.now() - lag, wall().saturating_sub(lag)));
                    deadline = Instant::now() + ANSWER;
                    if exchanges.own.len() < EXCHANGES && exchanges.begun.elapsed() < ANSWER {
                        self.ask_clock(agent, exchanges);
                    } else if let Some(all) = open.remove(&agent) {
                        wrong.extend(self.settle(agent, &all).map(|why| (agent, why)));
                    }
                }
                What::Lost(why) if open.remove(&agent).is_some() => wrong.push((agent, why)),
                _ => {}
            }
        }
        wrong.extend(open.into_keys().map(|agent| (agent, format!("no answer within {} s", ANSWER.as_secs()))));
        wrong
    }

    /// That it is gone is heard where its answer is waited for.
    fn ask_clock(&mut self, agent: usize, exchanges: &mut Exchanges) {
        self.questions += 1;
        exchanges.question = self.questions;
        exchanges.asked = Some((RealClock.now(), wall()));
        self.order(agent, AgentCommand::Ask { id: exchanges.question });
    }

    /// What its answers say; what is wrong with them.
    fn settle(&mut self, agent: usize, exchanges: &Exchanges) -> Option<String> {
        let member = &mut self.members[agent];
        member.seen.clock = offset(&exchanges.days);
        match offset(&exchanges.own) {
            Some(found) if found.error_ns > VAGUE => {
                let seconds = 2.0 * found.error_ns as f64 / SECOND as f64;
                Some(format!("it takes {seconds:.0} s to answer, so that nothing can start together"))
            }
            Some(found) => {
                member.offset = found;
                None
            }
            None => Some("its clock jumps, so that nothing can start together".to_string()),
        }
    }
}

/// Questions to one agent, of the clock that only moves forwards and of the time of day.
struct Exchanges {
    begun: Instant,
    /// The number of the last one: an answer to one of an earlier comparison may still come.
    question: u64,
    asked: Option<(Nanos, Nanos)>,
    own: Vec<Exchange>,
    days: Vec<Exchange>,
}

impl Exchanges {
    fn begin() -> Exchanges {
        Exchanges { begun: Instant::now(), question: 0, asked: None, own: Vec::new(), days: Vec::new() }
    }

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
