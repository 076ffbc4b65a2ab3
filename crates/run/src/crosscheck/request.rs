//! What is asked for, in the words of the planner.

use experiments::Request;
use model::Layer;

/// Where one operation is in flight, a program's own time is a larger share of it; but fewer things disturb it.
const TOLERANCE_ONE: f64 = 0.03;
const TOLERANCE_MANY: f64 = 0.05;

#[derive(Debug)]
pub struct Check {
    pub layer: Layer,
    /// What both programs load.
    pub request: Request,
    /// fio's engine on a device; `None`: as ours.
    pub peer_engine: Option<String>,
    /// Pairs at most.
    pub rounds: u32,
    /// Seconds for one workload at most.
    pub time_max: f64,
    /// Seconds of each load that are not counted, and that are.
    pub front: f64,
    pub seconds: f64,
    /// How far ratios may be off 1; `None`: the usual share.
    pub tolerance: Option<f64>,
}

impl Check {
    pub fn tolerance_at(&self, depth: u32) -> f64 {
        self.tolerance.unwrap_or(if depth == 1 { TOLERANCE_ONE } else { TOLERANCE_MANY })
    }

    /// What fio must be able to in any case.
    pub fn peer_engines(&self) -> Vec<String> {
        let own = self.own_engine_of_fio().map(str::to_string);
        own.or_else(|| self.peer_engine.clone()).into_iter().collect()
    }

    /// fio's engine for a layer of the cluster; `None`: the layer has paths, for which fio has several engines.
    pub(super) fn own_engine_of_fio(&self) -> Option<&'static str> {
        self.layer.of_ceph().then(|| self.layer.name())
    }
}
