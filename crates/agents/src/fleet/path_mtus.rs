//! Between all hosts: how large a packet gets through in one piece.

use super::Fleet;
use crate::{AgentAnswer, AgentCommand, Question};
use model::{Endpoint, HostSeen, Key, PathMtu};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long an answer may take. A path that carries what it should is known within a round trip; one that does not takes up to 4 s.
const TIMEOUT: Duration = Duration::from_secs(60);

impl Fleet {
    /// Of every ordered pair of hosts on one network, and of each what went wrong. `go_on` is told the share that is done.
    pub fn path_mtus(
        &mut self,
        ends: &[Endpoint],
        network: Option<&String>,
        go_on: &mut dyn FnMut(f64) -> bool,
    ) -> (Vec<PathMtu>, Vec<String>) {
        let (mut found, mut wrong) = (Vec::new(), Vec::new());
        let mut keys: BTreeMap<&str, Key> = BTreeMap::new();
        let mut mtus: BTreeMap<&str, u32> = BTreeMap::new();
        for end in ends {
            let (echo, mtu) = (self.echo(end), self.mtu_of(end));
            // Of a host whose agent is gone, that is said already.
            if echo.is_ok() && mtu.is_none() {
                wrong.push(unknown(end));
            }
            mtus.extend(mtu.map(|mtu| (end.host.as_str(), mtu)));
            match echo {
                Ok(key) => drop(keys.insert(&end.host, key)),
                Err(why) => wrong.push(format!("{}: packet sizes are not known: {why}", end.host)),
            }
        }
        let pairs = ends.iter().flat_map(|from| ends.iter().map(move |to| (from, to)));
        let pairs: Vec<_> = pairs.filter(|(from, to)| from.host != to.host).collect();
        let deadline = Instant::now() + TIMEOUT;
        for (done, (from, to)) in pairs.iter().enumerate() {
            if Instant::now() > deadline {
                wrong.push(format!("packet sizes are known of {done} of {} pairs of hosts", pairs.len()));
                break;
            }
            if !go_on(done as f64 / pairs.len() as f64) {
                break;
            }
            let Some(key) = keys.get(to.host.as_str()) else { continue };
            let mtu = |end: &Endpoint| mtus.get(end.host.as_str()).copied();
            let (Some(sender), Some(receiver)) = (mtu(from), mtu(to)) else { continue };
            match self.carries(from, to, key, sender) {
                Ok(carries) => found.push(PathMtu {
                    from: from.host.clone(),
                    to: to.host.clone(),
                    network: network.cloned(),
                    sender,
                    receiver,
                    carries,
                }),
                Err(why) => wrong.push(format!("{}→{}: packet sizes are not known: {why}", from.host, to.host)),
            }
        }
        for end in ends {
            if let Some(agent) = self.agent_of(&end.host) {
                self.order(agent, AgentCommand::Hush);
            }
        }
        (found, wrong)
    }

    fn echo(&mut self, end: &Endpoint) -> Result<Key, String> {
        match self.question(&end.host, Question::Echo(end.clone()))? {
            AgentAnswer::Echoes(key) => key,
            other => Err(format!("it answered something else: {other:?}")),
        }
    }

    /// The largest packet that this path carries, up to `largest` bytes.
    fn carries(&mut self, from: &Endpoint, to: &Endpoint, key: &Key, largest: u32) -> Result<Option<u32>, String> {
        let question = Question::PathMtu { from: from.clone(), to: to.clone(), key: key.clone(), largest };
        match self.question(&from.host, question)? {
            AgentAnswer::Probed(carries) => carries,
            other => Err(format!("it answered something else: {other:?}")),
        }
    }

    /// The MTU of the interface that has the address.
    fn mtu_of(&self, end: &Endpoint) -> Option<u32> {
        let seen: &HostSeen = self.here().find(|seen| seen.name == end.host)?;
        seen.facts.nics.iter().find(|nic| nic.addresses.contains(&end.address))?.mtu
    }
}

fn unknown(end: &Endpoint) -> String {
    format!(
        "{0}: packet sizes from it and to it are not looked at: no interface of it that is up has the address {1}, or its MTU is not \
         told; look at ip address on {0}, or name a network on which it has an address (--networks)",
        end.host, end.address
    )
}
