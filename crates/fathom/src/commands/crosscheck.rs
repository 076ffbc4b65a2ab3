//! `fathom crosscheck`: the same load with Fathom and with fio, in turns; do they agree?

use crate::cli::Common;
use crate::cli::crosscheck::{CrosscheckArgs, DiskCheck, LoadArgs, On, PoolCheck};
use crate::cli::run_options::RunOptions;
use crate::cli::words::each_once;
use crate::exit_codes::{INCOMPLETE, REGRESSION};
use ::run::Interrupt;
use ::run::crosscheck::{Check, PreparedCheck};
use experiments::{Request, WorkloadOptions};
use model::{Agrees, Crosscheck, Failure, Goal, Layer, Pattern, Plan};
use report::crosscheck::{blocks, overall};

/// Seconds of a load, counted and not: pairs of a disk vary as much with short loads as with long ones (docs/method.md), while a
/// client of a cluster has connections to make.
const LOAD_DISK: f64 = 0.3;
const LOAD_CLUSTER: f64 = 1.0;

pub fn run(common: &Common, args: &CrosscheckArgs) -> Result<u8, Failure> {
    let layer = super::layers::of_crosscheck(&args.on);
    let (check, load, lab) = match &args.on {
        On::Disk(disk) => (of_disk(layer, disk)?, &disk.load, None),
        On::Rados(pool) | On::Rbd(pool) => (of_pool(layer, pool), &pool.load, pool.lab.clone()),
    };
    super::refuse_figures_of_a_plan(common, load.dry_run)?;
    match held(common, &check, RunOptions { lab, dry_run: load.dry_run, ..RunOptions::default() })? {
        Done::Planned(plan, seconds) => {
            super::print_plan(common, &plan, seconds)?;
            Ok(0)
        }
        Done::Insisted => Ok(INCOMPLETE),
        Done::Checked(found) => {
            super::show(common, &blocks(&found), || report::json::crosscheck(&found))?;
            Ok(code(&found))
        }
    }
}

/// What came of it.
enum Done {
    /// Nothing was loaded: the plan, and the seconds that it takes at least.
    Planned(Box<Plan>, f64),
    Checked(Box<Crosscheck>),
    /// A second Ctrl-C: nothing is wanted any more.
    Insisted,
}

fn held(common: &Common, check: &Check, options: RunOptions) -> Result<Done, Failure> {
    let interrupt = Interrupt::listen()?;
    PreparedCheck::prove(check)?;
    let (setup, _own_lab) = super::place::of(common, &options, None)?;
    let prepared = PreparedCheck::new(&setup, check)?;
    if options.dry_run {
        let seconds = prepared.seconds_least();
        return Ok(Done::Planned(Box::new(prepared.plan), seconds));
    }
    super::restore::offer(common, prepared.resolved.cluster.as_ref())?;
    let found = prepared.hold(super::progress(common), &interrupt)?;
    Ok(found.map_or(Done::Insisted, |found| Done::Checked(Box::new(found))))
}

fn of_disk(layer: Layer, args: &DiskCheck) -> Result<Check, Failure> {
    if let Some(given_up) = args.destroy_data_on.iter().find(|path| !args.paths.contains(path)) {
        let text =
            format!("--destroy-data-on {}: is none of the paths to load; name the same path twice", given_up.display());
        return Err(Failure::Usage(text));
    }
    let mut check = of_load(layer, &args.load);
    check.request.targets.paths = args.paths.clone();
    check.request.targets.destroy_data_on = args.destroy_data_on.clone();
    check.request.workload.durability = args.sync;
    check.request.workload.engine = args.engine.clone();
    check.peer_engine = args.peer_engine.clone();
    Ok(check)
}

fn of_pool(layer: Layer, args: &PoolCheck) -> Check {
    let mut check = of_load(layer, &args.load);
    check.request.targets.pool = args.pool.clone();
    check
}

fn of_load(layer: Layer, load: &LoadArgs) -> Check {
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
        sets_twice: layer.of_pools(),
        ..Request::default()
    };
    let usual = if layer.of_ceph() { LOAD_CLUSTER } else { LOAD_DISK };
    Check {
        layer,
        request,
        peer_engine: None,
        rounds: load.rounds,
        time_max: load.time_max,
        front: load.front.unwrap_or(usual),
        seconds: load.duration.unwrap_or(usual),
        tolerance: load.tolerance,
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

fn code(found: &Crosscheck) -> u8 {
    match overall(found) {
        Agrees::Differs => REGRESSION,
        Agrees::Agrees if !found.interrupted => 0,
        _ => INCOMPLETE,
    }
}
