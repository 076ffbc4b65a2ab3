//! Results of `rados bench`, as text and as JSON: a line for each second, which is a window.

use crate::imported::{ImportedFigure, ImportedOperations, Results};
use model::clock::SECOND;
use model::workload::{GIB, KIB, MIB};
use model::{Access, Bytes, Durability, Layer, OpClass, OpMix, Sample, Sparse, Workload};
use serde_json::Value;
use std::collections::BTreeMap;

/// A second's line: all since the start.
struct Second {
    second: u64,
    in_flight: u32,
    finished: u64,
    /// Mean latency in seconds of all that are finished; `None`: none is.
    mean: Option<f64>,
}

/// What is said of the whole.
struct Whole {
    kind: OpClass,
    block: Bytes,
    object: Bytes,
    /// Told of writes only.
    depth: Option<u32>,
    totals: Option<Totals>,
}

/// The end of the output: all that there is of a load that was done within a second.
struct Totals {
    seconds: f64,
    ops: u64,
    /// Latency, seconds.
    mean: f64,
}

impl Totals {
    fn new(seconds: Option<f64>, ops: Option<u64>, mean: Option<f64>) -> Option<Totals> {
        // More than a window counts is no length of a benchmark.
        let sound = |number: &f64| (0.0..1e9).contains(number);
        let (seconds, mean) = (seconds.filter(sound).filter(|seconds| *seconds > 0.0)?, mean.filter(sound)?);
        Some(Totals { seconds, ops: ops?, mean })
    }

    fn told(&self, kind: OpClass, block: Bytes) -> Result<ImportedOperations, String> {
        let bytes = self.ops.checked_mul(block).ok_or("more bytes than can be counted")?;
        let span_ns = (self.seconds * SECOND as f64) as u64;
        let sum_ns = (self.mean * self.ops as f64 * SECOND as f64) as u64;
        let service = Sparse { buckets: Default::default(), sum_ns, count: self.ops, max_ns: 0 };
        let sample = Sample { span_ns, ops: self.ops, bytes, service, ..Sample::default() };
        Ok(ImportedOperations { kind, window_ns: span_ns, samples: vec![sample], error: None })
    }
}

pub fn is_text(text: &str) -> bool {
    text.contains("Total time run:") || text.lines().any(|line| line.contains("Cur ops") && line.contains("finished"))
}

/// Standard output of `rados bench`, with or without `--show-time`.
pub fn text(text: &str) -> Result<Results, String> {
    let mut seconds = Vec::new();
    let mut fields: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    let mut depth = None;
    for (number, line) in (1..).zip(text.lines()) {
        let line = without_time(line);
        if let Some(words) = line.trim().strip_prefix("Maintaining ") {
            depth = words.split(' ').next().and_then(|word| word.parse().ok());
        } else if line.contains("min lat:") || line.contains("Cur ops") {
            continue;
        } else if let Some((name, value)) = line.split_once(':') {
            fields.insert(name.trim(), (number, value.trim()));
        } else if line.split_whitespace().count() == 8 && line.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
            seconds.push(second_of_line(line).ok_or_else(|| format!("line {number}: no line of a second: `{line}`"))?);
        }
    }
    let number = |name: &str| -> Result<Option<u64>, String> {
        let Some((line, text)) = fields.get(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| format!("line {line}: {name} is no whole number: `{text}`"))
    };
    let float = |name: &str| fields.get(name).and_then(|(_, text)| text.parse().ok());
    let of = |kind, block, made| -> Result<Option<Whole>, String> {
        let Some(block) = number(block)? else { return Ok(None) };
        let object = number("Object size")?.unwrap_or(block);
        let totals = Totals::new(float("Total time run"), number(made)?, float("Average Latency(s)"));
        Ok(Some(Whole { kind, block, object, depth, totals }))
    };
    let whole = match of(OpClass::Write, "Write size", "Total writes made")? {
        Some(whole) => Some(whole),
        None => of(OpClass::Read, "Read size", "Total reads made")?,
    };
    let missing = "has no `Write size:` or `Read size:`, or no `Min latency(s):`: the end of the output is missing; import all of it";
    // The last of its lines, in every version: what was cut off before might be half a number.
    let whole = whole.filter(|_| fields.keys().any(|name| name.starts_with("Min latency")));
    results(whole.ok_or(missing)?, &seconds)
}

/// `--show-time` puts a time before each line: `2026-11-21T19:36:14.336525+0000 …`.
fn without_time(line: &str) -> &str {
    match line.split_once(' ') {
        Some((first, rest)) if first.len() > 20 && first.contains('T') && first.contains(':') => rest,
        _ => line,
    }
}

/// sec, cur ops, started, finished, avg MB/s, cur MB/s, last lat, avg lat.
fn second_of_line(line: &str) -> Option<Second> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let finished = words.get(3)?.parse().ok()?;
    Some(Second {
        second: words.first()?.parse().ok()?,
        in_flight: words.get(1)?.parse().ok()?,
        finished,
        mean: words.get(7)?.parse().ok().filter(|mean: &f64| finished > 0 && mean.is_finite()),
    })
}

/// What `rados bench --format json` prints. Its numbers are texts.
pub fn json(document: &Value) -> Result<Results, String> {
    let number = |name: &str| {
        document.get(name).map(|value| whole_number(value).ok_or(format!("{name}: is no number"))).transpose()
    };
    let (kind, block) = match (number("write_size")?, number("read_size")?) {
        (Some(block), _) => (OpClass::Write, block),
        (None, Some(block)) => (OpClass::Read, block),
        _ => return Err("has no `write_size` or `read_size`: the end of the output is missing".to_string()),
    };
    let object = number("object_size")?.unwrap_or(block);
    let depth = number("concurrent_ios")?.and_then(|depth| u32::try_from(depth).ok());
    let datas = document.get("datas").and_then(Value::as_array).ok_or("datas: is no list")?;
    let second = |(index, data): (usize, &Value)| {
        second_of_json(data).ok_or_else(|| format!("datas[{index}]: lacks sec, cur_ops, finished or avg_lat"))
    };
    let seconds = datas.iter().enumerate().map(second).collect::<Result<Vec<_>, _>>()?;
    let float = |name: &str| document.get(name).and_then(fraction);
    let made = number(if kind == OpClass::Write { "total_writes_made" } else { "total_reads_made" })?;
    let totals = Totals::new(float("total_time_run"), made, float("average_latency"));
    results(Whole { kind, block, object, depth, totals }, &seconds)
}

fn whole_number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn fraction(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn second_of_json(data: &Value) -> Option<Second> {
    let whole = |name: &str| data.get(name).and_then(whole_number);
    let mean = data.get("avg_lat").and_then(fraction)?;
    let finished = whole("finished")?;
    Some(Second {
        second: whole("sec")?,
        in_flight: u32::try_from(whole("cur_ops")?).ok()?,
        finished,
        mean: Some(mean).filter(|mean: &f64| finished > 0 && mean.is_finite()),
    })
}

fn results(whole: Whole, seconds: &[Second]) -> Result<Results, String> {
    let told = match &whole.totals {
        Some(totals) if seconds.iter().all(|second| second.second == 0) => totals.told(whole.kind, whole.block)?,
        _ => ImportedOperations {
            kind: whole.kind,
            window_ns: SECOND,
            samples: samples(seconds, whole.block)?,
            error: None,
        },
    };
    let mut notes = Vec::new();
    let sequential = whole.kind == OpClass::Write || whole.block >= MIB;
    if whole.kind == OpClass::Read {
        let taken = if sequential { "seq, as large reads mostly are" } else { "rand, as small reads mostly are" };
        notes.push(format!("rados bench does not say whether it read with seq or rand; taken as {taken}"));
    }
    notes.extend(of_objects(&whole, &told));
    let depth = whole.depth.unwrap_or_else(|| seconds.iter().map(|second| second.in_flight).max().unwrap_or(1)).max(1);
    let workload = Workload {
        rate: None,
        clients: 1,
        verify: false,
        settings: BTreeMap::new(),
        block: whole.block,
        depth,
        jobs: 1,
        mix: OpMix::only(whole.kind),
        access: if sequential { Access::Sequential } else { Access::Random },
        durability: Durability::None,
        // It writes new objects all the time, and does not say how many there are when it reads.
        span: 0,
        spread: None,
        object: Some(whole.object),
        tree: None,
        buckets: 1,
        part: None,
        sizes: None,
        delete_at_once: None,
        seed: 0,
        engine: None,
        options: BTreeMap::new(),
    };
    // The output does not name the pool.
    let measured = ImportedFigure { layer: Layer::Rados, target: "pool".to_string(), workload, told: vec![told] };
    Ok(Results { tool: "rados bench".to_string(), ended: None, measured: vec![measured], notes })
}

/// What the number of its objects means for the figure.
fn of_objects(whole: &Whole, told: &ImportedOperations) -> Option<String> {
    let bytes: Bytes = told.samples.iter().map(|sample| sample.bytes).sum();
    let objects = bytes.div_ceil(whole.object.max(1));
    let kib = whole.object.div_ceil(KIB);
    let volume = bytes as f64 / GIB as f64;
    if objects == 0 {
        return None;
    }
    Some(match whole.kind {
        OpClass::Write => format!(
            "rados bench wrote {objects} new objects of {kib} KiB, {volume:.2} GiB in all: a placement group gets {objects} / pg_num of \
             them, give or take the square root, so that with few objects for each some OSDs do more than others; and what fits into \
             the caches of drives may not have reached their media"
        ),
        _ => format!(
            "rados bench read what an earlier write had left (--no-cleanup), and does not say how many objects those are: at most \
             {objects} of {kib} KiB, {volume:.2} GiB. Few objects lie in few placement groups, not on all OSDs alike; and what was just \
             written, or is read again, may come from the memory of OSDs and hosts: it tells of the disks only if it is several times \
             as large as their caches"
        ),
    })
}

/// Each second is a window. Its latencies are the difference of two means since the start, each times its count.
fn samples(seconds: &[Second], block: Bytes) -> Result<Vec<Sample>, String> {
    let mut samples: Vec<Sample> = Vec::new();
    let (mut finished, mut sum) = (0u64, 0.0);
    for second in seconds.iter().filter(|second| second.second > 0) {
        let at = format!("second {}", second.second);
        let ops =
            second.finished.checked_sub(finished).ok_or(format!("{at}: fewer operations are finished than before"))?;
        let bytes = ops.checked_mul(block).ok_or(format!("{at}: more bytes than can be counted"))?;
        let now = second.mean.map_or(0.0, |mean| mean * second.finished as f64);
        let service =
            Sparse { buckets: Default::default(), sum_ns: ((now - sum) * 1e9).max(0.0) as u64, count: ops, max_ns: 0 };
        let window = samples.len() as u32;
        samples.push(Sample { window, span_ns: SECOND, ops, bytes, errors: 0, service, ..Sample::default() });
        (finished, sum) = (second.finished, now);
    }
    // Where rounding hides a second's latencies, none is told: Little's law gives their mean.
    if samples.iter().any(|sample| sample.ops > 0 && sample.service.sum_ns == 0) {
        samples.iter_mut().for_each(|sample| sample.service = Sparse::default());
    }
    Ok(samples)
}
