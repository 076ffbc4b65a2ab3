//! A plan as archives and documents have it: what an experiment needs lies in a field of its own.

use crate::ab::Ab;
use crate::change::Change;
use crate::diagnosis::Diagnosis;
use crate::experiment::PlannedExperiment;
use crate::fitness::JudgedDrive;
use crate::image_states::ImageStates;
use crate::limit::{ResponseBound, Search};
use crate::plan::{Doubling, Goal, Plan, Step};
use crate::step_id::StepId;
use crate::sustained::SustainedTest;
use crate::sweep::Sweep;
use crate::verdict::Threshold;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PlanFields {
    changes: Vec<Change>,
    steps: Vec<Step>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    may_shrink: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut: Vec<StepId>,
    goal: GoalFields,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    searches: Vec<Search>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clients_most: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    doublings: Vec<Doubling>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ab: Option<Ab>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sweep: Option<Sweep>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sustained: Vec<SustainedTest>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    judged_drives: Vec<JudgedDrive>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image_states: Option<ImageStates>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnosis: Option<Diagnosis>,
}

/// When a figure is good enough, and on which side of what it is to be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Goal")]
pub struct GoalFields {
    #[serde(flatten)]
    goal: Goal,
    /// A figure is done as soon as it is known on which side of these it lies. Empty: how much it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    thresholds: Vec<Threshold>,
    /// What is asked is the highest rate that keeps this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bound: Option<ResponseBound>,
}

impl From<&Plan> for GoalFields {
    fn from(plan: &Plan) -> Self {
        let bound = match &plan.experiment {
            PlannedExperiment::HighestRate { bound, .. } => Some(*bound),
            _ => None,
        };
        GoalFields { goal: plan.goal.clone(), thresholds: plan.experiment.thresholds().to_vec(), bound }
    }
}

impl From<Plan> for PlanFields {
    fn from(plan: Plan) -> Self {
        let goal = GoalFields::from(&plan);
        let Plan { changes, steps, may_shrink, cut, experiment, .. } = plan;
        let fields = PlanFields { changes, steps, may_shrink, cut, goal, ..PlanFields::default() };
        match experiment {
            PlannedExperiment::Survey | PlannedExperiment::Verdict(_) => fields,
            PlannedExperiment::PairedComparison(ab) => PlanFields { ab: Some(ab), ..fields },
            PlannedExperiment::HighestRate { searches, .. } => PlanFields { searches, ..fields },
            PlannedExperiment::ScaleOut { clients_most, doublings } => {
                PlanFields { clients_most: Some(clients_most), doublings, ..fields }
            }
            PlannedExperiment::Sweep(sweep) => PlanFields { sweep: Some(sweep), ..fields },
            PlannedExperiment::SustainedWrites(sustained) => PlanFields { sustained, ..fields },
            PlannedExperiment::Fitness { drives, sustained } => {
                PlanFields { judged_drives: drives, sustained, ..fields }
            }
            PlannedExperiment::ImageStates(states) => PlanFields { image_states: Some(states), ..fields },
            PlannedExperiment::Diagnosis(diagnosis) => PlanFields { diagnosis: Some(diagnosis), ..fields },
        }
    }
}

impl From<PlanFields> for Plan {
    fn from(fields: PlanFields) -> Self {
        let GoalFields { goal, thresholds, bound } = fields.goal;
        let experiment = match (fields.ab, fields.sweep, bound, fields.clients_most) {
            (Some(ab), ..) => PlannedExperiment::PairedComparison(ab),
            (_, Some(sweep), ..) => PlannedExperiment::Sweep(sweep),
            (_, _, Some(bound), _) => PlannedExperiment::HighestRate { bound, searches: fields.searches },
            (.., Some(clients_most)) => PlannedExperiment::ScaleOut { clients_most, doublings: fields.doublings },
            _ if fields.image_states.is_some() => {
                fields.image_states.map_or(PlannedExperiment::Survey, PlannedExperiment::ImageStates)
            }
            _ if fields.diagnosis.is_some() => PlannedExperiment::Diagnosis(fields.diagnosis.unwrap_or_default()),
            _ if !thresholds.is_empty() => PlannedExperiment::Verdict(thresholds),
            _ if !fields.judged_drives.is_empty() => {
                PlannedExperiment::Fitness { drives: fields.judged_drives, sustained: fields.sustained }
            }
            _ if !fields.sustained.is_empty() => PlannedExperiment::SustainedWrites(fields.sustained),
            _ => PlannedExperiment::Survey,
        };
        let PlanFields { changes, steps, may_shrink, cut, .. } = fields;
        Plan { changes, steps, may_shrink, cut, goal, experiment }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Arrivals;
    use serde_json::json;

    fn read(fields: serde_json::Value) -> Plan {
        serde_json::from_value(fields).unwrap()
    }

    /// As an earlier version wrote it.
    fn earlier(more: &[(&str, serde_json::Value)]) -> serde_json::Value {
        let mut plan = json!({"changes": [], "steps": [], "goal": Goal::default()});
        for (name, value) in more {
            plan[*name] = value.clone();
        }
        plan
    }

    #[test]
    fn plans_of_earlier_archives_are_read() {
        let bound = ResponseBound { percent: 99.0, ms: 10.0, arrivals: Arrivals::Poisson };
        let mut goal = json!(Goal::default());
        goal["bound"] = json!(bound);
        let searched = read(earlier(&[("goal", goal.clone())]));
        assert_eq!(searched.experiment, PlannedExperiment::HighestRate { bound, searches: Vec::new() });
        goal["bound"] = json!(null);
        goal["thresholds"] = json!([{"layer": "rbd", "pattern": "write-latency", "target": null, "value": 3.0}]);
        assert_eq!(read(earlier(&[("goal", goal)])).experiment.thresholds().len(), 1);
        let doubled = read(earlier(&[("clients_most", json!(8)), ("doublings", json!([{"rungs": []}]))]));
        let doublings = vec![Doubling { loads: Vec::new() }];
        assert_eq!(doubled.experiment, PlannedExperiment::ScaleOut { clients_most: 8, doublings });
        let swept = read(earlier(&[("sweep", json!({"axes": [], "points": [], "left_out": 2}))]));
        assert_eq!(swept.experiment.sweep().map(|sweep| sweep.left_out), Some(2));
        assert_eq!(read(earlier(&[])), Plan::default());
    }

    #[test]
    fn a_plan_is_read_as_it_was_written() {
        let bound = ResponseBound { percent: 99.9, ms: 2.0, arrivals: Arrivals::Even };
        let search = Search { capacity: StepId(0), probes: vec![StepId(1)], confirmations: Vec::new() };
        let ab = Ab {
            what: "pool".into(),
            a: "x".into(),
            b: "y".into(),
            pairs: vec![(StepId(0), StepId(1))],
            ..Ab::default()
        };
        for experiment in [
            PlannedExperiment::Survey,
            PlannedExperiment::PairedComparison(ab),
            PlannedExperiment::HighestRate { bound, searches: vec![search] },
            PlannedExperiment::ScaleOut { clients_most: 1, doublings: vec![Doubling::default()] },
            PlannedExperiment::Sweep(Sweep::default()),
            PlannedExperiment::Diagnosis(Diagnosis { seconds_max: 1200.0, ..Diagnosis::default() }),
            PlannedExperiment::Fitness {
                drives: vec![JudgedDrive {
                    target: "d".into(),
                    device: None,
                    through_file: true,
                    cache: None,
                    about: None,
                    beside: vec![3],
                }],
                sustained: vec![SustainedTest {
                    seconds: 900.0,
                    ..SustainedTest::of(crate::testing::step(
                        0,
                        crate::testing::disks(),
                        crate::Pattern::WriteLinear,
                        &[],
                    ))
                }],
            },
        ] {
            let plan = Plan { goal: Goal { seconds_max: 70.5, ..Goal::verdict(7) }, experiment, ..Plan::default() };
            assert_eq!(read(json!(plan)), plan);
        }
    }
}
