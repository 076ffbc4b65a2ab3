//! All agents of a run, as one: reached side by side, listened to on one channel, ended together.

mod clocks;
mod connect_all;
mod fill;
mod host_options;
mod kube;
mod loader;
mod merge;
mod orch;
mod path_mtus;
mod replica_servers;
mod restarts;
mod services;
mod setups;
mod sites;
mod sources;
mod verified;
mod watching;

pub use connect_all::{Answered, clean, connect_all, refuse_silent};
pub use fill::Filled;
pub use host_options::HostOptions;
pub use loader::HostsLoader;
pub use sources::{Wanted, running_lab, wanted};

use crate::{AgentAccess, AgentAnswer, AgentCommand, AgentEvent, Heard, Link, Question, What};
use model::{HostBond, HostChange, HostSeen, Nanos, Nic, Offset};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// A host that was to be reached.
struct Member {
    seen: HostSeen,
    /// Offset of the monotonic clock: theirs minus ours.
    offset: Offset,
    /// `None`: its agent did not answer, or is gone.
    link: Option<Link>,
    /// How many slices in a row it did not open.
    late: u32,
    /// Why its agent, that once answered, is gone.
    lost: Option<String>,
    role: watching::Role,
}

pub struct Fleet {
    members: Vec<Member>,
    news: Receiver<Heard>,
    since: Instant,
    /// When the clocks were last compared.
    compared: Instant,
    /// The number of the last slice: what an agent still says of an earlier one is known by it.
    slices: u64,
    /// And of the last question.
    questions: u64,
    /// What the hosts' kernels told of the slice that goes on.
    came: Vec<watching::Came>,
    /// How many of each agent, since when.
    seconds: (BTreeMap<usize, u64>, Instant),
    /// What agents could not look at, with their hosts.
    unseen: Vec<String>,
}

/// How long reaching a cluster may take: a connection to it gives up after 10 s by itself.
const REACHING: Duration = Duration::from_secs(30);
/// How long an answer may take: a sleeping disk wakes up within this.
const ANSWER: Duration = Duration::from_secs(30);
/// How long proving that a disk is empty may take: half a minute for a hard disk, and several times that beside other load.
const PROOF: Duration = Duration::from_secs(300);
/// How long changing a setting may take: a drive empties its cache, by a flush and then by itself, before that is off, a minute each.
const SET: Duration = Duration::from_secs(180);
/// How long undoing may take: many files are deleted one by one, and an agent that does not get on says so by itself.
const UNDONE: Duration = Duration::from_secs(30 * 60);
/// How long an agent may take to end what it does and go.
const FAREWELL: Duration = Duration::from_secs(5);

fn timeout_of(question: &Question) -> Duration {
    match question {
        Question::Look { .. } => PROOF,
        Question::Restore | Question::Undo(HostChange::Folder { .. }) => UNDONE,
        Question::Make { change: HostChange::Setting { .. }, .. } | Question::Undo(HostChange::Setting { .. }) => SET,
        _ => ANSWER,
    }
}

impl Fleet {
    /// The hosts whose agents live.
    pub fn here(&self) -> impl Iterator<Item = &HostSeen> {
        self.members.iter().filter(|member| member.link.is_some()).map(|member| &member.seen)
    }

    /// Interfaces of these hosts that share their traffic as one.
    pub fn bonds(&self) -> Vec<HostBond> {
        let of = |seen: &HostSeen| {
            let own = |nic: &Nic| {
                let (host, addresses) = (seen.name.clone(), nic.addresses.clone());
                Some(HostBond { host, nic: nic.name.clone(), addresses, bond: nic.bond.clone()? })
            };
            seen.facts.nics.iter().filter_map(own).collect::<Vec<_>>()
        };
        self.here().flat_map(of).collect()
    }

    /// What could not be looked at on the hosts, in words.
    pub fn unseen(&self) -> &[String] {
        &self.unseen
    }

    /// The agent on this host, if it lives.
    fn agent_of(&self, host: &str) -> Option<usize> {
        self.members.iter().position(|member| member.seen.name == host && member.link.is_some())
    }

    /// In words, that it does not answer any more, and why, if it was heard.
    fn silence_of(&self, host: &str) -> String {
        let lost = self.members.iter().find(|member| member.seen.name == host).and_then(|member| member.lost.as_ref());
        let why = lost.map_or(String::new(), |why| format!(": {why}"));
        format!("{host} does not answer any more{why}")
    }

    fn next_slice(&mut self) -> u64 {
        self.slices += 1;
        self.slices
    }

    fn name(&self, agent: usize) -> &str {
        &self.members[agent].seen.name
    }

    /// What the agent's clock shows when ours shows this.
    fn theirs(&self, agent: usize, ours: Nanos) -> Nanos {
        ours.saturating_add_signed(self.members[agent].offset.ns)
    }

    /// What our clock showed when the agent's showed this.
    fn ours(&self, agent: usize, theirs: Nanos) -> Nanos {
        theirs.saturating_add_signed(self.members[agent].offset.ns.saturating_neg())
    }

    /// The longest way to an agent, there and back.
    fn way_ns(&self) -> Nanos {
        self.members.iter().map(|member| 2 * member.offset.error_ns).max().unwrap_or(0)
    }

    /// All agents that are to load it do so from now on. Those that can't reach it, and why.
    pub fn reach(&mut self, access: &AgentAccess) -> Vec<(String, String)> {
        let mut wrong = Vec::new();
        let order = || AgentCommand::Reach { access: Box::new(access.clone()) };
        let lost = self.ask(&|member| !member.role.spared, &order, REACHING, &mut |member, news, _| {
            let AgentEvent::Reached { error } = news else { return false };
            wrong.extend(error.map(|error| (member.seen.name.clone(), error)));
            true
        });
        wrong.extend(lost.into_iter().map(|(agent, why)| (self.name(agent).to_string(), why)));
        wrong
    }

    /// Its agent said what can't be: it is ended, and nothing of it is heard any more. The reason, in words.
    fn distrust(&mut self, agent: usize, why: &str) -> String {
        let why = format!("it broke a limit: {why}");
        if let Some(link) = self.members[agent].link.take() {
            link.end();
            self.members[agent].lost = Some(why.clone());
        }
        why
    }

    /// How long nothing has come from an agent, not even that it lives.
    fn silence(&self, agent: usize) -> Nanos {
        self.members[agent].link.as_ref().map_or(Nanos::MAX, |link| link.silence().as_nanos() as Nanos)
    }

    /// It did not open a slice in time. Twice in a row: its agent lives, but what it loads does not let go of it.
    fn late(&mut self, agent: usize, why: &str) {
        self.members[agent].late += 1;
        if self.members[agent].late >= 2
            && let Some(link) = self.members[agent].link.take()
        {
            link.end();
            self.members[agent].lost = Some(format!("twice it {why}"));
        }
    }

    /// False: it is gone.
    fn order(&self, agent: usize, order: AgentCommand) -> bool {
        self.members[agent].link.as_ref().is_some_and(|link| link.order(order))
    }

    /// The next word of any agent, within `timeout`. `None`: all were silent. What their kernels tell is put aside.
    fn next(&mut self, timeout: Duration) -> Option<Heard> {
        let deadline = Instant::now() + timeout;
        loop {
            let heard = match self.news.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(heard) => heard,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            };
            if self.members[heard.agent].link.is_none() {
                // What is still said of one that is not listened to any more.
                continue;
            }
            match heard.what {
                What::AgentEvent(AgentEvent::Second { slice, at, second }) => {
                    if let Err(why) = self.one_more_second(heard.agent) {
                        let why = self.distrust(heard.agent, &why);
                        return Some(Heard::lost(heard.agent, heard.at, why));
                    }
                    let at = self.ours(heard.agent, at);
                    self.came.push(watching::Came { agent: heard.agent, slice, at, second: *second });
                }
                What::Lost(ref why) => {
                    self.members[heard.agent].link = None;
                    self.members[heard.agent].lost = Some(why.clone());
                    return Some(heard);
                }
                What::AgentEvent(_) => return Some(heard),
            }
        }
    }

    /// How long ago that came.
    fn since(&self, heard: &Heard) -> Duration {
        self.since.elapsed().saturating_sub(heard.at)
    }

    /// Asks one agent, and waits for its answer to this very question.
    fn question(&mut self, host: &str, question: Question) -> Result<AgentAnswer, String> {
        self.questions += 1;
        let (id, mut answered) = (self.questions, None);
        let timeout = timeout_of(&question);
        let order = || AgentCommand::Question { id, question: question.clone() };
        let lost = self.ask(&|member| member.seen.name == host, &order, timeout, &mut |_, news, _| match news {
            AgentEvent::Answer { id: of, answer } if of == id => answered.replace(answer).is_none(),
            _ => false,
        });
        let own = lost.into_iter().find(|(agent, _)| self.name(*agent) == host);
        answered.ok_or_else(|| own.map_or("its agent is gone".to_string(), |(_, why)| why))
    }

    /// Every agent that lives, of those that are meant, is asked once, and answers are taken until all have come or `timeout` is
    /// over. Whoever is lost meanwhile is told with the reason.
    fn ask(
        &mut self,
        meant: &dyn Fn(&Member) -> bool,
        order: &dyn Fn() -> AgentCommand,
        timeout: Duration,
        take: &mut dyn FnMut(&mut Member, AgentEvent, Duration) -> bool,
    ) -> Vec<(usize, String)> {
        let mut lost = Vec::new();
        let lives = |member: &Member| member.link.is_some();
        let asked = (0..).zip(&self.members).filter(|(_, member)| lives(member) && meant(member));
        let mut open: Vec<usize> = asked.map(|(agent, _)| agent).collect();
        for agent in &open {
            // That one is gone is heard below.
            self.order(*agent, order());
        }
        let deadline = Instant::now() + timeout;
        while !open.is_empty() {
            let Some(heard) = self.next(deadline.saturating_duration_since(Instant::now())) else { break };
            match heard.what {
                What::Lost(why) => {
                    open.retain(|agent| *agent != heard.agent);
                    lost.push((heard.agent, why));
                }
                What::AgentEvent(news) => {
                    if take(&mut self.members[heard.agent], news, heard.at) {
                        open.retain(|agent| *agent != heard.agent);
                    }
                }
            }
        }
        lost.extend(open.into_iter().map(|agent| (agent, format!("no answer within {} s", timeout.as_secs()))));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_that_empties_its_cache_is_waited_for() {
        let name = "drive-cache.sdb".to_string();
        let undo = Question::Undo(HostChange::Setting { name, value: "off".into() });
        // A flush and the switch, of a minute each, and the kernel's look at the drive.
        assert!(timeout_of(&undo) > Duration::from_secs(2 * 60 + 10));
        assert_eq!(timeout_of(&Question::Value { setting: "governor".into() }), ANSWER);
    }
}
