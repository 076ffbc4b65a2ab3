//! Which part of a disk is measured, and whether there was anything to be read: on loop devices over sparse files.

use crate::common::hosts::{Hosts, Odd};
use crate::common::{Home, LoopDevice, tool};
use engines::clock::RealClock;
use engines::crew::{Flow, run_slice};
use engines::{Context, engine_called};
use model::{Clock, Layer, Pattern, Place, SliceEnd, Step, Target, Workload};
use serde_json::Value;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// Begin and end of all that was written to the file behind a device.
fn written(device: &LoopDevice) -> Vec<(i64, i64)> {
    use nix::unistd::{Whence, lseek};
    tool("sync", &[]);
    let name = device.path.trim_start_matches("/dev/");
    let file = fs::read_to_string(format!("/sys/block/{name}/loop/backing_file")).unwrap();
    let file = File::open(file.trim()).unwrap();
    let mut all = Vec::new();
    while let Ok(begin) = lseek(&file, all.last().map_or(0, |(_, end)| *end), Whence::SeekData) {
        all.push((begin, lseek(&file, begin, Whence::SeekHole).unwrap()));
    }
    all
}

struct Bench {
    device: LoopDevice,
    context: Context,
}

impl Bench {
    const DEVICE: u64 = 8 << 30;
    const SPAN: u64 = 16 << 20;

    fn new() -> Bench {
        let device = LoopDevice::of(Bench::DEVICE);
        let context = Context::default();
        context.holds.keep(device.path.as_ref(), File::open(&device.path).unwrap(), Vec::new()).unwrap();
        Bench { device, context }
    }

    fn step(&self, pattern: Pattern) -> Step {
        let place = Place::Path { path: self.device.path.clone().into(), writable: true };
        let spread = Some(Bench::DEVICE);
        Step::new(
            0,
            Layer::Device,
            pattern,
            vec![Target::new(Layer::Device, "d", place)],
            Workload { spread, ..Workload::canonical(pattern, Bench::SPAN, 1) },
        )
    }

    fn fill(&self, step: &Step) {
        let engine = engine_called("io_uring").unwrap();
        engine.prepare(&self.context, &step.targets[0], &step.workload, &mut |_| true).unwrap();
    }

    fn load(&self, step: &Step) -> SliceEnd {
        let clock: Arc<dyn Clock> = Arc::new(RealClock);
        let engine = engines::engine_for(step).unwrap();
        let enough = &mut |set: &model::WindowSet| if set.window < 5 { Flow::GoOn } else { Flow::Stop };
        let end = run_slice(engine, &self.context, &clock, step, 50_000_000, enough).unwrap();
        assert_eq!((&end.broken, &end.first_error), (&None, &None));
        end
    }
}

#[test]
fn the_working_set_lies_all_over_the_device_and_nothing_else_is_written() {
    let bench = Bench::new();
    let (random, linear) = (bench.step(Pattern::WriteParallel), bench.step(Pattern::WriteLinear));
    bench.fill(&random);
    let pieces = written(&bench.device);
    let zone = (Bench::DEVICE / 32) as i64;
    let zones =
        |pieces: &[(i64, i64)]| (0..32).filter(|zone_of| pieces.iter().any(|one| one.0 / zone == *zone_of)).count();
    let bytes = |pieces: &[(i64, i64)]| pieces.iter().map(|(begin, end)| (end - begin) as u64).sum::<u64>();
    // As many pieces of a rotating disk as zones could be 16: then every second one has one.
    assert!(zones(&pieces) >= 16 && bytes(&pieces) == Bench::SPAN, "{pieces:?}");
    assert!(pieces[0].0 < zone * 2 && pieces.last().unwrap().1 > zone * 30, "{pieces:?}");
    // Sequential work has stretches of its own.
    bench.fill(&linear);
    let both = written(&bench.device);
    assert_eq!(bytes(&both), 2 * Bench::SPAN, "{both:?}");
    // All that is loaded lies where it was filled, and reads find data.
    for pattern in Pattern::canonical() {
        let end = bench.load(&bench.step(pattern));
        assert_eq!(
            end.empty_pages.get(&0).map(|pages| (pages.looked_at > 0, pages.empty)),
            (!pattern.writes()).then_some((true, 0))
        );
    }
    assert_eq!(written(&bench.device), both);
    // It is known as filled: a second look writes nothing.
    let stat =
        || fs::read_to_string(format!("/sys/block/{}/stat", bench.device.path.trim_start_matches("/dev/"))).unwrap();
    let sectors = || stat().split_whitespace().nth(6).unwrap().parse::<u64>().unwrap();
    let before = sectors();
    bench.fill(&random);
    bench.fill(&linear);
    assert_eq!(sectors(), before);
}

/// Its reads, as a user has them: the document, and what the terminal shows of the run.
fn read(home: &Home, device: &LoopDevice, more: &[&str]) -> (Value, String) {
    let words = ["disk", &device.path, "--patterns", "read-latency,read-parallel", "--duration", "1s", "--passes", "1"];
    let ran = home.run(&[&words[..], &["--format", "json"], more].concat());
    assert!(matches!(ran.code, 0 | 4), "{}", ran.err);
    let shown = home.run(&["show", "last", "--details"]);
    (ran.json(), shown.out.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn reads_of_what_was_never_written_are_no_figures_of_the_disk() {
    let home = Home::new();
    let share = |figure: &Value| {
        let of = |name: &str| figure["empty_pages"][name].as_f64().unwrap();
        of("empty") / of("looked_at")
    };
    for (written, empty) in [(0u64, 1.0), (40 << 20, 0.375), (64 << 20, 0.0)] {
        let device = LoopDevice::of(64 << 20);
        let data: Vec<u8> = (0..written).map(|n| (n as u32).wrapping_mul(2_654_435_761).to_le_bytes()[3] | 1).collect();
        File::options().write(true).open(&device.path).unwrap().write_all_at(&data, 0).unwrap();
        let (document, shown) = read(&home, &device, &[]);
        for figure in document["figures"].as_array().unwrap() {
            assert!((share(figure) - empty).abs() < 0.05, "{figure:#}");
            assert!(figure["value"].as_f64().unwrap() > 0.0, "{figure:#}");
            assert_eq!(figure["label"] == "unwritten", empty > 0.0, "{figure:#}");
            assert_eq!(figure["why"].to_string().contains("of what was read holds no data"), empty > 0.0, "{figure:#}");
        }
        assert_eq!(shown.contains("of what was read holds no data"), empty > 0.0, "{shown}");
        let used = document["chart"].as_array().unwrap().iter().all(|cell| cell["value"].is_f64());
        assert_eq!(used, empty == 0.0, "{document:#}");
    }
    let csv = home.run(&["show", "last", "--format", "csv"]).out;
    let [head, line] = [0, 1].map(|line| csv.lines().nth(line).unwrap().split(',').collect::<Vec<_>>());
    let field = |name: &str| line[head.iter().position(|field| *field == name).unwrap()];
    assert!(field("pages_looked_at").parse::<u64>().unwrap() > 0 && field("empty_pages") == "0", "{csv}");
}

#[test]
fn a_named_disk_is_measured_all_over_unless_a_working_set_is_named() {
    let home = Home::new();
    let device = LoopDevice::of(64 << 30);
    let (document, shown) = read(&home, &device, &[]);
    let workload = &document["figures"][0]["workload"];
    assert_eq!((&workload["span"], &workload["spread"]), (&(4u64 << 30).into(), &(64u64 << 30).into()));
    let told = format!("spread over the whole of them: 4 GiB of {}, which has 64 GiB", device.path);
    assert!(shown.contains(&told), "{shown}");
    let plan = home.run(&["disk", &device.path, "--patterns", "read-linear", "--dry-run"]);
    let words: Vec<&str> = plan.ends(0, &[]).out.split_whitespace().collect();
    assert!(words.join(" ").contains("over 4 GiB spread over all 64 GiB"), "{}", plan.out);
    for (alone, part) in [(&["--working-set", "8M"][..], "the first 8 MiB"), (&["--verify"], "the first 4 GiB")] {
        let plan = home.run(&[&["disk", &device.path, "--patterns", "write-parallel", "--dry-run"], alone].concat());
        let words = plan.ends(0, &[]).out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(part) && !words.contains("spread"), "{words}");
    }
    let (document, shown) = read(&home, &device, &["--working-set", "8M"]);
    assert!(document["figures"][0]["workload"]["spread"].is_null() && !shown.contains("spread over"), "{shown}");
}

#[test]
fn a_disk_of_another_host_is_measured_in_the_same_part_and_its_empty_pages_are_seen() {
    let hosts = Hosts::new(&[Odd::default()]);
    let device = LoopDevice::of(64 << 30);
    let (list, config) = (hosts.list(), hosts.config());
    let words = ["disk", &device.path, "--hosts", &list, "--ssh-config", &config, "--patterns", "read-parallel"];
    let ran = hosts.home.run(&[&words[..], &["--duration", "1s", "--passes", "1", "--format", "json"]].concat());
    assert!(matches!(ran.code, 0 | 4), "{}\n{}", ran.out, ran.err);
    let document = ran.json();
    let [figure] = document["figures"].as_array().unwrap().as_slice() else { panic!("{document:#}") };
    let workload = &figure["workload"];
    assert_eq!((&workload["span"], &workload["spread"]), (&(4u64 << 30).into(), &(64u64 << 30).into()));
    assert_eq!(
        (&figure["label"], &figure["empty_pages"]["empty"]),
        (&"unwritten".into(), &figure["empty_pages"]["looked_at"])
    );
}
