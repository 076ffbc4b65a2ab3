//! A run of one setting against another: the change that makes B is made before each slice of B, and undone before A's.

use super::Telling;
use super::conductor::Sides;
use super::ground::Grounded;
use super::guard::Rollback;
use crate::cli::Common;
use crate::failure::Failure;
use model::{Ab, Change, Clock, Step, clock::SECOND};
use std::cell::RefCell;
use std::sync::Arc;

/// So long daemons take to hear of a new setting.
const HEARD: u64 = SECOND;

pub struct Switch<'a> {
    pub ab: &'a Ab,
    pub change: &'a Change,
    pub clock: &'a Arc<dyn Clock>,
    /// Journalled as every change: killed in between, `fathom restore` undoes it.
    pub journal: RefCell<&'a mut Rollback>,
}

/// Before anything is made: is there such an option, and would daemons hear of it while they run?
pub fn prove_option(common: &Common, grounded: &Grounded, change: &Change) -> Result<(), Failure> {
    let Change::Option { name, .. } = change else { return Ok(()) };
    let Some(cluster) = &grounded.cluster else {
        return Err(Failure::Usage(format!("--ab option: {name} is one of a cluster, and this run has none")));
    };
    match cluster.option_at_runtime(name)? {
        None => {
            Err(Failure::Usage(format!("--ab option: the cluster has no option {name}; `ceph config ls` names them")))
        }
        // Some are heard of all the same, so this is no refusal.
        Some(false) if !common.quiet => {
            eprintln!(
                "fathom: the monitors do not say that daemons take {name} up while they run: no difference may only mean that \
                 they read it when they start"
            );
            Ok(())
        }
        Some(_) => Ok(()),
    }
}

impl Sides for Switch<'_> {
    fn take(&self, step: &Step, telling: &mut Telling) -> Result<(), String> {
        let wants_b = self.ab.pairs.iter().any(|(_, b)| *b == step.id);
        let mut journal = self.journal.borrow_mut();
        if journal.stands(self.change) == wants_b {
            return Ok(());
        }
        let done = match wants_b {
            true => journal.make(self.change.clone(), telling),
            false => journal.undo(self.change, telling),
        };
        self.clock.wait_until(self.clock.now() + HEARD);
        done.map_err(|error| error.to_string())
    }
}
