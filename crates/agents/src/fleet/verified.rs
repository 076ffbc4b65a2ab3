//! What hosts verified of a slice: each reads back its own part, all at once.

use super::Fleet;
use super::loader::{ENDING, parts};
use crate::loader::Checks;
use crate::{AgentCommand, AgentEvent, What};
use engines::clock::RealClock;
use model::{Clock, Nanos, Step};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How often it is checked whether to go on.
const ASK: Duration = Duration::from_millis(100);

/// What is found is by index of the step's targets. A host that does not answer has verified nothing, which is reported, beside the first
/// thing that went wrong on the others.
pub fn verified(
    fleet: &mut Fleet,
    step: &Step,
    limit: Duration,
    run_started: Nanos,
    go_on: &dyn Fn() -> bool,
) -> Checks {
    let slice = fleet.next_slice();
    let mut waited: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    // Without any there is nobody to wait for.
    for (agent, part) in parts(fleet, step).unwrap_or_default() {
        let run_started = fleet.theirs(agent, run_started);
        let order = AgentCommand::Verify { slice, step: Box::new(part.step), limit, run_started };
        if fleet.order(agent, order) {
            waited.insert(agent, part.targets);
        }
    }
    let mut gone = not_asked(step, &waited);
    let mut found = Checks::default();
    let deadline = RealClock.now() + (limit + ENDING).as_nanos() as Nanos;
    let mut going = true;
    while !waited.is_empty() && RealClock.now() < deadline {
        if going && !go_on() {
            going = false;
            for agent in waited.keys() {
                fleet.order(*agent, AgentCommand::Stop { slice });
            }
        }
        let Some(heard) = fleet.next(ASK) else { continue };
        match heard.what {
            What::AgentEvent(AgentEvent::Verified { slice: of, checked, error }) if of == slice => {
                let Some(targets) = waited.remove(&heard.agent) else { continue };
                let own = |(index, checked)| Some((*targets.get(index as usize)?, checked));
                found.checked.extend(checked.into_iter().filter_map(own));
                if let Some(wrong) = error {
                    found.error.get_or_insert_with(|| format!("{}: {wrong}", fleet.name(heard.agent)));
                }
            }
            What::Lost(_) => {
                if waited.remove(&heard.agent).is_some() {
                    gone.insert(fleet.name(heard.agent).to_string());
                }
            }
            What::AgentEvent(_) => {}
        }
    }
    if let Some(agent) = waited.keys().next() {
        let why = format!("{} did not say what it had verified", fleet.name(*agent));
        found.error.get_or_insert(why);
    }
    if let Some(says) = not_verified(fleet, &gone) {
        found.error = Some(found.error.map_or(says.clone(), |error| format!("{error}; {says}")));
    }
    found.checked.sort_by_key(|(target, _)| *target);
    found
}

/// Hosts of the step that have no agent any more.
fn not_asked(step: &Step, waited: &BTreeMap<usize, Vec<u32>>) -> BTreeSet<String> {
    let asked: BTreeSet<u32> = waited.values().flatten().copied().collect();
    let others = (0..).zip(&step.targets).filter(|(index, _)| !asked.contains(index));
    others.filter_map(|(_, target)| Some(target.client.as_ref()?.host.clone())).collect()
}

/// Of many hosts only the first is named, with its reason.
fn not_verified(fleet: &Fleet, gone: &BTreeSet<String>) -> Option<String> {
    let first = fleet.silence_of(gone.first()?);
    let more = match gone.len() {
        1 => String::new(),
        n => format!(" (nor that of {})", model::units::counted(n as u64 - 1, "more host", "more hosts")),
    };
    Some(format!("{first}; what it wrote and read was not verified{more}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::Member;
    use crate::{Far, Link, Pipes, frame};
    use model::{Checked, Client, Pattern, Place, Target, Workload, testing};
    use std::os::unix::net::UnixStream;
    use std::sync::mpsc::channel;
    use std::time::Instant;

    struct Nobody;

    impl Far for Nobody {
        fn ended(&mut self) -> Option<String> {
            Some(String::new())
        }
        fn end(&mut self) {}
    }

    /// What is found on two hosts, `b` of which has no agent any more; that of `a` answers so, or closes the line.
    fn found(answer: Option<Option<String>>) -> Checks {
        let (mut agent, ours) = UnixStream::pair().unwrap();
        let (tell, news) = channel();
        let input = Box::new(ours.try_clone().unwrap());
        let pipes = Pipes { far: Box::new(Nobody), input, output: Box::new(ours), complaints: channel().1 };
        let since = Instant::now();
        let link = Link::new(0, pipes, since, tell);
        let answers = std::thread::spawn(move || {
            while let Ok(order) = frame::read::<AgentCommand>(&mut agent) {
                let AgentCommand::Verify { slice, .. } = order else { continue };
                let Some(error) = answer else { return };
                let checked = vec![(0, Checked { bytes: 4096, ..Checked::default() })];
                return frame::write(&mut agent, &AgentEvent::Verified { slice, checked, error }).unwrap();
            }
        });
        let member = |name: &str, link| Member::new(name.into(), "ssh".into(), false, link);
        let mut fleet = Fleet::of(vec![member("a", Some(link)), member("b", None)], since, news);
        let target = |host: &str| Target {
            client: Some(Client { host: host.into(), of: "pool".into() }),
            ..Target::new(testing::pools(), "pool", Place::Null)
        };
        let pattern = Pattern::WriteLatency;
        let workload = Workload::canonical(pattern, 0, 1);
        let step = Step::new(0, testing::pools(), pattern, vec![target("b"), target("a")], workload);
        let found = verified(&mut fleet, &step, Duration::from_secs(60), 0, &|| true);
        drop(fleet);
        answers.join().unwrap();
        found
    }

    #[test]
    fn a_host_that_is_gone_has_verified_nothing_and_that_is_told() {
        let of_b = "b does not answer any more; what it wrote and read was not verified";
        let well = found(Some(None));
        assert_eq!(
            well.checked.iter().map(|(target, checked)| (*target, checked.bytes)).collect::<Vec<_>>(),
            [(1, 4096)]
        );
        assert_eq!(well.error.as_deref(), Some(of_b));
        assert_eq!(found(Some(Some("no room".into()))).error, Some(format!("a: no room; {of_b}")));
    }

    #[test]
    fn so_has_one_that_is_lost_before_it_answers() {
        let lost = found(None);
        let says = lost.error.unwrap();
        assert!(lost.checked.is_empty() && says.starts_with("a does not answer any more: the connection"), "{says}");
        assert!(says.ends_with("what it wrote and read was not verified (nor that of 1 more host)"), "{says}");
    }
}
