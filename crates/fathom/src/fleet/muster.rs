//! Reaches all hosts side by side, and learns what each is made of and what its clock shows.

use super::{Fleet, Member};
use model::{HostFacts, HostSeen, HostSilent, Offset};
use remote::{DialError, Dialled, Link, News, Order, Program, Transport, dial};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So many logins at once: more would trip over sshd's MaxStartups on a jump host.
const LOGINS: usize = 8;
const ANSWER: Duration = Duration::from_secs(15);

/// `tell` is told of each host as it answers.
pub fn muster(
    hosts: &[(String, Transport)],
    program: &Program,
    tell: &(dyn Fn(&str) + Sync),
) -> (Fleet, Vec<HostSilent>) {
    let (mut answered, mut silent) = (Vec::new(), Vec::new());
    for ((name, transport), dialled) in hosts.iter().zip(dial_all(hosts, program, tell)) {
        let (name, via) = (name.clone(), transport.program().to_string());
        match dialled {
            Ok(dialled) => answered.push(Answered { name, via, dialled }),
            Err(error) => silent.push(HostSilent { name, why: error.what }),
        }
    }
    let (fleet, more) = Fleet::gather(answered);
    silent.extend(more);
    (fleet, silent)
}

/// An agent that said its first word.
pub struct Answered {
    pub name: String,
    pub via: String,
    pub dialled: Dialled,
}

impl Fleet {
    /// Listens to them all from now on, and learns what each is made of. Those that did not answer that are left out.
    pub fn gather(answered: Vec<Answered>) -> (Fleet, Vec<HostSilent>) {
        let since = Instant::now();
        let (speaker, news) = channel();
        let (mut members, mut silent) = (Vec::new(), Vec::new());
        for Answered { name, via, dialled } in answered {
            let link = Some(Link::new(members.len(), dialled.pipes, since, speaker.clone()));
            let seen = HostSeen { name, via, agent_sent: dialled.sent, clock: None, facts: HostFacts::default() };
            members.push(Member { seen, offset: Offset::default(), link, role: Default::default() });
        }
        let mut fleet = Fleet { members, news, since, compared: since, slices: 0, questions: 0, came: Vec::new() };
        for (agent, why) in [describe(&mut fleet), fleet.compare_clocks()].concat() {
            fleet.members[agent].link = None;
            silent.push(HostSilent { name: fleet.members[agent].seen.name.clone(), why });
        }
        (fleet, silent)
    }
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
    fleet.ask(&|_| true, &|| Order::Describe, ANSWER, &mut |member, news, _| match news {
        News::Description { facts } => {
            member.seen.facts = *facts;
            true
        }
        _ => false,
    })
}
