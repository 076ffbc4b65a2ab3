//! What a run is to find out: one experiment, with what it alone needs.

use crate::ab::{Ab, AbFound};
use crate::diagnosis::{CauseTest, Diagnosed, Diagnosis, Refuted, Untested};
use crate::fitness::{DriveFound, JudgedDrive};
use crate::image_states::{ImageStates, StatesFound};
use crate::layer::Layer;
use crate::limit::{Limit, ResponseBound, Search};
use crate::operation::OpClass;
use crate::pattern::Pattern;
use crate::plan::Doubling;
use crate::report::Doubled;
use crate::step_id::StepId;
use crate::sustained::{Endurance, SustainedTest};
use crate::sweep::{Sweep, Swept};
use crate::verdict::{Threshold, Verdict};
use serde::{Deserialize, Serialize};

/// The steps of the plan are measured for this.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum PlannedExperiment {
    /// How much each figure is.
    #[default]
    Survey,
    /// On which side of these each figure lies: it is done as soon as that is known, and what has no threshold is not measured.
    Verdict(Vec<Threshold>),
    /// What one setting changes against another.
    PairedComparison(Ab),
    /// The highest rate that keeps the bound. `searches`: those begun so far; their steps are added as they are tried.
    HighestRate { bound: ResponseBound, searches: Vec<Search> },
    /// Clients are doubled until that brings nothing more; on one host there may be `clients_most`. The steps are the largest there
    /// may be, until the first one is tried. `doublings`: what was tried.
    ScaleOut { clients_most: u32, doublings: Vec<Doubling> },
    /// What differs from step to step.
    Sweep(Sweep),
    /// After a survey of the steps, if there are any: devices that are written to until their rate falls.
    SustainedWrites(Vec<SustainedTest>),
    /// Whether these drives are fit for Ceph; after it, devices that are written to without pause.
    Fitness { drives: Vec<JudgedDrive>, sustained: Vec<SustainedTest> },
    /// What writes and reads cost in each state of an image. It has no steps.
    ImageStates(ImageStates),
    /// After a survey of the steps: what tells suspected causes from what only looks like them. Its steps are added as they are asked for.
    Diagnosis(Diagnosis),
}

impl PlannedExperiment {
    /// Of a verdict; else none.
    pub fn thresholds(&self) -> &[Threshold] {
        match self {
            PlannedExperiment::Verdict(thresholds) => thresholds,
            _ => &[],
        }
    }

    pub fn pair(&self) -> Option<&Ab> {
        match self {
            PlannedExperiment::PairedComparison(ab) => Some(ab),
            _ => None,
        }
    }

    pub fn sweep(&self) -> Option<&Sweep> {
        match self {
            PlannedExperiment::Sweep(sweep) => Some(sweep),
            _ => None,
        }
    }

    /// Devices that are written to without pause; of other experiments none.
    pub fn sustained(&self) -> &[SustainedTest] {
        match self {
            PlannedExperiment::SustainedWrites(tests) => tests,
            PlannedExperiment::Fitness { sustained, .. } => sustained,
            _ => &[],
        }
    }

    /// Drives that are judged; of other experiments none.
    pub fn judged_drives(&self) -> &[JudgedDrive] {
        match self {
            PlannedExperiment::Fitness { drives, .. } => drives,
            _ => &[],
        }
    }

    /// The measurements that rules asked for; of other experiments none.
    pub fn tests(&self) -> &[CauseTest] {
        match self {
            PlannedExperiment::Diagnosis(diagnosis) => &diagnosis.tests,
            _ => &[],
        }
    }

    /// Of states of an image; else none.
    pub fn image_states(&self) -> Option<&ImageStates> {
        match self {
            PlannedExperiment::ImageStates(plan) => Some(plan),
            _ => None,
        }
    }

    /// Was this step added to test a suspected cause?
    pub fn is_of_test(&self, step: StepId) -> bool {
        self.tests().iter().any(|test| test.steps.contains(&step))
    }

    /// Are figures to be known to a precision? Else to a side of a bound.
    pub fn asks_how_much(&self) -> bool {
        !matches!(self, PlannedExperiment::Verdict(_) | PlannedExperiment::HighestRate { .. })
    }

    /// Are steps held against each other? Then each of them needs all its passes.
    pub fn compares_steps(&self) -> bool {
        matches!(self, PlannedExperiment::Sweep(_) | PlannedExperiment::PairedComparison(_))
    }
}

/// What a run says to the question of its experiment, besides its figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    #[default]
    Survey,
    Verdicts(Vec<Verdict>),
    PairedComparison(Box<AbFound>),
    HighestRates(Vec<Limit>),
    ScaleOut(Vec<Doubled>),
    Sweep(Box<Swept>),
    SustainedWrites(Vec<Endurance>),
    Fitness {
        drives: Vec<DriveFound>,
        sustained: Vec<Endurance>,
    },
    ImageStates(Box<StatesFound>),
    /// Suspected causes that are none, and what was not tested; causes are findings.
    Diagnosis(Diagnosed),
}

impl Answer {
    /// Of other experiments none.
    pub fn verdicts(&self) -> &[Verdict] {
        match self {
            Answer::Verdicts(verdicts) => verdicts,
            _ => &[],
        }
    }

    pub fn pair(&self) -> Option<&AbFound> {
        match self {
            Answer::PairedComparison(found) => Some(found),
            _ => None,
        }
    }

    /// Of other experiments none.
    pub fn limits(&self) -> &[Limit] {
        match self {
            Answer::HighestRates(limits) => limits,
            _ => &[],
        }
    }

    /// Of other experiments none.
    pub fn doubled(&self) -> &[Doubled] {
        match self {
            Answer::ScaleOut(doubled) => doubled,
            _ => &[],
        }
    }

    pub fn sweep(&self) -> Option<&Swept> {
        match self {
            Answer::Sweep(swept) => Some(swept),
            _ => None,
        }
    }

    /// Of other experiments none.
    pub fn endurance(&self) -> &[Endurance] {
        match self {
            Answer::SustainedWrites(all) | Answer::Fitness { sustained: all, .. } => all,
            _ => &[],
        }
    }

    /// Of other experiments none.
    pub fn drives(&self) -> &[DriveFound] {
        match self {
            Answer::Fitness { drives, .. } => drives,
            _ => &[],
        }
    }

    pub fn image_states(&self) -> Option<&StatesFound> {
        match self {
            Answer::ImageStates(found) => Some(found),
            _ => None,
        }
    }

    /// Suspected causes that a measurement refuted; of other experiments none.
    pub fn refuted(&self) -> &[Refuted] {
        match self {
            Answer::Diagnosis(diagnosed) => &diagnosed.refuted,
            _ => &[],
        }
    }

    /// What would have told more about causes, and was not measured; of other experiments none.
    pub fn untested(&self) -> &[Untested] {
        match self {
            Answer::Diagnosis(diagnosed) => &diagnosed.untested,
            _ => &[],
        }
    }

    /// Do its own tables show what was measured?
    pub fn shows_figures(&self) -> bool {
        self.replaces_figures() || matches!(self, Answer::Sweep(_) | Answer::ScaleOut(_))
    }

    /// Was a figure only a step on the way to the answer? Then the answer's own table says what counts.
    pub fn replaces_figures(&self) -> bool {
        matches!(self, Answer::PairedComparison(_) | Answer::HighestRates(_) | Answer::Fitness { .. })
    }
}

impl Threshold {
    /// The bound on a target's figure in this cell: its own, or that of all. `chart`: does the figure count for the depth chart?
    pub fn find<'a>(
        all: &'a [Threshold],
        (layer, pattern): (Layer, Pattern),
        kind: OpClass,
        target: &str,
        chart: bool,
    ) -> Option<&'a Threshold> {
        let of_cell = |threshold: &&Threshold| {
            (threshold.layer, threshold.pattern, threshold.kind()) == (layer, pattern, kind)
                && (chart || threshold.beside)
        };
        let own = all.iter().filter(of_cell).find(|threshold| threshold.target.as_deref() == Some(target));
        own.or_else(|| all.iter().filter(of_cell).find(|threshold| threshold.target.is_none()))
    }
}
