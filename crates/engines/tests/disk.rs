//! What the device layer refuses before the first write, and what it fills.

use engines::{Context, Engine, EngineError, engine_called};
use model::{Durability, Layer, Pattern, Place, Step, Target, Workload};
use std::fs::File;
use std::path::Path;

const SPAN: u64 = 1 << 20;

fn engine(name: &str) -> &'static dyn Engine {
    engine_called(name).unwrap()
}

fn target(path: &Path, writable: bool) -> Target {
    let place = Place::Path { path: path.into(), writable };
    Target::new(Layer::Device, path.display().to_string(), place)
}

fn reads() -> Workload {
    Workload::canonical(Pattern::ReadLatency, SPAN, 1)
}

fn writes() -> Workload {
    Workload { durability: Durability::None, ..Workload::canonical(Pattern::WriteLatency, SPAN, 1) }
}

fn fill(path: &Path, span: u64) -> Result<u64, EngineError> {
    let mut told = Vec::new();
    let mut progress = |bytes| {
        told.push(bytes);
        true
    };
    let workload = Workload { span, ..reads() };
    engine("io_uring").prepare(&Context::default(), &target(path, true), &workload, &mut progress)?;
    Ok(told.len() as u64)
}

#[test]
fn what_cannot_be_done_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, vec![7; SPAN as usize]).unwrap();
    let refused =
        |path: &Path, writable, workload: &Workload| engine("psync").refuse(&target(path, writable), workload);
    let says = |path: &Path, writable, workload: &Workload, what: &str| {
        let why = refused(path, writable, workload).unwrap_or_default();
        assert!(why.contains(what) && why.contains(&*path.to_string_lossy()), "{what:?}: {why:?}");
    };
    assert_eq!(refused(&file, true, &writes()), None);
    assert_eq!(refused(&file, false, &reads()), None);
    says(&folder.path().join("none"), true, &reads(), "No such file");
    says(folder.path(), true, &reads(), "neither a regular file nor a block device");
    says(Path::new("/dev/null"), true, &reads(), "neither a regular file nor a block device");
    says(&file, false, &writes(), "may only be read");
    says(&file, true, &Workload { block: 1000, ..reads() }, "not a multiple");
    says(&file, true, &Workload { block: 0, ..reads() }, "not a multiple");
    says(&file, false, &Workload { span: 2 * SPAN, ..reads() }, "less than the working set");
    says(&file, true, &Workload { span: 4096, jobs: 2, depth: 2, ..reads() }, "for each of 2 jobs");
    let option = [("colour".to_string(), "blue".to_string())].into();
    says(&file, true, &Workload { options: option, ..reads() }, "no option \"colour\"");
    let hollow = folder.path().join("hollow");
    File::create(&hollow).unwrap().set_len(SPAN).unwrap();
    says(&hollow, false, &reads(), "has holes");
}

#[test]
fn a_depth_without_a_queue_is_refused() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, vec![7; SPAN as usize]).unwrap();
    let deep = Workload { depth: 8, ..reads() };
    let why = engine("psync").refuse(&target(&file, true), &deep).unwrap();
    assert!(why.contains("one operation in flight per job"), "{why}");
    assert_eq!(engine("io_uring").refuse(&target(&file, true), &deep), None);
    assert_eq!(engine("psync").refuse(&target(&file, true), &Workload { jobs: 8, ..deep }), None);
}

#[test]
fn something_else_than_a_path_is_refused() {
    let nothing = Target { place: Place::Null, ..target(Path::new("/x"), true) };
    assert_eq!(engine("psync").refuse(&nothing, &reads()).unwrap(), "/x is neither a file nor a device");
}

#[test]
fn a_file_is_filled_once_and_again_if_it_has_holes_or_is_short() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, []).unwrap();
    assert!(fill(&file, 8 * SPAN).unwrap() > 1);
    let first = std::fs::read(&file).unwrap();
    assert_eq!(first.len() as u64, 8 * SPAN);
    assert_eq!(fill(&file, 8 * SPAN).unwrap(), 1, "told once that all is there");
    assert_eq!(std::fs::read(&file).unwrap(), first);
    assert!(fill(&file, 9 * SPAN).unwrap() > 1);
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 9 * SPAN);

    File::options().write(true).open(&file).unwrap().set_len(4 * SPAN).unwrap();
    File::options().write(true).open(&file).unwrap().set_len(9 * SPAN).unwrap();
    assert!(fill(&file, 9 * SPAN).unwrap() > 1);
    std::fs::write(&file, vec![0; 9 * SPAN as usize]).unwrap();
    assert!(fill(&file, 9 * SPAN).unwrap() > 1, "zeros are not data");
    let data = std::fs::read(&file).unwrap();
    assert!(data.chunks(4096).all(|page| page.iter().any(|byte| *byte != page[0])));
}

#[test]
fn filling_stops_when_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, []).unwrap();
    let mut calls = 0;
    let mut stop = |_| {
        calls += 1;
        false
    };
    let workload = Workload { span: 64 * SPAN, ..reads() };
    engine("psync").prepare(&Context::default(), &target(&file, true), &workload, &mut stop).unwrap();
    assert_eq!(calls, 1);
    assert!(fill(&file, 64 * SPAN).unwrap() > 1, "what was not finished is filled again");
}

#[test]
fn what_may_only_be_read_is_never_filled() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, vec![0; SPAN as usize]).unwrap();
    let mut progress = |_| true;
    engine("psync").prepare(&Context::default(), &target(&file, false), &reads(), &mut progress).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), vec![0; SPAN as usize]);
}

#[test]
fn a_full_disk_is_told_before_it_is_filled() {
    // A file system in memory knows its size and reserves nothing when it refuses.
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, []).unwrap();
    let why = fill(&file, 1 << 50).unwrap_err().to_string();
    let parts =
        ["file: No space left on device", "1125899906842624 bytes are needed", "are free", "smaller working set"];
    assert!(parts.iter().all(|part| why.contains(part)), "{why}");
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 0);
}

#[test]
fn the_layer_chooses_the_engine_by_depth_and_by_file_system() {
    let step = |path: &Path, workload: Workload| {
        Step::new(0, Layer::Device, Pattern::ReadParallel, vec![target(path, true)], workload)
    };
    let name = |path: &str, workload| engines::engine_for(&step(Path::new(path), workload)).unwrap().name();
    let deep = Workload { depth: 32, ..reads() };
    let here = env!("CARGO_TARGET_TMPDIR");
    assert_eq!(name(here, reads()), "psync");
    assert_eq!(name(here, deep.clone()), "io_uring");
    assert_eq!(name(here, Workload { jobs: 32, ..deep.clone() }), "psync");
    assert_eq!(name("/dev/shm/not-there-yet", deep.clone()), "psync");
    assert_eq!(name("/dev/shm", Workload { engine: Some("io_uring".into()), ..deep.clone() }), "io_uring");
    // A device's node lies in memory, its data does not.
    for device in std::fs::read_dir("/sys/block").into_iter().flatten().flatten() {
        let node = Path::new("/dev").join(device.file_name());
        if node.exists() {
            let node = node.to_str().unwrap();
            let durable = Workload { durability: Durability::Fsync, ..reads() };
            let one = if node.starts_with("/dev/loop") { "io_uring" } else { "psync" };
            assert_eq!([deep.clone(), reads(), durable].map(|load| name(node, load)), ["io_uring", one, "psync"]);
        }
    }
    let unknown = step(Path::new(here), Workload { engine: Some("libaio".into()), ..deep });
    let why = engines::engine_for(&unknown).err().unwrap().to_string();
    assert_eq!(why, "layer device has no engine \"libaio\"; there are: io_uring, psync");
}
