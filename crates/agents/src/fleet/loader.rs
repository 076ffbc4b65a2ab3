//! A slice on several hosts: opened on all, started at one instant, its windows put together as they come.

use super::merge::Merge;
use super::verified::verified;
use super::{Filled, Fleet, replica_servers};
use crate::loader::{Checks, Loader};
use crate::{AgentCommand, AgentEvent, Preparation, What};
use engines::EngineError;
use engines::clock::RealClock;
use engines::crew::{ASK_EVERY, Flow, LEAVE, no_window};
use model::clock::{MILLISECOND, SECOND};
use model::{Bytes, Clock, HostSeconds, Key, Nanos, Place, SliceEnd, Step, Target, WindowSet};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Steps whose targets have clients are loaded by those hosts; all others from here.
pub struct HostsLoader<'a> {
    here: &'a dyn Loader,
    fleet: &'a RefCell<Fleet>,
    /// When the run began.
    started: Nanos,
}

impl<'a> HostsLoader<'a> {
    pub fn new(here: &'a dyn Loader, fleet: &'a RefCell<Fleet>, started: Nanos) -> HostsLoader<'a> {
        HostsLoader { here, fleet, started }
    }
}

fn from_here(step: &Step) -> bool {
    step.targets.iter().all(|target| target.client.is_none())
}

/// How long opening the sessions may take: images of a slow cluster take a while.
pub(super) const OPENING: Duration = Duration::from_secs(60);
/// From the command to the start, beside the travel time of the command: enough for every agent to hear of it.
const LEAD: Nanos = 50 * MILLISECOND;
/// How long agents may take to end after the stop, beside the window in which they see it: they ask themselves every second, and then wait
/// [`LEAVE`] for their threads. The rest is for the way there and back.
pub(super) const ENDING: Duration = Duration::from_nanos(LEAVE + ASK_EVERY + 4 * SECOND);

impl Loader for HostsLoader<'_> {
    fn load(
        &self,
        what: (&Step, Option<Bytes>),
        window_ns: Nanos,
        opened: &mut dyn FnMut(),
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        let fleet = &mut *self.fleet.borrow_mut();
        let slice = fleet.next_slice();
        fleet.keep_clocks();
        fleet.watch(slice);
        let ended = match from_here(what.0) {
            true => self.here.load(what, window_ns, opened, on_window),
            false => from_hosts((fleet, slice), what, window_ns, opened, on_window),
        };
        fleet.unwatch(slice);
        ended
    }

    fn discard(&self, step: &Step, go_on: &mut dyn FnMut(Bytes) -> bool) -> Result<(), EngineError> {
        if from_here(step) {
            return self.here.discard(step, go_on);
        }
        let jobs: Vec<(&Step, &Target)> = step.targets.iter().map(|target| (step, target)).collect();
        let ends = self.fleet.borrow_mut().prepare(&jobs, Preparation::Discard, &mut |_, done| go_on(done));
        ends.into_iter().try_for_each(|end| match end {
            Filled::Well => Ok(()),
            Filled::Wrong(why) | Filled::Gone(why) => Err(EngineError::Broken(why)),
        })
    }

    fn observed(&self, from: Nanos) -> Vec<HostSeconds> {
        self.fleet.borrow().seconds(from)
    }

    fn temperature(&self, host: Option<&str>, disk: &str) -> Option<f64> {
        match host {
            Some(host) => self.fleet.borrow_mut().temperature(host, disk),
            None => self.here.temperature(None, disk),
        }
    }

    fn verified(&self, step: &Step, limit: Duration, go_on: &dyn Fn() -> bool) -> Checks {
        match from_here(step) {
            true => self.here.verified(step, limit, go_on),
            false => verified(&mut self.fleet.borrow_mut(), step, limit, self.started, go_on),
        }
    }
}

fn from_hosts(
    (fleet, slice): (&mut Fleet, u64),
    (step, most): (&Step, Option<Bytes>),
    window_ns: Nanos,
    opened: &mut dyn FnMut(),
    on_window: &mut dyn FnMut(&WindowSet) -> Flow,
) -> Result<SliceEnd, EngineError> {
    let parts = parts(fleet, step)?;
    let sliced = Sliced { fleet: &mut *fleet, slice, parts, passive: BTreeSet::new(), window_ns, most };
    let mut end = sliced.run(opened, on_window)?;
    let hosts = step.targets.iter().filter_map(|target| target.client.as_ref());
    if let Some(gone) = { hosts }.find(|client| fleet.agent_of(&client.host).is_none()) {
        end.gap.get_or_insert_with(|| format!("host {} is gone, and this was measured without it", gone.host));
    }
    Ok(end)
}

/// What one agent loads: its share of the step, and which of the step's targets those are.
pub(super) struct Part {
    pub step: Step,
    pub targets: Vec<u32>,
}

/// By agent. A host without an agent has no part: its target has no samples, which is told.
pub(super) fn parts(fleet: &Fleet, step: &Step) -> Result<BTreeMap<usize, Part>, EngineError> {
    let mut parts: BTreeMap<usize, Part> = BTreeMap::new();
    for (index, target) in (0..).zip(&step.targets) {
        let host = target.client.as_ref().map(|client| client.host.as_str()).unwrap_or_default();
        let Some(agent) = fleet.agent_of(host) else { continue };
        let part = parts
            .entry(agent)
            .or_insert_with(|| Part { step: Step { targets: Vec::new(), ..step.clone() }, targets: Vec::new() });
        part.step.targets.push(target.clone());
        part.targets.push(index);
    }
    match parts.is_empty() {
        true => Err(EngineError::Broken(none_answers(fleet, step))),
        false => Ok(parts),
    }
}

/// Why no host answers: of many hosts only the first is named with its reason.
fn none_answers(fleet: &Fleet, step: &Step) -> String {
    let mut hosts = step.targets.iter().filter_map(|target| target.client.as_ref());
    let first = hosts.next().map(|client| fleet.silence_of(&client.host)).unwrap_or_default();
    match hosts.next() {
        None => first,
        Some(_) => format!("none of the hosts that load it answers any more; {first}"),
    }
}

/// Why nothing is loaded, and which of the step's targets that is due to, where it is known: the others can be measured without it.
struct Unopened {
    target: Option<u32>,
    error: EngineError,
}

impl Unopened {
    fn broken(target: Option<u32>, why: String) -> Unopened {
        Unopened { target, error: EngineError::Broken(why) }
    }
}

impl From<EngineError> for Unopened {
    fn from(error: EngineError) -> Unopened {
        Unopened { target: None, error }
    }
}

struct Sliced<'a> {
    fleet: &'a mut Fleet,
    slice: u64,
    parts: BTreeMap<usize, Part>,
    /// Agents that are the other end of a pair.
    passive: BTreeSet<usize>,
    window_ns: Nanos,
    most: Option<Bytes>,
}

impl Sliced<'_> {
    fn run(
        mut self,
        opened: &mut dyn FnMut(),
        on_window: &mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Result<SliceEnd, EngineError> {
        let listeners = self.open_doors().and_then(|()| self.open_keepers().map_err(Unopened::from));
        if let Err(Unopened { target, error }) = listeners.and_then(|()| self.open()) {
            self.stop();
            self.close();
            return match target {
                Some(_) => Ok(SliceEnd { broken: Some(error.to_string()), target, ..SliceEnd::default() }),
                None => Err(error),
            };
        }
        opened();
        let start = RealClock.now() + LEAD + self.fleet.way_ns();
        for agent in self.parts.keys() {
            let at = self.fleet.theirs(*agent, start);
            self.fleet.order(*agent, AgentCommand::Start { slice: self.slice, at });
        }
        let loading: BTreeSet<usize> = self.parts.keys().copied().collect();
        let names = loading.union(&self.passive).map(|agent| (*agent, self.fleet.name(*agent).to_string())).collect();
        let merge = Merge::new(names, loading, start, self.window_ns);
        let mut merge = self.watch(merge, on_window);
        self.stop();
        self.farewell(&mut merge);
        // Not before: an end that goes away under a load would be an error of it.
        self.close();
        Ok(merge.end())
    }

    /// All sessions are open, or nothing is loaded at all.
    fn open(&mut self) -> Result<(), Unopened> {
        // Why the first one does not answer any more.
        let mut silent: Option<String> = None;
        // The others go on without one that is gone meanwhile.
        self.parts.retain(|agent, part| {
            let step = Box::new(part.step.clone());
            let (slice, window_ns, most) = (self.slice, self.window_ns, self.most);
            let heard = self.fleet.order(*agent, AgentCommand::Open { slice, step, window_ns, most });
            if !heard {
                silent.get_or_insert_with(|| self.fleet.silence_of(self.fleet.name(*agent)));
            }
            heard
        });
        let mut waited: Vec<usize> = self.parts.keys().copied().collect();
        let mut wrong: Vec<(usize, String)> = Vec::new();
        let deadline = RealClock.now() + OPENING.as_nanos() as Nanos;
        while !waited.is_empty() && RealClock.now() < deadline {
            let timeout = Duration::from_nanos(deadline.saturating_sub(RealClock.now()));
            let Some(heard) = self.fleet.next(timeout) else { break };
            match heard.what {
                What::AgentEvent(AgentEvent::Ready { slice, error }) if slice == self.slice => {
                    waited.retain(|agent| *agent != heard.agent);
                    self.fleet.members[heard.agent].late = 0;
                    wrong
                        .extend(error.map(|error| (heard.agent, format!("{}: {error}", self.fleet.name(heard.agent)))));
                }
                // The others go on without it.
                What::Lost(_) => {
                    waited.retain(|agent| *agent != heard.agent);
                    self.parts.remove(&heard.agent);
                    silent.get_or_insert_with(|| self.fleet.silence_of(self.fleet.name(heard.agent)));
                }
                What::AgentEvent(_) => {}
            }
        }
        for agent in waited {
            let why = format!("did not open its sessions within {} s", OPENING.as_secs());
            wrong.push((agent, format!("{} {why}", self.fleet.name(agent))));
            self.fleet.late(agent, &why);
        }
        match wrong.into_iter().next() {
            Some((agent, why)) => Err(Unopened::broken(self.only_target(agent), why)),
            None if self.parts.is_empty() => {
                let first = silent.map(|first| format!("; {first}")).unwrap_or_default();
                Err(Unopened::broken(None, format!("none of the hosts that load it answers any more{first}")))
            }
            None => Ok(()),
        }
    }

    /// Which target it is, is known where the agent has no other.
    fn only_target(&self, agent: usize) -> Option<u32> {
        match self.parts.get(&agent)?.targets.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    fn stop(&self) {
        for agent in self.parts.keys() {
            self.fleet.order(*agent, AgentCommand::Stop { slice: self.slice });
        }
    }

    fn close(&self) {
        for agent in &self.passive {
            self.fleet.order(*agent, AgentCommand::Close { slice: self.slice });
        }
    }

    /// The other ends of pairs of hosts open their ports, and the loads learn of them.
    fn open_doors(&mut self) -> Result<(), Unopened> {
        let mut waited: BTreeMap<u32, (usize, usize, usize)> = BTreeMap::new();
        for (agent, part) in &self.parts {
            for (place, (target, index)) in part.step.targets.iter().zip(&part.targets).enumerate() {
                let Place::Pair { from, to, .. } = &target.place else { continue };
                let end = if part.step.workload.streams_out() { from } else { to };
                let other = self.fleet.agent_of(&end.host).ok_or_else(|| {
                    Unopened::broken(Some(*index), format!("{}: {}", target.name, self.fleet.silence_of(&end.host)))
                })?;
                let workload = Box::new(part.step.workload.clone());
                let order = AgentCommand::Answer { slice: self.slice, target: *index, end: end.clone(), workload };
                self.fleet.order(other, order);
                self.passive.insert(other);
                waited.insert(*index, (*agent, place, other));
            }
        }
        let deadline = RealClock.now() + OPENING.as_nanos() as Nanos;
        while !waited.is_empty() {
            let timeout = Duration::from_nanos(deadline.saturating_sub(RealClock.now()));
            let Some(heard) = self.fleet.next(timeout) else {
                let why = format!("no port was opened within {} s", OPENING.as_secs());
                return Err(Unopened::broken(waited.keys().next().copied(), why));
            };
            match heard.what {
                What::AgentEvent(AgentEvent::Answers { slice, target, listener }) if slice == self.slice => {
                    let Some((agent, place, other)) = waited.remove(&target) else { continue };
                    let wrong =
                        |why: String| Unopened::broken(Some(target), format!("{}: {why}", self.fleet.name(other)));
                    let key = listener.map_err(wrong)?;
                    self.give_key(agent, place, key);
                }
                What::Lost(why) => {
                    if let Some((target, _)) = waited.iter().find(|(_, (_, _, other))| *other == heard.agent) {
                        let why = format!("{}: {why}", self.fleet.name(heard.agent));
                        return Err(Unopened::broken(Some(*target), why));
                    }
                }
                What::AgentEvent(_) => {}
            }
        }
        Ok(())
    }

    /// The replicas of a floor are kept by their hosts, the first of which passes on what it gets; the load learns of that one.
    fn open_keepers(&mut self) -> Result<(), EngineError> {
        for part in self.parts.values_mut() {
            replica_servers::open(self.fleet, self.slice, &mut part.step, &part.targets, &mut self.passive)?;
        }
        Ok(())
    }

    fn give_key(&mut self, agent: usize, place: usize, key: Key) {
        let target = self.parts.get_mut(&agent).and_then(|part| part.step.targets.get_mut(place));
        if let Some(Place::Pair { listener, .. }) = target.map(|target| &mut target.place) {
            *listener = Some(key);
        }
    }

    fn watch(&mut self, mut merge: Merge, on_window: &mut dyn FnMut(&WindowSet) -> Flow) -> Merge {
        let mut asked = merge.start;
        loop {
            let known_until = self.hear(&mut merge);
            let silence = |agent: usize| self.fleet.silence(agent);
            while let Some(set) = merge.complete(known_until, &silence) {
                asked = RealClock.now();
                if on_window(&set) == Flow::Stop {
                    return merge;
                }
            }
            let now = RealClock.now();
            if now >= asked + self.window_ns + ASK_EVERY {
                asked = now;
                if on_window(&no_window(merge.start, self.window_ns, now)) == Flow::Stop {
                    return merge;
                }
            }
            if merge.over() || merge.has_gap() {
                return merge;
            }
        }
    }

    /// Takes what the hosts sent, for at most the length of a window. Returns until when all that came is known: a host must not count as late
    /// because we are.
    fn hear(&mut self, merge: &mut Merge) -> Nanos {
        let began = RealClock.now();
        let mut timeout = Duration::from_nanos(self.window_ns);
        while let Some(heard) = self.fleet.next(timeout) {
            let waited = self.fleet.since(&heard).as_nanos() as Nanos;
            self.take(heard.agent, heard.what, merge);
            if RealClock.now() > began + self.window_ns {
                return RealClock.now().saturating_sub(waited);
            }
            timeout = Duration::ZERO;
        }
        RealClock.now()
    }

    /// What is still said of this slice: errors, effort. Windows that come now are too late.
    fn farewell(&mut self, merge: &mut Merge) {
        let deadline = RealClock.now() + self.window_ns + ENDING.as_nanos() as Nanos;
        while !merge.all_ended() && RealClock.now() < deadline {
            let timeout = Duration::from_nanos(deadline.saturating_sub(RealClock.now()).min(SECOND));
            if let Some(heard) = self.fleet.next(timeout) {
                self.take(heard.agent, heard.what, merge);
            }
        }
    }

    fn take(&mut self, agent: usize, what: What, merge: &mut Merge) {
        let targets = self.parts.get(&agent).map(|part| part.targets.as_slice());
        match (what, targets) {
            (What::AgentEvent(AgentEvent::Window { slice, set }), Some(own)) if slice == self.slice => {
                if let Err(why) = merge.put(agent, set, own, RealClock.now()) {
                    let why = self.fleet.distrust(agent, &why);
                    merge.lost(agent, &why);
                }
            }
            (What::AgentEvent(AgentEvent::Ended { slice, end }), Some(own)) if slice == self.slice => {
                merge.ended(agent, end, own)
            }
            (What::Lost(why), _) => merge.lost(agent, &why),
            (What::AgentEvent(_), _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::Member;
    use model::testing;
    use model::{Client, Endpoint, Pattern, Target, Workload};
    use std::sync::mpsc::channel;
    use std::time::Instant;

    #[test]
    fn a_pair_whose_other_end_is_gone_is_named_so_that_the_others_are_measured() {
        let end = |host: &str| Endpoint::new(host, "127.0.0.1");
        let place = Place::Pair { from: end("a"), to: end("gone"), listener: None };
        let client = Some(Client { host: "a".into(), of: "a→gone".into() });
        let target = Target { client, ..Target::new(testing::links(), "a→gone", place) };
        let (layer, pattern) = (testing::links(), Pattern::WriteLatency);
        let step =
            Step { apart: true, ..Step::new(0, layer, pattern, vec![target], Workload::canonical(pattern, 0, 1)) };
        let host = Member::new("a".into(), "ssh".into(), false, None);
        let mut fleet = Fleet::of(vec![host], Instant::now(), channel().1);
        let parts = BTreeMap::from([(0, Part { step: step.clone(), targets: vec![3] })]);
        let sliced =
            Sliced { fleet: &mut fleet, slice: 1, parts, passive: BTreeSet::new(), window_ns: SECOND, most: None };
        let end = sliced.run(&mut || {}, &mut |_| Flow::GoOn).unwrap();
        assert_eq!(end.target, Some(3));
        assert!(end.broken.unwrap().contains("gone does not answer any more"));
        fleet.members[0].link = None;
        fleet.members[0].lost = Some("command terminated with exit code 137".into());
        let said = super::parts(&fleet, &step).map(|_| ()).unwrap_err().to_string();
        assert_eq!(said, "a does not answer any more: command terminated with exit code 137");
    }
}
