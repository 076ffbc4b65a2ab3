//! What the hosts' kernels tell of every second while a step is measured.

use super::Fleet;
use crate::AgentCommand;
use model::clock::SECOND;
use model::{HostSecond, HostSeconds, Nanos, OsdWish};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What a host is for the cluster.
#[derive(Clone, Debug, Default)]
pub(super) struct Role {
    /// As the cluster calls it.
    pub known_as: String,
    pub osds: Vec<OsdWish>,
    /// It is not to load the cluster.
    pub spared: bool,
}

/// A second as it came: of which agent, of which slice, and when it ended, as our clock shows it.
pub(super) struct Came {
    pub agent: usize,
    pub slice: u64,
    pub at: Nanos,
    pub second: HostSecond,
}

/// Reports beyond one per second: those of the slice before, and those that a slow connection held back.
const SECONDS_MORE: u64 = 60;

impl Fleet {
    /// These are not to load the cluster.
    pub fn spare(&mut self, hosts: &[String]) {
        for member in &mut self.members {
            member.role.spared = hosts.contains(&member.seen.name);
        }
    }

    pub fn spares(&self, host: &str) -> bool {
        self.members.iter().any(|member| member.seen.name == host && member.role.spared)
    }

    /// What each is called by the cluster, and which OSDs are its own.
    pub fn give_roles(&mut self, role: impl Fn(&str) -> (String, Vec<OsdWish>)) {
        for member in &mut self.members {
            (member.role.known_as, member.role.osds) = role(&member.seen.name);
        }
    }

    /// All agents look, from now on.
    pub(super) fn watch(&mut self, slice: u64) {
        self.came.clear();
        self.seconds = (BTreeMap::new(), Instant::now());
        for agent in 0..self.members.len() {
            let osds = self.members[agent].role.osds.clone();
            self.order(agent, AgentCommand::Watch { slice, osds });
        }
    }

    /// An agent tells one a second.
    pub(super) fn one_more_second(&mut self, agent: usize) -> Result<(), String> {
        let (told, since) = &mut self.seconds;
        let count = told.entry(agent).or_insert(0);
        *count += 1;
        match *count > 2 * since.elapsed().as_secs() + SECONDS_MORE {
            true => Err(format!("it told of {count} seconds within {} s", since.elapsed().as_secs())),
            false => Ok(()),
        }
    }

    pub(super) fn unwatch(&mut self, slice: u64) {
        for agent in 0..self.members.len() {
            self.order(agent, AgentCommand::Unwatch { slice });
        }
        // Reports that came meanwhile.
        while self.next(Duration::ZERO).is_some() {}
        self.came.retain(|came| came.slice == slice);
    }

    /// What was counted during the last slice, in seconds since `from`.
    pub(super) fn seconds(&self, from: Nanos) -> Vec<HostSeconds> {
        let mut hosts: BTreeMap<usize, HostSeconds> = BTreeMap::new();
        for came in &self.came {
            let host = hosts.entry(came.agent).or_insert_with(|| HostSeconds {
                host: self.members[came.agent].role.known_as.clone(),
                named: self.members[came.agent].seen.name.clone(),
                seconds: Vec::new(),
            });
            let at = (came.at as i64).saturating_sub(from as i64) as f64 / SECOND as f64;
            host.seconds.push(HostSecond { at, ..came.second.clone() });
        }
        hosts.into_values().collect()
    }
}
