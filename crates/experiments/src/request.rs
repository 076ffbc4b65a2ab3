//! What is asked for: on which targets, with which workload, by which experiment.

use crate::ab::PairedSetting;
use crate::workload::WorkloadOptions;
use languages::fio::job_file::Batch;
use model::{Bytes, Gateway, Goal, Layer, NfsExport, Pattern, ResponseBound, SweepAxis, Threshold, Until};
use std::path::PathBuf;

/// One run, before anything is known of the cluster.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub layers: Vec<Layer>,
    /// None is named: whichever have nothing to measure here are left out, instead of an error.
    pub all_layers: bool,
    pub targets: Targets,
    pub workload: WorkloadOptions,
    /// When a figure is good enough.
    pub goal: Goal,
    pub experiment: Experiment,
    /// Scrubs, the balancer and the autoscaler are stopped while it lasts.
    pub quiesce: bool,
    /// One layer is looked at from all sides: each OSD alone in every pattern, then all at once. A whole run measures alone what
    /// ranks OSDs (the latency patterns), and all at once what fills them, which is what the layers above are compared with.
    pub thorough: bool,
    /// A change is proven: what is not taken up is an error, and an option that daemons read when they start is tried by restarting
    /// these; empty: none may be restarted but those of a lab. `None`: nothing is restarted, and what is not taken up is only told.
    pub restarts: Option<Vec<OsdsOf>>,
    /// Another program loads data of its own beside Fathom's, as much of each.
    pub sets_twice: bool,
}

/// OSDs that may be restarted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OsdsOf {
    /// All that the option is for.
    TheOption,
    One(u32),
}

/// Which of the things of its layers; what is not named is made, or all of them are taken.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    pub pool: Option<String>,
    /// Where the bytes of images of Fathom's own lie, if not in their pool.
    pub data_pool: Option<String>,
    pub image: Option<String>,
    /// Empty: the lab's, if it has one.
    pub gateways: Vec<Gateway>,
    /// A lab's own gateway is asked by Swift.
    pub swift: bool,
    /// Empty: all.
    pub osds: Vec<u32>,
    /// Of OSDs, no step of several at once.
    pub each_alone: bool,
    pub paths: Vec<PathBuf>,
    /// Disks of guests, and folders that are mounted there. Empty: those of the lab's guest, if it has one.
    pub guest_paths: Vec<PathBuf>,
    /// A file system of the cluster, to be loaded by libcephfs. `None`: the lab's, if it has one.
    pub cephfs: Option<String>,
    /// What NFS servers export, to make files in without a mount. A lab's own is loaded as well.
    pub exports: Vec<NfsExport>,
    /// Of mounted file systems, to make files in.
    pub folders: Vec<PathBuf>,
    /// May be written to although they hold data.
    pub destroy_data_on: Vec<PathBuf>,
}

/// What the run is to find out. A run is one of these.
#[derive(Clone, Debug, Default)]
pub enum Experiment {
    /// How much each cell of the depth chart is.
    #[default]
    Survey,
    /// On which side of its threshold each figure lies. `complete`: every threshold must have a figure, since it was written for this
    /// cluster. `as_last`: thresholds are still to come, of the last run at the same place, each with this change (a share): where that
    /// is, is known when it is reached.
    Verdict { thresholds: Vec<Threshold>, complete: bool, as_last: Option<f64> },
    /// What one setting changes against another, slice beside slice.
    PairedComparison(PairedSetting),
    /// The highest rate that keeps a bound on response times.
    HighestRate(ResponseBound),
    /// Clients are doubled until that brings nothing more; one host has at most `clients_most`.
    ScaleOut { clients_most: u32 },
    /// Every combination of the axes' values.
    Sweep { axes: Vec<SweepAxis> },
    /// Devices are written to until their rate falls, after the survey if there is one.
    SustainedWrites(SustainedOptions),
    /// Whether drives are fit for Ceph, and after that how they last, if that is asked for.
    Fitness(Option<SustainedOptions>),
    /// What writes and reads cost in each state of an image: fresh, filled, with a snapshot, a clone.
    ImageStates,
    /// Why it is slow: after the survey, what tells suspected causes from what only looks like them. No test is begun later than this.
    Diagnosis { seconds_max: f64 },
    /// The sections of a job file of fio; they are all that is measured.
    Jobs(Vec<Batch>),
}

/// How a device is written to without pause.
#[derive(Clone, Debug)]
pub struct SustainedOptions {
    /// What is written, in this order.
    pub until: Vec<Until>,
    /// Percent of the device that are written before small random writes, after all of it was discarded; empty: it is taken as it is.
    pub fill_levels: Vec<u8>,
    /// All of the device is discarded before, and after all of it.
    pub trim: [bool; 2],
    /// The longest that each of them lasts.
    pub seconds: f64,
    /// The most that is written; `None`: a share of what there is.
    pub volume: Option<Bytes>,
    /// No survey before it.
    pub alone: bool,
}

impl Experiment {
    /// Axes of a sweep; else none.
    pub fn axes(&self) -> &[SweepAxis] {
        match self {
            Experiment::Sweep { axes } => axes,
            _ => &[],
        }
    }

    /// The batches of a job file; else none.
    pub fn batches(&self) -> &[Batch] {
        match self {
            Experiment::Jobs(batches) => batches,
            _ => &[],
        }
    }

    pub fn sustained(&self) -> Option<&SustainedOptions> {
        match self {
            Experiment::SustainedWrites(sustained) => Some(sustained),
            Experiment::Fitness(sustained) => sustained.as_ref(),
            _ => None,
        }
    }

    pub fn pair(&self) -> Option<&PairedSetting> {
        match self {
            Experiment::PairedComparison(setting) => Some(setting),
            _ => None,
        }
    }

    pub fn clients_most(&self) -> Option<u32> {
        match self {
            Experiment::ScaleOut { clients_most } => Some(*clients_most),
            _ => None,
        }
    }

    /// Is anything of this cell wanted?
    pub fn wants(&self, layer: Layer, pattern: Pattern) -> bool {
        let of_cell = |threshold: &Threshold| (threshold.layer, threshold.pattern) == (layer, pattern);
        match self {
            Experiment::Verdict { thresholds, .. } => thresholds.iter().any(of_cell),
            _ => true,
        }
    }

    pub fn is_sweep(&self) -> bool {
        matches!(self, Experiment::Sweep { .. })
    }

    /// Its steps are single numbers that are held against each other: a figure has one definition, and no cell of the depth chart.
    pub fn compares_steps(&self) -> bool {
        matches!(self, Experiment::Sweep { .. } | Experiment::PairedComparison(_) | Experiment::HighestRate(_))
    }

    /// Does it plan the cells of its layers by their patterns, once?
    pub fn plans_layers(&self) -> bool {
        !matches!(self, Experiment::Sweep { .. } | Experiment::Jobs(_) | Experiment::ImageStates)
    }
}

impl Request {
    /// Are operations due at a rate, one that is given or one that is searched for?
    pub fn open_loop(&self) -> bool {
        self.workload.rate.is_some() || matches!(self.experiment, Experiment::HighestRate(_))
    }

    /// Is it said how many objects a bucket holds?
    pub fn fixes_objects(&self) -> bool {
        self.workload.objects.is_some() || self.experiment.axes().iter().any(|axis| axis.name == "objects")
    }

    /// Is it said how large working sets are?
    pub fn fixes_working_sets(&self) -> bool {
        let varied = || self.experiment.axes().iter().any(|axis| axis.name == "working-set");
        self.workload.working_set.is_some() || self.fixes_objects() || varied()
    }

    /// Devices that are named, and the network, can be measured without a cluster.
    pub fn needs_cluster(&self) -> bool {
        let devices_of_osds = self.experiment.batches().is_empty() && self.targets.paths.is_empty();
        self.layers.iter().any(|layer| layer.of_ceph())
            || self.targets.cephfs.is_some()
            || (devices_of_osds && self.layers.iter().any(|layer| layer.of_disks()))
    }
}
