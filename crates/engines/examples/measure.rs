//! Loads one target with one engine for some seconds and says what came of it: one line of JSON, to be compared with
//! what other load generators say.
//!
//! `measure ENGINE PATH read|write|ask DEPTH SECONDS [BLOCK] [JOBS] [none|sync|dsync|fsync|fdatasync|group-commit]`; engine `auto`: the
//! layer chooses; path `-`: no file, `pair:A,B` or `pair:A/NAMESPACE,B/NAMESPACE`: two addresses, with `ask` for round
//! trips; `http://HOST:PORT`: objects of a bucket there; `swift:http://HOST:PORT/PATH`: of a container, by Swift, where users log in there. A pattern of files by their names instead of read or write (`stat`): the path is
//! an empty folder for them, and each of DEPTH jobs has a tree of its own. A file, and a tree, must have been filled by an earlier run with `fill` for ENGINE.

use engines::clock::RealClock;
use engines::crew::{Flow, run_slice};
use engines::{Context, engine_for};
use model::testing;
use model::{
    Access, Clock, Durability, Endpoint, Gateway, Latencies, OpMix, Pattern, Place, Step, StepId, Target, Tree,
    WindowSet, Workload,
};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::sync::Arc;

/// Of a bucket.
const OBJECTS: u64 = 64;
const WINDOW_NS: u64 = 100_000_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(line) => println!("{line}"),
        Err(why) => {
            eprintln!("measure: {why}");
            std::process::exit(1);
        }
    }
}

fn run(arguments: &[String]) -> Result<String, String> {
    let word = |n: usize, default: &str| arguments.get(n).map_or(default, String::as_str).to_string();
    let number =
        |n: usize, default: &str| word(n, default).parse::<u64>().map_err(|e| format!("{}: {e}", word(n, default)));
    let step = step(
        &word(0, "auto"),
        &word(1, "-"),
        &word(2, "read"),
        number(3, "1")?,
        number(5, "4096")?,
        number(6, "1")?,
        &word(7, "none"),
    )?;
    let engine = engine_for(&step).map_err(|error| error.to_string())?;
    let target = &step.targets[0];
    if let Some(why) = engine.refuse(target, &step.workload) {
        return Err(why);
    }
    let context = holding(&target.place)?;
    if word(0, "") == "fill" {
        engine.prepare(&context, target, &step.workload, &mut |_| true).map_err(|error| error.to_string())?;
        return Ok("{}".into());
    }
    measure(engine, &context, &step, number(4, "5")?)
}

/// A device is this process's alone, as the product holds what it has proven to be free.
fn holding(place: &Place) -> Result<Context, String> {
    let access = s3::Access { keys: s3::Keys::new("key", "secret"), authorities: None };
    let (path, context) = match place {
        Place::Path { path, .. } => (path, Context::default()),
        Place::Bucket { gateway, .. } => {
            return Ok(Context { s3: [(gateway.url.clone(), access)].into(), ..Context::default() });
        }
        _ => return Ok(Context::default()),
    };
    let shown = |error: std::io::Error| format!("{}: {error}", path.display());
    if !std::fs::metadata(path).is_ok_and(|found| found.file_type().is_block_device()) {
        return Ok(context);
    }
    let file = std::fs::OpenOptions::new().read(true).write(true).custom_flags(libc::O_EXCL).open(path);
    file.and_then(|file| context.holds.keep(path, file, Vec::new())).map_err(shown)?;
    Ok(context)
}

/// Files of each job.
const TREE: Tree = Tree { levels: 1, folders: 8, files: 128, shared: false };

fn by_names(path: &str, pattern: Pattern, depth: u64, block: u64) -> Step {
    let jobs = depth as u32;
    let span = TREE.bytes(jobs, block);
    let workload = Workload { depth: jobs, jobs, block, tree: Some(TREE), ..Workload::canonical(pattern, span, 1) };
    let target = Target::new(testing::folders(), path, Place::Tree { path: path.into() });
    Step::new(0, testing::folders(), pattern, vec![target], workload)
}

fn step(engine: &str, path: &str, way: &str, depth: u64, block: u64, jobs: u64, sync: &str) -> Result<Step, String> {
    if let Some(pattern) = Pattern::from_name(way).filter(|pattern| pattern.is_metadata()) {
        return Ok(by_names(path, pattern, depth, block));
    }
    let pair = path.strip_prefix("pair:").and_then(|pair| pair.split_once(','));
    let login = path.strip_prefix("swift:");
    let layer = match path.starts_with("http") || login.is_some() {
        true => testing::buckets(),
        false if pair.is_some() => testing::links(),
        false => testing::disks(),
    };
    let pattern = if way == "write" { Pattern::WriteParallel } else { Pattern::ReadParallel };
    let place = match (path, pair) {
        (_, Some((from, to))) => Place::Pair { from: endpoint(from), to: endpoint(to), listener: None },
        ("-", _) => Place::Null,
        (url, _) if layer.of_buckets() => {
            let gateway = Gateway { swift: login.is_some(), ..testing::gateway(login.unwrap_or(url)) };
            Place::Bucket { gateway, bucket: "fathom-x".into(), prefix: "fathom.x.".into() }
        }
        (path, _) => Place::Path { path: path.into(), writable: true },
    };
    let bytes =
        std::fs::File::open(path).and_then(|mut file| std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)));
    let workload = Workload {
        depth: depth as u32,
        jobs: jobs as u32,
        block,
        durability: durability(sync)?,
        access: if pair.is_some() && way != "ask" { Access::Sequential } else { Access::Random },
        engine: (!["auto", "fill"].contains(&engine)).then(|| engine.to_string()),
        ..Workload::canonical(pattern, bytes.unwrap_or(1 << 30), 1)
    };
    let workload = match layer.of_buckets() {
        true => Workload { object: Some(block), span: OBJECTS * block, ..workload },
        false => workload,
    };
    // As large an answer as the question, as sockperf has it.
    let workload = if way == "ask" { Workload { mix: OpMix::reads(50), ..workload } } else { workload };
    let target = Target::new(layer, path, place);
    let metric = pattern.metric(layer);
    Ok(Step {
        id: StepId(0),
        layer,
        pattern,
        targets: vec![target],
        workload,
        metric,
        chart: true,
        apart: false,
        in_turns: false,
    })
}

fn endpoint(text: &str) -> Endpoint {
    let (address, namespace) =
        text.split_once('/').map_or((text, None), |(address, name)| (address, Some(name.into())));
    Endpoint { namespace, ..Endpoint::new(text, address) }
}

fn durability(word: &str) -> Result<Durability, String> {
    match word {
        "none" => Ok(Durability::None),
        "sync" => Ok(Durability::Sync),
        "dsync" => Ok(Durability::Dsync),
        "fsync" => Ok(Durability::Fsync),
        "fdatasync" => Ok(Durability::Fdatasync),
        "group-commit" => Ok(Durability::GroupCommit),
        other => Err(format!("{other} is no way to make writes durable")),
    }
}

fn measure(engine: &dyn engines::Engine, context: &Context, step: &Step, seconds: u64) -> Result<String, String> {
    let clock: Arc<dyn Clock> = Arc::new(RealClock);
    let (mut windows, mut ops, mut errors, mut service) = (0, 0, 0, Latencies::default());
    let mut cpu = 0.0;
    let mut on_window = |set: &WindowSet| {
        // The first window is warm-up.
        if set.window == 0 {
            cpu = cpu_seconds();
            return Flow::GoOn;
        }
        for (_, _, sample) in &set.samples {
            (ops, errors) = (ops + sample.ops, errors + sample.errors);
            service.add(&sample.service);
        }
        windows += 1;
        if windows == seconds * 10 { Flow::Stop } else { Flow::GoOn }
    };
    let end = run_slice(engine, context, &clock, step, WINDOW_NS, &mut on_window);
    let end = end.map_err(|error| error.to_string())?;
    let cpu = cpu_seconds() - cpu;
    let all = service.sparse();
    Ok(format!(
        "{{\"engine\": \"{}\", \"iops\": {:.0}, \"mean_ns\": {:.0}, \"p50_ns\": {:.0}, \"p99_ns\": {:.0}, \
         \"cpu_us\": {:.4}, \"errors\": {errors}, \"busy\": {:.2}, \"broken\": {:?}}}",
        engine.name(),
        ops as f64 * 10.0 / windows as f64,
        all.mean_ns().unwrap_or(0.0),
        all.quantile_ns(0.5).unwrap_or(0.0),
        all.quantile_ns(0.99).unwrap_or(0.0),
        cpu * 1e6 / ops as f64,
        end.efforts.get(&0).map_or(0.0, model::Effort::busy),
        end.broken.or(end.first_error.map(|error| error.1)).unwrap_or_default(),
    ))
}

/// Processor time of the whole process, user and system.
fn cpu_seconds() -> f64 {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF);
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    usage.map_or(0.0, |usage| seconds(usage.user_time()) + seconds(usage.system_time()))
}
