//! Reaches all hosts side by side, and learns what each is made of and what its clock shows.

use super::{Fleet, Member};
use engines::clock::RealClock;
use model::{Clock, HostFacts, HostSeen, HostSilent, Nanos};
use remote::{DialError, Dialled, Exchange, Link, News, Order, Program, Transport, dial, offset};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// So many logins at once: more would trip over sshd's MaxStartups on a jump host.
const LOGINS: usize = 8;
/// The quickest of these tells the offset.
const EXCHANGES: u64 = 12;
const ANSWER: Duration = Duration::from_secs(15);

/// `tell` is told of each host as it answers.
pub fn muster(
    hosts: &[(String, Transport)],
    program: &Program,
    tell: &(dyn Fn(&str) + Sync),
) -> (Fleet, Vec<HostSilent>) {
    let dialled = dial_all(hosts, program, tell);
    let since = Instant::now();
    let (speaker, news) = channel();
    let (mut members, mut silent) = (Vec::new(), Vec::new());
    for ((name, transport), dialled) in hosts.iter().zip(dialled) {
        match dialled {
            Ok(Dialled { pipes, sent }) => {
                let link = Some(Link::new(members.len(), pipes, since, speaker.clone()));
                let (name, via) = (name.clone(), transport.program().to_string());
                let seen = HostSeen { name, via, agent_sent: sent, clock: None, facts: HostFacts::default() };
                members.push(Member { seen, offset: None, link });
            }
            Err(error) => silent.push(HostSilent { name: name.clone(), why: error.what }),
        }
    }
    let mut fleet = Fleet { members, news, since };
    for (agent, why) in [describe(&mut fleet), compare_clocks(&mut fleet)].concat() {
        fleet.members[agent].link = None;
        silent.push(HostSilent { name: fleet.members[agent].seen.name.clone(), why });
    }
    (fleet, silent)
}

fn dial_all(
    hosts: &[(String, Transport)],
    program: &Program,
    tell: &(dyn Fn(&str) + Sync),
) -> Vec<Result<Dialled, DialError>> {
    side_by_side(hosts, &|name, transport| {
        let answer = dial(transport, program);
        tell(&match &answer {
            Ok(dialled) if dialled.sent => format!("{name}: the agent was sent"),
            Ok(_) => format!("{name}: answers"),
            Err(error) => format!("{name}: {}", error.what),
        });
        answer
    })
}

/// Removes what was ever sent to the hosts: by host, the folders that are gone.
pub fn clean(hosts: &[(String, Transport)]) -> Vec<(String, Result<Vec<String>, DialError>)> {
    let cleaned = side_by_side(hosts, &|_, transport| remote::clean(transport));
    hosts.iter().map(|(name, _)| name.clone()).zip(cleaned).collect()
}

/// The work for each host, a few at a time; what came of it in the order of the hosts.
fn side_by_side<T: Send>(hosts: &[(String, Transport)], work: &(dyn Fn(&str, &Transport) -> T + Sync)) -> Vec<T> {
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..LOGINS.min(hosts.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((name, transport)) = hosts.get(index) else { return };
                    let answer = work(name, transport);
                    answers.lock().unwrap_or_else(PoisonError::into_inner).push((index, answer));
                }
            });
        }
    });
    let mut answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

fn describe(fleet: &mut Fleet) -> Vec<(usize, String)> {
    fleet.ask(&|| Order::Describe, ANSWER, &mut |member, news, _| match news {
        News::Description { facts } => {
            member.seen.facts = *facts;
            true
        }
        _ => false,
    })
}

/// Each agent by itself: a question that waits behind another one's answer would be slow for no reason of its own.
fn compare_clocks(fleet: &mut Fleet) -> Vec<(usize, String)> {
    let mut lost = Vec::new();
    for agent in 0..fleet.members.len() {
        let (mut exchanges, mut days) = (Vec::new(), Vec::new());
        for id in 0..EXCHANGES {
            let (asked, asked_wall) = (RealClock.now(), wall());
            if !fleet.order(agent, Order::Ask { id }) {
                break;
            }
            match answer(fleet, agent, id) {
                Ok((theirs, their_wall, lag)) => {
                    let (answered, answered_wall) = (RealClock.now() - lag, wall().saturating_sub(lag));
                    exchanges.push(Exchange { asked, theirs, answered });
                    days.push(Exchange { asked: asked_wall, theirs: their_wall, answered: answered_wall });
                }
                Err(why) => {
                    lost.push((agent, why));
                    break;
                }
            }
        }
        fleet.members[agent].offset = offset(&exchanges);
        fleet.members[agent].seen.clock = offset(&days);
    }
    lost
}

/// What its clocks showed, and how long ago the answer came.
fn answer(fleet: &mut Fleet, agent: usize, question: u64) -> Result<(Nanos, Nanos, Nanos), String> {
    let deadline = Instant::now() + ANSWER;
    loop {
        let Some(heard) = fleet.next(deadline.saturating_duration_since(Instant::now())) else {
            return Err(format!("no answer within {} s", ANSWER.as_secs()));
        };
        match heard.what {
            remote::What::News(News::Clock { id, now, wall }) if heard.agent == agent && id == question => {
                let lag = fleet.since.elapsed().saturating_sub(heard.at);
                return Ok((now, wall, lag.as_nanos() as u64));
            }
            remote::What::Lost(why) if heard.agent == agent => return Err(why),
            _ => {}
        }
    }
}

fn wall() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}
