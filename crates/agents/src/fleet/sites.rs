//! Paths of other hosts: what they are, and what their agents change there.

use super::{Fleet, Member, UNDONE};
use crate::{AgentAnswer, AgentCommand, AgentEvent, Question};
use cluster::journal::AgentOf;
use model::{HostChange, NotFree, SiteSeen, SiteWish};
use std::collections::BTreeSet;

impl Fleet {
    /// What the path is on that host, and whether it may be loaded; as of this host (`Looks::look`).
    pub fn look(&mut self, host: &str, wish: &SiteWish, in_turn: bool) -> Result<SiteSeen, NotFree> {
        match self.question(host, Question::Look { wish: wish.clone(), in_turn }) {
            Ok(AgentAnswer::Looked { seen, unseen }) => {
                self.unseen.extend(unseen.iter().map(|what| format!("{host}: {what}")));
                seen.map(|seen| *seen)
            }
            Ok(other) => Err(NotFree { says: format!("it answered something else: {other:?}"), holds: false }),
            Err(says) => Err(NotFree { says, holds: false }),
        }
    }

    /// # Errors
    /// It can't be made, or the host is gone.
    pub fn make(&mut self, host: &str, of: AgentOf, change: &HostChange) -> Result<(), String> {
        match self.question(host, Question::Make { of, change: change.clone() })? {
            AgentAnswer::Made(made) => made,
            other => Err(format!("it answered something else: {other:?}")),
        }
    }

    /// Undoes that one change.
    ///
    /// # Errors
    /// It can't be undone, or the host is gone.
    pub fn undo(&mut self, host: &str, change: &HostChange) -> Result<(), String> {
        match self.question(host, Question::Undo(change.clone()))? {
            AgentAnswer::Made(undone) => undone,
            other => Err(format!("it answered something else: {other:?}")),
        }
    }

    /// How a setting of that host is now.
    ///
    /// # Errors
    /// It has none such, or is gone.
    pub fn value(&mut self, host: &str, setting: &str) -> Result<String, String> {
        match self.question(host, Question::Value { setting: setting.to_string() })? {
            AgentAnswer::Value(value) => value,
            other => Err(format!("it answered something else: {other:?}")),
        }
    }

    /// °C of a disk of that host; `None`: it does not tell, or the host is gone.
    pub fn temperature(&mut self, host: &str, disk: &str) -> Option<f64> {
        match self.question(host, Question::Temperature { disk: disk.to_string() }).ok()? {
            AgentAnswer::Temperature(celsius) => celsius,
            _ => None,
        }
    }

    /// Undoes what killed agents left on all hosts: what was undone, and what could not be, with the hosts' names.
    pub fn restore(&mut self) -> (Vec<String>, Vec<String>) {
        let names: Vec<String> = self.here().map(|seen| seen.name.clone()).collect();
        let (mut undone, mut wrong) = (Vec::new(), Vec::new());
        for name in names {
            let said = |lines: Vec<String>| lines.into_iter().map(|line| format!("{name}: {line}")).collect::<Vec<_>>();
            match self.question(&name, Question::Restore) {
                Ok(AgentAnswer::Restored(done, left)) => {
                    undone.extend(said(done));
                    wrong.extend(said(left));
                }
                Ok(other) => wrong.push(format!("{name}: it answered something else: {other:?}")),
                Err(why) => wrong.push(format!("{name}: {why}")),
            }
        }
        (undone, wrong)
    }

    /// Undoes all that was made on these hosts, on all at once: what could not be undone, and why; and which of them are gone, so that nobody
    /// tells. An agent whose run is gone undoes all by itself; what was killed leaves it to `fathom restore` there.
    pub fn roll_back(&mut self, hosts: &BTreeSet<&String>) -> (Vec<String>, BTreeSet<String>) {
        self.questions += 1;
        let (id, mut left) = (self.questions, Vec::new());
        let lives =
            |name: &&&String| self.members.iter().any(|member| member.seen.name == ***name && member.link.is_some());
        let mut gone: BTreeSet<String> = hosts.iter().filter(|name| !lives(name)).map(|name| (*name).clone()).collect();
        let meant = |member: &Member| hosts.contains(&member.seen.name);
        let order = || AgentCommand::Question { id, question: Question::RollBack };
        let silent = self.ask(&meant, &order, UNDONE, &mut |member, news, _| {
            let AgentEvent::Answer { id: of, answer: AgentAnswer::RolledBack(there) } = news else { return false };
            if of != id {
                return false;
            }
            let host = &member.seen.name;
            left.extend(there.iter().map(|why| format!("{host}: {why}; `fathom restore` there tries again")));
            true
        });
        gone.extend(silent.into_iter().map(|(agent, _)| self.members[agent].seen.name.clone()));
        (left, gone)
    }
}
