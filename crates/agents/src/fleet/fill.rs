//! Hosts fill the targets that they load: all hosts at the same time, each one target after the other.

use super::Fleet;
use super::loader::ENDING;
use crate::{AgentCommand, AgentEvent, Preparation, What};
use model::{Bytes, Step, Target};
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// How filling a target ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Filled {
    Well,
    /// It can't be filled.
    Wrong(String),
    /// Its host is gone: the others go on without it.
    Gone(String),
}

/// How often it is checked whether to go on.
const LOOK: Duration = Duration::from_millis(200);

/// A target that is being filled.
struct Filling {
    job: usize,
    slice: u64,
    bytes: Bytes,
    /// It was told to stop, and has to have stopped by then.
    stops: Option<Instant>,
}

impl Fleet {
    /// `go_on`: told of a job how many bytes are done, says whether it goes on. What came of each job, in their order.
    pub fn prepare(
        &mut self,
        jobs: &[(&Step, &Target)],
        how: Preparation,
        go_on: &mut dyn FnMut(usize, Bytes) -> bool,
    ) -> Vec<Filled> {
        let mut ends: Vec<Filled> = jobs.iter().map(|_| Filled::Gone("its agent is gone".to_string())).collect();
        let mut waiting: BTreeMap<usize, VecDeque<usize>> = BTreeMap::new();
        for (job, (_, target)) in jobs.iter().enumerate() {
            if let Some(agent) = target.client.as_ref().and_then(|client| self.agent_of(&client.host)) {
                waiting.entry(agent).or_default().push_back(job);
            }
        }
        let mut filling: BTreeMap<usize, Filling> = BTreeMap::new();
        loop {
            // Those of a host that is gone stay as they are: gone.
            waiting.retain(|agent, own| !own.is_empty() && self.members[*agent].link.is_some());
            for (agent, own) in &mut waiting {
                if !filling.contains_key(agent)
                    && let Some(job) = own.pop_front()
                {
                    filling.insert(*agent, self.begin(*agent, job, jobs[job], how));
                }
            }
            if filling.is_empty() {
                return ends;
            }
            if let Some(heard) = self.next(LOOK)
                && let Some(now) = filling.get_mut(&heard.agent)
            {
                match heard.what {
                    What::AgentEvent(AgentEvent::Filling { slice, bytes }) if slice == now.slice => now.bytes = bytes,
                    What::AgentEvent(AgentEvent::Ended { slice, end }) if slice == now.slice => {
                        ends[now.job] = end.broken.map_or(Filled::Well, Filled::Wrong);
                        filling.remove(&heard.agent);
                    }
                    What::Lost(why) => {
                        ends[now.job] = Filled::Gone(why);
                        filling.remove(&heard.agent);
                    }
                    What::AgentEvent(_) => {}
                }
            }
            filling.retain(|agent, now| self.keep(*agent, now, &mut ends, go_on));
        }
    }

    fn begin(&mut self, agent: usize, job: usize, (step, target): (&Step, &Target), how: Preparation) -> Filling {
        let slice = self.next_slice();
        let step = Box::new(Step { targets: vec![target.clone()], ..step.clone() });
        self.order(agent, AgentCommand::Prepare { slice, step, how });
        Filling { job, slice, bytes: 0, stops: None }
    }

    /// False: it was told to stop, and does not.
    fn keep(
        &self,
        agent: usize,
        now: &mut Filling,
        ends: &mut [Filled],
        go_on: &mut dyn FnMut(usize, Bytes) -> bool,
    ) -> bool {
        match now.stops {
            Some(until) if Instant::now() > until => {
                ends[now.job] = Filled::Wrong(does_not_stop(&self.members[agent].seen.name));
                false
            }
            Some(_) => true,
            None => {
                if !go_on(now.job, now.bytes) {
                    self.order(agent, AgentCommand::Stop { slice: now.slice });
                    now.stops = Some(Instant::now() + ENDING);
                }
                true
            }
        }
    }
}

fn does_not_stop(host: &str) -> String {
    format!(
        "host {host} does not answer any more: it was told to stop filling, and did not say within {} s that it has",
        ENDING.as_secs()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_stop_is_named() {
        assert!(does_not_stop("b7").starts_with("host b7 does not answer any more"));
    }
}
