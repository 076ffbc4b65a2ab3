//! A run of many OSDs as one HTML file: how large, how long to write, and how long until a browser shows it.

use model::testing;
use model::{
    DeviceScope, Goal, HostScope, Latencies, Nanos, OpClass, OsdScope, Pattern, Place, Plan, Record, RunHead, Sample,
    Scope, Slice, Step, Target, Workload,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const WINDOW: Nanos = 100_000_000;
/// A verdict's slice of reads: enough for an interval.
const WINDOWS: u32 = 46;
const PASSES: u32 = 2;
const OSDS_A_HOST: u32 = 24;
/// What is promised of ten thousand.
const OPENS_SECONDS: f64 = 3.0;

/// # Errors
/// No browser is there, or the disk is full.
pub fn all(numbers: &[u32], out: Option<&Path>) -> Result<bool, Box<dyn Error>> {
    println!("  osds  explain s  write s     MiB  opens s");
    let mut good = true;
    for number in numbers {
        let folder = tempfile::tempdir()?;
        let record = record(*number);
        let began = Instant::now();
        let report = experiments::explain(&record);
        let explained = began.elapsed().as_secs_f64();
        let page = report::html::page(&report, &record);
        let written = began.elapsed().as_secs_f64() - explained;
        let path = folder.path().join("report.html");
        std::fs::write(&path, &page)?;
        let opens = opens(&path)?;
        let size = page.len() as f64 / f64::from(1 << 20);
        println!("{number:>6}  {explained:>9.2}  {written:>7.2}  {size:>6.1}  {opens:>7.2}");
        if opens > OPENS_SECONDS {
            eprintln!("scale: the report of {number} OSDs opens in more than {OPENS_SECONDS} s");
            good = false;
        }
        if let Some(out) = out {
            std::fs::copy(&path, out)?;
        }
    }
    Ok(good)
}

/// Seconds until the page is loaded and drawn, beyond what an empty page takes: the browser's own start is not the report's.
fn opens(path: &Path) -> Result<f64, Box<dyn Error>> {
    let empty = path.with_file_name("empty.html");
    std::fs::write(&empty, "<!doctype html><title>x</title>")?;
    drawn(&empty)?;
    let bare = drawn(&empty)?;
    let whole = drawn(path)?;
    let dom = browser(path, &["--dump-dom"])?;
    match String::from_utf8_lossy(&dom).contains("data-ready=\"true\"") {
        true => Ok((whole - bare).max(0.0)),
        false => Err("the page is not ready when the browser has loaded it".into()),
    }
}

fn drawn(path: &Path) -> Result<f64, Box<dyn Error>> {
    let began = Instant::now();
    let picture = format!("--screenshot={}", path.with_extension("png").display());
    browser(path, &["--window-size=1280,900", &picture])?;
    Ok(began.elapsed().as_secs_f64())
}

fn browser(path: &Path, wanted: &[&str]) -> Result<Vec<u8>, Box<dyn Error>> {
    let page = format!("file://{}", path.display());
    let profile = format!("--user-data-dir={}", path.with_file_name("profile").display());
    let flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
    let mut command = Command::new("chromium");
    command.args(flags).args([&profile]).args(wanted).arg(&page).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().map_err(|error| format!("chromium: {error}; install the package chromium"))?;
    Ok(output.stdout)
}

/// All OSDs at once, in three patterns; a hundredth of them is slow.
fn record(osds: u32) -> Record {
    let mut chance = StdRng::seed_from_u64(1);
    let host = |osd: u32| format!("host{:04}", osd / OSDS_A_HOST);
    let scope = Scope {
        hosts: (0..osds.div_ceil(OSDS_A_HOST))
            .map(|number| HostScope { name: host(number * OSDS_A_HOST), ..HostScope::default() })
            .collect(),
        devices: (0..osds).map(|osd| device(osd, host(osd))).collect(),
        osds: (0..osds)
            .map(|osd| OsdScope { id: osd, host: host(osd), up: true, inside: true, ..OsdScope::default() })
            .collect(),
        ..Scope::default()
    };
    let target = |osd: u32| Target {
        host: Some(host(osd)),
        ..Target::new(testing::osds(), format!("osd.{osd}"), Place::Osd { osd, pool: "p".into(), replicas: Vec::new() })
    };
    let targets: Vec<Target> = (0..osds).map(target).collect();
    let patterns = [Pattern::WriteLatency, Pattern::ReadLatency, Pattern::ReadParallel];
    let step = |(id, pattern): (u32, Pattern)| Step {
        apart: true,
        ..Step::new(id, testing::osds(), pattern, targets.clone(), Workload::canonical(pattern, 1 << 30, 1))
    };
    let steps: Vec<Step> = (0..).zip(patterns).map(step).collect();
    let mut slices = Vec::new();
    for step in &steps {
        for osd in 0..osds {
            let slow = if osd % 100 == 7 { 2.0 } else { 1.0 };
            slices.extend((1..=PASSES).map(|pass| slice(step, osd, pass, slow, &mut chance)));
        }
    }
    let plan = Plan { steps, goal: Goal::default(), ..Plan::default() };
    let head = RunHead { run: "scale".into(), started: "2026-01-01T00:00:00Z".into(), ..RunHead::default() };
    Record { head, scope, plan, slices, finished: true, seconds: 600.0, ..Record::default() }
}

fn device(osd: u32, host: String) -> DeviceScope {
    DeviceScope {
        path: format!("/dev/sd{}", osd % OSDS_A_HOST),
        host: Some(host),
        osds: vec![osd],
        ..DeviceScope::default()
    }
}

fn slice(step: &Step, osd: u32, pass: u32, slow: f64, chance: &mut StdRng) -> Slice {
    let kind = if step.pattern.writes() { OpClass::Write } else { OpClass::Read };
    let level: f64 = slow * (1.0 + 0.04 * chance.random::<f64>());
    let mut samples = Vec::new();
    for window in 0..WINDOWS {
        let mut latencies = Latencies::default();
        let operations = (80.0 / level) as u64;
        for _ in 0..operations {
            latencies.record((1e6 * level * (0.8 + 0.4 * chance.random::<f64>())) as u64);
        }
        let service = latencies.take();
        samples.push(Sample {
            window,
            span_ns: WINDOW,
            ops: operations,
            bytes: operations * 4096,
            service,
            ..Sample::default()
        });
    }
    Slice {
        target: Some(osd),
        kind,
        started_seconds: f64::from(pass) * 10.0,
        ..testing::slice(step.id, pass, WINDOW, samples)
    }
}
