//! What is asked for, in the words of the planner.

use crate::cli::crosscheck::{DiskCheck, LoadArgs, PoolCheck};
use crate::cli::words::each_once;
use experiments::{Request, WorkloadOptions};
use model::{Failure, Goal, Layer, Pattern};

/// Where one operation is in flight, a program's own time is a larger share of it; but fewer things disturb it.
const TOLERANCE_ONE: f64 = 0.03;
const TOLERANCE_MANY: f64 = 0.05;
/// Seconds of a load, counted and not: pairs of a disk vary as much with short loads as with long ones (docs/method.md), while a
/// client of a cluster has connections to make.
const LOAD_DISK: f64 = 0.3;
const LOAD_CLUSTER: f64 = 1.0;

#[derive(Debug)]
pub struct Check {
    /// What both programs load.
    pub request: Request,
    pub lab: Option<String>,
    pub dry_run: bool,
    /// fio's engine on a device; `None`: as ours.
    pub peer_engine: Option<String>,
    /// Pairs at most.
    pub rounds: u32,
    /// Seconds for one workload at most.
    pub time_max: f64,
    /// Seconds of each load that are not counted, and that are.
    pub front: f64,
    pub seconds: f64,
    tolerance: Option<f64>,
}

impl Check {
    pub fn disk(args: &DiskCheck) -> Result<Check, Failure> {
        if let Some(given_up) = args.destroy_data_on.as_ref().filter(|path| !args.paths.contains(path)) {
            let text = format!(
                "--destroy-data-on {}: is none of the paths to load; name the same path twice",
                given_up.display()
            );
            return Err(Failure::Usage(text));
        }
        let mut check = Check::of(Layer::Device, &args.load);
        check.request.targets.paths = args.paths.clone();
        check.request.targets.destroy_data_on = args.destroy_data_on.clone();
        check.request.workload.durability = args.sync;
        check.request.workload.engine = args.engine.clone();
        check.peer_engine = args.peer_engine.clone();
        Ok(check)
    }

    pub fn pool(layer: Layer, args: &PoolCheck) -> Check {
        let mut check = Check::of(layer, &args.load);
        check.request.targets.pool = args.pool.clone();
        check.lab = args.lab.clone();
        check
    }

    fn of(layer: Layer, load: &LoadArgs) -> Check {
        let options = WorkloadOptions {
            patterns: patterns(load),
            block_size: load.block_size,
            depth: load.depth,
            jobs: load.jobs,
            read_share: load.read_share,
            working_set: load.working_set,
            access: load.access,
            seed: load.seed,
            as_fio: true,
            ..WorkloadOptions::default()
        };
        let request = Request {
            layers: vec![layer],
            workload: options,
            goal: Goal { seed: load.seed, fixed: true, ..Goal::default() },
            thorough: true,
            ..Request::default()
        };
        let usual = if layer.of_ceph() { LOAD_CLUSTER } else { LOAD_DISK };
        Check {
            request,
            lab: None,
            dry_run: load.dry_run,
            peer_engine: None,
            rounds: load.rounds,
            time_max: load.time_max,
            front: load.front.unwrap_or(usual),
            seconds: load.duration.unwrap_or(usual),
            tolerance: load.tolerance,
        }
    }

    pub fn layer(&self) -> Layer {
        self.request.layers.first().copied().unwrap_or(Layer::Device)
    }

    pub fn tolerance(&self, depth: u32) -> f64 {
        self.tolerance.unwrap_or(if depth == 1 { TOLERANCE_ONE } else { TOLERANCE_MANY })
    }

    /// What fio must be able to in any case.
    pub fn peer_engines(&self) -> Vec<String> {
        match self.layer() {
            Layer::Rbd => vec!["rbd".to_string()],
            Layer::Rados => vec!["rados".to_string()],
            _ => self.peer_engine.iter().cloned().collect(),
        }
    }
}

/// Reads and writes, unless a mix is asked for; one and many in flight, unless a depth is.
fn patterns(load: &LoadArgs) -> Vec<Pattern> {
    use Pattern::{ReadLatency, ReadParallel, WriteLatency, WriteParallel};
    if !load.patterns.is_empty() {
        return each_once(&load.patterns);
    }
    let all = [WriteLatency, ReadLatency, WriteParallel, ReadParallel];
    let wanted = |pattern: &Pattern| {
        let one = matches!(pattern, WriteLatency | ReadLatency);
        let depth = load.depth.is_none_or(|depth| (depth == 1) == one);
        depth && load.read_share.is_none_or(|percent| pattern.writes() == (percent < 50))
    };
    all.into_iter().filter(wanted).collect()
}
