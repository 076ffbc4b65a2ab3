//! Reaches all hosts side by side, and learns what each is made of and what its clock shows.

use super::{Fleet, Member};
use crate::{AgentCommand, AgentEvent, DialError, Dialled, Heard, Link, Program, Transport, dial};
use model::{Failure, HostFacts, HostSeen, HostSilent, Offset};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Logins at the same time: more would exceed sshd's MaxStartups on a jump host.
const LOGINS: usize = 8;
const ANSWER: Duration = Duration::from_secs(15);

/// Calls `tell` for each host as it answers. From then on the host gets messages, since an agent that hears nothing for long ends,
/// however many hosts are still to be reached.
pub fn connect_all(
    hosts: &[(String, Transport)],
    programs: &[Program],
    tell: &(dyn Fn(&str) + Sync),
) -> (Fleet, Vec<HostSilent>) {
    let (since, (speaker, news)) = (Instant::now(), channel());
    let answers = side_by_side(hosts, &|agent, name, transport| {
        let answer = dial(transport, programs);
        tell(&match &answer {
            Ok(dialled) if dialled.sent => format!("{name}: the agent was sent"),
            Ok(_) => format!("{name}: answers"),
            // Why is told with the outcome.
            Err(_) => format!("{name}: does not answer"),
        });
        answer.map(|dialled| (dialled.sent, Link::new(agent, dialled.pipes, since, speaker.clone())))
    });
    let (mut members, mut silent) = (Vec::new(), Vec::new());
    for ((name, transport), answer) in hosts.iter().zip(answers) {
        let (sent, link) = match answer {
            Ok((sent, link)) => (sent, Some(link)),
            Err(error) => {
                silent.push(HostSilent { name: name.clone(), why: error.what });
                (false, None)
            }
        };
        members.push(Member::new(name.clone(), transport.program().to_string(), sent, link));
    }
    let (fleet, more) = Fleet::of(members, since, news).learn();
    silent.extend(more);
    (fleet, silent)
}

/// # Errors
/// Some of the hosts that are needed are silent: which, and why.
pub fn refuse_silent(silent: &[HostSilent]) -> Result<(), Failure> {
    let told: Vec<String> = silent.iter().map(|host| format!("{} does not answer: {}", host.name, host.why)).collect();
    if told.is_empty() { Ok(()) } else { Err(Failure::Failed(told.join("; "))) }
}

/// An agent that said its first word.
pub struct Answered {
    pub name: String,
    pub via: String,
    pub dialled: Dialled,
}

impl Member {
    pub(super) fn new(name: String, via: String, agent_sent: bool, link: Option<Link>) -> Member {
        let seen = HostSeen { name, via, agent_sent, clock: None, facts: HostFacts::default() };
        Member { seen, offset: Offset::default(), link, late: 0, lost: None, role: Default::default() }
    }
}

impl Fleet {
    /// Listens to them all from now on, and learns what each is made of. Those that did not answer that are left out.
    pub fn gather(answered: Vec<Answered>) -> (Fleet, Vec<HostSilent>) {
        let (since, (speaker, news)) = (Instant::now(), channel());
        let member = |(agent, one): (usize, Answered)| {
            let link = Link::new(agent, one.dialled.pipes, since, speaker.clone());
            Member::new(one.name, one.via, one.dialled.sent, Some(link))
        };
        let members = answered.into_iter().enumerate().map(member).collect();
        Fleet::of(members, since, news).learn()
    }

    /// `since`: when listening began.
    pub(super) fn of(members: Vec<Member>, since: Instant, news: Receiver<Heard>) -> Fleet {
        Fleet {
            members,
            news,
            since,
            compared: since,
            slices: 0,
            questions: 0,
            came: Vec::new(),
            seconds: (BTreeMap::new(), since),
            unseen: Vec::new(),
        }
    }

    fn learn(mut self) -> (Fleet, Vec<HostSilent>) {
        let mut silent = Vec::new();
        for ask in [describe, Fleet::compare_clocks] {
            for (agent, why) in ask(&mut self) {
                self.members[agent].link = None;
                silent.push(HostSilent { name: self.members[agent].seen.name.clone(), why });
            }
        }
        (self, silent)
    }
}

/// Removes what was ever sent to the hosts: by host, the folders that are gone.
pub fn clean(hosts: &[(String, Transport)]) -> Vec<(String, Result<Vec<String>, DialError>)> {
    let cleaned = side_by_side(hosts, &|_, _, transport| crate::clean(transport));
    hosts.iter().map(|(name, _)| name.clone()).zip(cleaned).collect()
}

/// The work for each host, by its place in the list, a few at a time; what came of it in the order of the hosts.
fn side_by_side<T: Send>(
    hosts: &[(String, Transport)],
    work: &(dyn Fn(usize, &str, &Transport) -> T + Sync),
) -> Vec<T> {
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..LOGINS.min(hosts.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((name, transport)) = hosts.get(index) else { return };
                    let answer = work(index, name, transport);
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
    fleet.ask(&|_| true, &|| AgentCommand::Describe, ANSWER, &mut |member, news, _| match news {
        AgentEvent::Description { facts } => {
            member.seen.facts = *facts;
            true
        }
        _ => false,
    })
}
