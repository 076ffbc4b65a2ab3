//! Data that is changed behind the back of a session is seen as what it is: both ways to a file, operation by operation.

use engines::verify::{Verify, read_back};
use engines::{Context, Done, Engine, Op, Session, engine_called};
use model::{Checked, FlawKind, Layer, OpClass, OpMix, Pattern, Place, ReadBack, Step, Target, Workload};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const BLOCK: u64 = 4096;
const BLOCKS: u64 = 64;

struct Bench {
    engine: &'static dyn Engine,
    context: Context,
    file: File,
    target: Target,
    workload: Workload,
}

impl Bench {
    fn new(engine: &str, path: &Path, workload: Workload) -> Bench {
        let engine = engine_called(engine).unwrap();
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path).unwrap();
        let place = Place::Path { path: path.into(), writable: true };
        let target = Target::new(Layer::Device, path.display().to_string(), place);
        let context = Context { verify: Arc::new(Verify::new(7, 0)), ..Context::default() };
        engine.prepare(&context, &target, &workload, &mut |_| true).unwrap();
        Bench { engine, context, file, target, workload }
    }

    fn open(&self) -> Box<dyn Session> {
        self.engine.open(&self.context, &self.target, &self.workload, 0).unwrap()
    }

    fn block(&self, block: u64) -> Vec<u8> {
        let mut bytes = vec![0; BLOCK as usize];
        self.file.read_exact_at(&mut bytes, block * BLOCK).unwrap();
        bytes
    }

    fn put(&self, block: u64, bytes: &[u8]) {
        self.file.write_all_at(bytes, block * BLOCK).unwrap();
        self.file.sync_all().unwrap();
    }

    fn take(&self) -> Checked {
        self.context.verify.take(&self.target.name)
    }
}

fn mixed() -> Workload {
    let reads = Workload::canonical(Pattern::ReadLatency, BLOCKS * BLOCK, 1);
    Workload { mix: OpMix::reads(50), depth: 4, verify: true, ..reads }
}

fn op(slot: u32, kind: OpClass, block: u64) -> Op {
    Op { slot, kind, offset: block * BLOCK, len: BLOCK as u32, due: 0 }
}

fn run(session: &mut dyn Session, kind: OpClass, block: u64) {
    assert_eq!(session.submit(&[op(0, kind, block)]).unwrap(), 1);
    let (mut done, deadline): (Vec<Done>, _) = (Vec::new(), Instant::now() + Duration::from_secs(60));
    while done.is_empty() {
        assert!(Instant::now() < deadline, "the operation did not end");
        session.reap(Duration::from_secs(1), &mut done).unwrap();
    }
    assert_eq!(done[0].result, Ok(BLOCK as u32));
}

fn each_engine(test: impl Fn(&str, &Path)) {
    for engine in ["io_uring", "psync"] {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        test(engine, &folder.path().join("file"));
    }
}

#[test]
fn each_flaw_is_seen_as_what_it_is_where_it_is() {
    each_engine(|engine, path| {
        let bench = Bench::new(engine, path, mixed());
        let mut session = bench.open();
        let before: Vec<Vec<u8>> = (0..BLOCKS).map(|block| bench.block(block)).collect();
        (0..BLOCKS).for_each(|block| run(&mut *session, OpClass::Write, block));
        (0..BLOCKS).for_each(|block| run(&mut *session, OpClass::Read, block));
        let clean = bench.take();
        assert_eq!((clean.bytes, clean.unknown, clean.flawed()), (BLOCKS * BLOCK, 0, 0), "{clean:?}");

        let mut flipped = bench.block(3);
        flipped[1234] ^= 1;
        let halves = [&before[7][..2048], &bench.block(7)[2048..]].concat();
        bench.put(3, &flipped);
        bench.put(5, &before[5]);
        bench.put(7, &halves);
        bench.put(9, &bench.block(11));
        bench.put(13, &[0; BLOCK as usize]);
        for _ in 0..2 {
            (0..BLOCKS).for_each(|block| run(&mut *session, OpClass::Read, block));
        }
        let seen = bench.take();
        let found: Vec<(FlawKind, u64)> = seen.flaws.iter().map(|flaw| (flaw.kind, flaw.offset / BLOCK)).collect();
        use FlawKind::{Misplaced, Stale, Torn, Wrong};
        assert_eq!(found, [(Wrong, 3), (Stale, 5), (Torn, 7), (Misplaced, 9), (Wrong, 13)], "{engine}: {seen:#?}");
        assert!(seen.flaws.iter().all(|flaw| flaw.place == path.display().to_string() && flaw.bytes == BLOCK));
        assert!(seen.flaws[3].says.contains(&format!("at {}", 11 * BLOCK)), "{:?}", seen.flaws[3]);
        assert_eq!(seen.flawed(), 5, "a flaw that is read twice is one");

        // What is written anew is well again; the same fault after it is another.
        run(&mut *session, OpClass::Write, 3);
        run(&mut *session, OpClass::Read, 3);
        assert_eq!(bench.take().flawed(), 0);
        bench.put(3, &flipped);
        run(&mut *session, OpClass::Read, 3);
        assert_eq!(bench.take().flawed(), 1);
    });
}

#[test]
fn what_another_run_left_is_not_taken_for_ones_own() {
    each_engine(|engine, path| {
        Bench::new(engine, path, mixed());
        let old = std::fs::read(path).unwrap();
        let context = Context { verify: Arc::new(Verify::new(8, 0)), ..Context::default() };
        let bench = Bench { context, ..Bench::new(engine, path, mixed()) };
        bench.engine.prepare(&bench.context, &bench.target, &bench.workload, &mut |_| true).unwrap();
        bench.put(0, &old[..BLOCK as usize]);
        let mut session = bench.open();
        run(&mut *session, OpClass::Read, 0);
        run(&mut *session, OpClass::Read, 1);
        let seen = bench.take();
        assert_eq!((seen.stale, seen.flawed()), (1, 1), "{seen:?}");
        assert!(seen.flaws[0].says.contains("earlier run"));
    });
}

#[test]
fn no_two_operations_meet_on_a_block_if_one_of_them_writes() {
    each_engine(|engine, path| {
        let bench = Bench::new(engine, path, mixed());
        let mut session = bench.open();
        let of = |kinds: [OpClass; 2]| [op(0, kinds[0], 1), op(1, kinds[1], 1)];
        use OpClass::{Read, Write};
        for (kinds, taken) in [([Read, Read], 2), ([Read, Write], 1), ([Write, Read], 1), ([Write, Write], 1)] {
            assert_eq!(session.submit(&of(kinds)).unwrap(), taken, "{engine} {kinds:?}");
            let mut done = Vec::new();
            while done.len() < taken {
                session.reap(Duration::from_secs(1), &mut done).unwrap();
            }
        }
        assert_eq!(bench.take().flawed(), 0);
    });
}

#[test]
fn what_was_only_written_is_read_back() {
    each_engine(|engine, path| {
        let writing = Workload { mix: OpMix::reads(0), ..mixed() };
        let bench = Bench::new(engine, path, writing.clone());
        let mut session = bench.open();
        [2, 4, 6, 2].into_iter().for_each(|block| run(&mut *session, OpClass::Write, block));
        drop(session);
        let mut bytes = bench.block(4);
        bytes[0] ^= 0xff;
        bench.put(4, &bytes);
        // Not written by this slice: not its business.
        bench.put(8, &bytes);
        let pattern = Pattern::WriteLatency;
        let step = Step::new(0, Layer::Device, pattern, vec![bench.target.clone()], writing);
        read_back(bench.engine, &bench.context, &step, Duration::from_secs(60), &|| true).unwrap();
        let seen = bench.take();
        assert_eq!((seen.wrong, seen.flawed(), seen.flaws[0].offset), (1, 1, 4 * BLOCK), "{engine}: {seen:?}");
        assert_eq!(seen.read_back, Some(ReadBack { bytes: 3 * BLOCK, of: 3 * BLOCK }));
        read_back(bench.engine, &bench.context, &step, Duration::from_secs(60), &|| true).unwrap();
        assert_eq!(bench.take(), Checked::default());
    });
}

#[test]
fn what_cannot_be_verified_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let bench = Bench::new("psync", &path, Workload { depth: 1, ..mixed() });
    let why = |workload: Workload| bench.engine.refuse(&bench.target, &workload).unwrap_or_default();
    assert!(why(Workload { block: 1000, ..mixed() }).contains("512"));
    let read_only = Target { place: Place::Path { path, writable: false }, ..bench.target.clone() };
    assert!(bench.engine.refuse(&read_only, &mixed()).unwrap().contains("only reads"));
    for (name, word) in [("tcp", "keeps nothing"), ("osd-bench", "makes up its own data"), ("null", "moves no data")] {
        let engine = engine_called(name).unwrap();
        let end = model::Endpoint::new("a", "127.0.0.1");
        let place = match name {
            "tcp" => Place::Pair { from: end.clone(), to: end, listener: None },
            "osd-bench" => Place::Store { osd: 1 },
            _ => Place::Null,
        };
        let why = engine.refuse(&Target { place, ..read_only.clone() }, &mixed()).unwrap_or_default();
        assert!(why.contains(word), "{name}: {why}");
    }
}
