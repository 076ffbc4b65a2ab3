//! fio's results: `--output-format=json` and `json+`.

use super::options::{Given, Options, canonical};
use super::shape::{Shape, shape};
use crate::imported::{ImportedFigure, ImportedOperations, RATES, Results, with_latency};
use model::clock::MILLISECOND;
use model::{Durability, Latencies, Layer, OpClass, Sample, Sparse, Workload};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// One entry of `jobs`.
struct Entry<'a> {
    at: String,
    name: &'a str,
    group: u64,
    options: Options,
    value: &'a Value,
}

pub fn read(document: &Value) -> Result<Results, String> {
    let tool = document.get("fio version").and_then(Value::as_str).unwrap_or("fio").to_string();
    if tool.starts_with("fio-2") || tool.starts_with("fio-1") {
        return Err(format!("fio version: {tool} writes other units than today's fio; run it again with fio 3"));
    }
    let Some(jobs) = document.get("jobs").and_then(Value::as_array) else {
        let mend = "import what one fio printed (of a client and its servers: each server's own results)";
        return Err(format!("jobs: is no list; {mend}"));
    };
    let global = document.get("global options").and_then(Value::as_object);
    let entries: Vec<Entry> = jobs.iter().enumerate().map(|(index, job)| entry(index, job, global)).collect();
    let ended = document.get("timestamp_ms").and_then(Value::as_i64);
    let mut results =
        Results { tool, ended: ended.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok()), ..Results::default() };
    for parts in numbered(&entries) {
        measured(&parts, &entries, &mut results)?;
    }
    Ok(results)
}

fn entry<'a>(index: usize, job: &'a Value, global: Option<&Map<String, Value>>) -> Entry<'a> {
    let name = job.get("jobname").and_then(Value::as_str).unwrap_or("");
    let own = job.get("job options").and_then(Value::as_object);
    let given = |(name, value): (&String, &Value)| {
        let value = value.as_str().map(String::from).or_else(|| value.as_u64().map(|number| number.to_string()));
        (canonical(name).to_string(), Given { value, line: 0 })
    };
    let options = global.into_iter().chain(own).flatten().map(given).collect();
    let group = job.get("groupid").and_then(Value::as_u64).unwrap_or(0);
    Entry { at: format!("jobs[{index}] ({name})"), name, group, options, value: job }
}

/// The jobs of one section (`numjobs`), which fio lists one by one unless it is told to report groups.
fn numbered<'e, 'a>(entries: &'e [Entry<'a>]) -> Vec<Vec<&'e Entry<'a>>> {
    let mut parts: Vec<Vec<&Entry>> = Vec::new();
    for entry in entries {
        let most = entry.options.get("numjobs").and_then(|given| given.value.as_deref()?.parse().ok()).unwrap_or(1);
        match parts.last_mut() {
            Some(last) if last.len() < most && same(last[0], entry) => last.push(entry),
            _ => parts.push(vec![entry]),
        }
    }
    parts
}

fn same(a: &Entry, b: &Entry) -> bool {
    (a.name, a.group, &a.options) == (b.name, b.group, &b.options)
}

fn measured(parts: &[&Entry], all: &[Entry], results: &mut Results) -> Result<(), String> {
    let first = parts[0];
    let (shape, problems) = shape(&first.options);
    if let Some(wrong) = problems.iter().find(|problem| problem.wrong) {
        return Err(format!("{}: {}={}: {}", first.at, wrong.option, wrong.value, wrong.says));
    }
    if problems.iter().any(|problem| problem.option == "ioengine") {
        results.notes.push(format!("{}: left out: nothing is measured here with ioengine={}", first.at, shape.engine));
        return Ok(());
    }
    let mut told = Vec::new();
    for (kind, name) in [(OpClass::Read, "read"), (OpClass::Write, "write")] {
        let sides = parts.iter().filter_map(|part| Some((part, part.value.get(name)?)));
        let sides: Vec<Side> = sides.map(|(part, value)| side(part, name, value)).collect::<Result<_, _>>()?;
        if let Some(mut sum) = sum(&sides, kind) {
            sum.error = failed(parts);
            if kind == OpClass::Write && matches!(shape.durability, Durability::Fsync | Durability::Fdatasync) {
                // fio times the write without its sync, Fathom both as one: by Little's law, from the rate.
                sum.samples[0].service = Sparse::default();
            }
            told.push(sum);
        }
    }
    let asked = |kind| if kind == OpClass::Read { shape.reads() } else { shape.writes() };
    if told.iter().any(|told| !asked(told.kind)) {
        let mend = "run it without group_reporting";
        results.notes.push(format!("{}: left out: it is the sum of different sections; {mend}", first.at));
        return Ok(());
    }
    if told.is_empty() {
        results.notes.push(format!("{}: left out: no operation that moved data", first.at));
        return Ok(());
    }
    let mut workload = workload(&shape);
    for problem in problems {
        workload.options.insert(problem.option, problem.value);
    }
    if shape.rate.is_some() {
        let says = "its rate was given; fio's times are from submission, not from when operations were due";
        results.notes.push(format!("{}: {says}", first.at));
        // Not as a rate of ours, whose figures are response times.
        for name in RATES {
            let given = first.options.get(name).and_then(|given| given.value.clone());
            workload.options.extend(given.map(|value| (name.to_string(), value)));
        }
    }
    if shape.layer == Layer::Rbd {
        results.notes.push(format!("{}: taken as through librbd's cache, which fio leaves on", first.at));
    }
    let beside: Vec<&str> =
        all.iter().filter(|other| other.group == first.group && !same(other, first)).map(|other| other.name).collect();
    if !beside.is_empty() {
        workload.options.insert("beside".to_string(), beside.join(","));
    }
    let (told, unknown) = with_latency(shape.layer, &workload, told);
    results.notes.extend(unknown.map(|why| format!("{}: {why}", first.at)));
    if !told.is_empty() {
        results.measured.push(ImportedFigure { layer: shape.layer, target: target(&shape), workload, told });
    }
    Ok(())
}

/// As a workload of ours. What ours do in any case is not said: durable answers of a cluster, past the page cache.
fn workload(shape: &Shape) -> Workload {
    let device = shape.layer == Layer::Device;
    let span = super::span(shape).unwrap_or(0);
    let mut workload = Workload { rate: None, ..super::workload(shape, span, 0) };
    if shape.layer == Layer::Rbd && shape.writes() && shape.durability != Durability::None {
        // Flushed after each write, which no load of ours on an image is.
        workload.options.insert("fsync".to_string(), "1".to_string());
    }
    if device && !shape.direct && !in_memory(shape) {
        workload.options.insert("direct".to_string(), "0".to_string());
    }
    workload
}

/// Files there have no page cache before a device.
fn in_memory(shape: &Shape) -> bool {
    let path = shape.filename.as_ref().or(shape.directory.as_ref());
    path.is_some_and(|path| path.starts_with("/dev/shm/") || path == "/dev/shm")
}

fn target(shape: &Shape) -> String {
    let own = match shape.layer {
        Layer::Device => shape.filename.clone().or(shape.directory.clone()),
        // As in Fathom's own runs: an image that is only read has a name, one that is written to is any of its pool.
        Layer::Rbd if !shape.writes() => {
            shape.pool.as_ref().zip(shape.image.as_ref()).map(|(pool, image)| format!("{pool}/{image}"))
        }
        _ => shape.pool.as_ref().map(|pool| format!("pool {pool}")),
    };
    own.unwrap_or_else(|| if shape.layer == Layer::Device { "." } else { "pool" }.to_string())
}

fn failed(parts: &[&Entry]) -> Option<String> {
    let code =
        parts.iter().filter_map(|part| part.value.get("error").and_then(Value::as_i64)).find(|code| *code != 0)?;
    Some(format!("fio ended with error {code}"))
}

/// What one entry tells of reads or writes.
struct Side {
    runtime_ms: u64,
    ops: u64,
    bytes: u64,
    errors: u64,
    service: Sparse,
}

fn side(entry: &Entry, name: &str, value: &Value) -> Result<Side, String> {
    let whole = |field: &str| {
        let found = value.get(field).and_then(Value::as_u64);
        found.ok_or_else(|| format!("{}.{name}.{field}: is missing, or no whole number", entry.at))
    };
    let ops = whole("total_ios")?;
    let of_job = |field: &str| entry.value.get(field).and_then(Value::as_u64).unwrap_or(0);
    Ok(Side {
        runtime_ms: whole("runtime")?,
        ops,
        bytes: whole("io_bytes")?,
        errors: if ops > 0 { of_job("total_err") } else { 0 },
        service: service(value, ops).map_err(|what| format!("{}.{name}.{what}", entry.at))?,
    })
}

/// The mean is that of the whole time (`lat_ns`); bins or percentiles are of it, too, where fio was told so, else of the
/// time after submission (`clat_ns`). Up to about 3.9 fio does not say of how many operations its mean is (`N`): of all.
fn service(value: &Value, ops: u64) -> Result<Sparse, String> {
    let (lat, clat) = (value.get("lat_ns"), value.get("clat_ns"));
    let number = |field: &str| lat.and_then(|lat| lat.get(field)).and_then(Value::as_f64).unwrap_or(0.0).max(0.0);
    let mean = number("mean");
    let counted = lat.is_some_and(|lat| lat.get("N").is_some());
    let count = if counted || mean == 0.0 { number("N") as u64 } else { ops };
    let detailed = [lat, clat].into_iter().flatten().find(|side| side.get("bins").or(side.get("percentile")).is_some());
    let buckets = match detailed {
        Some(side) => match side.get("bins").and_then(Value::as_object) {
            Some(bins) => of_bins(bins)?,
            None => of_percentiles(side.get("percentile"), count, number("max") as u64)?,
        },
        None => Counts::new(),
    };
    let buckets = buckets.into_iter().filter(|(_, times)| *times > 0).collect();
    Ok(Sparse { buckets, sum_ns: (mean * count as f64) as u64, count, max_ns: number("max") as u64 })
}

type Counts = BTreeMap<u32, u64>;

fn count_in(buckets: &mut Counts, ns: u64, times: u64) {
    let mut one = Latencies::default();
    one.record(ns);
    for (index, _) in &one.take().buckets {
        let bucket = buckets.entry(index).or_default();
        *bucket = bucket.saturating_add(times);
    }
}

fn of_bins(bins: &Map<String, Value>) -> Result<Counts, String> {
    let mut buckets = Counts::new();
    for (name, count) in bins {
        let bin: Option<(u64, u64)> = name.parse().ok().zip(count.as_u64());
        let (ns, times) = bin.ok_or_else(|| format!("bins: `{name}` is no latency with its count"))?;
        count_in(&mut buckets, ns, times);
    }
    Ok(buckets)
}

/// All of a share at the percentile that ends it: so that the percentiles that were told come out again, and no others.
fn of_percentiles(told: Option<&Value>, count: u64, max_ns: u64) -> Result<Counts, String> {
    let mut points: Vec<(f64, u64)> = Vec::new();
    for (name, value) in told.and_then(Value::as_object).into_iter().flatten() {
        let point = name.parse::<f64>().ok().filter(|percent| (0.0..=100.0).contains(percent)).zip(value.as_u64());
        points.push(point.ok_or_else(|| format!("percentile: `{name}` is no percentile with its latency"))?);
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points.push((100.0, max_ns));
    let (mut buckets, mut before) = (Counts::new(), 0);
    for (percent, ns) in points {
        let until = (percent / 100.0 * count as f64).round() as u64;
        if until > before {
            count_in(&mut buckets, ns, until - before);
            before = until;
        }
    }
    Ok(buckets)
}

/// The jobs of a section ran side by side: their operations add up, in the longest of their times.
fn sum(sides: &[Side], kind: OpClass) -> Option<ImportedOperations> {
    let ops = sides.iter().map(|side| side.ops).fold(0u64, u64::saturating_add);
    let window_ns = sides.iter().map(|side| side.runtime_ms).max().unwrap_or(0).saturating_mul(MILLISECOND);
    if ops == 0 || window_ns == 0 {
        return None;
    }
    let sample = Sample {
        window: 0,
        span_ns: window_ns,
        ops,
        bytes: sides.iter().map(|side| side.bytes).fold(0, u64::saturating_add),
        errors: sides.iter().map(|side| side.errors).fold(0, u64::saturating_add),
        service: merged(sides),
        ..Sample::default()
    };
    Some(ImportedOperations { kind, window_ns, samples: vec![sample], error: None })
}

fn merged(sides: &[Side]) -> Sparse {
    let of = |field: fn(&Sparse) -> u64| sides.iter().map(|side| field(&side.service)).fold(0, u64::saturating_add);
    let mut buckets = Counts::new();
    for (index, times) in sides.iter().flat_map(|side| &side.service.buckets) {
        let bucket = buckets.entry(index).or_default();
        *bucket = bucket.saturating_add(times);
    }
    Sparse {
        buckets: buckets.into_iter().collect(),
        sum_ns: of(|service| service.sum_ns),
        count: of(|service| service.count),
        max_ns: sides.iter().map(|side| side.service.max_ns).max().unwrap_or(0),
    }
}
