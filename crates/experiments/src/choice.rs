//! Which scheduler serves which experiment.

use crate::diagnose::Diagnose;
use crate::{HighestRate, Passes, ScaleOut, Scheduler};
use model::{Plan, PlannedExperiment};

/// The scheduler of the experiment that the plan is for.
pub fn scheduler(plan: &Plan) -> Box<dyn Scheduler + '_> {
    match plan.experiment {
        PlannedExperiment::HighestRate { bound, .. } => Box::new(HighestRate::new(plan.clone(), bound)),
        PlannedExperiment::ScaleOut { clients_most, .. } => Box::new(ScaleOut::new(plan.clone(), clients_most)),
        PlannedExperiment::Diagnosis(_) => Box::new(Diagnose::new(plan.clone())),
        _ => Box::new(Passes::new(plan.clone())),
    }
}
