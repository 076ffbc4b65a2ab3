//! Every engine that needs no cluster keeps the promises of the trait.

mod stub;

use engines::clock::{RealClock, SimClock};
use engines::crew::{Flow, run_slice};
use engines::sim::{Model, Sim};
use engines::{Context, Done, ENGINES, Engine, Op, Session};
use model::WindowSet;
use model::{
    Access, Arrivals, Clock, Durability, Endpoint, Layer, OpClass, OpMix, Pattern, Place, Rate, Step, Target, Tree,
    Workload,
    clock::{MILLISECOND, SECOND},
};
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

const SPAN: u64 = 4 << 20;

/// Engines with a target of their own, and the clock that they go by.
struct Case {
    engine: &'static dyn Engine,
    target: Target,
    clock: Arc<dyn Clock>,
    /// Where the data lies, if it lies anywhere.
    file: Option<std::path::PathBuf>,
}

fn cases(folder: &Path) -> Vec<Case> {
    let listed = ENGINES.iter().filter_map(|(layer, engine)| case(*layer, *engine, folder));
    let clock = Arc::new(SimClock::default());
    let sim: &'static dyn Engine = Box::leak(Box::new(Sim::new(clock.clone(), |_, _| Model::steady(1e5, 0.3, 4))));
    listed.chain([Case { engine: sim, target: target(Place::Null), clock, file: None }]).collect()
}

fn target(place: Place) -> Target {
    Target::new(Layer::Device, "t", place)
}

fn case(layer: Layer, engine: &'static dyn Engine, folder: &Path) -> Option<Case> {
    let clock: Arc<dyn Clock> = Arc::new(RealClock);
    let file = folder.join(engine.name());
    match (layer, engine.name()) {
        (_, "null") => Some(Case { engine, target: target(Place::Null), clock, file: None }),
        (Layer::Device, _) => {
            std::fs::write(&file, []).unwrap();
            let place = Place::Path { path: file.clone(), writable: true };
            Some(Case { engine, target: target(place), clock, file: Some(file) })
        }
        (Layer::Network, _) => {
            let end = || Endpoint::new("here", "127.0.0.1");
            Some(Case {
                engine,
                target: target(Place::Pair { from: end(), to: end(), listener: None }),
                clock,
                file: None,
            })
        }
        // Its replicas are kept by somebody: see `tests/floor.rs`.
        (Layer::Floor, _) => None,
        // These need a cluster: crate `fathom` tests them on a lab.
        (Layer::Store | Layer::Osd | Layer::Rados | Layer::Rbd, _) => None,
        (Layer::File, "posix") => {
            let path = folder.join("tree");
            std::fs::create_dir_all(&path).unwrap();
            Some(Case { engine, target: target(Place::Tree { path }), clock, file: None })
        }
        // Those of the device layer.
        (Layer::File | Layer::Guest, _) => None,
        (Layer::Object, _) => {
            let gateway = model::testing::gateway(&GATEWAY);
            let place = Place::Bucket { gateway, bucket: "fathom-x".into(), prefix: "fathom.x.".into() };
            Some(Case { engine, target: target(place), clock, file: None })
        }
    }
}

/// Workloads that between them use everything a workload can ask for.
fn workloads(case: &Case) -> Vec<Workload> {
    if matches!(case.target.place, Place::Tree { .. }) {
        return by_names();
    }
    let base = Workload { seed: 3, ..Workload::canonical(Pattern::ReadParallel, SPAN, 3) };
    let with =
        |depth, jobs, reads, durability| Workload { depth, jobs, mix: OpMix::reads(reads), durability, ..base.clone() };
    let mut all = vec![
        with(1, 1, 100, Durability::None),
        with(1, 1, 0, Durability::Dsync),
        with(1, 1, 0, Durability::Fsync),
        with(2, 2, 50, Durability::Fdatasync),
        Workload { access: Access::Sequential, block: 65536, ..with(1, 1, 0, Durability::Sync) },
        Workload { access: Access::Zipf(1.1), ..with(1, 1, 100, Durability::None) },
    ];
    let rate = |arrivals| Some(Rate { per_second: 400.0, arrivals, by_job: false });
    all.push(Workload { rate: rate(Arrivals::Even), ..with(2, 2, 100, Durability::None) });
    if case.engine.name() != "psync" {
        all.extend([
            Workload { rate: rate(Arrivals::Poisson), ..with(16, 1, 60, Durability::None) },
            with(16, 1, 100, Durability::None),
            with(16, 2, 50, Durability::None),
            with(7, 2, 30, Durability::Fdatasync),
            with(8, 1, 0, Durability::Fsync),
            with(16, 1, 0, Durability::GroupCommit),
            with(9, 2, 40, Durability::GroupCommit),
            Workload { access: Access::Sequential, block: 1 << 20, ..with(4, 1, 0, Durability::None) },
        ]);
    }
    // Each operation is of a whole object.
    let whole = |load: Workload| Workload { object: Some(load.block), ..load };
    if !matches!(case.target.place, Place::Bucket { .. }) {
        return all;
    }
    all.into_iter().map(whole).chain(of_a_bucket()).collect()
}

/// Parts of objects, and objects by their names: alone, and all that there is in a mix.
fn of_a_bucket() -> Vec<Workload> {
    let of = |pattern: Pattern| Workload { object: Some(4096), ..Workload::canonical(pattern, SPAN, 3) };
    let [create, stat, list] = [Pattern::CreateDelete, Pattern::Stat, Pattern::List].map(of);
    let classes = [OpClass::Read, OpClass::Write, OpClass::Create, OpClass::Delete, OpClass::Stat];
    let mix = OpMix::of(classes.map(|class| (class, 20))).unwrap();
    let parts = Workload { object: Some(65536), ..of(Pattern::ReadLatency) };
    vec![Workload { mix, jobs: 2, ..stat.clone() }, parts, create, stat, list]
}

/// Files by their names, in trees of each job's own and in one of all.
fn by_names() -> Vec<Workload> {
    let of = |(pattern, shared): (Pattern, bool)| {
        let tree = Tree { levels: 2, folders: 2, files: 7, shared };
        let (jobs, block) = (2, 4096);
        let workload = Workload { jobs, depth: jobs, tree: Some(tree), ..Workload::canonical(pattern, 0, 3) };
        Workload { span: tree.bytes(jobs, block), ..workload }
    };
    let patterns = Pattern::ALL.into_iter().filter(|pattern| pattern.is_metadata());
    patterns.flat_map(|pattern| [(pattern, false), (pattern, true)]).map(of).collect()
}

static GATEWAY: LazyLock<String> = LazyLock::new(stub::start);

/// With keys for a gateway that does not look at them.
fn context() -> Context {
    let access = s3::Access { keys: s3::Keys::new("key", "secret"), authorities: None };
    Context { s3: [(GATEWAY.clone(), access)].into(), ..Context::default() }
}

fn each(check: impl Fn(&Case, &Workload)) {
    each_with(|_, _| Some(()), |case, workload, ()| check(case, workload));
}

fn each_with<T>(has: impl Fn(&Case, &Workload) -> Option<T>, check: impl Fn(&Case, &Workload, T)) {
    each_in(tempfile::tempdir().unwrap().path(), has, check);
}

/// Checks only the cases that have what is looked at: at least one has. Files lie in this folder.
fn each_in<T>(folder: &Path, has: impl Fn(&Case, &Workload) -> Option<T>, check: impl Fn(&Case, &Workload, T)) {
    let mut checked = 0;
    for case in cases(folder) {
        for workload in workloads(&case) {
            let Some(of_case) = has(&case, &workload) else { continue };
            println!("{} {workload:?}", case.engine.name());
            assert_eq!(case.engine.refuse(&case.target, &workload), None);
            let mut told = 0;
            let mut progress = |bytes| {
                assert!(bytes >= told && bytes <= SPAN);
                told = bytes;
                true
            };
            case.engine.prepare(&context(), &case.target, &workload, &mut progress).unwrap();
            check(&case, &workload, of_case);
            checked += 1;
        }
    }
    assert!(checked > 0, "no case has it");
}

fn open(case: &Case, workload: &Workload, lane: u32) -> Box<dyn Session> {
    case.engine.open(&context(), &case.target, workload, lane).unwrap()
}

fn op(workload: &Workload, slot: u32, n: u64) -> Op {
    let classes: Vec<OpClass> = workload.mix.classes().collect();
    let kind = match workload.of_files() {
        true => classes[n as usize % classes.len()],
        false if n % 100 < u64::from(workload.mix.percent(OpClass::Read)) => OpClass::Read,
        false => OpClass::Write,
    };
    let offset = n * 7 % (workload.lane_span() / workload.block) * workload.block;
    Op { slot, kind, offset, len: workload.block as u32, due: 0 }
}

fn step(case: &Case, workload: &Workload) -> Step {
    let (layer, pattern) = (case.target.layer, Pattern::ReadParallel);
    Step::new(0, layer, pattern, vec![case.target.clone()], workload.clone())
}

/// Keeps the depth until `count` operations ended; returns how often each slot was used.
fn pump(session: &mut dyn Session, workload: &Workload, depth: u32, count: u64) -> Vec<u64> {
    let (mut used, mut busy) = (vec![0; depth as usize], vec![false; depth as usize]);
    let (mut submitted, mut ended, mut done): (u64, u64, Vec<Done>) = (0, 0, Vec::new());
    while ended < count {
        let free = (0..depth).filter(|slot| !busy[*slot as usize]);
        let ops: Vec<Op> = free.zip(submitted..count).map(|(slot, n)| op(workload, slot, n)).collect();
        let taken = session.submit(&ops).unwrap();
        assert!(taken <= ops.len());
        ops[..taken].iter().for_each(|op| busy[op.slot as usize] = true);
        submitted += taken as u64;
        session.reap(Duration::from_millis(100), &mut done).unwrap();
        for done in done.drain(..) {
            assert!(std::mem::take(&mut busy[done.slot as usize]), "slot {} ended twice or never began", done.slot);
            assert_eq!(done.result, Ok(workload.block as u32));
            used[done.slot as usize] += 1;
            ended += 1;
        }
    }
    assert!(!busy.contains(&true));
    used
}

#[test]
fn every_operation_ends_once_with_its_length() {
    each(|case, workload| {
        for lane in 0..workload.jobs {
            let depth = workload.lane_depth(lane);
            let used = pump(&mut *open(case, workload, lane), workload, depth, 40);
            assert_eq!(used.iter().sum::<u64>(), 40);
            assert!(used.iter().all(|times| *times > 0), "{used:?}");
        }
    });
}

#[test]
fn a_session_is_dropped_with_operations_in_flight() {
    each(|case, workload| {
        let mut session = open(case, workload, 0);
        let ops: Vec<Op> = (0..workload.lane_depth(0)).map(|slot| op(workload, slot, slot.into())).collect();
        assert!(session.submit(&ops).unwrap() > 0);
        session.reap(Duration::ZERO, &mut Vec::new()).unwrap();
        session.submit(&[]).unwrap();
    });
}

#[test]
fn a_session_may_be_used_in_another_thread_than_it_was_opened_in() {
    each(|case, workload| {
        let (mut session, workload) = (open(case, workload, 0), workload.clone());
        let depth = workload.lane_depth(0);
        // A simulated session needs no other threads, but it bears them.
        std::thread::spawn(move || pump(&mut *session, &workload, depth, 10)).join().unwrap();
    });
}

/// In memory: a disk that others keep busy holds an operation up, and of one that no figure has the end of the slice tells.
#[test]
fn windows_add_up_and_come_in_order() {
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let all = |_: &Case, _: &Workload| Some(());
    each_in(memory.path(), all, |case, workload, ()| {
        let held_up = |broken: &Option<String>| broken.as_ref().is_some_and(|why| why.contains("went on at the end"));
        let mut slices = (0..TRIES).map(|_| checked_windows(case, workload));
        let broken = slices.find(|broken| !held_up(broken)).expect("no slice of which nothing was held up");
        assert_eq!(broken, None);
    });
}

/// What broke this slice; all else of it is as it has to be.
fn checked_windows(case: &Case, workload: &Workload) -> Option<String> {
    let step = step(case, workload);
    let (mut next, mut ops, mut kinds) = (0, 0, Vec::new());
    let deadline = case.clock.now() + 20 * SECOND;
    let mut check = |set: &WindowSet| {
        // A machine that stood still: it is asked whether to go on.
        if set.samples.is_empty() {
            return if case.clock.now() > deadline { Flow::Stop } else { Flow::GoOn };
        }
        assert_eq!(set.window, next);
        next += 1;
        for (target, kind, sample) in &set.samples {
            assert_eq!((*target, sample.errors, sample.span_ns), (0, 0, 10 * MILLISECOND));
            let moved = if kind.moves_bytes() { sample.ops * workload.block } else { 0 };
            assert_eq!((sample.ops, moved), (sample.service.count, sample.bytes));
            let open = [&sample.response, &sample.late].map(|times| times.as_ref().map(|times| times.count));
            assert_eq!(open, [workload.rate.map(|_| sample.ops); 2]);
            if let Some(response) = &sample.response {
                assert!(response.sum_ns >= sample.service.sum_ns, "nothing ends before it is due");
            }
            assert_eq!(sample.ops, sample.service.buckets.iter().map(|bucket| bucket.1).sum::<u64>());
            ops += sample.ops;
            kinds.push(*kind);
        }
        if ops > 50 || case.clock.now() > deadline { Flow::Stop } else { Flow::GoOn }
    };
    let end = run_slice(case.engine, &context(), &case.clock, &step, 10 * MILLISECOND, &mut check).unwrap();
    assert!(ops > 50, "{ops} operations only");
    assert_eq!((end.first_error, end.windows), (None, next));
    assert_eq!(kinds.contains(&OpClass::Read), workload.reads());
    assert_eq!(kinds.contains(&OpClass::Write), workload.writes());
    end.broken
}

/// A machine that gives no processor for seconds keeps no rate, and holds operations up. It does not do so this often in a row.
const TRIES: usize = 5;

/// Not one more than is due, whatever the machine does; nearly all of them, since a rate is not a wish. In memory: a disk that others keep
/// busy cannot keep it, whatever an engine does.
#[test]
fn a_rate_is_kept() {
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    each_in(
        memory.path(),
        |_, workload| workload.rate,
        |case, workload, rate| {
            let step = step(case, workload);
            let due = 3.0 * rate.per_second;
            // Four standard deviations of a Poisson count, and what is still under way.
            let most = 4.0 * due.sqrt() + 16.0;
            let lacking = || {
                let mut ops = 0;
                let mut count = |set: &WindowSet| {
                    ops += set.samples.iter().map(|(_, _, sample)| sample.ops).sum::<u64>();
                    if set.window == 29 && !set.samples.is_empty() { Flow::Stop } else { Flow::GoOn }
                };
                let end = run_slice(case.engine, &context(), &case.clock, &step, 100 * MILLISECOND, &mut count);
                assert_eq!(end.unwrap().broken, None);
                due - ops as f64
            };
            let mut lacked = Vec::new();
            let kept = (0..TRIES).any(|_| {
                let lacks = lacking();
                assert!(lacks > -most, "{} more than the {due} that are due", -lacks);
                lacked.push(lacks);
                lacks < most
            });
            assert!(kept, "{}: of {due} operations that were due lacked {lacked:?}", case.engine.name());
        },
    );
}

#[test]
fn what_is_there_to_be_read_is_not_empty_and_cannot_be_compressed() {
    each_with(
        |case, _| case.file.clone(),
        |_, _, file| {
            let data = std::fs::read(file).unwrap();
            assert_eq!(data.len() as u64, SPAN);
            for page in data.chunks(4096) {
                let mut words: Vec<&[u8]> = page.chunks(8).collect();
                words.sort_unstable();
                words.dedup();
                assert_eq!(words.len(), 512, "words of 8 bytes repeat");
            }
            let mut pages: Vec<&[u8]> = data.chunks(4096).collect();
            pages.sort_unstable();
            pages.dedup();
            assert_eq!(pages.len() as u64, SPAN / 4096, "pages repeat");
        },
    );
}
