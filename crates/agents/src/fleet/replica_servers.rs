//! Before a slice of the floor: every host that keeps a replica opens its file and a port, the first one last, since it dials the others.

use super::Fleet;
use super::loader::OPENING;
use crate::{AgentCommand, AgentEvent, What};
use engines::EngineError;
use engines::clock::RealClock;
use model::{Clock, Key, Nanos, Place, Replica, Step, Target};
use std::collections::BTreeSet;
use std::time::Duration;

/// Steps of other layers have none. `indices`: which of the whole step's targets these are; `passive`: gets the agents that keep
/// something.
///
/// # Errors
/// In words, with the host that does not answer, or can't write.
pub fn open(
    fleet: &mut Fleet,
    slice: u64,
    step: &mut Step,
    indices: &[u32],
    passive: &mut BTreeSet<usize>,
) -> Result<(), EngineError> {
    let plain = Step { targets: Vec::new(), ..step.clone() };
    for (target, index) in step.targets.iter_mut().zip(indices) {
        let count = replicas(target).len();
        for number in (0..count).rev() {
            let host = replicas(target).get(number).map(|one| one.end.host.clone()).unwrap_or_default();
            let broken = |why: &str| EngineError::Broken(format!("{host}: {why}"));
            let agent = fleet.agent_of(&host).ok_or_else(|| EngineError::Broken(fleet.silence_of(&host)))?;
            passive.insert(agent);
            let asked = index * REPLICAS_MOST + number as u32;
            let step = Box::new(Step { targets: vec![target.clone()], ..plain.clone() });
            fleet.order(agent, AgentCommand::Keep { slice, target: asked, replica: number as u32, step });
            let key = answer(fleet, slice, agent, asked).map_err(|why| broken(&why))?;
            if let Place::Replicas { replicas, .. } = &mut target.place
                && let Some(replica) = replicas.get_mut(number)
            {
                replica.listener = Some(key);
            }
        }
    }
    Ok(())
}

/// No plan has more copies than this.
const REPLICAS_MOST: u32 = 16;

fn replicas(target: &Target) -> &[Replica] {
    match &target.place {
        Place::Replicas { replicas, .. } => replicas,
        _ => &[],
    }
}

fn answer(fleet: &mut Fleet, slice: u64, agent: usize, asked: u32) -> Result<Key, String> {
    let deadline = RealClock.now() + OPENING.as_nanos() as Nanos;
    while RealClock.now() < deadline {
        let timeout = Duration::from_nanos(deadline.saturating_sub(RealClock.now()));
        let Some(heard) = fleet.next(timeout) else { break };
        match heard.what {
            What::AgentEvent(AgentEvent::Answers { slice: of, target, listener }) if (of, target) == (slice, asked) => {
                return listener;
            }
            What::Lost(why) if heard.agent == agent => return Err(why),
            _ => {}
        }
    }
    Err(format!("keeps no replica within {} s", OPENING.as_secs()))
}
