//! Loads objects of a pool or an image for some seconds and says what came of it: one line of JSON, to be compared with
//! what other load generators of Ceph say.
//!
//! `measure_cluster CONF POOL|POOL/IMAGE fill|read|write DEPTH SECONDS BYTES [PREFIX]`: 4 KiB at random offsets of a
//! working set of BYTES. In a pool, that is objects of 4 KiB, their names beginning with PREFIX. `cephfs:NAME` with a pattern of files by
//! their names (`open-read`; `fill-open-read` makes its tree) instead of read or write: in the folder PREFIX of that file system, by DEPTH jobs.

use engines::crew::{Flow, run_slice};
use engines::{Context, Engine, clock::RealClock, engine_for};
use model::testing;
use model::{Clock, Latencies, Pattern, Place, Step, StepId, Target, Tree, WindowSet, Workload};
use std::sync::Arc;

const WINDOW_NS: u64 = 100_000_000;
const BLOCK: u64 = 4096;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(line) => println!("{line}"),
        Err(why) => {
            eprintln!("measure_cluster: {why}");
            std::process::exit(1);
        }
    }
}

fn run(arguments: &[String]) -> Result<String, String> {
    let word = |n: usize| arguments.get(n).map(String::as_str).ok_or_else(|| format!("argument {} is missing", n + 1));
    let number = |n: usize| word(n).and_then(|text| text.parse::<u64>().map_err(|e| format!("{text}: {e}")));
    let access = ceph::ClusterAccess { conf: Some(word(0)?.into()), ..ceph::ClusterAccess::default() };
    let rados = ceph::Rados::connect(&access).map_err(|error| error.to_string())?;
    let context = Context { rados: Some(Arc::new(rados)), ..Context::default() };
    let prefix = arguments.get(6).map_or("measure.", String::as_str);
    let (way, fill) =
        word(2)?.strip_prefix("fill").map_or((word(2)?, false), |way| (way.trim_start_matches('-'), true));
    let step = match word(1)?.strip_prefix("cephfs:") {
        Some(name) => by_names(name, prefix, way, number(3)? as u32)?,
        None => step(word(1)?, prefix, way, number(3)? as u32, number(5)?),
    };
    if let (Place::Cephfs { file_system, path, .. }, true, Some(rados)) = (&step.targets[0].place, fill, &context.rados)
    {
        let mounted = ceph::FileSystem::mount(rados, file_system).map_err(|error| error.to_string())?;
        mounted.make_folder(path).map_err(|error| error.to_string())?;
    }
    let engine = engine_for(&step).map_err(|error| error.to_string())?;
    if let Some(why) = engine.refuse(&step.targets[0], &step.workload) {
        return Err(why);
    }
    if fill {
        let filled = engine.prepare(&context, &step.targets[0], &step.workload, &mut |_| true);
        return filled.map(|()| "{}".into()).map_err(|error| error.to_string());
    }
    measure(engine, &context, &step, number(4)?)
}

/// Files of each job.
const TREE: Tree = Tree { levels: 1, folders: 8, files: 128, shared: false };

fn by_names(name: &str, folder: &str, way: &str, jobs: u32) -> Result<Step, String> {
    let pattern = Pattern::from_name(way).filter(|pattern| pattern.is_metadata());
    let pattern = pattern.ok_or_else(|| format!("{way}: there is no such pattern of files by their names"))?;
    let canonical = Workload::canonical(pattern, TREE.bytes(jobs, BLOCK), u64::from(std::process::id()));
    let workload = Workload { depth: jobs, jobs, block: BLOCK, tree: Some(TREE), ..canonical };
    let place = Place::Cephfs { file_system: name.into(), path: folder.into(), data_pool: None };
    let target = Target::new(testing::folders(), name, place);
    Ok(Step::new(0, testing::folders(), pattern, vec![target], workload))
}

fn step(name: &str, prefix: &str, way: &str, depth: u32, bytes: u64) -> Step {
    let (layer, place) = match name.split_once('/') {
        Some((pool, image)) => {
            (testing::images(), Place::Images { pool: pool.into(), data_pool: None, images: vec![image.into()] })
        }
        None => (testing::pools(), Place::Pool { pool: name.into(), prefix: prefix.into() }),
    };
    let pattern = if way == "write" { Pattern::WriteParallel } else { Pattern::ReadParallel };
    let canonical = Workload::canonical(pattern, bytes, u64::from(std::process::id()));
    let workload = Workload { depth, block: BLOCK, object: Some(BLOCK), ..canonical };
    let target = Target::new(layer, name, place);
    let metric = pattern.metric(layer);
    Step {
        id: StepId(0),
        layer,
        pattern,
        targets: vec![target],
        workload,
        metric,
        chart: true,
        apart: false,
        in_turns: false,
    }
}

fn measure(engine: &dyn Engine, context: &Context, step: &Step, seconds: u64) -> Result<String, String> {
    let clock: Arc<dyn Clock> = Arc::new(RealClock);
    let (mut windows, mut ops, mut errors, mut service) = (0, 0, 0, Latencies::default());
    let mut before = 0.0;
    let mut on_window = |set: &WindowSet| {
        // The first window is warm-up.
        if set.window == 0 {
            before = cpu_seconds();
            return Flow::GoOn;
        }
        for (_, _, sample) in &set.samples {
            (ops, errors) = (ops + sample.ops, errors + sample.errors);
            service.add(&sample.service);
        }
        windows += 1;
        if windows == seconds * 10 { Flow::Stop } else { Flow::GoOn }
    };
    let end = run_slice(engine, context, &clock, step, WINDOW_NS, &mut on_window).map_err(|error| error.to_string())?;
    let cpu = cpu_seconds() - before;
    if let Some(why) = end.broken.or(end.first_error.map(|error| error.1)) {
        return Err(why);
    }
    let all = service.sparse();
    let took = windows as f64 / 10.0;
    Ok(format!(
        "{{\"ops\": {ops}, \"seconds\": {took:.1}, \"iops\": {:.1}, \"cpu_seconds\": {cpu:.4}, \"cpu_us\": {:.3}, \
         \"mean_ns\": {:.0}, \"p50_ns\": {:.0}, \"errors\": {errors}}}",
        ops as f64 / took,
        cpu * 1e6 / ops as f64,
        all.mean_ns().unwrap_or(0.0),
        all.quantile_ns(0.5).unwrap_or(0.0),
    ))
}

/// Processor time of the whole process, user and system: the library's threads are most of it.
fn cpu_seconds() -> f64 {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF);
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    usage.map_or(0.0, |usage| seconds(usage.user_time()) + seconds(usage.system_time()))
}
