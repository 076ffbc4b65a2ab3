//! What hosts verified of a slice: each reads back its own part, all at once.

use super::Fleet;
use super::loader::{ENDING, parts};
use crate::loader::Checks;
use crate::{AgentCommand, AgentEvent, What};
use engines::clock::RealClock;
use model::{Clock, Nanos, Step};
use std::collections::BTreeMap;
use std::time::Duration;

/// How often it is checked whether to go on.
const ASK: Duration = Duration::from_millis(100);

/// What is found is by index of the step's targets. A host that does not answer has verified nothing, which is reported.
pub fn verified(
    fleet: &mut Fleet,
    step: &Step,
    limit: Duration,
    run_started: Nanos,
    go_on: &dyn Fn() -> bool,
) -> Checks {
    let slice = fleet.next_slice();
    let parts = match parts(fleet, step) {
        Ok(parts) => parts,
        Err(error) => return Checks { error: Some(error.to_string()), ..Checks::default() },
    };
    let mut waited: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (agent, part) in parts {
        let run_started = fleet.theirs(agent, run_started);
        let order = AgentCommand::Verify { slice, step: Box::new(part.step), limit, run_started };
        if fleet.order(agent, order) {
            waited.insert(agent, part.targets);
        }
    }
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
        let wrong = match heard.what {
            What::AgentEvent(AgentEvent::Verified { slice: of, checked, error }) if of == slice => {
                let Some(targets) = waited.remove(&heard.agent) else { continue };
                let own = |(index, checked)| Some((*targets.get(index as usize)?, checked));
                found.checked.extend(checked.into_iter().filter_map(own));
                error
            }
            What::Lost(why) => waited.remove(&heard.agent).map(|_| why),
            What::AgentEvent(_) => None,
        };
        if let Some(wrong) = wrong {
            found.error.get_or_insert(format!("{}: {wrong}", fleet.name(heard.agent)));
        }
    }
    if let Some(agent) = waited.keys().next() {
        let why = format!("{} did not say what it had verified", fleet.name(*agent));
        found.error.get_or_insert(why);
    }
    found.checked.sort_by_key(|(target, _)| *target);
    found
}
