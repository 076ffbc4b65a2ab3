//! The same as fio's `--output-format=json+` says it: a job for each figure.

use crate::slices::Slices;
use crate::words;
use model::{Figure, OpClass, Record, Report, Sample, Sizes, Slice, Sparse};
use serde_json::{Map, Value, json};

/// The percentiles that fio prints unless told otherwise.
const PERCENTILES: [f64; 17] =
    [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];

/// Figures that have a value. fio knows neither intervals nor labels: they are in each job's `fathom`, which its readers skip.
pub fn document(report: &Report, record: &Record) -> Value {
    let started = words_of_time(&report.head.started);
    let slices = Slices::of(record);
    let jobs: Vec<Value> = report.figures.iter().filter_map(|figure| job(figure, &slices)).collect();
    json!({
        "fio version": format!("fathom-{}", report.head.version),
        "timestamp": started.0,
        "timestamp_ms": started.0 * 1000,
        "time": started.1,
        "global options": {},
        "jobs": jobs,
        "disk_util": [],
    })
}

/// Seconds since 1970, and the text as it is.
fn words_of_time(rfc3339: &str) -> (i64, &str) {
    (rfc3339.parse::<jiff::Timestamp>().map_or(0, |time| time.as_second()), rfc3339)
}

fn job(figure: &Figure, slices: &Slices) -> Option<Value> {
    // What fio has for files by their names is no read or write of a block.
    figure.estimate.filter(|_| !figure.workload.of_files())?;
    // The windows of OSDs that time themselves, joined, are no rate of all of them together: each has a job of its own.
    if figure.overlap.is_some() {
        return None;
    }
    let good: Vec<&Slice> = slices.of_figure(figure).into_iter().filter(|slice| slice.void.is_none()).collect();
    let counted = || good.iter().flat_map(|slice| slice.counted());
    let seconds = counted().map(|sample| sample.span_ns).sum::<u64>() as f64 / 1e9;
    // An OSD that times itself tells means, and no single operation.
    let single = good.iter().all(|slice| slice.samples.iter().all(|sample| sample.span_ns == slice.window_ns));
    let service = if single { Sparse::merged(counted().map(|sample| &sample.service)) } else { Sparse::default() };
    let windows: Vec<&Sample> = counted().filter(|sample| sample.span_ns > 0).collect();
    let done = side(figure, &service, seconds, &windows);
    let none = side(&Figure { operations: 0, bytes: 0, errors: 0, ..figure.clone() }, &Sparse::default(), seconds, &[]);
    let (read, write) = if !figure.kind.changes() { (done, none.clone()) } else { (none.clone(), done) };
    let mut job = json!({
        "jobname": name(figure),
        "groupid": 0,
        "error": 0,
        "total_err": figure.errors,
        "eta": 0,
        "elapsed": figure.seconds.round() as u64,
        "job options": options(figure),
        "read": read,
        "write": write,
        "trim": none,
        "sync": {"total_ios": 0, "lat_ns": latency(&Sparse::default())},
        "job_runtime": (seconds * 1000.0).round() as u64,
        // Of the threads that put on the load all that they ran: it is not known apart.
        "usr_cpu": figure.effort.map_or(0.0, |effort| effort.busy * 100.0),
        "sys_cpu": 0.0,
        "ctx": 0,
        "majf": 0,
        "minf": 0,
        "fathom": {
            "metric": figure.metric,
            "unit": figure.metric.unit(),
            "value": figure.estimate.map(|estimate| estimate.value),
            "ci95": figure.estimate.map(|estimate| [estimate.low, estimate.high]),
            "label": figure.label.name(),
            "at_once": figure.at_once,
        },
    });
    for (name, unit, bounds) in LATENCIES {
        job[name] = latencies(&service, unit, bounds);
    }
    Some(job)
}

/// fio's histogram for people: of each unit (in ns) the bounds, and beyond the last one of ms all that is longer.
const LATENCIES: [(&str, u64, &[u64]); 3] = [
    ("latency_ns", 1, &[2, 4, 10, 20, 50, 100, 250, 500, 750, 1000]),
    ("latency_us", 1000, &[2, 4, 10, 20, 50, 100, 250, 500, 750, 1000]),
    ("latency_ms", 1_000_000, &[2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000, u64::MAX]),
];

/// Percent of the operations up to each bound, and above the one before.
fn latencies(service: &Sparse, unit: u64, bounds: &[u64]) -> Value {
    let all: u64 = service.buckets.iter().map(|(_, n)| n).sum();
    let mut above = if unit == 1 { 0 } else { unit };
    let mut shares = Map::new();
    for bound in bounds {
        let until = bound.saturating_mul(unit);
        let within = |index: u32| (above..until).contains(&Sparse::bucket_range(index).0);
        let ops: u64 = service.buckets.iter().filter(|(index, _)| within(*index)).map(|(_, n)| n).sum();
        let name = if *bound == u64::MAX { ">=2000".to_string() } else { bound.to_string() };
        shares.insert(name, json!(if all > 0 { ops as f64 * 100.0 / all as f64 } else { 0.0 }));
        above = until;
    }
    Value::Object(shares)
}

/// As in a job file: depth, size and rate are each job's.
fn options(figure: &Figure) -> Value {
    let workload = &figure.workload;
    let mut options = json!({
        "name": format!("{}-{}", figure.layer.name(), figure.pattern.name()),
        "ioengine": format!("fathom-{}", figure.layer.name()),
        "rw": way(figure),
        "bs": workload.sizes.as_ref().map_or(workload.block.to_string(), Sizes::to_string),
        "iodepth": workload.lane_depth(0).to_string(),
        "numjobs": workload.jobs.to_string(),
        "size": workload.lane_span().to_string(),
    });
    if let Some(ms) = workload.rate.and_then(|rate| rate.pause_ms()) {
        options["thinktime"] = json!((ms * 1e3).round().to_string());
    } else if let Some(rate) = workload.rate {
        let each = rate.per_second / f64::from(workload.jobs.max(1));
        options["rate_iops"] = json!(each.round().to_string());
        options["rate_process"] = json!(if rate.arrivals == model::Arrivals::Even { "linear" } else { "poisson" });
    }
    options
}

fn way(figure: &Figure) -> String {
    let random = if figure.workload.access == model::Access::Sequential { "" } else { "rand" };
    let kind = match figure.workload.mix.percent(OpClass::Read) {
        0 => "write",
        100 => "read",
        _ if random.is_empty() => "readwrite",
        _ => "rw",
    };
    format!("{random}{kind}")
}

fn side(figure: &Figure, service: &Sparse, seconds: f64, windows: &[&Sample]) -> Value {
    let each = |sum: u64| if seconds > 0.0 { sum as f64 / seconds } else { 0.0 };
    let (bytes, operations) = (figure.bytes, figure.operations);
    let rates =
        |of: fn(&Sample) -> f64| windows.iter().map(|one| of(one) * 1e9 / one.span_ns as f64).collect::<Vec<f64>>();
    let mut side = json!({
        "io_bytes": bytes,
        "io_kbytes": bytes / 1024,
        "bw_bytes": each(bytes).round() as u64,
        "bw": (each(bytes) / 1024.0).round() as u64,
        "iops": each(operations),
        "runtime": (seconds * 1000.0).round() as u64,
        "total_ios": operations,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": latency(&Sparse::default()),
        "clat_ns": detailed(service),
        "lat_ns": latency(service),
    });
    spread(&mut side, "bw", rates(|one| one.bytes as f64 / 1024.0));
    spread(&mut side, "iops", rates(|one| one.ops as f64));
    side
}

/// Of the windows: least, most, mean, standard deviation, number; bandwidth in KiB/s.
fn spread(side: &mut Value, name: &str, rates: Vec<f64>) {
    let n = rates.len() as f64;
    let mean = if rates.is_empty() { 0.0 } else { rates.iter().sum::<f64>() / n };
    let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
    let deviation = if rates.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
    let least = rates.iter().copied().reduce(f64::min).unwrap_or(0.0);
    side[format!("{name}_min")] = json!(least.round() as u64);
    side[format!("{name}_max")] = json!(rates.iter().copied().fold(0.0, f64::max).round() as u64);
    side[format!("{name}_mean")] = json!(mean);
    side[if name == "bw" { "bw_dev" } else { "iops_stddev" }] = json!(deviation);
    side[format!("{name}_samples")] = json!(rates.len());
    if name == "bw" {
        side["bw_agg"] = json!(if rates.is_empty() { 0.0 } else { 100.0 });
    }
}

fn latency(service: &Sparse) -> Value {
    let mean = service.mean_ns().unwrap_or(0.0);
    let middle = |index: u32| {
        let (low, high) = Sparse::bucket_range(index);
        (low as f64 + high as f64) / 2.0
    };
    let squares: f64 = service.buckets.iter().map(|(index, n)| n as f64 * (middle(index) - mean).powi(2)).sum();
    let lowest = service.buckets.iter().next().map_or(0, |(index, _)| Sparse::bucket_range(index).0);
    json!({
        "min": lowest,
        "max": service.max_ns,
        "mean": mean,
        "stddev": if service.count > 1 { (squares / (service.count - 1) as f64).sqrt() } else { 0.0 },
        "N": service.count,
    })
}

/// With percentiles and bins, as fio's json+ has them: a bin is named by the highest ns in it.
fn detailed(service: &Sparse) -> Value {
    let mut value = latency(service);
    if let Some(fields) = value.as_object_mut().filter(|_| !service.buckets.is_empty()) {
        let percentile = |percent: f64| {
            let ns = service.quantile_ns(percent / 100.0).unwrap_or(0.0).round() as u64;
            (format!("{percent:.6}"), json!(ns))
        };
        fields
            .insert("percentile".into(), Value::Object(PERCENTILES.into_iter().map(percentile).collect::<Map<_, _>>()));
        let bin = |(index, n): (u32, u64)| (Sparse::bucket_range(index).1.to_string(), json!(n));
        fields.insert("bins".into(), Value::Object(service.buckets.iter().map(bin).collect::<Map<_, _>>()));
    }
    value
}

/// `rados pool read-parallel`, and the workload where several have that name.
fn name(figure: &Figure) -> String {
    let apart = words::apart(figure.chart, figure.layer, &figure.workload);
    let parts = [figure.layer.name().to_string(), figure.target.clone(), figure.pattern.name().to_string()];
    let workload = apart.map_or(String::new(), |workload| format!(" ({workload})"));
    parts.join(" ") + &workload
}
