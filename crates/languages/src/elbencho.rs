//! Results of elbencho: its CSV file (a row for each phase) and its JSON file (a document on each line).

use crate::imported::{ImportedFigure, ImportedOperations, Results, with_latency};
use model::clock::MILLISECOND;
use model::workload::MIB;
use model::{Access, Bytes, Durability, Layer, OpClass, OpMix, Sample, Sparse, Workload};
use serde_json::Value;
use std::collections::BTreeMap;

/// A phase, whichever file it was told in. Names of values as in the JSON file.
struct Phase<'a> {
    at: String,
    operation: String,
    value: &'a dyn Fn(&str) -> Option<String>,
}

/// What one side (all, or the reads of a mix) did until the last thread was done.
struct Done {
    ops: u64,
    bytes: Bytes,
    mean_us: Option<u64>,
    max_us: u64,
}

pub fn is_csv(text: &str) -> bool {
    let heading = text.lines().next().unwrap_or("");
    heading.contains("operation") && heading.contains("time ms [last]")
}

/// Under which heading the CSV file has what the JSON file calls so.
const COLUMNS: [(&str, &str); 24] = [
    ("phase_type", "operation"),
    ("date", "ISO date"),
    ("config.path_type", "path type"),
    ("config.paths", "paths"),
    ("config.hosts", "hosts"),
    ("config.threads", "threads"),
    ("config.dirs", "dirs"),
    ("config.files", "files"),
    ("config.file_size", "file size"),
    ("config.block_size", "block size"),
    ("config.direct_io", "direct IO"),
    ("config.random_offsets", "random"),
    ("config.random_aligned", "random aligned"),
    ("config.io_depth", "IO depth"),
    ("config.version", "version"),
    ("config.command", "command"),
    ("last_done.elapsed_time_ms", "time ms [last]"),
    ("last_done.iops", "IOPS [last]"),
    ("last_done.rwmix_read.iops", "rwmix read IOPS [last]"),
    ("last_done.latency.IO.avg_us", "IO lat us [avg]"),
    ("last_done.latency.IO.max_us", "IO lat us [max]"),
    ("last_done.latency.IO.rwmix_read.avg_us", "rwmix read IO lat us [avg]"),
    ("last_done.latency.IO.rwmix_read.max_us", "rwmix read IO lat us [max]"),
    ("label", "label"),
];
/// In the CSV file these are in whole MiB.
const VOLUMES: [(&str, &str); 2] =
    [("last_done.bytes", "MiB [last]"), ("last_done.rwmix_read.bytes", "rwmix read MiB [last]")];

pub fn csv(text: &str) -> Result<Results, String> {
    if !text.ends_with('\n') {
        let mend = "import all of it (if it is whole, end it with a line end)";
        return Err(format!("line {}: has no end: the file is cut off; {mend}", text.lines().count()));
    }
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let heading = reader.headers().map_err(|error| format!("line 1: {error}"))?.clone();
    let mut results = Results { tool: "elbencho".to_string(), ..Results::default() };
    for record in reader.records() {
        let record = record.map_err(|error| format!("no CSV: {error}"))?;
        let line = record.position().map_or(0, |position| position.line());
        // A run with other options appends to the same file, now and then with another heading.
        if record.iter().any(|cell| cell == "time ms [last]") {
            let mend = "put each into a file of its own";
            return Err(format!("line {line}: a second heading: rows of different versions of elbencho; {mend}"));
        }
        if record.len() != heading.len() {
            let (has, wanted) = (record.len(), heading.len());
            return Err(format!(
                "line {line}: has {has} fields, the heading {wanted}: it is cut off, or of another version of elbencho"
            ));
        }
        let cell = |column: &str| {
            let index = heading.iter().position(|title| title == column)?;
            record.get(index).map(str::trim).filter(|cell| !cell.is_empty()).map(String::from)
        };
        let value = |name: &str| {
            let named =
                |table: &[(&str, &'static str)]| table.iter().find(|(known, _)| *known == name).map(|known| known.1);
            if let Some(column) = named(&VOLUMES) {
                return cell(column)?.parse::<u64>().ok()?.checked_mul(MIB).map(|bytes| bytes.to_string());
            }
            cell(named(&COLUMNS)?)
        };
        take(&Phase { at: format!("line {line}"), operation: operation(&value), value: &value }, &mut results)?;
    }
    Ok(results)
}

/// The documents of a JSON file. Its numbers are texts.
pub fn json(documents: &[Value]) -> Result<Results, String> {
    let mut results = Results { tool: "elbencho".to_string(), ..Results::default() };
    for (index, document) in documents.iter().enumerate() {
        let value = |name: &str| {
            let name = if name == "date" { "iso_start_date" } else { name };
            let found = name.split('.').try_fold(document, |inner, part| inner.get(part))?;
            match found {
                Value::String(text) if !text.is_empty() => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                Value::Bool(is) => Some(is.to_string()),
                _ => None,
            }
        };
        take(
            &Phase { at: format!("document {}", index + 1), operation: operation(&value), value: &value },
            &mut results,
        )?;
    }
    Ok(results)
}

fn operation(value: &dyn Fn(&str) -> Option<String>) -> String {
    value("phase_type").unwrap_or_default().to_ascii_uppercase()
}

impl Phase<'_> {
    fn whole(&self, name: &str) -> Result<Option<u64>, String> {
        let Some(text) = (self.value)(name) else { return Ok(None) };
        let number = text.parse().map_err(|_| format!("{}: {name} is no whole number: `{text}`", self.at))?;
        Ok(Some(number))
    }

    fn needed(&self, name: &str) -> Result<u64, String> {
        self.whole(name)?.ok_or_else(|| format!("{}: {name} is missing", self.at))
    }

    fn is(&self, name: &str) -> bool {
        (self.value)(name).is_some_and(|text| text == "1" || text == "true")
    }

    /// What one side did; `None`: nothing.
    fn done(&self, side: &str, block: Bytes, ms: u64) -> Result<Option<Done>, String> {
        let iops = self.whole(&format!("last_done.{side}iops"))?.unwrap_or(0);
        let told = self.whole(&format!("last_done.{side}bytes"))?.unwrap_or(0);
        // IOPS are cut to whole numbers, and in CSV bytes to whole MiB: what is known better counts the operations.
        let by_rate = u128::from(iops) * u128::from(ms) / 1000;
        let ops = u64::try_from(by_rate.max(u128::from(told / block))).unwrap_or(u64::MAX);
        // Cut to whole microseconds as well: nothing of it may be left.
        let mean_us = self.whole(&format!("last_done.latency.IO.{side}avg_us"))?.filter(|mean| *mean > 0);
        let max_us = self.whole(&format!("last_done.latency.IO.{side}max_us"))?.unwrap_or(0);
        let bytes = told.max(ops.saturating_mul(block));
        Ok((ops > 0).then_some(Done { ops, bytes, mean_us, max_us }))
    }
}

fn take(phase: &Phase, results: &mut Results) -> Result<(), String> {
    let mix = phase.operation.starts_with("RWMIX");
    let kind = match phase.operation.as_str() {
        "READ" => OpClass::Read,
        "WRITE" => OpClass::Write,
        _ if mix => OpClass::Write,
        other => {
            results.notes.push(format!("{}: left out: {} moves no data of its own", phase.at, named(other)));
            return Ok(());
        }
    };
    if (phase.value)("config.path_type").is_some_and(|kind| !["dir", "file", "blockdev"].contains(&kind.as_str())) {
        results.notes.push(format!("{}: left out: only files, folders and block devices are measured here", phase.at));
        return Ok(());
    }
    let ms = phase.needed("last_done.elapsed_time_ms")?;
    let block = phase.needed("config.block_size")?.max(1);
    let all = phase.done("", block, ms)?.map(|done| told(kind, ms, &done));
    let reads = phase.done("rwmix_read.", block, ms)?.map(|done| told(OpClass::Read, ms, &done));
    let told: Vec<ImportedOperations> = reads.into_iter().chain(all).collect();
    if told.is_empty() || ms == 0 {
        results.notes.push(format!("{}: left out: {} moved nothing", phase.at, phase.operation));
        return Ok(());
    }
    let workload = workload(phase, &told, block)?;
    if let Some(version) = (phase.value)("config.version") {
        results.tool = format!("elbencho-{version}");
    }
    results.ended = (phase.value)("date").and_then(|date| time(&date)).or(results.ended);
    let (told, unknown) = with_latency(Layer::Device, &workload, told);
    results.notes.extend(unknown.map(|why| format!("{}: {why}", phase.at)));
    if !told.is_empty() {
        results.measured.push(ImportedFigure { layer: Layer::Device, target: target(phase), workload, told });
    }
    Ok(())
}

fn named(operation: &str) -> &str {
    if operation.is_empty() { "a phase without a name" } else { operation }
}

fn told(kind: OpClass, ms: u64, done: &Done) -> ImportedOperations {
    let window_ns = ms.saturating_mul(MILLISECOND);
    let service = match done.mean_us {
        Some(mean) => Sparse {
            buckets: Default::default(),
            sum_ns: mean.saturating_mul(1000).saturating_mul(done.ops),
            count: done.ops,
            max_ns: done.max_us.saturating_mul(1000),
        },
        None => Sparse::default(),
    };
    let sample = Sample {
        window: 0,
        span_ns: window_ns,
        ops: done.ops,
        bytes: done.bytes,
        errors: 0,
        service,
        ..Sample::default()
    };
    ImportedOperations { kind, window_ns, samples: vec![sample], error: None }
}

fn workload(phase: &Phase, told: &[ImportedOperations], block: Bytes) -> Result<Workload, String> {
    let number = |name: &str, otherwise: u64| Ok::<u64, String>(phase.whole(name)?.unwrap_or(otherwise).max(1));
    let workers = number("config.threads", 1)?.saturating_mul(number("config.hosts", 1)?);
    let depth = workers.saturating_mul(number("config.io_depth", 1)?);
    let small = |n: u64| u32::try_from(n).map_err(|_| format!("{}: {n} operations in flight are too many", phase.at));
    let size = phase.whole("config.file_size")?.unwrap_or(0);
    let folder = (phase.value)("config.path_type").is_some_and(|kind| kind == "dir");
    let files = if folder {
        // Folders and files are those of each thread.
        workers.saturating_mul(number("config.dirs", 1)?).saturating_mul(number("config.files", 1)?)
    } else {
        number("config.paths", 1)?
    };
    let mut options = BTreeMap::new();
    let in_memory = target(phase).starts_with("/dev/shm");
    if !phase.is("config.direct_io") && !in_memory {
        options.insert("direct".to_string(), "0".to_string());
    }
    if phase.is("config.random_offsets")
        && (phase.value)("config.random_aligned").is_some()
        && !phase.is("config.random_aligned")
    {
        options.insert("random_aligned".to_string(), "0".to_string());
    }
    Ok(Workload {
        rate: None,
        clients: 1,
        verify: false,
        settings: BTreeMap::new(),
        block,
        depth: small(depth)?,
        jobs: small(workers)?,
        mix: OpMix::reads(read_percent(&phase.operation, told)),
        access: if phase.is("config.random_offsets") { Access::Random } else { Access::Sequential },
        durability: Durability::None,
        span: size.saturating_mul(files),
        spread: None,
        object: None,
        tree: None,
        buckets: 1,
        part: None,
        sizes: None,
        delete_at_once: None,
        seed: 0,
        engine: None,
        options,
    })
}

/// `RWMIX70` says it; a mix of reading and writing threads is what it turned out to be.
fn read_percent(operation: &str, told: &[ImportedOperations]) -> u8 {
    let ops = |kind| told.iter().filter(|told| told.kind == kind).map(|told| told.samples[0].ops).sum::<u64>() as f64;
    let (reads, writes) = (ops(OpClass::Read), ops(OpClass::Write));
    let asked = operation.strip_prefix("RWMIX").and_then(|percent| percent.parse::<u8>().ok()).filter(|p| *p <= 100);
    let seen = (100.0 * reads / (reads + writes)).round() as u8;
    match asked {
        Some(percent) if reads > 0.0 && writes > 0.0 => percent,
        _ if reads > 0.0 && writes > 0.0 => seen.clamp(1, 99),
        _ => seen,
    }
}

/// The last word of the command line, if it is a path: elbencho's results name it nowhere else.
fn target(phase: &Phase) -> String {
    let command = (phase.value)("config.command").unwrap_or_default();
    let last = command.trim().trim_end_matches('"').rsplit(['"', ' ']).next().unwrap_or("").to_string();
    if last.starts_with('/') || last.starts_with('.') { last } else { "elbencho".to_string() }
}

/// With an offset from UTC, or as if in UTC: it only sorts runs.
fn time(text: &str) -> Option<jiff::Timestamp> {
    let civil = || text.parse::<jiff::civil::DateTime>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    text.parse().ok().or_else(|| civil().map(|zoned| zoned.timestamp()))
}
